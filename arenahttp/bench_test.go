package arenahttp_test

import (
	"context"
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

// BenchmarkMiddleware measures what the middleware adds to a request, by handler. The writer is none of net/http's, as
// behind gzip or a logger: it may send the header late. impl=none is the handler without the middleware, and impl=value with a value in the context in its place. Without an arena
// handlers use the heap.
func BenchmarkMiddleware(b *testing.B) {
	type key struct{}
	value := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, h)))
		})
	}
	headers := func(a *arena.Arena, w http.ResponseWriter) {
		h := w.Header()
		h["Content-Type"] = contentType
		h["Content-Length"] = arena.SliceOf(a, arena.String(a, "100"))
		h["X-Id"] = arena.SliceOf(a, arena.String(a, "0123456789"))
	}
	text := make([]byte, 100)
	for _, handler := range []struct {
		name string
		h    http.HandlerFunc
	}{
		{"nothing", func(w http.ResponseWriter, r *http.Request) { w.Write(text) }},
		{"heap headers", func(w http.ResponseWriter, r *http.Request) {
			headers(nil, w)
			w.Write(text)
		}},
		{"arena", func(w http.ResponseWriter, r *http.Request) {
			arena.New[[4]int](arena.FromContext(r.Context()))
			w.Write(text)
		}},
		{"arena headers", func(w http.ResponseWriter, r *http.Request) {
			headers(arena.FromContext(r.Context()), w)
			w.Write(text)
		}},
		{"900 writes", func(w http.ResponseWriter, r *http.Request) {
			headers(arena.FromContext(r.Context()), w)
			for range 900 {
				w.Write(text)
			}
		}},
	} {
		for _, impl := range []string{"none", "value", "arenahttp"} {
			b.Run("handler="+handler.name+"/impl="+impl, func(b *testing.B) {
				var h http.Handler = handler.h
				switch impl {
				case "value":
					h = value(h)
				case "arenahttp":
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
