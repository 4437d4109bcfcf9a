package arenaconnect

import (
	"context"
	"fmt"
	"net/http"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/protobuf/proto"
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

	// PerMessage is until the next Receive begins, or the call is over: for handlers that are done with a message when they
	// ask for the next. Nobody may read the message during that, so a goroutine that sends, of what it sends part of the
	// message, has to be waited for, and text of the message in response headers has to be a copy. Interceptors may have the message until then, too.
	PerMessage
)

// Receive says how long the messages live that the handler of ctx receives from now on. A
// handler of a method with a stream of requests calls it first, in the goroutine that receives:
//
//	arenaconnect.Receive(ctx, arenaconnect.PerMessage)
//	for stream.Receive() {
//		use(stream.Msg())
//	}
//
// It is the handler's to say, and not an option, because what is allowed to the handler
// depends on it. The message itself, which connect makes, lies on the heap, with all of its parts in the arena.
//
// A handler may change its mind: what it has received before lives as long as was said then.
//
// Receive does nothing where there is no such stream: a single request lives as long as the call. It does nothing when ctx is
// nil or does not come from a handler with [HandlerOptions], nor after the call. It panics when l is none of the constants.
func Receive(ctx context.Context, l Lifetime) {
	if l < Heap || l > PerMessage {
		panic(fmt.Sprintf("arenaconnect: Receive: there is no Lifetime of %d; use Heap, PerCall or PerMessage", l))
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
	message proto.Message
	scope   *scope // the call
	heap    bool   // it is to lie on the heap
	memory  error  // why it was not decoded
}

// receive decodes a message that is worth an arena.
func (w *awaited) receive(data []byte) error {
	c, m := w.scope, w.message
	a := c.room(w) //arena:keep the scope has it, or Adopt takes it
	if a == nil {
		return onHeap(data, m)
	}
	failure, err := decode(a, data, m) //arena:keep nobody has a message that was not decoded
	if failure != nil {
		c.failed(failure)
	}
	switch {
	case c.many:
	case failure != nil:
		c.server.Pool.Drop(a)
	case err != nil:
		c.server.Pool.Put(a)
	default:
		c.Adopt(a)
	}
	if arenascope.OutOfMemory(err) != nil {
		w.memory = err
		return nil // and Receive fails, with the right code
	}
	return err
}

// room returns the arena for a message, or nil for the heap.
func (s *scope) room(w *awaited) *arena.Arena {
	pool := s.server.Pool
	switch {
	case w.heap:
		if s.many && s.lifetime == Heap {
			s.onHeap.Add(1)
		}
		return nil
	case !s.many:
		return pool.Get()
	}
	of := &s.messages
	if s.lifetime == PerMessage {
		of = &s.each
	}
	if *of == nil {
		*of = s.Take()
	}
	return *of
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
		s.each.Reset()
	}
	return s.lifetime == Heap
}

func (s outer) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		if !binary(http.MethodPost, conn.RequestHeader(), conn.Peer()) {
			return next(ctx, conn)
		}
		spec := conn.Spec()
		c := s.newScope(ctx, spec.Procedure)
		c.many = spec.StreamType&connect.StreamTypeClient != 0
		sc := &streamConn{StreamingHandlerConn: conn, scope: c}
		defer c.end()
		return ErrorFrom(c.Try(func() error {
			err := next(c, sc)
			if err == nil {
				sc.detach(true)
			}
			return err
		}))
	}
}

func (s inner) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		c := s.scopeOf(ctx)
		if c == nil {
			return next(ctx, conn)
		}
		returned := false
		err := c.Run(ctx, func() error {
			err := next(ctx, conn)
			returned = true
			return err
		})
		return handled(err, returned)
	}
}

// A streamConn is the stream of a handler, next to that of connect.
type streamConn struct {
	connect.StreamingHandlerConn
	scope *scope
	sent  bool // headers are sent; belongs to the goroutine that sends
}

// Receive receives a message to where Receive of the package has said, or a single request to the arena of the call.
func (s *streamConn) Receive(v any) error {
	m, ok := v.(proto.Message)
	if !ok || !hasAddress(m) {
		return s.StreamingHandlerConn.Receive(v)
	}
	c := s.scope
	defer c.Leave()
	during := c.Enter()
	w := &awaited{message: m, scope: c, heap: c.lies(during)}
	c.server.awaiting.Put(m, w)
	defer c.server.awaiting.Remove(m)
	err := s.StreamingHandlerConn.Receive(v)
	if w.memory != nil && err == nil {
		return c.refuse(w.memory)
	}
	return err
}

// Send sends a message, and before the first one headers whose text is on the heap: connections keep that for the calls that follow.
func (s *streamConn) Send(v any) error {
	c := s.scope
	defer c.Leave()
	c.Enter()
	if !s.sent {
		s.detach(false)
		s.sent = true
	}
	return s.StreamingHandlerConn.Send(v)
}

// detach puts the text of headers that are not sent yet onto the heap, and at the end that of trailers.
func (s *streamConn) detach(end bool) {
	if !s.scope.Taken() {
		return
	}
	if !s.sent {
		detach(s.ResponseHeader())
	}
	if end {
		detach(s.ResponseTrailer())
	}
}
