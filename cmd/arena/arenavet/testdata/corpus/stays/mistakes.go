// Package stays has structs that stay, with containers from which nothing is ever taken away, and
// functions of the standard library that keep text.
package stays

import (
	"context"
	"fmt"
	"math/big"
	"runtime/pprof"
	"sync"
	"text/template"

	"example.com/corpus/bufs"
	"github.com/arena-go/arena"
)

type sample struct {
	name  string
	value int
}

// A history has the last samples.
type history struct {
	last [16]sample
	n    int
}

func (h *history) add(s sample) {
	h.last[h.n%len(h.last)] = s
	h.n++
}

func (h *history) print() {
	for _, s := range h.last {
		fmt.Println(s.name, s.value)
	}
}

type sensor struct {
	a      *arena.Arena
	recent history
}

func (s *sensor) measure(b []byte) {
	s.recent.add(sample{arena.String(s.a, b), len(b)}) // want `outlives: `
	s.a.Reset()
}

// A page has templates that stay.
type page struct {
	a   *arena.Arena
	set *template.Template
}

func (p *page) define(name, text []byte) error {
	defer p.a.Reset()
	_, err := p.set.New(arena.String(p.a, name)).Parse(arena.String(p.a, text)) // want `outlives: `
	return err
}

func (p *page) defineMust(text []byte) {
	template.Must(p.set.Parse(arena.String(p.a, text))) // want `outlives: `
	p.a.Reset()
}

func (p *page) lookup(name string) *template.Template { return p.set.Lookup(name) }

func compiled(text []byte) (*template.Template, error) {
	a := arena.NewArena()
	defer a.Reset()
	return template.New("page").Parse(arena.String(a, text)) // want `outlives: `
}

type labeled struct {
	a *arena.Arena
	n int
}

func (l *labeled) label(ctx context.Context, user []byte) {
	pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels("user", arena.String(l.a, user))))
}

func (l *labeled) run(ctx context.Context, users [][]byte) {
	for _, u := range users {
		l.label(ctx, u) // want `outlives: `
		l.n++
		l.a.Reset()
	}
}

var rats = sync.Pool{New: func() any { return new(big.Rat) }}

func zero() *big.Rat { return rats.Get().(*big.Rat).SetInt64(0) }

func average(all []int64) fmt.Stringer {
	sum := zero()
	defer rats.Put(sum)
	for _, n := range all {
		sum.Add(sum, big.NewRat(n, int64(len(all))))
	}
	return sum // want `syncpool: `
}

func doubled(x *big.Rat) *big.Rat {
	r := zero()
	defer rats.Put(r)
	return r.Add(x, x) // want `syncpool: `
}

// A printer has a Builder of its arena.
type printer struct {
	a    *arena.Arena
	line *arena.Builder
}

func newPrinter() *printer {
	a := arena.NewArena()
	return &printer{a, arena.NewBuilder(a)}
}

func (p *printer) print(lines []string) (n int) {
	for _, l := range lines {
		p.line.WriteString(l) // want `container: `
		if n += len(p.line.Bytes()); n > 1000 {
			p.a.Reset()
		}
	}
	return n
}

type queue struct{ frames [][]byte }

func (q *queue) push(fields ...string) {
	b := bufs.Get()
	for _, f := range fields {
		b.B = append(b.B, f...)
	}
	q.frames = append(q.frames, b.B) // want `syncpool: `
	b.Free()
}

func encoded(fields ...string) []byte {
	b := bufs.Get()
	defer b.Free()
	for _, f := range fields {
		b.B = append(b.B, f...)
	}
	return b.B // want `syncpool: `
}
