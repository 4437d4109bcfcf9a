/*
Package arenaconnecttest finds handlers that leave values of their arenas behind.

	path, handler := pingconnect.NewPingServiceHandler(service,
		arenaconnecttest.HandlerOptions(t, others...)...)
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	// make calls

The arenas are those of package arenatest. A value of a request that can still be reached when the
test ends fails it, with the path by which it is kept: one call is enough. So does each later use of
memory that has ended, as far as guard mode sees it. Messages of all sizes lie in arenas.

A server must be closed before the test ends, by Cleanup or defer, since an arena that is in use
then is reported as a leak.
*/
package arenaconnecttest

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenatest"
)

// HandlerOptions returns what [arenaconnect.HandlerOptions] returns for [Options] and others. The use
// of stale memory by a handler or by an interceptor among others fails t, and the call fails with
// CodeInternal. In the encoding of a reply it is a panic, from which net/http recovers: where
// arenadebug.CatchFaults is supported it fails t, too, and elsewhere arenahttptest.Watch around the
// handler sees to that. In other goroutines that a handler starts it ends the program.
// HandlerOptions is called by the goroutine of t.
func HandlerOptions(t testing.TB, others ...connect.HandlerOption) []connect.HandlerOption {
	t.Helper()
	options := []connect.HandlerOption{connect.WithInterceptors(watch{t})}
	return append(options, arenaconnect.HandlerOptions(Options(t), others...)...)
}

// Options returns the options of a handler with arenas in guard mode, mistakes with which fail t.
// Limits and an observer may be added. It is called by the goroutine of t.
func Options(t testing.TB) arenaconnect.Options {
	t.Helper()
	return arenaconnect.Options{Pool: &arena.Pool{Options: arenatest.Options(t)}, Threshold: 1}
}

// A watch is an interceptor that turns faults in calls into errors of a test.
type watch struct{ t testing.TB }

// errStale is the result of a call that has used stale memory.
var errStale = connect.NewError(connect.CodeInternal,
	errors.New("arenaconnecttest: the call has used memory of an arena that has ended; the test has the report"))

func (w watch) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (reply connect.AnyResponse, err error) {
		debug.SetPanicOnFault(true) // for the encoding, too, which follows
		err = w.call(func() (err error) {
			reply, err = next(ctx, req)
			return err
		})
		return reply, err
	}
}

func (w watch) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		return w.call(func() error { return next(ctx, conn) })
	}
}

func (watch) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
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
