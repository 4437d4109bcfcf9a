package arenaconnect

import (
	"context"
	"errors"

	"connectrpc.com/connect"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenascope"
)

// A scope is the context of a call. Any goroutine may use it, at any time. Others may hold it
// forever, so it is not used again.
type scope struct {
	arenascope.Call
	server    *server
	procedure string
}

type scopeKey struct{}

// newScope returns the scope of a call with the context ctx.
func (s *server) newScope(ctx context.Context, procedure string) *scope {
	c := &scope{server: s, procedure: procedure}
	c.Start(ctx, &s.scopes)
	c.Label((*label)(c))
	return c
}

// A label is a call as the unit of work that it is.
type label scope

// String returns the procedure.
func (l *label) String() string { return l.procedure }

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

// errorsOf has the errors of calls. Each call gets its own, since others may add to it.
var errorsOf = arenascope.Errors{
	Over: func() error {
		return connect.NewError(connect.CodeCanceled, errors.New("arenaconnect: the call is over"))
	},
	Memory: func() error {
		return connect.NewError(connect.CodeResourceExhausted, errors.New("arenaconnect: the call needs more memory than it may have"))
	},
	From: ErrorFrom,
}

// end is called when the call is over.
func (s *scope) end() {
	observe := s.server.Observe
	if observe == nil {
		s.End(nil)
		return
	}
	s.End(func(sum arenascope.Summary) {
		failure, _ := s.Failure().(*arenapb.Panic)
		observe(s, s.procedure, Summary{Summary: sum, Panic: failure, OnHeap: s.OnHeap()})
	})
}

// Keep says that goroutines of the handler go on using the request, the arena of ctx, or values in
// it, after the call. Messages that a handler receives after Keep are on the heap if their memory
// would be reused. It is [arenascope.Keep].
func Keep(ctx context.Context) { arenascope.Keep(ctx) }
