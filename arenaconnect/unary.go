package arenaconnect

import (
	"context"
	"errors"
	"sync/atomic"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
)

// errOver is returned to a handler that is called when the call is over.
func errOver() error {
	return connect.NewError(connect.CodeCanceled, errors.New("arenaconnect: the call is over"))
}

// An outer is the first interceptor of all: it sees the request before others do, and the reply after them.
type outer struct{ *server }

// An inner is the last one, next to the handler.
type inner struct{ *server }

var (
	_ connect.Interceptor = outer{}
	_ connect.Interceptor = inner{}
)

// WrapStreamingClient does nothing.
func (outer) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingClient does nothing.
func (inner) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (s outer) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (response connect.AnyResponse, err error) {
		m, ok := request.Any().(proto.Message)
		if !ok || !binary(request.HTTPMethod(), request.Header(), request.Peer()) {
			return next(ctx, request)
		}
		c := &scope{Context: ctx, server: s.server, procedure: request.Spec().Procedure}
		replied := false
		defer c.settle(&replied, &err)
		if hasAddress(m) {
			if t, ok := s.pending.Claim(m); ok {
				if err := c.claim(t); err != nil {
					return nil, err
				}
			}
		}
		response, err = next(c, request)
		switch {
		case err != nil || !c.engaged():
		case s.asked.Load():
			response = c.reply(response)
			replied = true
		default:
			c.drop(ReasonError) // another codec encodes it, who knows when
		}
		return response, err
	}
}

// settle is deferred by an outer interceptor that returns *err, or else panics. The call is over then, unless *replied.
func (s *scope) settle(replied *bool, err *error) {
	v := recover()
	if failure, _ := v.(error); v != nil && memoryError(failure) != nil {
		*err, v = failure, nil
		s.drop(ReasonLimit)
	}
	*err = ErrorFrom(*err)
	switch {
	case *replied:
		return
	case v != nil:
		s.drop(ReasonPanic)
	case *err != nil:
		s.drop(ReasonError)
	}
	s.end()
	if v != nil {
		panic(v)
	}
}

// A reply is a message that may refer to the arena of a call. The call is over when it is encoded. To all other code it is the
// message itself, so that the arena is only not used again where another codec encodes it.
type reply struct {
	proto.Message
	scope atomic.Pointer[scope] // nil when the call is over
}

// reply returns response with a reply for its message, and text that is on the heap. The handler and all interceptors
// have returned.
func (s *scope) reply(response connect.AnyResponse) connect.AnyResponse {
	m, ok := response.Any().(proto.Message)
	if !ok {
		s.drop(ReasonError) // connect cannot encode it either
		s.end()
		return response
	}
	r := &reply{Message: m}
	r.scope.Store(s)
	to := connect.NewResponse(r)
	detachInto(to.Header(), response.Header())
	detachInto(to.Trailer(), response.Trailer())
	if info, ok := connect.CallInfoForHandlerContext(s); ok {
		detach(info.ResponseHeader())
		detach(info.ResponseTrailer())
	}
	return to
}

func (r *reply) marshalAppend(b []byte) ([]byte, error) {
	s := r.scope.Swap(nil)
	if s == nil {
		return nil, errors.New("arenaconnect: a reply is encoded twice")
	}
	ok := false
	defer func() {
		if !ok {
			s.drop(ReasonError)
		}
		s.end()
	}()
	b, err := proto.MarshalOptions{}.MarshalAppend(b, r.Message)
	ok = err == nil
	return b, err
}

func (s inner) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (response connect.AnyResponse, err error) {
		c := s.scopeOf(ctx)
		if c == nil {
			return next(ctx, request)
		}
		defer c.leave()
		if !c.begin() {
			return nil, errOver()
		}
		returned := false
		defer c.returned(ctx, &returned, &err)
		response, err = next(ctx, request)
		returned = true
		return response, err
	}
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
		*err = ErrorFrom(*err)
	case *err != nil:
		s.drop(ReasonError)
		*err = ErrorFrom(*err)
	case ctx.Err() != nil:
		s.drop(ReasonDone)
	}
	if failure != nil {
		panic(failure)
	}
}
