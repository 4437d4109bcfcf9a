package arenagrpc

import (
	"context"
	"errors"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// A server is the codec, the stats handler and the interceptors of a grpc.Server.
type server struct {
	Options
	encoding.CodecV2 // of protobuf, for messages on the heap

	// pending has, by the address of the message, where Unmarshal is to put it, as a *receipt,
	// or where it has put it, as a *arena.Arena, or why it has not, as a *arena.LimitError, or why it is on the heap, as
	// a *arenapb.Panic.
	pending sync.Map
}

// TagRPC makes the context of a call, which interceptors and handlers get.
func (s *server) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	c := &scope{Context: arena.NewContext(ctx, absent), server: s, method: info.FullMethodName}
	if grpc.EnableTracing {
		c.drop(ReasonTrace)
	}
	return c
}

// HandleRPC is told of the parts of a call in their order, by the goroutine of the call, or of a stream
// by those that receive and send.
func (s *server) HandleRPC(ctx context.Context, event stats.RPCStats) {
	switch event := event.(type) {
	case *stats.Begin:
		if c := s.scopeOf(ctx); c != nil {
			c.many = event.IsClientStream
			c.one = event.IsServerStream && !event.IsClientStream
			if c.many {
				c.arena.Store(s.Pool.Get())
			}
		}
	case *stats.InPayload:
		if c := s.scopeOf(ctx); c != nil {
			c.claim(event.Payload)
		}
	case *stats.OutHeader:
		if c := s.scopeOf(ctx); c != nil && count(event.Header) > c.headers.Load() {
			c.drop(ReasonHeader) // now, because of PerMessage
		}
	case *stats.End:
		if c := s.scopeOf(ctx); c != nil {
			c.end(ctx, event.Error)
		}
	}
}

// TagConn does nothing.
func (s *server) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (s *server) HandleConn(context.Context, stats.ConnStats) {}

// claim makes the arena of a message that has been decoded that of the call.
func (c *scope) claim(message any) {
	if c.one {
		if last := c.request.Swap(&message); last != nil && *last != message {
			c.server.forget(*last) // a handler that goes on receiving after an error
		}
	}
	switch p, _ := c.server.pending.LoadAndDelete(message); p := p.(type) {
	case *arena.LimitError:
		c.refuse(p)
	case *receipt:
		if p.limit != nil {
			c.refuse(p.limit)
		}
		if p.failure != nil {
			c.failed(p.failure)
		}
	case *arenapb.Panic:
		c.failed(p)
		if a := c.server.Pool.Get(); c.many || !c.arena.CompareAndSwap(nil, a) { // for the handler
			c.server.Pool.Drop(a)
		}
	case *arena.Arena:
		if c.many || !c.arena.CompareAndSwap(nil, p) {
			// An interceptor receives messages of its own, ahead of the handler perhaps. There is no telling when
			// they are done with, so this one has an arena for itself, until the collector takes it.
			c.server.Pool.Drop(p)
		}
	}
}

// failed notes that a message was decoded onto the heap, because of a panic.
func (c *scope) failed(p *arenapb.Panic) {
	c.drop(ReasonDecode)
	c.failure.CompareAndSwap(nil, p)
}

// refuse notes that the call fails because of a limit, and returns the error of it.
func (c *scope) refuse(limit *arena.LimitError) error {
	c.drop(ReasonLimit)
	c.limit.Store(limit)
	return status.Error(codes.ResourceExhausted, "arenagrpc: the call needs more memory than it may have")
}

// refuse comes before the interceptors of others, so that they do not see a request that could not be
// decoded within the limit, and is empty.
func (s *server) refuse(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if c := s.scopeOf(ctx); c != nil {
		if limit := c.limit.Load(); limit != nil {
			return nil, c.refuse(limit)
		}
	}
	return next(ctx, req)
}

// errOver is returned to a handler that is called when the call is over.
var errOver = status.Error(codes.Canceled, "arenagrpc: the call is over")

// unary is the innermost interceptor.
func (s *server) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (reply any, err error) {
	c := s.scopeOf(ctx)
	if c == nil {
		return handler(ctx, req)
	}
	defer c.leave()
	if !c.enter() {
		return nil, errOver
	}
	returned := false
	defer c.returned(ctx, &returned, &err)
	reply, err = handler(ctx, req)
	returned = true
	return reply, err
}

// stream is the innermost interceptor of streams.
func (s *server) stream(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	c := s.scopeOf(ss.Context())
	if c == nil {
		return handler(srv, ss)
	}
	defer c.leave()
	if !c.enter() {
		return errOver
	}
	returned := false
	defer c.returned(ss.Context(), &returned, &err)
	err = handler(srv, &serverStream{ServerStream: ss, scope: c})
	returned = true
	return err
}

// returned is deferred: the handler, which had ctx, has returned *err, or else has panicked or ended its goroutine.
func (c *scope) returned(ctx context.Context, ok *bool, err *error) {
	var failure any
	if !*ok {
		failure = recover()
	}
	limit, _ := failure.(*arena.LimitError)
	switch {
	case limit != nil:
		*err = c.refuse(limit)
		return
	case !*ok:
		c.drop(ReasonPanic)
	case errors.As(*err, &limit):
		c.drop(ReasonLimit)
		c.limit.Store(limit)
		*err = StatusFromError(*err)
	case *err != nil:
		c.drop(ReasonError)
		*err = StatusFromError(*err)
	case ctx.Err() != nil:
		c.drop(ReasonDone)
	}
	if failure != nil {
		panic(failure)
	}
}
