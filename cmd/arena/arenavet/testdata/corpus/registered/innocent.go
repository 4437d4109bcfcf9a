package registered

import (
	"strings"

	"github.com/arena-go/arena"
)

type copyBus struct {
	pool      arena.Pool
	listeners []func(string, int)
}

func (b *copyBus) on(f func(string, int)) { b.listeners = append(b.listeners, f) }

func (b *copyBus) emit(s string) {
	a := b.pool.Get()
	defer b.pool.Put(a)
	text := arena.String(a, s)
	for _, f := range b.listeners {
		f(text, len(text))
	}
}

type copies struct {
	all []string
	n   int
}

func (c *copies) attach(b *copyBus) {
	b.on(func(s string, n int) {
		c.all = append(c.all, strings.Clone(s))
		c.n += n
	})
}

type lexicon struct {
	a      *arena.Arena
	checks map[string]func(string) bool
}

func (e *lexicon) load(names []string) {
	e.a.Reset()
	clear(e.checks)
	for _, n := range names {
		s := arena.String(e.a, n)
		e.checks[n] = func(x string) bool { return x == s }
	}
}

type writer struct {
	a   *arena.Arena
	out *arena.Builder
}

func newWriter() *writer {
	w := &writer{a: arena.NewArena()}
	w.begin()
	return w
}

func (w *writer) begin() { w.out = arena.NewBuilder(w.a) }

func (w *writer) flush() {
	w.a.Reset()
	w.begin()
}

type box struct {
	a   *arena.Arena
	out *arena.Builder
}

func newBox() *box {
	a := arena.NewArena()
	return &box{a, arena.NewBuilder(a)}
}

func (b *box) Close() { b.a.Reset() }
