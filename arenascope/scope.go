package arenascope

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/share"
)

// Options are what the Scopes of an adapter have in common. They must not change once a Scope was
// started with them.
type Options struct {
	// Pool gives arenas and takes them back. Its Options have the limit of an arena. If it is nil,
	// FromContext returns the heap.
	Pool *arena.Pool

	// Errors are needed by a Call.
	Errors Errors

	// Text lets Holds and HoldsSlice find what lies in the arenas. It costs an allocation or two
	// for each arena when it is new.
	Text bool
}

// A Scope is one unit of work, and the context that its handler gets. [arena.FromContext] and
// [arena.Fork] find its arenas in it, and in contexts derived from it.
//
// An adapter embeds it in what it allocates for a unit, and calls Start first. It is not used again
// for another unit, since goroutines may hold the context for ever. It must not be copied.
//
// Any goroutine may call the methods at any time after Start, unless a method says otherwise. End
// makes the arenas stale, unless they are dropped. After End no arena is taken any more.
//
// Invariants: members are added only under mu, and only before End. A member on the list has its
// arena when mu is free. state changes once, from open to another; only Abandon may change dropped
// to hidden. reason is written under mu together with state.
type Scope struct {
	context.Context // around the unit

	options *Options
	unit    fmt.Stringer // what Label was given, or nil
	own     member       // of the goroutine of the unit

	running atomic.Int64 // the number of Runs and Enters that have not left, and begun for each Run
	state   atomic.Int32
	kept    atomic.Bool

	mu     sync.Mutex
	reason Reason                           // if state is dropped or hidden
	limit  atomic.Pointer[arena.LimitError] // the first one that was exceeded
	taken  atomic.Pointer[member]           // those that have an arena, the newest first; &over after End
}

// States of a Scope.
const (
	open    int32 = iota
	dropped       // the arenas will not be used again
	hidden        // nor does FromContext return them
	reused        // the unit has ended, and the arenas may be those of another
)

// begun is what Run adds to running for good. If there is none in the end, somebody else has
// answered in place of the handler. The handler may have been called all the same, with a context
// that does not lead here. Then it may be running, and is not counted.
const begun = 1 << 32

// over is in place of the members of a unit that has ended.
var over = member{memory: &nothing}

// nothing is in place of the Memory of an arena if Options.Text is not set.
var nothing share.Memory

// A member is one arena of a Scope, and the Source of the goroutine that uses it.
type member struct {
	scope  *Scope
	arena  atomic.Pointer[arena.Arena] // nil until the goroutine asks for it
	memory *share.Memory               // of the arena, for Holds
	next   *member
}

type scopeKey struct{}

// ErrEnded is what Run returns if the unit has ended already.
var ErrEnded = errors.New("arenascope: the unit of work has ended, and its handler must not be run")

// Start makes s a unit of work with the context ctx around it. It is called once, before all other
// methods.
func (s *Scope) Start(ctx context.Context, o *Options) {
	s.Context, s.options = ctx, o
	s.own.scope = s
}

// Label says what the unit of work is, such as the method and path of a request, for reports about
// values that are kept after its end. unit is asked when an arena is taken, and only if the arena is
// in guard mode or chosen by Pool.KeepEvery. So it must be valid, and not change, until End. Label is
// called after Start, and before all other methods.
func (s *Scope) Label(unit fmt.Stringer) { s.unit = unit }

// Value gives FromContext and Fork the arenas of s. An adapter that looks for its own struct in a
// context overrides Value for a key of its own, calls this one for all other keys, and passes on
// that struct as the context.
func (s *Scope) Value(key any) any {
	switch key.(type) {
	case share.ContextKey:
		return &s.own
	case scopeKey:
		return s
	}
	return s.Context.Value(key)
}

// Arena returns the arena of s, which it takes from the Pool when it is asked for first. It is what
// FromContext returns.
func (s *Scope) Arena() *arena.Arena { return s.own.Arena() }

// Fork returns a context derived from ctx with another arena of s, for one more goroutine. It is
// what [arena.Fork] calls.
func (s *Scope) Fork(ctx context.Context) context.Context { return s.own.Fork(ctx) }

// Take takes one more arena from the Pool, which ends with s and which no context has. It is for
// what has a lifetime or a goroutine of its own, such as the messages of a stream. The caller may
// Reset it while s has no Reason. It is called between Enter and Leave.
func (s *Scope) Take() *arena.Arena { return (&member{scope: s}).take() }

// Adopt makes a, which somebody has taken from the Pool for this unit, the arena of s. If s has one
// already, a is another one, which ends with s as well. If s has ended, Adopt drops a. A nil a
// changes nothing.
func (s *Scope) Adopt(a *arena.Arena) {
	if a == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.own
	if m.arena.Load() != nil {
		m = &member{scope: s}
	}
	if !m.add(a) {
		s.options.Pool.Drop(a)
	}
}

// Taken reports whether s has an arena, and has not ended.
func (s *Scope) Taken() bool { return s.members() != nil }

// members returns the members that have an arena, or nil after End.
func (s *Scope) members() *member {
	if m := s.taken.Load(); m != &over {
		return m
	}
	return nil
}

// ended reports whether End was called.
func (s *Scope) ended() bool { return s.taken.Load() == &over }

// hides reports whether FromContext returns the heap, although there may be an arena.
func (s *Scope) hides() bool { return s.state.Load() >= hidden }

// Arena returns the arena of the goroutine, which it takes when it is asked for first.
func (m *member) Arena() *arena.Arena {
	if m.scope.hides() {
		return nil
	}
	if a := m.arena.Load(); a != nil {
		return a
	}
	return m.take()
}

// take takes an arena, unless the unit has ended.
func (m *member) take() *arena.Arena {
	s := m.scope
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hides() {
		return nil
	}
	if m.arena.Load() == nil && !s.ended() {
		if a := s.options.Pool.Get(); a != nil && !m.add(a) {
			s.options.Pool.Put(a) // The unit has ended meanwhile.
		}
	}
	return m.arena.Load()
}

// add gives m, which has none, the arena a. It reports false if the unit has ended. The caller
// holds mu.
func (m *member) add(a *arena.Arena) bool {
	s := m.scope
	m.memory = &nothing
	if s.options.Text {
		m.memory = share.MemoryOf(a.Internal())
	}
	if s.unit != nil {
		share.Label(a.Internal(), s.unit)
	}
	m.next = s.taken.Load()
	if m.next == &over || !s.taken.CompareAndSwap(m.next, m) {
		return false
	}
	m.arena.Store(a)
	return true
}

// A forked is the context of a goroutine, with an arena of its own.
type forked struct {
	context.Context
	member member
}

func (f *forked) Value(key any) any {
	if _, ok := key.(share.ContextKey); ok {
		return &f.member
	}
	return f.Context.Value(key)
}

// Fork returns a context for another goroutine.
func (m *member) Fork(ctx context.Context) context.Context {
	return &forked{ctx, member{scope: m.scope}}
}

// Holds reports whether the text of t lies in an arena of s that has not ended. It reports false
// unless Options.Text is set. Text that an arena has given up may still count.
func (s *Scope) Holds(t string) bool {
	for m := s.taken.Load(); m != nil; m = m.next {
		if m.memory.Text(t) {
			return true
		}
	}
	return false
}

// HoldsSlice reports the same of the elements of t, up to its capacity, and not of their text.
func (s *Scope) HoldsSlice(t []string) bool {
	for m := s.taken.Load(); m != nil; m = m.next {
		if m.memory.Slice(t) {
			return true
		}
	}
	return false
}
