package arenagrpc

import (
	"context"
	"sync/atomic"

	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ReasonTrace is a reason for dropping an arena, in Summary.Reason: grpc.EnableTracing is set, and
// traces keep messages. Package arenascope has the other reasons.
const ReasonTrace arenascope.Reason = "trace"

// A scope is the context of a call. Any goroutine may use it, at any time. Others may hold it
// forever, so it is not used again.
type scope struct {
	arenascope.Call
	server *server
	method string

	headers, trailers atomic.Int32 // how many of their values are copies
}

type scopeKey struct{}

// newScope returns the scope of a call with the context ctx.
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
	return s.Call.Value(key)
}

// scopeOf returns the scope of ctx that is of s, or nil.
func (s *server) scopeOf(ctx context.Context) *scope {
	c, _ := ctx.Value(scopeKey{}).(*scope)
	if c == nil || c.server != s {
		return nil
	}
	return c
}

// errorsOf has the errors of calls.
var errorsOf = arenascope.Errors{
	Over: func() error { return status.Error(codes.Canceled, "arenagrpc: the call is over") },
	Memory: func() error {
		return status.Error(codes.ResourceExhausted, "arenagrpc: the call needs more memory than it may have")
	},
	From: StatusFromError,
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
		failure, _ := s.Failure().(*arenapb.Panic)
		observe(s, s.method, Summary{Summary: sum, Panic: failure, OnHeap: s.OnHeap()})
	})
}

// Keep says that goroutines of the handler go on using the request, the arena of ctx, or values in
// it, after the call. Messages that a handler receives after Keep are on the heap if their memory
// would be reused. It is [arenascope.Keep].
func Keep(ctx context.Context) { arenascope.Keep(ctx) }
