// Package registered has mistakes with functions that one function keeps and another one calls, and
// with fields that stay when their arena is Reset.
package registered

import (
	"github.com/arena-go/arena"
)

type bus struct {
	pool      arena.Pool
	listeners []func(string)
}

func (b *bus) on(f func(string)) { b.listeners = append(b.listeners, f) }

func (b *bus) emit(s string) {
	a := b.pool.Get()
	defer b.pool.Put(a)
	text := arena.String(a, s)
	for _, f := range b.listeners {
		f(text) // want `outlives: `
	}
}

type journal struct{ all []string }

func (j *journal) attach(b *bus) { b.on(func(s string) { j.all = append(j.all, s) }) }

type hub struct {
	pool     arena.Pool
	handlers map[string]func(string)
}

func (h *hub) emit(s string) {
	a := h.pool.Get()
	defer h.pool.Put(a)
	h.handlers["x"](arena.String(a, s)) // want `outlives: `
}

type diary struct{ days []string }

func (d *diary) note(s string) { d.days = append(d.days, s) }

func (d *diary) attach(h *hub) { h.handlers["x"] = d.note }

type engine struct {
	a      *arena.Arena
	checks map[string]func(string) bool
}

func (e *engine) load(names []string) {
	e.a.Reset() // want `stale: e.checks still has`
	for _, n := range names {
		s := arena.String(e.a, n)
		e.checks[n] = func(x string) bool { return x == s }
	}
}

type client struct {
	a   *arena.Arena
	out *arena.Builder
	n   int
}

func newClient() *client {
	c := &client{a: arena.NewArena()}
	c.out = arena.NewBuilder(c.a)
	return c
}

func (c *client) add(s string) { c.out.WriteString(s) }

func (c *client) flush() {
	c.n += len(c.out.String())
	c.a.Reset() // want `stale: `
}
