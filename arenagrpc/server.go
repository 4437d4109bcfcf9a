package arenagrpc

import (
	"context"
	"sync/atomic"

	"github.com/arena-go/arena/arenapb"
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
	pending  arenascope.Pending[note]
	awaiting arenascope.Awaiting[awaited]
	asked    atomic.Bool // gRPC has asked this codec for something, and not one that comes later among the options
}

// A note is what the codec says of the request of a unary call to the first interceptor. gRPC tells the codec nothing but the address of the
// message, and nobody claims the note if an interceptor before ours answers, a service calls no interceptors of the server, the client is gone
// between its message and its end, or a second message follows. So all that depends on a note can do without: a message whose note is lost
// lies in memory of its own that is never used again, or on the heap.
type note struct {
	memory  error          // why the call is to be refused; the message is on the heap, and whole
	failure *arenapb.Panic // why it is on the heap
}

// outerUnary comes before the interceptors of others: it sees the request before they do, and the reply after them. It makes
// the context of the call, which they and the handler get.
func (s *server) outerUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (response any, err error) {
	c := s.newScope(ctx, info.FullMethod)
	defer c.end(&err)
	err = c.Try(func() (err error) {
		if isMessage(req) {
			if a, n, ok := s.pending.Claim(req); ok {
				err = c.claim(a, n)
			}
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

// detach returns the reply of a handler as what has nothing of an arena. All interceptors have returned.
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
	returned := false
	err = c.Run(ctx, func() (err error) {
		response, err = handler(ctx, req)
		returned = true
		return err
	})
	return response, handled(err, returned)
}
