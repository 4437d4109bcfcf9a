package arenagrpc

import (
	"context"
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
)

// A Lifetime says how long the messages live that a handler receives from a client's stream.
type Lifetime int

const (
	// Heap is for as long as somebody has them, as without an arena. It is the default: a handler that collects messages is
	// right, and a stream without end needs no more memory than a message.
	Heap Lifetime = iota

	// PerCall is until the call is over: for streams with an end, whose messages may all be in memory. They have an
	// arena of their own, as those PerMessage have, so that the goroutine that receives and the one that uses the call's may be two.
	PerCall

	// PerMessage is until the next RecvMsg begins, or the call is over: for handlers that are done with a message when they
	// ask for the next. Nobody may read the message during that, so a goroutine that sends, of what it sends part of the
	// message, has to be waited for. Headers with text of a message have to be sent with the first message, or by the stream's SendHeader; those
	// that grpc.SendHeader sends have to be a copy. Interceptors may have the message until then, too.
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
// A handler may change its mind: what it has received before lives as long as was said then.
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
	defer c.Leave()
	if c.Enter() {
		c.lifetime = l
	}
}

// An awaited says where the message of a stream is to be decoded.
type awaited struct {
	message any
	scope   *scope // the call
	heap    bool   // the message is to lie on the heap
	unsaid  bool   // if heap: because the handler has not said how long it lives
	each    bool   // it lives until the next one

	memory error // why the message is empty
}

// receive decodes the message.
func (w *awaited) receive(data mem.BufferSlice) error {
	c, pool := w.scope, w.scope.server.Pool
	var a *arena.Arena
	switch {
	case c.server.own:
		if !c.many && !w.heap {
			w.memory = c.server.tooLarge(data.Len())
		}
	case w.heap:
		if w.unsaid {
			c.onHeap.Add(1)
		}
	case c.many:
		of := &c.messages
		if w.each {
			of = &c.each
		}
		a = c.room(of)
	default:
		a = pool.Get() //arena:keep Adopt takes it
	}
	if a == nil {
		return c.server.CodecV2.Unmarshal(data, w.message)
	}
	failure, err := c.server.decode(a, data, w.message)
	if failure != nil {
		c.failed(failure)
	}
	switch {
	case c.many:
	case failure != nil:
		pool.Drop(a)
	case err != nil:
		pool.Put(a)
	default:
		c.Adopt(a)
	}
	if arenascope.OutOfMemory(err) != nil {
		w.memory = err
		return nil // and RecvMsg fails, with the right status
	}
	return err
}

// lies says whether the next message lies on the heap, and makes room for it if not.
func (s *scope) lies(during bool) (heap bool) {
	switch {
	case !during:
		return true // the arena may be in use for another call
	case !s.many:
		return false
	case s.failure.Load() != nil:
		return true
	case s.lifetime == PerMessage:
		if s.Reason() != "" {
			return true // somebody may be using the arena
		}
		s.each.Load().Reset()
	}
	return s.lifetime == Heap
}

// outerStream comes before the interceptors of others.
func (s *server) outerStream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	c := s.newScope(ss.Context(), info.FullMethod)
	c.many = info.IsClientStream
	defer c.end(&err)
	return c.Try(func() error { return next(srv, &outerStream{ss, c}) })
}

// innerStream is the last interceptor, next to the handler.
func (s *server) innerStream(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	c := s.scopeOf(ss.Context())
	if c == nil {
		return handler(srv, ss)
	}
	returned := false
	err := c.Run(ss.Context(), func() error {
		err := handler(srv, &serverStream{ServerStream: ss, scope: c})
		returned = true
		return err
	})
	return handled(err, returned)
}

// An outerStream is the stream that the interceptors of others have, next to that of gRPC.
type outerStream struct {
	grpc.ServerStream
	scope *scope
}

func (s *outerStream) Context() context.Context { return s.scope }

// RecvMsg receives a message. One that an interceptor receives for itself, ahead of the handler perhaps, lies on the heap: there is no
// telling when they are done with it. One that does not fit is an error for interceptors, too: it is empty.
func (s *outerStream) RecvMsg(m any) error {
	if !isMessage(m) {
		return s.ServerStream.RecvMsg(m)
	}
	all := &s.scope.server.awaiting
	w := all.Find(m)
	if w == nil {
		w = &awaited{message: m, scope: s.scope, heap: true}
		all.Put(m, w)
		defer all.Remove(m)
	}
	err := s.ServerStream.RecvMsg(m)
	if w.memory != nil && err == nil {
		return s.scope.refuse(w.memory)
	}
	return err
}

// A serverStream is the stream of a handler.
type serverStream struct {
	grpc.ServerStream
	scope *scope
	sent  bool // headers are sent; belongs to the goroutine that sends
}

// RecvMsg receives a message to where Receive has said, or that of a single request to the arena of the call.
func (s *serverStream) RecvMsg(m any) error {
	if !isMessage(m) {
		return s.ServerStream.RecvMsg(m)
	}
	c := s.scope
	defer c.Leave()
	during := c.Enter()
	w := &awaited{message: m, scope: c, heap: c.lies(during), unsaid: c.many && c.lifetime == Heap, each: c.lifetime == PerMessage}
	c.server.awaiting.Put(m, w)
	defer c.server.awaiting.Remove(m)
	err := s.ServerStream.RecvMsg(m)
	if w.memory != nil && err == nil {
		return c.refuse(w.memory)
	}
	return err
}

// SendMsg sends a message, and headers before the first one: the transport keeps their text, so that of a message must not be used again.
func (s *serverStream) SendMsg(m any) error {
	s.sending()
	return s.ServerStream.SendMsg(m)
}

func (s *serverStream) sending() {
	if !s.sent && s.scope.received() && !s.scope.copiedAll() {
		s.scope.Drop(arenascope.ReasonHeader) // now, because of PerMessage
	}
	s.sent = true
}

// SetHeader sets copies.
func (s *serverStream) SetHeader(md metadata.MD) error {
	return setCopy(&s.scope.headers, md, s.ServerStream.SetHeader)
}

// SendHeader sends copies.
func (s *serverStream) SendHeader(md metadata.MD) error {
	s.sending()
	return setCopy(&s.scope.headers, md, s.ServerStream.SendHeader)
}

// SetTrailer sets copies.
func (s *serverStream) SetTrailer(md metadata.MD) {
	_ = setCopy(&s.scope.trailers, md, func(md metadata.MD) error {
		s.ServerStream.SetTrailer(md)
		return nil
	})
}
