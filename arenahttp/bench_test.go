package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
)

// A sink is a ResponseWriter that can be used again.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) Flush()                      {}

// BenchmarkMiddleware measures what the middleware adds to a request, by handler: one that does
// nothing, one that writes 100 bytes of its arena in ten pieces, with two headers. impl=none is
// the handler without the middleware, and without an arena.
func BenchmarkMiddleware(b *testing.B) {
	handlers := []struct {
		name string
		h    http.HandlerFunc
	}{
		{"nothing", func(http.ResponseWriter, *http.Request) {}},
		{"text", func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			h := w.Header()
			h["Content-Type"] = contentType
			h["X-Id"] = arena.SliceOf(a, arena.String(a, "0123456789"))
			text := arena.MakeSlice[byte](a, 10, 10)
			for range 10 {
				w.Write(text)
			}
		}},
	}
	for _, handler := range handlers {
		for _, impl := range []string{"none", "arenahttp"} {
			b.Run("handler="+handler.name+"/impl="+impl, func(b *testing.B) {
				var h http.Handler = handler.h
				if impl != "none" {
					h = arenahttp.Middleware(h, arenahttp.Options{})
				}
				w, r := &sink{http.Header{}}, httptest.NewRequest("GET", "/", nil)
				b.ReportAllocs()
				for b.Loop() {
					clear(w.header)
					h.ServeHTTP(w, r)
				}
			})
		}
	}
}

var contentType = []string{"text/plain"}
