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
Send each request twice: the second one uses what the first has left behind. A read of a number or bool in a struct with
pointers shows the old value and does not fail the test. Run the tests with -race as well, which finds that.

A server must be closed before the test ends, by Cleanup or defer, since an arena that is in use then is reported as a leak.
*/
package arenahttptest

import (
	"net/http"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenatest"
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
	w := &watch{next: h, name: arenatest.Options(t).Name, t: t}
	if arenadebug.CatchFaults() != nil {
		return h
	}
	if r := arenadebug.LastFault(); r != nil {
		w.last = r.Addr
	}
	t.Cleanup(w.end)
	return w
}

type watch struct {
	next http.Handler
	name string // of the arenas of t

	mu   sync.Mutex
	t    testing.TB // nil when it has ended
	last uintptr    // the address of the last fault that is known
}

func (w *watch) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		v := recover()
		debug.SetPanicOnFault(before)
		fault := arenadebug.FaultReport(v)
		if fault == nil || fault.Arena != w.name {
			w.report(arenadebug.LastFault()) // which something has recovered
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

// report fails the test, unless it has ended, or r is not a new fault in one of its arenas.
func (w *watch) report(r *arena.Report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r == nil || w.t == nil || r.Arena != w.name || r.Addr == w.last {
		return
	}
	w.last = r.Addr
	w.t.Error(r) // under the lock, so that the test does not end meanwhile
}

func (w *watch) end() {
	w.report(arenadebug.LastFault())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.t = nil
}
