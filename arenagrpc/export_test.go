package arenagrpc

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
)

// ServerOptionsPending is ServerOptions, and a function that counts the messages whose arena nobody
// has claimed.
func ServerOptionsPending(o Options, others ...grpc.ServerOption) ([]grpc.ServerOption, func() int) {
	s := newServer(o)
	return s.options(others), func() int { return s.pending.Len() + s.awaiting.Len() }
}

// A Call is what a server does for a unary call, without a connection.
type Call struct{ s *server }

// NewCall returns the Call of a server with the options.
func NewCall(o Options) Call { return Call{newServer(o)} }

func (c Call) Unmarshal(data mem.BufferSlice, v any) error { return c.s.Unmarshal(data, v) }
func (c Call) Marshal(v any) (mem.BufferSlice, error)      { return c.s.Marshal(v) }

// Intercept is the interceptor of the server.
func (c Call) Intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	return c.s.outerUnary(ctx, req, info, func(ctx context.Context, req any) (any, error) {
		return c.s.innerUnary(ctx, req, info, handler)
	})
}
