package called

import (
	"context"
	"expvar"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sort"
	"strings"

	"github.com/arena-go/arena"
)

// The handler writes at once.
type lineHandler struct {
	out    io.Writer
	prefix string
	n      int
}

func (h *lineHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	h.n += len(r.Message)
	fmt.Fprint(h.out, h.prefix, r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprint(h.out, a.Key, a.Value)
		return true
	})
	return nil
}

func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b strings.Builder
	for _, a := range attrs {
		b.WriteString(a.String())
	}
	return &lineHandler{out: h.out, prefix: h.prefix + b.String()}
}

func (h *lineHandler) WithGroup(string) slog.Handler { return h }

func logLine(out io.Writer, p *arena.Pool, name string) {
	a := p.Get()
	defer p.Put(a)
	log := slog.New(&lineHandler{out: out})
	log.Info(arena.String(a, name), "name", arena.String(a, name))
	log.With("name", arena.String(a, name)).Warn("again")
}

// The handler copies what it keeps.
type copyHandler struct {
	slog.Handler
	last string
}

func (h *copyHandler) Handle(_ context.Context, r slog.Record) error {
	h.last = strings.Clone(r.Message)
	return nil
}

func logCopy(p *arena.Pool, h *copyHandler, name string) {
	a := p.Get()
	defer p.Put(a)
	slog.New(h).Info(arena.String(a, name))
}

// Nothing of the arena is logged.
func logLength(name string) {
	a := arena.NewArena()
	s := arena.String(a, name)
	slog.New(recent).Info("hello", "length", len(s))
	a.Reset()
}

func sortedBefore(a *arena.Arena, names []string) int {
	b := &byName{}
	for _, n := range names {
		b.rows = append(b.rows, &row{arena.String(a, n)})
	}
	sort.Sort(b)
	n := len(b.rows)
	a.Reset()
	return n
}

func publishCopy(s string) {
	a := arena.NewArena()
	name := strings.Clone(arena.String(a, s))
	expvar.Publish("copy", expvar.Func(func() any { return name }))
	a.Reset()
}

type countTrip struct{ n int }

func (t *countTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	t.n++
	return http.DefaultTransport.RoundTrip(r)
}

func fetchCounted(t *countTrip, p *arena.Pool, url string) {
	a := p.Get()
	defer p.Put(a)
	r, err := http.NewRequest("GET", arena.String(a, url), nil)
	if err != nil {
		return
	}
	c := &http.Client{Transport: t}
	c.Do(r)
}
