package container

import (
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

func mapAfterReset(a *arena.Arena) int {
	m := arena.NewMap[string, int](a, 0)
	m.Set("x", 1)
	a.Reset()
	n, _ := m.Get("x") // want `container: the result of arena.NewMap .* is used after Reset`
	return n
}

func builderAfterReset(a *arena.Arena) {
	t := arena.NewBuilder(a)
	a.Reset()
	t.WriteString("x") // want `container: `
}

func builderKept(a *arena.Arena, lines []string) {
	t := arena.NewBuilder(a)
	for _, line := range lines {
		t.WriteString(line) // want `container: `
		fmt.Println(len(t.String()))
		a.Reset()
	}
}

func entryGrown(m *arena.Map[string, int], k, l string) {
	p := m.Entry(k)
	m.Set(l, 1)
	*p = 2 // want `container: the result of Map.Entry .* is used after Map.Set`
}

func twoEntries(m *arena.Map[string, int], k, l string) {
	p, q := m.Entry(k), m.Entry(l)
	*p, *q = *q, *p // want `container: `
}

func lookupGrown(m *arena.Map[int, int], all []int) int {
	p := m.Lookup(1)
	for _, n := range all {
		*m.Entry(n)++
	}
	return *p // want `container: `
}

func entryKept(a *arena.Arena, words []string) int {
	m := arena.NewMap[string, int](a, 0)
	var most *int
	for _, w := range words {
		p := m.Entry(w)
		*p++
		if most == nil || *p > *most { // want `container: `
			most = p
		}
	}
	return *most
}

func refOfOther() *int {
	a, b := arena.NewArena(), arena.NewArena()
	r, p := ref.New[int](ref.In(a))
	*p = 1
	return r.Get(ref.In(b)) // want `container: a reference of one arena`
}

func mapInStruct(a *arena.Arena, b []byte) {
	t := &table{m: arena.NewMap[string, int](a, 0)}
	a.Reset()
	t.m.Set("x", 1) // want `container: `
}

type table struct{ m *arena.Map[string, int] }

func mapAfterPut(p *arena.Pool) int {
	a := p.Get()
	m := arena.NewMap[int, int](a, 0)
	p.Put(a)
	return m.Len() // want `container: `
}

func allAfterReset(a *arena.Arena) {
	m := arena.NewMap[int, int](a, 0)
	a.Reset()
	for k := range m.All() { // want `container: `
		fmt.Println(k)
	}
}
