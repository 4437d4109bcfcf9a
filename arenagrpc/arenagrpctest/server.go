/*
Package arenagrpctest finds services that leave values of their arenas behind.

	s := grpc.NewServer(arenagrpctest.ServerOptions(t, others...)...)
	pb.RegisterEchoServer(s, service)
	t.Cleanup(s.Stop)
	// make calls

The arenas are arenas of package arenatest. A value of a request that is still reachable when the
test ends fails it, with the path that keeps the value: one call is enough. Each later use of stale
memory that guard mode sees also fails it. Messages of all sizes are in arenas.

Stop a server before the test ends, by Cleanup or defer: an arena that is in use then is reported as
a leak.
*/
package arenagrpctest

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenatest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ServerOptions returns the result of [arenagrpc.ServerOptions] for [Options] and others. A use of
// stale memory by a handler, by an interceptor among others or by the encoding of a reply fails t,
// and the call fails with Internal. In other goroutines that a handler starts it ends the program.
// Call ServerOptions on the goroutine of t.
func ServerOptions(t testing.TB, others ...grpc.ServerOption) []grpc.ServerOption {
	t.Helper()
	w := watch{t}
	options := []grpc.ServerOption{grpc.ChainUnaryInterceptor(w.unary), grpc.ChainStreamInterceptor(w.stream)}
	return append(options, arenagrpc.ServerOptions(Options(t), others...)...)
}

// Options returns the options of a server with arenas in guard mode. Their misuse fails t. Limits
// and an observer may be added. Call it on the goroutine of t.
func Options(t testing.TB) arenagrpc.Options {
	t.Helper()
	return arenagrpc.Options{Pool: &arena.Pool{Options: arenatest.Options(t)}, Threshold: 1}
}

// A watch turns faults in calls into errors of a test.
type watch struct{ t testing.TB }

// errStale is the result of a call that has used stale memory.
var errStale = status.Error(codes.Internal, "arenagrpctest: the call has used memory of an arena that has ended; the test has the report")

func (w watch) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (reply any, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = w.call(func() (err error) {
		reply, err = next(ctx, req)
		return err
	})
	return reply, err
}

func (w watch) stream(service any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return w.call(func() error { return next(service, stream) })
}

// call returns what f does, or errStale if f uses stale memory.
func (w watch) call(f func() error) (err error) {
	done := false // unless Recover ends this function
	defer func() {
		if !done {
			err = errStale
		}
	}()
	defer arenatest.Recover(w.t)
	err = f()
	done = true
	return err
}
