package arenagrpc

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ReasonTrace is a reason why an arena is not used again, in Summary.Reason: grpc.EnableTracing is
// set, and traces keep messages. Package arenascope has the others.
const ReasonTrace arenascope.Reason = "trace"

// A scope is the context of a call. Any goroutine may use it, at any time. Others may hold it for
// ever, so it is not used again.
type scope struct {
	arenascope.Scope
	server *server
	method string

	failure atomic.Pointer[arenapb.Panic] // why a message lies on the heap, the first one that does

	messages atomic.Pointer[arena.Arena] // if many: that of messages PerCall
	each     atomic.Pointer[arena.Arena] // if many: that of messages PerMessage
	lifetime Lifetime                    // if many: that of messages; belongs to the goroutine that receives
	onHeap   atomic.Int32                // if many: messages for Summary.OnHeap
	many     bool                        // the client sends a stream of messages

	headers, trailers atomic.Int32 // how many of their values are copies
}

type scopeKey struct{}

// newScope returns that of a call with the context ctx.
func (s *server) newScope(ctx context.Context, method string) *scope {
	c := &scope{server: s, method: method}
	c.Start(ctx, &s.scopes)
	c.Label((*label)(c))
	if grpc.EnableTracing {
		c.Drop(ReasonTrace)
	}
	return c
}

// A label is a call as the unit of work that it is.
type label scope

// String returns the full method.
func (l *label) String() string { return l.method }

// Value finds the scope, and the arenas of it.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Scope.Value(key)
}

// scopeOf returns the scope of ctx that is of s, or nil.
func (s *server) scopeOf(ctx context.Context) *scope {
	c, _ := ctx.Value(scopeKey{}).(*scope)
	if c == nil || c.server != s {
		return nil
	}
	return c
}

// received reports whether messages lie in arenas of their own.
func (s *scope) received() bool { return s.messages.Load() != nil || s.each.Load() != nil }

// room returns the arena of messages, or nil if the call is over.
func (s *scope) room(of *atomic.Pointer[arena.Arena]) *arena.Arena {
	a := of.Load()
	if a == nil {
		a = s.Take()
		of.Store(a)
	}
	return a
}

// failed notes that a message was decoded onto the heap, because of a panic.
func (s *scope) failed(p *arenapb.Panic) {
	s.Drop(arenascope.ReasonDecode)
	s.failure.CompareAndSwap(nil, p)
}

// errMemory is the error of a call for whose failure nobody else has the words.
var errMemory = status.Error(codes.ResourceExhausted, "arenagrpc: the call needs more memory than it may have")

// refuse notes that the call fails because of memory, and returns the error of the call.
func (s *scope) refuse(why error) error {
	s.Fail(why)
	return errMemory
}

// claim does what the note about the request says, which lies in a.
func (s *scope) claim(a *arena.Arena, n note) error {
	switch {
	case n.memory != nil:
		return s.refuse(n.memory)
	case n.failure != nil:
		s.failed(n.failure)
	default:
		s.Adopt(a)
	}
	return nil
}

// handled returns the error of a call for err, which Run has returned. returned tells that the
// handler has not panicked.
func handled(err error, returned bool) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, arenascope.ErrEnded):
		return status.Error(codes.Canceled, "arenagrpc: the call is over")
	case !returned:
		return errMemory
	}
	return StatusFromError(err)
}

// end is deferred by an outer interceptor that returns *err, or else panics or ends its goroutine.
// The call is over then.
func (s *scope) end(err *error) {
	*err = StatusFromError(*err)
	if *err == nil && s.Taken() && !s.copiedAll() {
		s.Drop(arenascope.ReasonHeader)
	}
	observe := s.server.Observe
	if observe == nil {
		s.End(nil)
		return
	}
	s.End(func(sum arenascope.Summary) {
		observe(s, s.method, Summary{Summary: sum, Panic: s.failure.Load(), OnHeap: int(s.onHeap.Load())})
	})
}

// Keep says that goroutines which the handler has started go on using the request or the arena of
// ctx, or what lies in it, after the call. Messages that a handler receives after Keep lie on the
// heap where they were to be used again. It is [arenascope.Keep].
func Keep(ctx context.Context) { arenascope.Keep(ctx) }
