package arenaconnect

import (
	"context"
	"errors"
	"sync/atomic"

	"connectrpc.com/connect"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/protobuf/proto"
)

// An outer is the first interceptor of all: it sees the request before others do, and the reply
// after them.
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
		format := formatOf(request.HTTPMethod(), request.Header(), request.Peer())
		if !ok || format < 0 {
			return next(ctx, request)
		}
		c := s.newScope(ctx, request.Spec().Procedure)
		replied := false // the call is over when the reply is encoded
		defer func() {
			if err = ErrorFrom(err); !replied {
				c.end()
			}
		}()
		err = c.Try(func() (err error) {
			if hasAddress(m) {
				err = c.Claim(&s.pending, m)
			}
			if err == nil {
				response, err = next(c, request)
			}
			switch {
			case err != nil || !c.Taken():
			case s.asked[format].Load():
				response = c.reply(response)
				replied = true
			default:
				c.Drop(arenascope.ReasonError) // another codec encodes it, who knows when
			}
			return err
		})
		return response, err
	}
}

// A reply is a message that may refer to the arena of a call. The call is over when it is encoded.
// To all other code it is the message itself, so that the arena is only not used again where
// another codec encodes it.
type reply struct {
	proto.Message
	scope atomic.Pointer[scope] // nil when the call is over
}

// reply returns response with a reply for its message, and text that is on the heap. The handler
// and all interceptors have returned.
func (s *scope) reply(response connect.AnyResponse) connect.AnyResponse {
	m, ok := response.Any().(proto.Message)
	if !ok {
		s.Drop(arenascope.ReasonError) // connect cannot encode it either
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

func (r *reply) marshalAppend(b []byte, f *format) ([]byte, error) {
	s := r.scope.Swap(nil)
	if s == nil {
		return nil, errors.New("arenaconnect: a reply is encoded twice")
	}
	ok := false
	defer func() {
		if !ok {
			s.Drop(arenascope.ReasonError)
		}
		s.end()
	}()
	b, err := f.append(b, r.Message)
	ok = err == nil
	return b, err
}

func (s inner) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (response connect.AnyResponse, err error) {
		c := s.scopeOf(ctx)
		if c == nil {
			return next(ctx, request)
		}
		err = c.Handle(ctx, func() (err error) {
			response, err = next(ctx, request)
			return err
		})
		return response, err
	}
}
