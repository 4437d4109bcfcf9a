/*
Package arenahttptest finds handlers that leave values of their arena behind.

	func TestService(t *testing.T) {
		srv := httptest.NewServer(arenahttptest.Handler(t, mux))
		t.Cleanup(srv.Close)
		// make requests
	}

The arenas are arenas of package arenatest, in guard mode. When the handler has returned, its text
and its values of plain types are inaccessible, wherever the handler left them: in a cache, a log or
a header. A later use fails the test, also if a middleware, package fmt or the server recovers from
the panic. The report contains the stacks of the use, of the end of the arena, and of its making.

A value that a handler has kept also fails the test when the test ends, whether it was used or not:
see [arena.Kept]. The error contains the method and path of the request. One request is enough for
that. Values that the handler itself refers to count as kept.

A read of a number or bool in a struct with pointers returns the old value and does not fail the
test. Run the tests with -race as well, which finds such reads.

Close a server before the test ends, by Cleanup or defer: an arena that is in use then is reported
as a leak.
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

// Handler returns h inside an [arenahttp.Middleware] with [Options], watched by [Watch]. Call it on
// the goroutine of t.
func Handler(t testing.TB, h http.Handler) http.Handler {
	t.Helper()
	return Watch(t, arenahttp.Middleware(h, Options(t)))
}

// Options returns the options of a Middleware whose arenas are in guard mode. A misuse of one fails
// t. It is for stacks of handlers that contain a Middleware of their own; put [Watch] around the
// whole stack. Call it on the goroutine of t.
func Options(t testing.TB) arenahttp.Options {
	t.Helper()
	return arenahttp.Options{Pool: &arena.Pool{Options: arenatest.Options(t)}}
}

// Watch returns a handler that calls h. It fails t if the goroutine that calls it uses inaccessible
// memory of an arena of Options, of arenatest.New or of arenatest.Options in t. Such a use is a
// panic in h. If h does not recover it, a server aborts the request. If the test calls the handler
// without a server, with an [httptest.ResponseRecorder], ServeHTTP returns early and the test goes
// on. In other goroutines that h starts, the panic ends the program. If [arenadebug.CatchFaults] is
// not supported, it ends the program everywhere, because nobody could report a panic that h
// recovers. Call Watch on the goroutine of t.
func Watch(t testing.TB, h http.Handler) http.Handler {
	t.Helper()
	o := arenatest.Options(t)
	kept.Hold(o.Name, h) // also if t gives it up: requests left behind what it keeps
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
			guard.ReportFaults() // that something has recovered
			if v != nil {
				panic(v)
			}
			return
		}
		w.report(fault)
		if r.Context().Value(http.ServerContextKey) != nil {
			panic(http.ErrAbortHandler)
		}
		// There is no server that would recover from a panic: the test has called the handler
		// itself.
	}()
	w.next.ServeHTTP(rw, r)
}
