// Package literals has structs that lie in arenas and that literals have filled in part.
package literals

import (
	"slices"

	"github.com/arena-go/arena"
)

type item struct {
	label string
	n     int
}

type entity struct {
	name, tag string
	items     []item
}

var pool arena.Pool

func name(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{name: arena.String(a, s)})
	return p.name // want `outlives: `
}

func items(s string) []item {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{tag: s})
	p.items = arena.Push(a, p.items, item{"sword", 1})
	return p.items // want `outlives: `
}

func labels(s string) []item {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{tag: s})
	p.items = append(p.items, item{arena.String(a, s), 1})
	return slices.Clone(p.items) // want `outlives: `
}

func whole(s string) entity {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{name: arena.String(a, s)})
	e := *p
	e.items = nil
	return e // want `outlives: `
}
