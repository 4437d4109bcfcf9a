package small

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/bench/internal/suite"
)

// requests measures what the middleware adds to a request, without the server around it.
func requests() suite.Workload {
	answer := func(w http.ResponseWriter) { io.WriteString(w, "hello") }
	unused := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w) })
	used := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		for range 10 {
			kept[0] = arena.New[t1](a) //arena:keep nobody reads it: it keeps the compiler from leaving the value out
		}
		answer(w)
	})
	of := func(name string, h http.Handler) suite.Implementation {
		return suite.Implementation{Name: name, Open: func(n int) func() uint64 {
			r := &http.Request{Method: "GET", URL: &url.URL{Path: "/"}, Header: http.Header{}}
			w := &discard{header: http.Header{}}
			return func() uint64 {
				w.written = 0
				for range n {
					h.ServeHTTP(w, r)
				}
				return uint64(w.written)
			}
		}}
	}
	with := arenahttp.New(arenahttp.Options{})
	return suite.Workload{
		Name: "middleware", Title: "The middleware alone", Unit: "requests",
		About: "n requests that write five bytes, without a server: the CPU time is that of the handler and the middleware. \"used\" takes the arena and makes ten values in it, on the heap without a middleware. \"context\" is a middleware that does nothing but put a value into the context.",
		Sizes: []int{1000}, Quick: []int{1000},
		Implementations: []suite.Implementation{
			of("plain", unused), of("plain-used", used), of("middleware", with(unused)), of("middleware-used", with(used)), of("context", withValue(unused)),
		},
	}
}

type key struct{}

// withValue returns the least that a middleware for arenas can be.
func withValue(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, w)))
	})
}

// A discard is a ResponseWriter that counts.
type discard struct {
	header  http.Header
	written int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { d.written += len(b); return len(b), nil }
