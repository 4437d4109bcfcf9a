package arenagrpc

import (
	"context"
	"fmt"
	"net/http"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// A Lifetime says how long the messages live that a handler receives from a client's stream.
type Lifetime int

const (
	// Heap is for as long as somebody has them, as without an arena. It is the default: a handler that collects messages is
	// right, and a stream without end needs no more memory than a message.
	Heap Lifetime = iota

	// PerCall is until the call is over: for streams with an end, whose messages may all be in memory. They have an
	// arena of their own, so that the goroutine that receives and the one that uses the call's may be two.
	PerCall

	// PerMessage is until the next RecvMsg begins, or the call is over: for handlers that are done with a message when they
	// ask for the next. Nobody may read the message during that, so a goroutine that sends, of what it sends part of the
	// message, has to be waited for. Stats handlers and interceptors may have it until then, too. With grpc.Server.ServeHTTP
	// it is Heap.
	PerMessage
)

// Receive says how long the messages live that the handler of ctx receives from now on. A
// handler of a method with a stream of requests calls it first, in the goroutine that receives:
//
//	arenagrpc.Receive(stream.Context(), arenagrpc.PerMessage)
//	for {
//		m, err := stream.Recv()
//
// It is the handler's to say, and not an option of the server, because what is allowed to the handler
// depends on it. The message itself, which generated code makes, lies on the heap, with all of its parts in the arena.
//
// Receive does nothing where there is no such stream: a single request lives as long as the call. It does nothing when ctx is
// nil or does not come from a server with [ServerOptions], nor after the call. It panics when l is none of the constants.
func Receive(ctx context.Context, l Lifetime) {
	if l < Heap || l > PerMessage {
		panic(fmt.Sprintf("arenagrpc: Receive: there is no Lifetime of %d; use Heap, PerCall or PerMessage", l))
	}
	if ctx == nil {
		return
	}
	c, _ := ctx.Value(scopeKey{}).(*scope)
	if c == nil || !c.many {
		return
	}
	defer c.leave()
	if !c.enter() {
		return
	}
	if ctx.Value(http.ServerContextKey) != nil && l == PerMessage {
		l = Heap // that transport does not tell when headers are sent, perhaps with text of a message
	}
	if l != Heap && c.messages.Load() == nil {
		c.messages.Store(c.server.Pool.Get())
	}
	c.lifetime = l
}

// A receipt says where a message is to be decoded, before it is received.
type receipt struct {
	arena   *arena.Arena      // nil is the heap
	limit   *arena.LimitError // why it was not
	failure *arenapb.Panic    // why it is on the heap instead
}

// A serverStream is the stream of a handler.
type serverStream struct {
	grpc.ServerStream
	scope   *scope
	receipt receipt // of the message that is being received
}

// RecvMsg receives a message to where Receive has said, or that of a single request to the arena of the call.
func (s *serverStream) RecvMsg(m any) error {
	c := s.scope
	defer c.leave()
	during := c.enter()
	if c.many && messageOf(m) != nil {
		s.receipt = receipt{}
		if during {
			s.receipt.arena = c.next()
		}
		c.server.pending.Store(m, &s.receipt)
		defer c.server.pending.Delete(m)
	}
	err := s.ServerStream.RecvMsg(m)
	if limit := c.limit.Load(); err == nil && limit != nil {
		return c.refuse(limit)
	}
	return err
}

// next returns the arena for the next message of a stream.
func (c *scope) next() *arena.Arena {
	a := c.messages.Load()
	switch {
	case c.lifetime == Heap, c.failure.Load() != nil:
		return nil
	case c.lifetime == PerMessage && c.fate.Load() != 0:
		return nil // somebody may be using it
	case c.lifetime == PerMessage:
		a.Reset()
	}
	return a
}

// SetHeader sets copies.
func (s *serverStream) SetHeader(md metadata.MD) error {
	return setCopy(&s.scope.headers, md, s.ServerStream.SetHeader)
}

// SendHeader sends copies.
func (s *serverStream) SendHeader(md metadata.MD) error {
	return setCopy(&s.scope.headers, md, s.ServerStream.SendHeader)
}

// SetTrailer sets copies.
func (s *serverStream) SetTrailer(md metadata.MD) {
	setCopy(&s.scope.trailers, md, func(md metadata.MD) error {
		s.ServerStream.SetTrailer(md)
		return nil
	})
}
