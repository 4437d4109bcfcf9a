// Package visits has mistakes of one of several visitors, which keeps what it is shown.
package visits

import (
	"fmt"

	"github.com/arena-go/arena"
)

type node struct{ label string }

type visitor interface{ Visit(n *node) }

type printer struct{}

func (printer) Visit(n *node) { fmt.Println(n.label) }

type collector struct{ seen []*node }

func (c *collector) Visit(n *node) { c.seen = append(c.seen, n) }

type counter struct{ n int }

func (c *counter) Visit(n *node) { c.n += len(n.label) }

func walk(names []string) []*node {
	a := arena.NewArena()
	defer a.Reset()
	c := &collector{}
	visitors := []visitor{printer{}, c, &counter{}}
	for _, name := range names {
		n := arena.Ptr(a, node{name})
		for _, v := range visitors {
			v.Visit(n)
		}
	}
	return c.seen // want `outlives: `
}

type tree struct {
	a        *arena.Arena
	visitors []visitor
}

func (t *tree) use(v visitor) { t.visitors = append(t.visitors, v) }

func newTree() (*tree, *collector) {
	t, c := &tree{a: arena.NewArena()}, &collector{}
	t.use(printer{})
	t.use(c)
	return t, c
}

func (t *tree) walk(names []string) {
	defer t.a.Reset()
	for _, name := range names {
		n := arena.Ptr(t.a, node{name})
		for _, v := range t.visitors {
			v.Visit(n) // want `outlives: `
		}
	}
}

var longest *node

func keepLongest(n *node) {
	if longest == nil || len(n.label) > len(longest.label) {
		longest = n
	}
}

func show(n *node) { fmt.Println(n.label) }

func each(names []string) {
	a := arena.NewArena()
	defer a.Reset()
	handlers := []func(*node){show, keepLongest}
	for _, name := range names {
		for _, h := range handlers {
			h(arena.Ptr(a, node{name})) // want `outlives: `
		}
	}
}

type events struct {
	handlers map[string][]func(*node)
}

var history []*node

func newEvents() *events {
	e := &events{handlers: map[string][]func(*node){}}
	e.on("open", show)
	e.on("open", func(n *node) { history = append(history, n) })
	return e
}

func (e *events) on(name string, f func(*node)) {
	e.handlers[name] = append(e.handlers[name], f)
}

func (e *events) fire(p *arena.Pool, name string) {
	a := p.Get()
	defer p.Put(a)
	n := arena.Ptr(a, node{name})
	for _, f := range e.handlers[name] {
		f(n) // want `outlives: `
	}
}

type rule interface{ Check(n *node) error }

type unique struct{ labels map[string]bool }

func (u unique) Check(n *node) error {
	if u.labels[n.label] {
		return fmt.Errorf("twice: %s", n.label)
	}
	u.labels[n.label] = true
	return nil
}

type short struct{}

func (short) Check(n *node) error {
	if len(n.label) > 10 {
		return fmt.Errorf("long: %s", n.label)
	}
	return nil
}

var rules = []rule{short{}, unique{map[string]bool{}}}

func check(names []string) error {
	a := arena.NewArena()
	defer a.Reset()
	for _, name := range names {
		n := &node{arena.String(a, name)}
		for _, r := range rules {
			if err := r.Check(n); err != nil { // want `outlives: `
				return err
			}
		}
	}
	return nil
}
