// Package attempts has mistakes with what a given function has made behind a Mark.
package attempts

import "github.com/arena-go/arena"

type node struct {
	value int
	next  *node
}

type parser struct {
	a    *arena.Arena
	best *node
	all  []*node
}

func number(p *parser) *node { return arena.Ptr(p.a, node{value: 1}) }

func heap(p *parser) *node { return &node{value: 1} }

// try keeps what the rule has made only if it fits, and remembers it otherwise.
func (p *parser) try(fits bool, rule func(*parser) *node) *node {
	m := p.a.Mark()
	n := rule(p)
	if fits {
		return n
	}
	p.best = n
	p.a.Rewind(m)
	return nil
}

func parse(a *arena.Arena, fits bool) *node {
	p := &parser{a: a}
	n := p.try(fits, number)
	if n == nil {
		return p.best // want `outlives: `
	}
	return n
}

func parseLiteral(a *arena.Arena, fits bool) int {
	p := &parser{a: a}
	if n := p.try(fits, func(p *parser) *node { return arena.Ptr(p.a, node{value: 2}) }); n != nil {
		return n.value
	}
	return p.best.value // want `stale: `
}

// attempt does the same in a loop.
func (p *parser) attempt(times int, rule func(*parser) *node) *node {
	for range times {
		m := p.a.Mark()
		n := rule(p)
		if n.value > 0 {
			return n
		}
		p.best = n
		p.a.Rewind(m)
	}
	return nil
}

// alternatives tries one rule after the other.
func (p *parser) alternatives(rules ...func(*parser) *node) *node {
	for _, rule := range rules {
		m := p.a.Mark()
		n := rule(p)
		if n.value > 1 {
			return n
		}
		p.best = n
		p.a.Rewind(m)
	}
	return nil
}

func parseAny(a *arena.Arena) *node {
	p := &parser{a: a}
	n := p.alternatives(number, func(p *parser) *node { return arena.Ptr(p.a, node{value: 2}) })
	if n == nil {
		return p.best // a mistake that is not found
	}
	return n
}

// attempted keeps all that it has thrown away.
func attempted(a *arena.Arena, words []string) (all []*expr) {
	for _, w := range words {
		m := a.Mark()
		e := &expr{op: arena.String(a, w)}
		all = append(all, e)
		a.Rewind(m)
	}
	return all // want `outlives: `
}

func attemptedArgs(a *arena.Arena, words []string) (all []*expr) {
	for _, w := range words {
		m := a.Mark()
		e := new(expr)
		e.args = arena.Append(a, e.args, arena.Ptr(a, expr{op: w}))
		all = append(all, e)
		a.Rewind(m)
	}
	return all // want `outlives: `
}

func perhaps(a *arena.Arena, n int) *expr {
	if n == 0 {
		return nil
	}
	return arena.New[expr](a)
}

func left(a *arena.Arena, n, most int) *expr {
	m := a.Mark()
	e := perhaps(a, n)
	if n > most {
		return nil
	}
	a.Rewind(m)
	return e // want `outlives: `
}

func read(a *arena.Arena, n, most int) string {
	m := a.Mark()
	e := perhaps(a, n)
	if n > most {
		return ""
	}
	a.Rewind(m)
	return e.op // want `stale: `
}
