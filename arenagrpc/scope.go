package arenagrpc

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
)

// The reasons why an arena is not used again, in Summary.Reason. The first one that
// occurs is given.
const (
	ReasonPanic   = "panic"   // the handler panicked, or ended its goroutine
	ReasonLimit   = "limit"   // an arena's limit was exceeded, or the handler returned an *arena.LimitError
	ReasonError   = "error"   // the call failed
	ReasonDone    = "done"    // the context was done when the handler returned
	ReasonRunning = "running" // the call was over before the handler returned, or a RecvMsg of its
	ReasonHeader  = "header"  // headers or trailers were set, not with SetHeader and SetTrailer
	ReasonTrace   = "trace"   // grpc.EnableTracing is set: traces keep messages
	ReasonKept    = "kept"    // Keep was called
	ReasonDecode  = "decode"  // decoding a message panicked, see Summary.Panic
	ReasonFreed   = "freed"   // the handler called Free; given where there is an observer
)

// fates are what becomes of an arena: fates[0] is for one whose call is not over,
// the others are for one that will be dropped.
var fates = [...]string{"", ReasonPanic, ReasonLimit, ReasonError, ReasonDone, ReasonRunning,
	ReasonHeader, ReasonTrace, ReasonKept, ReasonDecode}

// reused is the fate of an arena that is used again.
const reused = -1

// A scope is the context of a call. Any goroutine may use it, at any time. Others may
// hold it for ever, so it is not used again.
type scope struct {
	context.Context // which carries absent
	server          *server
	method          string

	arena atomic.Pointer[arena.Arena]
	limit atomic.Pointer[arena.LimitError] // why the call is refused

	failure atomic.Pointer[arenapb.Panic] // why a message lies on the heap, the first one that does

	many     bool                        // the client sends a stream of messages
	messages atomic.Pointer[arena.Arena] // if many: what Receive has asked for
	lifetime Lifetime                    // if many: that of messages; belongs to the goroutine that receives
	one      bool                        // the call is a stream, of which the client sends one message
	request  atomic.Pointer[any]         // if one: that message, when it has come

	fate    atomic.Int32 // an index into fates, or reused
	running atomic.Int32 // handlers and RecvMsgs that have begun and not returned

	headers, trailers atomic.Int32 // how many of their values are copies
}

type scopeKey struct{}

// absent is in the context of all calls, so that Value knows what is being looked for.
var absent = arena.NewArena()

// Value gives the arena to code that looks for one while the call is not over. Code that looks too late
// gets none, which is the heap.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	v := s.Context.Value(key)
	if a, ok := v.(*arena.Arena); ok && a == absent {
		if s.fate.Load() == reused {
			return nil
		}
		return s.arena.Load()
	}
	return v
}

// scopeOf returns the scope of ctx that is of s, or nil.
func (s *server) scopeOf(ctx context.Context) *scope {
	c, _ := ctx.Value(scopeKey{}).(*scope)
	if c == nil || c.server != s {
		return nil
	}
	return c
}

// drop notes that the arenas are to be dropped, unless their fate is settled.
func (s *scope) drop(reason string) {
	s.fate.CompareAndSwap(0, fateOf(reason))
}

func fateOf(reason string) int32 { return int32(slices.Index(fates[:], reason)) }

// enter notes that a handler begins, or RecvMsg, and reports whether it may: not when the call is over
// and the arena may be in use for another. Each enter has its leave. Either enter sees that, or the end
// of the call sees that somebody is running.
func (s *scope) enter() bool {
	s.running.Add(1)
	return s.fate.Load() != reused
}

func (s *scope) leave() { s.running.Add(-1) }

// end is called when the call is over, with the status of it.
func (s *scope) end(ctx context.Context, err error) {
	switch {
	case err != nil:
		s.drop(ReasonError)
	case s.running.Load() > 0:
		s.drop(ReasonRunning)
	case !s.copiedAll(ctx):
		s.drop(ReasonHeader)
	}
	put := s.fate.CompareAndSwap(0, reused)
	if put && s.running.Load() > 0 {
		put = false // somebody has entered in between
		s.fate.Store(fateOf(ReasonRunning))
	}
	if m := s.request.Load(); m != nil {
		s.server.forget(*m)
	}
	pool, a, messages := s.server.Pool, s.arena.Load(), s.messages.Load()
	sum := Summary{Reused: put, Limit: s.limit.Load(), Panic: s.failure.Load()}
	if !put {
		sum.Reason = fates[s.fate.Load()]
	}
	if s.server.Observe != nil {
		if put {
			sum.Stats = a.Stats()
		}
		if sum.Stats.Freed {
			sum = Summary{Reason: ReasonFreed, Panic: sum.Panic}
		}
		s.server.Observe(ctx, s.method, sum)
	}
	if put {
		pool.Put(a)
		pool.Put(messages)
	} else {
		pool.Drop(a)
		pool.Drop(messages)
	}
}

// Keep says that goroutines which the handler has started go on using the request or the arena of
// ctx, or what lies in it, after the call. The arena will not be used for another call then; the collector
// takes it when nobody has it any more. Messages that a handler receives after Keep lie on
// the heap where they were to be used again.
//
// Keep must be called before the handler returns: before the go statement is best. Too
// late, when the arena may be in use for another call, it panics. It does nothing
// when ctx is nil or does not come from a server with [ServerOptions]. Any goroutine may call it.
func Keep(ctx context.Context) {
	if ctx == nil {
		return
	}
	if s, _ := ctx.Value(scopeKey{}).(*scope); s != nil {
		s.drop(ReasonKept)
		if s.fate.Load() == reused {
			panic("arenagrpc: Keep is called after the handler has returned; call it before the goroutine is started")
		}
	}
}
