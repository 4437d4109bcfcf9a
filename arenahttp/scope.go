package arenahttp

import (
	"context"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// The reasons why an arena is not used again, in Summary.Reason. The first one that
// occurs is given.
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

// reused is the fate of an arena that is used again.
const reused = -1

// A scope is the context of a request with an arena. Any goroutine may use it, at any time.
type scope struct {
	context.Context // which carries arena
	arena           *arena.Arena
	fate            atomic.Int32 // an index into fates, or reused; set once
}

type scopeKey struct{}

// Value hides the arena when it may serve another request: who looks for it too
// late gets none, which is the heap.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	v := s.Context.Value(key)
	if a, ok := v.(*arena.Arena); ok && a == s.arena && s.fate.Load() == reused {
		return nil
	}
	return v
}

// drop notes that the arena is to be dropped, unless its fate is settled.
func (s *scope) drop(reason string) {
	for i, r := range fates {
		if r == reason {
			s.fate.CompareAndSwap(0, int32(i))
		}
	}
}

// end notes that the handler has returned, and tells whether the arena is used again.
func (s *scope) end() bool { return s.fate.CompareAndSwap(0, reused) }

// reason returns why the arena is dropped.
func (s *scope) reason() string { return fates[s.fate.Load()] }

// Keep says that goroutines which the handler has started go on using the arena of
// ctx after the handler has returned, or what lies in it. The arena will not be
// used for another request then; the collector takes it when nobody has it any more.
// Where a [Middleware] is inside of another, Keep is for the arenas of both.
//
// Keep must be called before the handler returns: before the go statement is best. Too
// late, when the arena may be in use for another request, it panics. It does nothing
// when ctx is nil or does not come from a Middleware. Any goroutine may call it.
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
