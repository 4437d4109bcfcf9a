package arenahttp

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/share"
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
	ReasonHeader        = "header"        // text of the arena was found in the header after a write that may have sent it
	ReasonFreed         = "freed"         // the handler called Free; given where there is an observer
	ReasonUnused        = "unused"        // nobody has asked for an arena, whatever else has happened
)

// fates are what becomes of an arena: fates[0] is for one whose handler is
// running, the others are for one that will be dropped.
var fates = [...]string{"", ReasonHijacked, ReasonPanic, ReasonLimit, ReasonDone, ReasonWrite,
	ReasonStatus, ReasonInformational, ReasonKept, ReasonHeader}

// Fates besides those that are an index into fates alone.
const (
	reused       = -1 // the arena is used again
	fateHijacked = 1  // ReasonHijacked
)

// A scope is the context of a request. Any goroutine may use it, at any time.
type scope struct {
	context.Context // around it
	handler         fork
	pool            *arena.Pool
	fate            atomic.Int32         // an index into fates, or reused; set once, but for ReasonHijacked
	kept            atomic.Bool          // Keep was called, whatever the fate
	taking          sync.Mutex           // held while an arena is taken
	taken           atomic.Pointer[fork] // those that have an arena, the newest first, or &over when the handler has returned
}

// A fork is the [arena.Source] of one goroutine of the request: of the handler, or of one that it has started.
type fork struct {
	scope  *scope
	arena  atomic.Pointer[arena.Arena] // nil until the goroutine asks for it
	memory *share.Memory               // of the arena
	next   *fork                       // on the list of the scope
}

// over is what is in place of the forks of a request whose handler has returned.
var over fork

type scopeKey struct{}

func (s *scope) Value(key any) any {
	switch key.(type) {
	case share.ContextKey:
		return &s.handler
	case scopeKey:
		return s
	}
	return s.Context.Value(key)
}

// hidden tells whether a search for an arena finds none, which is the heap: it may serve another request, or the
// connection was taken over, and there may be many requests on that at the same time.
func (s *scope) hidden() bool { f := s.fate.Load(); return f == reused || f == fateHijacked }

// Arena returns the arena of the goroutine, which it takes when it is asked for first.
func (f *fork) Arena() *arena.Arena {
	if f.scope.hidden() {
		return nil
	}
	if a := f.arena.Load(); a != nil {
		return a
	}
	return f.take()
}

// take takes an arena, unless the handler has returned.
func (f *fork) take() *arena.Arena {
	s := f.scope
	s.taking.Lock()
	defer s.taking.Unlock()
	if f.arena.Load() == nil {
		f.next = s.taken.Load()
		if f.next == &over {
			return nil
		}
		a := s.pool.Get()
		f.memory = share.MemoryOf(a)
		if !s.taken.CompareAndSwap(f.next, f) {
			s.pool.Put(a) // The handler has returned meanwhile.
			return nil
		}
		f.arena.Store(a)
	}
	if s.hidden() {
		return nil
	}
	return f.arena.Load()
}

// Fork returns the Source of another goroutine.
func (f *fork) Fork() arena.Source { return &fork{scope: f.scope} }

// holdsText and holdsSlice tell whether s lies in the arena of f, or of one behind it on the list.
func (f *fork) holdsText(s string) bool {
	for ; f != nil; f = f.next {
		if f.memory.Text(s) {
			return true
		}
	}
	return false
}

func (f *fork) holdsSlice(s []string) bool {
	for ; f != nil; f = f.next {
		if f.memory.Slice(s) {
			return true
		}
	}
	return false
}

// drop notes that the arena is to be dropped, unless its fate is settled.
func (s *scope) drop(reason string) { s.fate.CompareAndSwap(0, fateOf(reason)) }

// hijack notes that the connection was taken over, whatever was noted before.
func (s *scope) hijack() {
	for f := s.fate.Load(); f != reused && !s.fate.CompareAndSwap(f, fateHijacked); f = s.fate.Load() {
	}
}

func fateOf(reason string) int32 { return int32(slices.Index(fates[:], reason)) }

// arenas returns the takers of arenas, or nil when the handler has returned.
func (s *scope) arenas() *fork {
	if f := s.taken.Load(); f != &over {
		return f
	}
	return nil
}

// close notes that the handler has returned. It returns the takers of arenas. None is added any more.
func (s *scope) close() *fork {
	taken := s.taken.Swap(&over)
	if taken != nil {
		s.taking.Lock() // until all of them have their arena
		defer s.taking.Unlock()
	}
	return taken
}

// settle tells whether the arenas are used again.
func (s *scope) settle() bool { return s.fate.CompareAndSwap(0, reused) }

// leave gives up the arenas, when nobody looks at them any more.
func (s *scope) leave(taken *fork, again bool) {
	give := (*arena.Pool).Drop
	if again {
		give = (*arena.Pool).Put
	}
	for f := taken; f != nil; f = f.next {
		give(s.pool, f.arena.Load())
	}
}

// reason returns why the arena is dropped.
func (s *scope) reason() string { return fates[s.fate.Load()] }

// Keep says that goroutines which the handler has started go on using the arena of ctx, or what lies in it, after
// the handler has returned. The arena will not be used for another request then: the collector takes it when
// nothing refers to it any more. A goroutine that asks for its arena first when the handler has returned gets nil, the heap.
// Where a [Middleware] is inside of another, Keep applies to the arenas of both.
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
		s.kept.Store(true)
		s.drop(ReasonKept)
		if s.fate.Load() == reused {
			panic("arenahttp: Keep is called after the handler has returned; call it before the goroutine is started")
		}
		ctx = s.Context
	}
}
