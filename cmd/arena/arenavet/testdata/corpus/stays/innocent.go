package stays

import (
	"bytes"
	"context"
	"math/big"
	"runtime/pprof"
	"strings"
	"text/template"

	"example.com/corpus/bufs"
	"github.com/arena-go/arena"
)

// A window begins anew.
type window struct {
	last [16]sample
	n    int
}

func (w *window) add(s sample) {
	w.last[w.n%len(w.last)] = s
	w.n++
}

func (w *window) sum() (n int) {
	for _, s := range w.last[:w.n] {
		n += len(s.name)
	}
	return n
}

type scanner struct {
	a      *arena.Arena
	recent window
	rows   [4]string
	tmp    []string
}

func (s *scanner) scan(b []byte) {
	s.recent.add(sample{arena.String(s.a, b), len(b)})
	s.recent.n = 0
	s.a.Reset()
}

// fill fills all elements before it looks at them.
func (s *scanner) fill(all [4][]byte) (n int) {
	for i := range s.rows {
		s.rows[i] = arena.String(s.a, all[i])
	}
	for _, r := range s.rows {
		n += len(r)
	}
	s.a.Reset()
	return n
}

func (s *scanner) scratch(all [][]byte) (n int) {
	s.tmp = s.tmp[:0]
	for _, b := range all {
		s.tmp = append(s.tmp, arena.String(s.a, b))
	}
	n = len(strings.Join(s.tmp, ","))
	s.a.Reset()
	return n
}

func (p *page) defineCopy(name, text []byte) error {
	defer p.a.Reset()
	n := arena.String(p.a, name)
	_, err := p.set.New(strings.Clone(n)).Parse(strings.Clone(arena.String(p.a, text)))
	return err
}

func (p *page) once(text []byte, data any) (string, error) {
	defer p.a.Reset()
	t, err := template.New("once").Parse(arena.String(p.a, text))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	return b.String(), err
}

func (l *labeled) during(ctx context.Context, user []byte) {
	pprof.Do(ctx, pprof.Labels("user", arena.String(l.a, user)), func(context.Context) { l.n++ })
	l.a.Reset()
}

func (l *labeled) restored(ctx context.Context, user []byte) {
	l.label(ctx, user)
	l.n++
	pprof.SetGoroutineLabels(ctx)
	l.a.Reset()
}

func sumOf(x, y *big.Rat) *big.Rat {
	r := zero()
	defer rats.Put(r)
	r.Add(x, y)
	return new(big.Rat).Set(r)
}

func product(x, y *big.Rat) *big.Rat {
	r := zero()
	defer rats.Put(r)
	return x.Mul(x, r.Add(x, y))
}

// A counter has a Map of its arena, and makes another one after each Reset.
type counter struct {
	a *arena.Arena
	m *arena.Map[string, int]
}

func newCounter() *counter {
	a := arena.NewArena()
	return &counter{a, arena.NewMap[string, int](a, 8)}
}

func (c *counter) count(words []string) (n int) {
	for _, w := range words {
		*c.m.Entry(w)++
		if c.m.Len() > 100 {
			n += c.m.Len()
			c.a.Reset()
			c.m = arena.NewMap[string, int](c.a, 8)
		}
	}
	return n
}

func (q *queue) pushCopy(fields ...string) {
	b := bufs.Get()
	for _, f := range fields {
		b.B = append(b.B, f...)
	}
	q.frames = append(q.frames, bytes.Clone(b.B))
	b.Free()
}

func own(fields ...string) []byte {
	b := bufs.Get()
	for _, f := range fields {
		b.B = append(b.B, f...)
	}
	return b.B // nobody puts it
}
