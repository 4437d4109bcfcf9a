package container

import (
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

func perRound(a *arena.Arena, rounds [][]string) {
	for _, words := range rounds {
		m := arena.NewMap[string, int](a, len(words))
		for _, w := range words {
			*m.Entry(w)++
		}
		fmt.Println(m.Len())
		a.Reset()
	}
}

func atOnce(m *arena.Map[string, int], k, l string) {
	*m.Entry(k) += 2
	*m.Entry(l) += 3
}

func sameKey(m *arena.Map[string, int], k string) {
	p := m.Entry(k)
	*p++
	m.Set(k, *p+1)
	*m.Entry(k)++
}

func lookups(m *arena.Map[string, int], k, l string) {
	p, q := m.Lookup(k), m.Lookup(l)
	*p, *q = *q, *p
}

func twoMaps(m, n *arena.Map[string, int], k string) {
	p := m.Entry(k)
	n.Set(k, 1)
	*p = 2
}

func again(m *arena.Map[string, int], k, l string) {
	p := m.Entry(k)
	*p = 1
	m.Set(l, 2)
	p = m.Entry(k)
	*p = 3
}

func reference(a *arena.Arena) *int {
	s := ref.In(a)
	r, p := ref.New[int](s)
	*p = 1
	return r.Get(s)
}

func builder(a *arena.Arena, lines []string) {
	for _, line := range lines {
		t := arena.NewBuilder(a)
		t.WriteString(line)
		fmt.Println(t.String())
		a.Reset()
	}
}

func read(m *arena.Map[string, int], k string) int {
	p := m.Entry(k)
	*p++
	n := *p
	m.Set("other", n)
	return n
}

func deleted(m *arena.Map[string, int], k, l string) {
	p := m.Entry(k)
	m.Delete(l)
	fmt.Println(m.Len(), m.Has(l))
	*p = 1
}

func remade(a *arena.Arena) {
	m := arena.NewMap[string, int](a, 0)
	m.Set("x", 1)
	a.Reset()
	m = arena.NewMap[string, int](a, 0)
	m.Set("x", 1)
}
