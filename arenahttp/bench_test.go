//go:build unix

package arenahttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
)

// cpuTime returns the CPU time of the process, all processors together.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A wrapper is the least that a ResponseWriter of a middleware does.
type wrapper struct{ http.ResponseWriter }

func (w *wrapper) Write(b []byte) (int, error) { return w.ResponseWriter.Write(b) }

// BenchmarkMiddleware measures what the middleware adds to a request, by handler. The writer is
// none of net/http's, as behind gzip or a logger: it may send the header late. none is the handler
// without the middleware, which uses the heap, and value has a value in the context in its place;
// wrapper has that and a writer that only passes on, like a logging middleware.
// All take turns of 4 milliseconds, one of each an iteration, in a process that holds 48 MB.
// Reported is the CPU time of a request, the collector's included, in the turn that a tenth of the
// turns was faster than: other programs on the machine make turns slower.
//
//	go test -run '^$' -bench Middleware -benchtime 300x ./arenahttp
func BenchmarkMiddleware(b *testing.B) {
	type key struct{}
	headers := func(a *arena.Arena, w http.ResponseWriter) {
		h := w.Header()
		h["Content-Type"] = contentType
		h["Content-Length"] = arena.SliceOf(a, arena.String(a, "100"))
		h["X-Id"] = arena.SliceOf(a, arena.String(a, "0123456789"))
	}
	text := make([]byte, 100)
	live := make([]*[16]*int, 48<<20/128) // what a server holds
	for i := range live {
		live[i] = new([16]*int)
	}
	defer runtime.KeepAlive(live)
	for _, handler := range []struct {
		name string
		h    http.HandlerFunc
	}{
		{"nothing", func(w http.ResponseWriter, r *http.Request) { w.Write(text) }},
		{"heap headers", func(w http.ResponseWriter, r *http.Request) {
			headers(nil, w)
			w.Write(text)
		}},
		{"900 writes from the heap", func(w http.ResponseWriter, r *http.Request) {
			for range 900 {
				w.Write(text)
			}
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
		b.Run("handler="+handler.name, func(b *testing.B) {
			value := func(w http.ResponseWriter, r *http.Request) {
				handler.h(w, r.WithContext(context.WithValue(r.Context(), key{}, r)))
			}
			wrapped := func(w http.ResponseWriter, r *http.Request) {
				value(&wrapper{w}, r)
			}
			impls := []struct {
				name string
				h    http.Handler
				took []float64
			}{
				{"none", handler.h, nil},
				{"value", http.HandlerFunc(value), nil},
				{"wrapper", http.HandlerFunc(wrapped), nil},
				{"arenahttp", arenahttp.Middleware(handler.h, arenahttp.Options{}), nil},
			}
			w, r := &sink{http.Header{}}, httptest.NewRequest("GET", "/", nil)
			for b.Loop() {
				for i := range impls {
					impl := &impls[i]
					requests := 0
					before, end := cpuTime(), time.Now().Add(4*time.Millisecond)
					for time.Now().Before(end) {
						for range 50 {
							clear(w.header)
							impl.h.ServeHTTP(w, r)
						}
						requests += 50
					}
					impl.took = append(impl.took, float64(cpuTime()-before)/float64(requests))
				}
			}
			for _, impl := range impls {
				slices.Sort(impl.took)
				b.ReportMetric(impl.took[len(impl.took)/10], impl.name+"-ns-cpu")
			}
		})
	}
}

// BenchmarkWrite measures a Write of five bytes to the writer of net/http, through a wrapper, and
// through the middleware.
func BenchmarkWrite(b *testing.B) {
	text := []byte("hello")
	for _, how := range []string{"net/http", "wrapper", "middleware"} {
		b.Run("how="+how, func(b *testing.B) {
			writes := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if how == "wrapper" {
					w = &wrapper{w}
				}
				for b.Loop() {
					w.Write(text)
				}
			}))
			if how == "middleware" {
				writes = arenahttp.Middleware(writes, arenahttp.Options{})
			}
			server := httptest.NewServer(writes)
			defer server.Close()
			resp, err := http.Get(server.URL)
			if err != nil {
				b.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				b.Fatal(err)
			}
		})
	}
}
