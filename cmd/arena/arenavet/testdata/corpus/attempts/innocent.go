package attempts

import (
	"strings"

	"github.com/arena-go/arena"
)

func parseHeap(a *arena.Arena, fits bool) *node {
	p := &parser{a: a}
	n := p.try(fits, heap)
	if n == nil {
		return p.best
	}
	return n
}

func parseOnly(a *arena.Arena, fits bool) *node {
	p := &parser{a: a}
	return p.try(fits, number)
}

func parseTwice(a *arena.Arena, fits bool) int {
	p := &parser{a: a}
	n := p.try(fits, number)
	if n == nil {
		n = number(p)
	}
	return n.value
}

func parseOften(a *arena.Arena) *node {
	p := &parser{a: a}
	n := p.attempt(3, number)
	if n == nil {
		return number(p)
	}
	return n
}

// tryCopy remembers a copy.
func (p *parser) tryCopy(fits bool, rule func(*parser) *node) *node {
	m := p.a.Mark()
	n := rule(p)
	if fits {
		return n
	}
	p.best = &node{value: n.value}
	p.a.Rewind(m)
	return nil
}

func parseCopy(a *arena.Arena, fits bool) *node {
	p := &parser{a: a}
	n := p.tryCopy(fits, number)
	if n == nil {
		return p.best
	}
	return n
}

// before remembers what was made in front of the Mark.
func (p *parser) before(fits bool, rule func(*parser) *node) *node {
	n := rule(p)
	m := p.a.Mark()
	if fits {
		return n
	}
	p.best = n
	p.a.Rewind(m)
	return nil
}

func parseBefore(a *arena.Arena, fits bool) *node {
	p := &parser{a: a}
	n := p.before(fits, number)
	if n == nil {
		return p.best
	}
	return n
}

func parseOther(a, b *arena.Arena, fits bool) *node {
	p := &parser{a: a}
	n := p.try(fits, func(*parser) *node { return arena.Ptr(b, node{}) })
	if n == nil {
		return p.best
	}
	return n
}

func parseAll(a *arena.Arena) []*node {
	p := &parser{a: a}
	for i := range 3 {
		if n := p.try(i > 0, number); n != nil {
			p.all = append(p.all, n)
		}
	}
	return p.all
}

func parseAnything(a *arena.Arena) *node {
	p := &parser{a: a}
	n := p.alternatives(number, heap)
	if n == nil {
		return number(p)
	}
	return n
}

type expr struct {
	op   string
	args []*expr
}

// okAttempts throws away what one turn has made, and keeps what others have.
func okAttempts(a *arena.Arena, words []string) *expr {
	root := &expr{op: "root"}
	for _, w := range words {
		m := a.Mark()
		call := arena.Ptr(a, expr{op: w})
		okArgument(a, call)
		if w == "" {
			a.Rewind(m)
			continue
		}
		root.args = append(root.args, call)
	}
	return root
}

func okArgument(a *arena.Arena, e *expr) {
	e.args = arena.Append(a, e.args, arena.Ptr(a, expr{op: "x"}))
}

func okList(a *arena.Arena, words []string) (all []*expr) {
	for _, w := range words {
		m := a.Mark()
		call := arena.New[expr](a)
		call.args = arena.Append(a, call.args, arena.Ptr(a, expr{op: w}))
		if w == "" {
			a.Rewind(m)
			continue
		}
		all = append(all, call)
	}
	return all
}

func okPerhaps(a *arena.Arena, n int) *expr {
	m := a.Mark()
	e := perhaps(a, n)
	if e != nil {
		return e
	}
	a.Rewind(m)
	return e
}

func okRead(a *arena.Arena, n, most int) (op string) {
	m := a.Mark()
	e := perhaps(a, n)
	if n > most {
		return ""
	}
	if e != nil {
		op = strings.Clone(e.op)
	}
	a.Rewind(m)
	return op
}
