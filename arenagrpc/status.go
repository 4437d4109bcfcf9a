package arenagrpc

import (
	"context"
	"errors"

	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// StatusFromError returns an error that wraps err and is ResourceExhausted to gRPC, with the text
// of err, if err is or wraps an *arena.LimitError or an *arena.MemoryError, and has no status yet.
// Otherwise it returns err itself, also if that is nil. Clients and counters see an error without a
// status as Unknown, and a client may not try again then.
//
// [ServerOptions] and [StatusOptions] apply it to the errors of handlers. An error that only copies
// the text of another, such as an error of Arrow's ipc.Reader, does not wrap it. Neither does
// context.Canceled if context.Cause(ctx) is the *arena.LimitError.
func StatusFromError(err error) error {
	if arenascope.OutOfMemory(err) == nil {
		return err
	}
	var has interface{ GRPCStatus() *status.Status }
	if errors.As(err, &has) {
		return err
	}
	return &exhausted{err}
}

// An exhausted is an error with the status ResourceExhausted.
type exhausted struct{ error }

func (e *exhausted) Unwrap() error { return e.error }
func (e *exhausted) GRPCStatus() *status.Status {
	return status.New(codes.ResourceExhausted, e.Error())
}

// StatusOptions returns the options with which a server applies [StatusFromError] to the errors of
// its handlers, and of interceptors chained after these, and to panics with such errors. They are
// for a server whose requests are not in arenas, but which has other memory with a limit, such as
// an allocator of package arenaarrow. They come before other options:
//
//	flight.NewServerWithMiddleware(nil, arenagrpc.StatusOptions()...)
//
// [ServerOptions] includes them.
func StatusOptions() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(unaryStatus), grpc.ChainStreamInterceptor(streamStatus)}
}

func unaryStatus(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (reply any, err error) {
	defer settleStatus(&err)
	return handler(ctx, req)
}

func streamStatus(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	defer settleStatus(&err)
	return handler(srv, stream)
}

// settleStatus is deferred by an interceptor that returns *err, unless there is a panic.
func settleStatus(err *error) {
	if v := recover(); v != nil {
		failure, _ := v.(error)
		if arenascope.OutOfMemory(failure) == nil {
			panic(v)
		}
		*err = failure
	}
	*err = StatusFromError(*err)
}
