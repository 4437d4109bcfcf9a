/*
Package arenahttptest finds handlers that leave values of their arena behind.

	func TestService(t *testing.T) {
		srv := httptest.NewServer(arenahttptest.Handler(t, mux))
		t.Cleanup(srv.Close)
		// make requests
	}

The arenas are those of package arenatest: in guard mode, so that what a handler has left in a cache, a log or a header of its own is
inaccessible when the handler has returned, if it is text or of a plain type. A later use fails the test. The report has the stacks of the use,
of the end of the arena, and of its making. The test also fails if a middleware, package fmt or the server recovers from the panic.
When the test ends, what a handler has kept is an error as well, whether it was used or not, with the method and path of the request: see
[arena.Kept]. One request is enough for that. What the handler itself refers to counts as kept. A read of a number or bool in a struct with
pointers shows the old value and does not fail the test. Run the tests with -race as well, which finds that.

A server must be closed before the test ends, by Cleanup or defer, since an arena that is in use then is reported as a leak.
*/
package arenahttptest

import (
	"net/http"
	"runtime/debug"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenatest"
	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/kept"
)

// Handler returns h inside of an [arenahttp.Middleware] with [Options], watched by [Watch]. It is called by the goroutine of t.
func Handler(t testing.TB, h http.Handler) http.Handler {
	t.Helper()
	return Watch(t, arenahttp.Middleware(h, Options(t)))
}

// Options returns the options of a Middleware with arenas in guard mode, mistakes with which fail t. It is for stacks of handlers that
// have a Middleware of their own somewhere; [Watch] goes around the whole. It is called by the goroutine of t.
func Options(t testing.TB) arenahttp.Options {
	t.Helper()
	return arenahttp.Options{Pool: &arena.Pool{Options: arenatest.Options(t)}}
}

// Watch returns a handler that calls h, and fails t when the goroutine that calls it uses memory of an arena of t that is inaccessible:
// one of Options, of arenatest.New or arenatest.Options. Such a use is a panic in h. If h does not
// recover it, a server aborts the request. Where a test calls the handler without a server, with an [httptest.ResponseRecorder], ServeHTTP returns
// early, and the test goes on. In other goroutines that h starts it ends the program, and so it does
// everywhere if [arenadebug.CatchFaults] is not supported, as nobody could tell of one that h recovers. Watch is called by the goroutine of t.
func Watch(t testing.TB, h http.Handler) http.Handler {
	t.Helper()
	o := arenatest.Options(t)
	kept.Hold(o.Name, h) // also if t gives it up: what it keeps, requests have left behind
	if guard.Catch() != nil {
		return h
	}
	return &watch{next: h, name: o.Name, report: o.Report}
}

type watch struct {
	next   http.Handler
	name   string // of the arenas of t
	report func(*arena.Report)
}

func (w *watch) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		v := recover()
		debug.SetPanicOnFault(before)
		fault := arenadebug.FaultReport(v)
		if fault == nil || fault.Arena != w.name {
			guard.ReportFaults() // which something has recovered
			if v != nil {
				panic(v)
			}
			return
		}
		w.report(fault)
		if r.Context().Value(http.ServerContextKey) != nil {
			panic(http.ErrAbortHandler)
		}
		// There is no server that would recover from a panic: the test has called the handler itself.
	}()
	w.next.ServeHTTP(rw, r)
}
