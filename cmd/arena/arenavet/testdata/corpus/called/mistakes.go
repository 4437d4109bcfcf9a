// Package called has mistakes in methods that the standard library calls.
package called

import (
	"container/heap"
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log/slog"
	"net/http"
	"sort"

	"github.com/arena-go/arena"
)

type keepHandler struct {
	attrs []slog.Attr
}

func (h *keepHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *keepHandler) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		h.attrs = append(h.attrs, a)
		return true
	})
	return nil
}

func (h *keepHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &keepHandler{attrs: append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

func (h *keepHandler) WithGroup(string) slog.Handler { return h }

var recent = &keepHandler{}

func logTo(name string) {
	a := arena.NewArena()
	log := slog.New(recent)
	log.Info("hello", "name", arena.String(a, name)) // want `outlives: `
	a.Reset()
}

type ringHandler struct {
	slog.Handler
	last slog.Record
}

func (h *ringHandler) Handle(ctx context.Context, r slog.Record) error {
	h.last = r
	return h.Handler.Handle(ctx, r)
}

func (h *ringHandler) dump() string { return h.last.Message }

func logRing(p *arena.Pool, h *ringHandler, name string) {
	a := p.Get()
	defer p.Put(a)
	slog.New(h).Info(arena.String(a, name)) // want `outlives: `
}

type byName struct {
	rows []*row
	last *row
}

type row struct{ name string }

func (b *byName) Len() int           { return len(b.rows) }
func (b *byName) Less(i, j int) bool { return b.rows[i].name < b.rows[j].name }
func (b *byName) Swap(i, j int)      { b.rows[i], b.rows[j] = b.rows[j], b.rows[i] }

func sorted(a *arena.Arena, names []string) {
	b := &byName{}
	for _, n := range names {
		b.rows = append(b.rows, &row{arena.String(a, n)})
	}
	a.Reset()
	sort.Sort(b) // want `stale: `
}

type queue []*row

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].name < q[j].name }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*row)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

type planner struct {
	q    queue
	pool arena.Pool
}

func (p *planner) add(name string) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	heap.Push(&p.q, &row{arena.String(a, name)}) // want `outlives: `
}

func (p *planner) next() string { return heap.Pop(&p.q).(*row).name }

type lastWriter struct{ last []byte }

func (w *lastWriter) Write(b []byte) (int, error) {
	w.last = b
	return len(b), nil
}

func copyTo(w *lastWriter, p *arena.Pool, text string) {
	a := p.Get()
	defer p.Put(a)
	w.Write(arena.Bytes(a, text)) // want `outlives: `
}

type titled struct{ title string }

func (t *titled) String() string { return "<" + t.title + ">" }

func printAfter(a *arena.Arena, s string) {
	t := &titled{arena.String(a, s)}
	a.Reset()
	fmt.Println(t) // want `stale: `
}

type encoded struct{ id string }

func (e encoded) MarshalJSON() ([]byte, error) { return []byte(`"` + e.id + `"`), nil }

func encodeAfter(a *arena.Arena, s string) ([]byte, error) {
	e := &encoded{arena.String(a, s)}
	a.Reset()
	return json.Marshal(e) // want `stale: `
}

func publish(s string) {
	a := arena.NewArena()
	name := arena.String(a, s)
	expvar.Publish("name", expvar.Func(func() any { return name })) // want `outlives: `
	a.Reset()
}

type memoryTrip struct{ last *http.Request }

func (t *memoryTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	t.last = r
	return http.DefaultTransport.RoundTrip(r)
}

func (t *memoryTrip) seen() string { return t.last.URL.Path }

func fetch(t *memoryTrip, p *arena.Pool, url string) {
	a := p.Get()
	defer p.Put(a)
	r, err := http.NewRequest("GET", arena.String(a, url), nil)
	if err != nil {
		return
	}
	c := &http.Client{Transport: t}
	c.Do(r) // want `outlives: `
}

type service struct {
	log  *slog.Logger
	pool arena.Pool
}

func newService() *service { return &service{log: slog.New(&lastHandler{})} }

type lastHandler struct {
	slog.Handler
	names []string
}

func (h *lastHandler) Handle(_ context.Context, r slog.Record) error {
	h.names = append(h.names, r.Message)
	return nil
}

func (s *service) handle(name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.log.Info(arena.String(a, name)) // want `outlives: `
}

var child *slog.Logger

func derive(name string) {
	a := arena.NewArena()
	child = slog.New(recent).With("name", arena.String(a, name)) // want `outlives: `
	a.Reset()
}
