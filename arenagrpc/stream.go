package arenagrpc

import (
	"context"

	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// outerStream comes before the interceptors of others.
func (s *server) outerStream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	c := s.newScope(ss.Context(), info.FullMethod)
	c.Many = info.IsClientStream
	defer c.end(&err)
	return c.Try(func() error { return next(srv, &outerStream{ss, c}) })
}

// innerStream is the last interceptor, next to the handler.
func (s *server) innerStream(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	c := s.scopeOf(ss.Context())
	if c == nil {
		return handler(srv, ss)
	}
	return c.Handle(ss.Context(), func() error { return handler(srv, &serverStream{ServerStream: ss, scope: c}) })
}

// An outerStream is the stream of other interceptors, around gRPC's stream.
type outerStream struct {
	grpc.ServerStream
	scope *scope
}

func (s *outerStream) Context() context.Context { return s.scope }

// RecvMsg receives a message. A message that an interceptor receives for itself, perhaps before the
// handler, is on the heap: nobody knows when the interceptor is done with it. A message that does
// not fit is an error for interceptors as well, and empty.
func (s *outerStream) RecvMsg(m any) error {
	if !isMessage(m) {
		return s.ServerStream.RecvMsg(m)
	}
	return s.scope.ReceiveAhead(&s.scope.server.awaiting, m, func() error { return s.ServerStream.RecvMsg(m) })
}

// A serverStream is the stream of a handler.
type serverStream struct {
	grpc.ServerStream
	scope *scope
	sent  bool // headers are sent; belongs to the goroutine that sends
}

// RecvMsg receives a message with the lifetime of arenascope.Receive, or a single request into the
// arena of the call.
func (s *serverStream) RecvMsg(m any) error {
	if !isMessage(m) {
		return s.ServerStream.RecvMsg(m)
	}
	return s.scope.Receive(&s.scope.server.awaiting, m, func() error { return s.ServerStream.RecvMsg(m) })
}

// SendMsg sends a message, and headers before the first one: the transport keeps their text, so
// memory of a message's text must not be reused.
func (s *serverStream) SendMsg(m any) error {
	s.sending()
	return s.ServerStream.SendMsg(m)
}

func (s *serverStream) sending() {
	if !s.sent && s.scope.Received() && !s.scope.copiedAll() {
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
