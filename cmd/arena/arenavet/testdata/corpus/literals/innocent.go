package literals

import (
	"slices"

	"github.com/arena-go/arena"
)

func unset(s string) []item {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{name: arena.String(a, s)})
	return slices.Clone(p.items)
}

func onHeap(s string) []item {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{name: arena.String(a, s)})
	p.items = append(p.items, item{"sword", 1})
	return p.items
}

func pushed(s string) []item {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{name: arena.String(a, s)})
	p.items = arena.Push(a, p.items, item{s, 1})
	return slices.Clone(p.items)
}

func tag(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{name: arena.String(a, s)})
	return p.tag
}

func snapshot(s string) entity {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, entity{name: arena.String(a, s)})
	p.items = arena.Push(a, p.items, item{"sword", 1})
	e := *p
	e.name = s
	e.items = append([]item(nil), e.items...)
	return e
}
