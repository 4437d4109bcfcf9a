package arenagrpc

import (
	"context"
	"sync/atomic"

	"github.com/arena-go/arena/arenagrpc/internal/pending"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"
)

// A server is the codec and the interceptors of a grpc.Server.
type server struct {
	Options
	encoding.CodecV2      // of protobuf, for messages on the heap
	own              bool // the program has registered it: it decodes all messages

	pending  tickets
	awaiting pending.Awaiting[awaited]
	asked    atomic.Bool // gRPC has asked this codec for something, and not one that comes later among the options
}

// outerUnary comes before the interceptors of others: it sees the request before they do, and the reply after them. It makes
// the context of the call, which they and the handler get.
func (s *server) outerUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (response any, err error) {
	c := s.newScope(ctx, info.FullMethod)
	returned := false
	defer c.settle(&returned, &err)
	if isMessage(req) {
		if t, ok := s.pending.Claim(req); ok {
			err = c.claim(t)
		}
	}
	if err == nil {
		response, err = next(c, req)
	}
	if err == nil && c.engaged() {
		response = c.detach(response)
	}
	returned = true
	return response, err
}

// detach returns the reply of a handler as what has nothing of an arena. All interceptors have returned.
func (s *scope) detach(response any) any {
	if s.server.asked.Load() && isMessage(response) {
		if r := s.server.encode(response); r != nil {
			return r
		}
	}
	s.drop(ReasonError) // gRPC cannot encode it either, or another codec does
	return response
}

// settle is deferred by an outer interceptor that returns *err if *returned, or else panics or ends its goroutine. The call is over then.
func (s *scope) settle(returned *bool, err *error) {
	var v any
	if !*returned {
		v = recover()
	}
	if failure, _ := v.(error); v != nil && memoryError(failure) != nil {
		*err, v = failure, nil
		s.drop(ReasonLimit)
	} else if !*returned {
		s.drop(ReasonPanic)
	}
	if *err != nil {
		*err = StatusFromError(*err)
		s.drop(ReasonError)
	} else if s.engaged() && !s.copiedAll() {
		s.drop(ReasonHeader)
	}
	s.end()
	if v != nil {
		panic(v)
	}
}

// errOver is returned to a handler that is called when the call is over.
var errOver = status.Error(codes.Canceled, "arenagrpc: the call is over")

// innerUnary is the last interceptor, next to the handler.
func (s *server) innerUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	c := s.scopeOf(ctx)
	if c == nil {
		return handler(ctx, req)
	}
	defer c.leave()
	if !c.begin() {
		return nil, errOver
	}
	returned := false
	defer c.returned(ctx, &returned, &err)
	response, err = handler(ctx, req)
	returned = true
	return response, err
}

// returned is deferred: the handler, which had ctx, has returned *err, or else has panicked or ended its goroutine.
func (s *scope) returned(ctx context.Context, ok *bool, err *error) {
	var failure any
	if !*ok {
		failure = recover()
	}
	if e, _ := failure.(error); memoryError(e) != nil {
		*err = s.refuse(e)
		return
	}
	switch {
	case !*ok:
		s.drop(ReasonPanic)
	case memoryError(*err) != nil:
		_ = s.refuse(*err) // the handler's own error is the answer
		*err = StatusFromError(*err)
	case *err != nil:
		s.drop(ReasonError)
	case ctx.Err() != nil:
		s.drop(ReasonDone)
	}
	if failure != nil {
		panic(failure)
	}
}
