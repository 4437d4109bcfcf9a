package arenagrpc

import (
	"context"
	"sync/atomic"

	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
)

// A server is the codec and the interceptors of a grpc.Server.
type server struct {
	Options
	encoding.CodecV2      // of protobuf, for messages on the heap
	own              bool // the program has registered it: it decodes all messages

	scopes   arenascope.Options
	pending  arenascope.Pending
	awaiting arenascope.Awaiting
	asked    atomic.Bool // gRPC has asked this codec for something, and not one that comes later among the options
}

// outerUnary comes before the interceptors of others: it sees the request before they do, and the
// reply after them. It makes the context of the call, which they and the handler get.
func (s *server) outerUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (response any, err error) {
	c := s.newScope(ctx, info.FullMethod)
	defer c.end(&err)
	err = c.Try(func() (err error) {
		if isMessage(req) {
			err = c.Claim(&s.pending, req)
		}
		if err == nil {
			response, err = next(c, req)
		}
		if err == nil && c.Taken() {
			response = c.detach(response)
		}
		return err
	})
	return response, err
}

// detach returns the reply of a handler as what has nothing of an arena. All interceptors have
// returned.
func (s *scope) detach(response any) any {
	if s.server.asked.Load() && isMessage(response) {
		if r := s.server.encode(response); r != nil {
			return r
		}
	}
	s.Drop(arenascope.ReasonError) // gRPC cannot encode it either, or another codec does
	return response
}

// innerUnary is the last interceptor, next to the handler.
func (s *server) innerUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	c := s.scopeOf(ctx)
	if c == nil {
		return handler(ctx, req)
	}
	err = c.Handle(ctx, func() (err error) {
		response, err = handler(ctx, req)
		return err
	})
	return response, err
}
