package core_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenaslog"
	"github.com/arena-go/arena/arenastrings"
	"github.com/arena-go/arena/internal/growth"
)

// a text is a LogValuer, a Stringer and an error that says the same.
type logText struct{ s string }

func (t logText) LogValue() slog.Value { growth.Call(); return slog.StringValue(t.s) }

// A deepValue is a LogValuer of a group, n deep.
type deepValue int

func (d deepValue) LogValue() slog.Value {
	growth.Call()
	if d == 0 {
		return slog.IntValue(1)
	}
	return slog.GroupValue(slog.Any("v", d-1), slog.Int("n", int(d)))
}

type failsText struct{}

func (failsText) MarshalText() ([]byte, error) { growth.Call(); return nil, errors.New("it fails") }
func (failsText) MarshalJSON() ([]byte, error) { growth.Call(); return nil, errors.New("it fails") }

type recursive struct {
	C    chan int
	Next *recursive
}

// adapterRows log, and answer requests.
func adapterRows() (rows []growth.Row) {
	for name, do := range map[string]func(log *slog.Logger, n int){
		"records": func(log *slog.Logger, n int) {
			for i := range n {
				log.Info("text", "a", i, "b", "text")
			}
		},
		"attributes": func(log *slog.Logger, n int) {
			var all []any
			for i := range n {
				all = append(all, slog.Int("a", i))
			}
			log.Info("text", all...)
		},
		"groups": func(log *slog.Logger, n int) {
			v := slog.Int("a", 1)
			for range n {
				v = slog.Group("g", v)
			}
			log.Info("text", v)
		},
		"With": func(log *slog.Logger, n int) {
			for i := range n / 8 {
				log = log.With("a", i)
			}
			log.Info("text")
		},
		"With, and a record each": func(log *slog.Logger, n int) {
			for i := range n / 8 {
				log = log.With("a", i)
				log.Info("text")
			}
		},
		"WithGroup": func(log *slog.Logger, n int) {
			for range n / 8 {
				log = log.WithGroup("g")
			}
			log.Info("text", "a", 1)
		},
		"WithGroup and With": func(log *slog.Logger, n int) {
			for i := range n / 8 {
				log = log.WithGroup("g").With("a", i)
			}
			log.Info("text")
		},
		"values of methods": func(log *slog.Logger, n int) {
			for i := range n {
				log.Info("text", "a", logText{fmt.Sprint(i)})
			}
		},
		"deep value":   func(log *slog.Logger, n int) { log.Info("text", "a", deepValue(n/4)) },
		"methods fail": func(log *slog.Logger, n int) { log.Info("text", "a", failsText{}, "b", []any{failsText{}}) },
		"long text": func(log *slog.Logger, n int) {
			log.Info(strings.Repeat("x", n), strings.Repeat("k", n), strings.Repeat("v", n))
		},
		"errors": func(log *slog.Logger, n int) {
			err := errors.New("text")
			for range n / 8 {
				err = fmt.Errorf("%w", err)
			}
			log.Info("text", "err", err)
		},
		"data": func(log *slog.Logger, n int) { log.Info("text", "a", make([]int, n)) },
		"deep data": func(log *slog.Logger, n int) {
			var v any
			for range n {
				v = []any{v}
			}
			log.Info("text", "a", v)
		},
		"data that is not copied": func(log *slog.Logger, n int) {
			var v *recursive
			for range n {
				v = &recursive{Next: v}
			}
			log.Info("text", "a", v)
		},
	} {
		for format, handler := range map[string]slog.Handler{
			"text": slog.NewTextHandler(io.Discard, nil), "JSON": slog.NewJSONHandler(io.Discard, nil),
		} {
			// The reference copies nothing. Ours copies with DeepClone, which notes each object, up
			// to some thousand before it gives up.
			rules := map[growth.Measure]growth.Rule{
				growth.Bytes: {Times: 14, Slack: 384 << 10, Grow: 2},
				growth.Steps: {Times: 14, Slack: 400_000, Grow: 2},
			}
			rows = append(rows, growth.Row{Name: "slog/" + name + "/" + format, N: 400, Max: 4000, Rules: rules, New: func(n int) growth.Work {
				return growth.Ours(func() { do(slog.New(arenaslog.New(handler)), n) }, func() { do(slog.New(handler), n) })
			}})
		}
	}
	var p arena.Pool
	for name, do := range map[string]func(w http.ResponseWriter, r *http.Request, n int){
		"many writes": func(w http.ResponseWriter, r *http.Request, n int) {
			for range n {
				io.WriteString(w, arena.String(arena.FromContext(r.Context()), "text"))
			}
		},
		"a header before each write": func(w http.ResponseWriter, r *http.Request, n int) {
			for i := range n {
				w.Header().Set("X-Some", arenastrings.Itoa(arena.FromContext(r.Context()), i))
				w.Write([]byte("text"))
			}
		},
		"many headers": func(w http.ResponseWriter, r *http.Request, n int) {
			for i := range n {
				w.Header().Set(fmt.Sprint("X-", i), arenastrings.Itoa(arena.FromContext(r.Context()), i))
			}
			w.WriteHeader(200)
		},
		"many values of a header": func(w http.ResponseWriter, r *http.Request, n int) {
			for i := range n {
				w.Header().Add("X-Some", arenastrings.Itoa(arena.FromContext(r.Context()), i))
			}
		},
		"many headers and writes": func(w http.ResponseWriter, r *http.Request, n int) {
			for i := range 100 {
				w.Header().Set(fmt.Sprint("X-", i), arenastrings.Itoa(arena.FromContext(r.Context()), i))
			}
			for range n {
				w.Write([]byte("text"))
			}
		},
		"informational": func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("Link", arena.String(arena.FromContext(r.Context()), "</style>"))
			for range n {
				w.WriteHeader(http.StatusEarlyHints)
			}
		},
		"flushes": func(w http.ResponseWriter, r *http.Request, n int) {
			for range n {
				w.Write([]byte("text"))
				w.(http.Flusher).Flush()
			}
		},
		"reads": func(w http.ResponseWriter, r *http.Request, n int) { io.Copy(w, r.Body) },
		"contexts": func(w http.ResponseWriter, r *http.Request, n int) {
			ctx := r.Context()
			for i := range n / 8 {
				ctx = context.WithValue(ctx, key(i), i)
				arena.New[int](arena.FromContext(ctx))
			}
		},
		"stops early": func(w http.ResponseWriter, r *http.Request, n int) {
			w.Write([]byte("text"))
			defer func() { recover() }()
			panic(http.ErrAbortHandler)
		},
	} {
		rows = append(rows, growth.Row{Name: "http/" + name, N: 200, New: func(n int) growth.Work {
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { do(w, r, n) })
			serve := func(h http.Handler) func() {
				r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("text", n)))
				w := httptest.NewRecorder()
				return func() { h.ServeHTTP(w, r) }
			}
			return growth.Ours(serve(arenahttp.Middleware(handler, arenahttp.Options{Pool: &p})), serve(handler))
		}})
	}
	rows = append(rows, growth.Row{Name: "http/forks", N: 200, New: func(n int) growth.Work {
		h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range n {
				arena.New[int](arena.FromContext(arena.Fork(r.Context())))
			}
		}), arenahttp.Options{Pool: &p})
		return growth.Work{Ours: []growth.Way{{Do: func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)) }}}}
	}})
	rows = append(rows, growth.Row{Name: "http/requests", N: 200, New: func(n int) growth.Work {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "text") })
		m := arenahttp.Middleware(h, arenahttp.Options{Pool: &p})
		serve := func(h http.Handler) func() {
			return func() {
				for range n {
					h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
				}
			}
		}
		return growth.Ours(serve(m), serve(h))
	}})
	return rows
}

// A key is one of a context.
type key int
