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

// Options are shared by the Scopes of an adapter. They must not change once a Scope was started
// with them.
type Options struct {
	// Pool provides the arenas. Its Options contain the limit of an arena. If it is nil,
	// FromContext returns the heap. If Pool.Options has a Memory, set Finalize as well: nobody
	// frees the arenas that are dropped.
	Pool *arena.Pool

	// Errors are needed by a Call.
	Errors Errors

	// Text lets Holds and HoldsSlice find values of the arenas. It costs an allocation or two for
	// each new arena.
	Text bool
}

// A Scope is one unit of work, and the context that its handler gets. [arena.FromContext] and
// [arena.Fork] find its arenas in it, and in contexts derived from it.
//
// An adapter embeds it in its struct for a unit, and calls Start first. It is not reused for
// another unit, because goroutines may hold the context forever. It must not be copied.
//
// Any goroutine may call the methods at any time after Start, unless a method says otherwise. End
// makes the arenas stale, unless they are dropped. After End no arena is taken from the Pool.
//
// Invariants: members are added only under mu, and only before End. A member on the list has its
// arena when mu is free, until Abandon drops it. state changes once, from open to another; only
// Abandon may change dropped to hidden. reason is written under mu together with state.
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
	reused        // the unit has ended, and the arenas may belong to another
)

// Run adds begun to running, and never subtracts it. Without it at the end, somebody else has
// answered instead of the handler. The handler may still have been called, with a context that does
// not lead here. Then it may be running, and is not counted.
const begun = 1 << 32

// over replaces the members of a unit that has ended.
var over = member{memory: &nothing}

// nothing replaces the Memory of an arena if Options.Text is not set.
var nothing share.Memory

// A member is one arena of a Scope, and the Source of the goroutine that uses it.
type member struct {
	scope  *Scope
	arena  atomic.Pointer[arena.Arena] // nil until the goroutine asks for it, and after Abandon
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

// Label names the unit of work, such as the method and path of a request, for reports about values
// that are kept after its end. unit.String is called when an arena is taken, and only if the arena
// is in guard mode or chosen by Pool.KeepEvery. So unit must be valid, and not change, until End.
// Call Label after Start, and before all other methods.
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

// Arena returns the arena of s, which the first call takes from the Pool. FromContext calls it.
func (s *Scope) Arena() *arena.Arena { return s.own.Arena() }

// Fork returns a context derived from ctx with another arena of s, for one more goroutine.
// [arena.Fork] calls it.
func (s *Scope) Fork(ctx context.Context) context.Context { return s.own.Fork(ctx) }

// Take takes one more arena from the Pool, which ends with s and which no context has. It is for
// values with a lifetime or a goroutine of their own, such as the messages of a stream. The caller
// may Reset the arena while s has no Reason. Call Take between Enter and Leave.
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

// Arena returns the arena of the goroutine, which the first call takes.
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

// Holds reports whether the text of t is in an arena of s that has not ended. It reports false
// unless Options.Text is set. Text that an arena has given up may still count.
func (s *Scope) Holds(t string) bool {
	for m := s.taken.Load(); m != nil; m = m.next {
		if m.memory.Text(t) {
			return true
		}
	}
	return false
}

// HoldsSlice reports the same for the elements of t, up to its capacity, and not for their text.
func (s *Scope) HoldsSlice(t []string) bool {
	for m := s.taken.Load(); m != nil; m = m.next {
		if m.memory.Slice(t) {
			return true
		}
	}
	return false
}
