/*
Package arenaconnecttest finds handlers that leave values of their arenas behind.

	path, handler := pingconnect.NewPingServiceHandler(service,
		arenaconnecttest.HandlerOptions(t, others...)...)
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	// make calls

The arenas are arenas of package arenatest. A value of a request that is still reachable when the
test ends fails it, with the path that keeps the value: one call is enough. Each later use of stale
memory that guard mode sees also fails it. Messages of all sizes are in arenas.

Close a server before the test ends, by Cleanup or defer: an arena that is in use then is reported
as a leak.
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

// HandlerOptions returns the result of [arenaconnect.HandlerOptions] for [Options] and others. A
// use of stale memory by a handler or by an interceptor among others fails t, and the call fails
// with CodeInternal. In the encoding of a reply it is a panic, from which net/http recovers. It
// then also fails t if arenadebug.CatchFaults is supported; on other systems arenahttptest.Watch
// around the handler does that. In other goroutines that a handler starts it ends the program. Call
// HandlerOptions on the goroutine of t.
func HandlerOptions(t testing.TB, others ...connect.HandlerOption) []connect.HandlerOption {
	t.Helper()
	options := []connect.HandlerOption{connect.WithInterceptors(watch{t})}
	return append(options, arenaconnect.HandlerOptions(Options(t), others...)...)
}

// Options returns the options of a handler with arenas in guard mode. Their misuse fails t. Limits
// and an observer may be added. Call it on the goroutine of t.
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
