package stale

import (
	"fmt"

	"github.com/arena-go/arena"
)

func rewound(a *arena.Arena, b []byte) {
	m := a.Mark()
	s := arena.String(a, b)
	a.Rewind(m)
	fmt.Println(s) // want `stale: the result of arena.String \(line 11\) is used after Rewind \(line 12\)`
}

func rewoundOlder(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	m := a.Mark()
	fmt.Println(arena.String(a, b))
	a.Rewind(m)
	fmt.Println(s)
	a.Reset()
	fmt.Println(s) // want `stale: .* after Reset`
}

func rewoundInner(a *arena.Arena, b []byte) {
	outer := a.Mark()
	s := arena.String(a, b)
	inner := a.Mark()
	t := arena.String(a, b)
	a.Rewind(inner)
	fmt.Println(s)
	fmt.Println(t) // want `stale: `
	a.Rewind(outer)
	fmt.Println(s) // want `stale: `
}

func rewoundLoop(a *arena.Arena, lines [][]byte) {
	all := arena.MakeSlice[string](a, 0, len(lines))
	for _, line := range lines {
		m := a.Mark()
		s := arena.String(a, line)
		fmt.Println(s)
		a.Rewind(m)
	}
	fmt.Println(all)
}

func rewoundKept(a *arena.Arena, lines [][]byte) {
	var last string
	for _, line := range lines {
		m := a.Mark()
		last = arena.String(a, line)
		a.Rewind(m)
	}
	fmt.Println(last) // want `stale: `
}

func rewoundField(a *arena.Arena, b []byte) {
	n := arena.New[node](a)
	m := a.Mark()
	n.name = arena.String(a, b)
	a.Rewind(m)
	fmt.Println(n.name) // want `stale: `
}

func rewoundDeferred(a *arena.Arena, b []byte) int {
	defer a.Rewind(a.Mark())
	return len(arena.String(a, b))
}

func rewoundElsewhere(a *arena.Arena, m arena.Mark, b []byte) {
	s := arena.String(a, b)
	a.Rewind(m)    // the caller has begun it before
	fmt.Println(s) // want `stale: `
}
