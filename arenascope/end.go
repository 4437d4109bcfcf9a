package arenascope

import (
	"context"
	"errors"

	"github.com/arena-go/arena"
)

// A Summary says what became of the arenas of one unit of work.
type Summary struct {
	Stats  arena.Stats       // what was in the unit's own arena; zero unless Reused, since somebody may be using it
	Forks  []arena.Stats     // the same for each of its other arenas, of arena.Fork for instance, the newest first
	Reused bool              // the arenas went back to their Pool
	Reason Reason            // why they did not; "" if Reused
	Limit  *arena.LimitError // the limit that was exceeded, if one was
}

// Run calls f, the handler of the unit, and notes how it ends: see the table of the package. ctx is
// the context that the handler gets, which is s or derived from it.
//
// Run returns the error of f. A panic with an error that [OutOfMemory] knows becomes that error;
// any other goes on. If the unit has ended, because somebody has answered instead of the handler,
// Run returns [ErrEnded] and does not call f.
func (s *Scope) Run(ctx context.Context, f func() error) (err error) {
	s.running.Add(begun + 1)
	if s.ended() {
		s.Leave()
		return ErrEnded
	}
	returned := false
	defer func() {
		if !returned {
			defer s.Leave()
			err = s.panicked(recover())
		}
	}()
	err = f()
	returned = true
	if err != nil {
		s.Fail(err)
	} else if s.Taken() && ctx.Err() != nil {
		s.Drop(ReasonDone)
	}
	s.Leave()
	return err
}

// Try is Run for code around the handler, such as interceptors: the handler does not count as run,
// nor f as running.
func (s *Scope) Try(f func() error) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = s.panicked(recover())
		}
	}()
	err = f()
	returned = true
	if err != nil {
		s.Fail(err)
	}
	return err
}

// panicked notes that code has panicked with v, or has ended its goroutine if v is nil. It returns
// v if that is an error of memory, and else goes on panicking.
func (s *Scope) panicked(v any) error {
	if err, _ := v.(error); OutOfMemory(err) != nil {
		s.Fail(err)
		return err
	}
	s.Drop(ReasonPanic)
	if v != nil {
		panic(v)
	}
	return nil
}

// Fail notes that the unit fails with err. It does nothing if err is nil.
func (s *Scope) Fail(err error) {
	switch {
	case err == nil:
	case OutOfMemory(err) == nil:
		s.Drop(ReasonError)
	default:
		s.Drop(ReasonLimit)
		var limit *arena.LimitError
		if errors.As(err, &limit) {
			s.limit.CompareAndSwap(nil, limit)
		}
	}
}

// Enter notes that code other than the handler begins to use arenas of s, such as the receiver of a
// stream. It reports whether the code may: it returns false if the unit has ended. Each Enter needs
// a Leave, also if it returns false. Either Enter finds that the unit has ended, or End finds that
// somebody is running, and drops the arenas.
func (s *Scope) Enter() bool {
	s.running.Add(1)
	return !s.ended()
}

// Leave ends what Enter has begun.
func (s *Scope) Leave() { s.running.Add(-1) }

// Drop notes that the arenas will not be reused, unless a reason was noted before, or the unit has
// ended. Their users may go on using them.
func (s *Scope) Drop(r Reason) {
	if s.state.Load() != open {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.CompareAndSwap(open, dropped) {
		s.reason = r
	}
}

// Abandon is Drop for a unit that becomes many, such as a connection that is taken over. From now
// on FromContext and Fork return the heap for the contexts of s. r replaces the reason that was
// noted before. The collector frees the arenas when their users have let go of them, however long
// the unit goes on.
func (s *Scope) Abandon(r Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Load() == reused {
		return
	}
	s.state.Store(hidden)
	s.reason = r
	for m := s.members(); m != nil; m = m.next {
		s.options.Pool.Drop(m.arena.Swap(nil))
	}
}

// Reason returns the reason that was noted, or "".
func (s *Scope) Reason() Reason {
	if n := s.state.Load(); n == open || n == reused {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

// Kept reports whether Keep was called, whatever the Reason.
func (s *Scope) Kept() bool { return s.kept.Load() }

// Keep says that goroutines of the handler go on using the arenas of ctx, or values in them, after
// the unit of work. The arenas are then not used for another unit: the collector frees them when
// nothing refers to them. A goroutine that first asks for its arena after the end gets nil, the
// heap. Keep applies to all Scopes around ctx.
//
// Call Keep before the handler returns; before the go statement is best. Keep panics if it is
// called too late, because another unit may be using the arenas. It does nothing if ctx is nil or
// does not come from a Scope. Any goroutine may call it.
func Keep(ctx context.Context) {
	for ctx != nil {
		s, _ := ctx.Value(scopeKey{}).(*Scope)
		if s == nil {
			return
		}
		s.kept.Store(true)
		s.Drop(ReasonKept)
		if s.state.Load() == reused {
			panic("arenascope: Keep is called after the handler has returned; call it before the goroutine is started")
		}
		ctx = s.Context
	}
}

// End ends the unit: the arenas go back to the Pool if no reason was noted, and are dropped
// otherwise. See the table of the package. observe, unless nil, is called before that with the fate
// of the arenas; if it panics, they are still returned.
//
// End does nothing if it was called before. The caller must not use values of the arenas any more.
func (s *Scope) End(observe func(Summary)) {
	all := s.taken.Swap(&over)
	if all == &over {
		return
	}
	if all != nil {
		s.mu.Lock()  // until all of them have their arena
		s.unit = nil // so that who has the context does not keep it
		s.mu.Unlock()
	}
	switch n := s.running.Load(); {
	case n%begun > 0:
		s.Drop(ReasonRunning)
	case n == 0 && all != nil:
		s.Drop(ReasonAnswered)
	}
	again := s.state.CompareAndSwap(open, reused)
	if observe != nil {
		s.observe(observe, all, again)
		return
	}
	s.give(all, again)
}

// observe calls f, and gives up the arenas.
func (s *Scope) observe(f func(Summary), all *member, again bool) {
	defer s.give(all, again)
	f(s.summary(all, again))
}

// give gives up the arenas, also when Put panics, as it does when a Memory panics.
func (s *Scope) give(all *member, again bool) {
	defer func() {
		if all != nil {
			s.give(all, again)
		}
	}()
	for all != nil {
		a := all.arena.Load()
		all = all.next
		if again {
			s.options.Pool.Put(a)
		} else {
			s.options.Pool.Drop(a)
		}
	}
}

// summary returns what becomes of the arenas.
func (s *Scope) summary(all *member, again bool) Summary {
	sum := Summary{Limit: s.limit.Load(), Reason: s.Reason(), Reused: again && all != nil}
	if all == nil && sum.Reason != ReasonLimit && sum.Reason != ReasonDecode {
		sum.Reason = ReasonUnused
	}
	if !sum.Reused {
		return sum
	}
	for m := all; m != nil; m = m.next {
		stats := m.arena.Load().Stats()
		if m != &s.own {
			sum.Forks = append(sum.Forks, stats)
		} else if sum.Stats = stats; stats.Freed {
			return Summary{Reason: ReasonFreed, Limit: sum.Limit}
		}
	}
	return sum
}
