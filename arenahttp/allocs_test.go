//go:build !race && !asan && !arenadebug

package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
)

// TestAllocs pins the allocations that the middleware adds: the context, which has all it knows of
// the request, and the copy of the request, as for a value in the context. Text of the arena in the
// header is a copy of each value and its slice. With -race a sync.Pool drops values at random, and
// programs that look for mistakes use no memory again.
func TestAllocs(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	id := []string{"id"}
	for _, test := range []struct {
		name string
		want float64
		h    http.HandlerFunc
	}{
		{"nothing", 2, func(http.ResponseWriter, *http.Request) {}},
		{"write", 2, func(w http.ResponseWriter, r *http.Request) { w.Write(nil) }},
		{"header", 2, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = contentType
			w.WriteHeader(200)
		}},
		{"arena", 2, func(w http.ResponseWriter, r *http.Request) { arena.New[int](arena.FromContext(r.Context())) }},
		{"arena, and a header of the heap", 2, func(w http.ResponseWriter, r *http.Request) {
			arena.New[int](arena.FromContext(r.Context()))
			w.Header()["Content-Type"] = contentType
			w.Header()["X-Id"] = id
			w.WriteHeader(200)
			w.Write(nil)
		}},
		{"a header of the arena", 4, func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			w.Header()["Content-Type"] = contentType
			w.Header()["X-Id"] = arena.SliceOf(a, arena.Concat(a, "i", "d"))
			for range 10 {
				w.Write(nil)
			}
		}},
		{"a fork that takes nothing", 3, func(w http.ResponseWriter, r *http.Request) { arena.Fork(r.Context()) }},
	} {
		h := arenahttp.Middleware(test.h, arenahttp.Options{})
		w, r := &sink{http.Header{}}, httptest.NewRequest("GET", "/", nil)
		if got := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, test.want)
		}
	}
}
