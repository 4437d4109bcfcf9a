package arenahttp

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// The reasons why an arena is not used again, in Summary.Reason. ReasonHijacked is given if it is one of them, else
// the first one that occurs.
const (
	ReasonHijacked      = "hijacked"      // the handler took over the connection
	ReasonPanic         = "panic"         // the handler panicked, or ended its goroutine
	ReasonLimit         = "limit"         // the handler panicked with an *arena.LimitError
	ReasonDone          = "done"          // the context was done when the handler returned
	ReasonWrite         = "write"         // a write to the client failed
	ReasonStatus        = "status"        // the status was 408, or 500 or above
	ReasonInformational = "informational" // a status from 100 to 199 was sent
	ReasonKept          = "kept"          // Keep was called
	ReasonFreed         = "freed"         // the handler called Free; given where there is an observer
)

// fates are what becomes of an arena: fates[0] is for one whose handler is
// running, the others are for one that will be dropped.
var fates = [...]string{"", ReasonHijacked, ReasonPanic, ReasonLimit, ReasonDone, ReasonWrite,
	ReasonStatus, ReasonInformational, ReasonKept}

// Fates besides those that are an index into fates alone.
const (
	reused       = -1 // the arena is used again
	fateHijacked = 1  // ReasonHijacked
)

// A scope is the context of a request with an arena, and the [arena.Source] of it. Any goroutine may use it, at any time.
type scope struct {
	context.Context // of which it is the Source
	pool            *arena.Pool
	arena           *arena.Arena
	fate            atomic.Int32         // an index into fates, or reused; set once, but for ReasonHijacked
	forks           atomic.Pointer[fork] // the newest one, or &over when the handler has returned
}

// A fork is the Source of another goroutine of the request.
type fork struct {
	scope *scope
	arena *arena.Arena
	next  *fork
}

// over is what is in place of the forks of a request whose handler has returned.
var over fork

type scopeKey struct{}

func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// hidden tells whether who looks for an arena gets none, which is the heap: it may serve another request, or the
// connection was taken over, and there may be many requests on that at the same time.
func (s *scope) hidden() bool { f := s.fate.Load(); return f == reused || f == fateHijacked }

func (s *scope) Arena() *arena.Arena {
	if s.hidden() {
		return nil
	}
	return s.arena
}

func (s *scope) Fork() arena.Source {
	if s.hidden() {
		return heap{}
	}
	f := &fork{scope: s, arena: s.pool.Get()}
	for f.next = s.forks.Load(); f.next != &over; f.next = s.forks.Load() {
		if s.forks.CompareAndSwap(f.next, f) {
			return f
		}
	}
	if s.hidden() {
		s.pool.Put(f.arena)
		return heap{}
	}
	s.pool.Drop(f.arena) // as the one of the request was
	return f
}

func (f *fork) Arena() *arena.Arena {
	if f.scope.hidden() {
		return nil
	}
	return f.arena
}

func (f *fork) Fork() arena.Source { return f.scope.Fork() }

// heap is the Source of who comes too late.
type heap struct{}

func (heap) Arena() *arena.Arena { return nil }
func (heap) Fork() arena.Source  { return heap{} }

// drop notes that the arena is to be dropped, unless its fate is settled.
func (s *scope) drop(reason string) { s.fate.CompareAndSwap(0, fateOf(reason)) }

// hijack notes that the connection was taken over, whatever was noted before.
func (s *scope) hijack() {
	for f := s.fate.Load(); f != reused && !s.fate.CompareAndSwap(f, fateHijacked); f = s.fate.Load() {
	}
}

func fateOf(reason string) int32 { return int32(slices.Index(fates[:], reason)) }

// end notes that the handler has returned, and tells whether the arenas are used again. No other forks are on the list
// that it returns.
func (s *scope) end() (forks *fork, again bool) {
	again = s.fate.CompareAndSwap(0, reused)
	return s.forks.Swap(&over), again
}

// leave gives up the arenas, when nobody looks at them any more.
func (s *scope) leave(forks *fork, again bool) {
	give := (*arena.Pool).Drop
	if again {
		give = (*arena.Pool).Put
	}
	give(s.pool, s.arena)
	for f := forks; f != nil; f = f.next {
		give(s.pool, f.arena)
	}
}

// reason returns why the arena is dropped.
func (s *scope) reason() string { return fates[s.fate.Load()] }

// Keep says that goroutines which the handler has started go on using the arena of ctx, or what lies in it, after
// the handler has returned. The arena will not be used for another request then: the collector takes it when
// nobody has it any more. Where a [Middleware] is inside of another, Keep applies to the arenas of both.
//
// Call Keep before the handler returns; before the go statement is best. Keep panics when it comes too late,
// because another request may be using the arena. It does nothing when ctx is nil or does not come from a
// Middleware. Any goroutine may call it.
func Keep(ctx context.Context) {
	for ctx != nil {
		s, _ := ctx.Value(scopeKey{}).(*scope)
		if s == nil {
			return
		}
		s.drop(ReasonKept)
		if s.fate.Load() == reused {
			panic("arenahttp: Keep is called after the handler has returned; call it before the goroutine is started")
		}
		ctx = s.Context
	}
}
