package arenaconnect

import (
	"context"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
)

func (s outer) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		if formatOf(http.MethodPost, conn.RequestHeader(), conn.Peer()) < 0 {
			return next(ctx, conn)
		}
		spec := conn.Spec()
		c := s.newScope(ctx, spec.Procedure)
		c.Many = spec.StreamType&connect.StreamTypeClient != 0
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
		return c.Handle(ctx, func() error { return next(ctx, conn) })
	}
}

// A streamConn is the stream of a handler, around connect's stream.
type streamConn struct {
	connect.StreamingHandlerConn
	scope *scope
	sent  bool // headers are sent; belongs to the goroutine that sends
}

// Receive receives a message with the lifetime of arenascope.Receive, or a single request into the
// arena of the call.
func (s *streamConn) Receive(v any) error {
	m, ok := v.(proto.Message)
	if !ok || !hasAddress(m) {
		return s.StreamingHandlerConn.Receive(v)
	}
	return s.scope.Receive(&s.scope.server.awaiting, m, func() error { return s.StreamingHandlerConn.Receive(v) })
}

// Send sends a message. Before the first message it sends headers whose text is on the heap:
// connections keep that text for later calls.
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

// detach copies the text of unsent headers to the heap, and at the end also the text of trailers.
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
