//go:build !race && !asan

package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"testing"

	"github.com/arena-go/arena/arenahttp"
)

const raceEnabled = false

// TestAllocs pins the allocations that the middleware adds: the context, the copy of the
// request, and what it knows of it; and two for all headers together. With -race a sync.Pool
// drops values at random.
func TestAllocs(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, test := range []struct {
		want float64
		h    http.HandlerFunc
	}{
		{3, func(http.ResponseWriter, *http.Request) {}},
		{3, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 0)) }},
		{5, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = contentType
			w.Header()["X-Id"] = contentType
			w.WriteHeader(200)
		}},
	} {
		h := arenahttp.Middleware(test.h, arenahttp.Options{})
		w, r := &sink{http.Header{}}, httptest.NewRequest("GET", "/", nil)
		if got := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); got != test.want {
			t.Errorf("%v allocations, want %v", got, test.want)
		}
	}
}
