package stale

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

type node struct {
	name string
	next *node
	vals []int
}

func afterReset(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	a.Reset()
	fmt.Println(s) // want `stale: the result of arena.String \(line 17\) is used after Reset \(line 18\)`
}

func field(b []byte) int {
	a := arena.NewArena()
	n := arena.New[node](a)
	n.name = arena.String(a, b)
	name := n.name
	a.Reset()
	return strings.Count(name, "x") // want `stale: the result of arena.String`
}

func pointer(a *arena.Arena) {
	n := arena.New[node](a)
	a.Reset()
	n.name = "x" // want `stale: the result of arena.New`
}

func substring(a *arena.Arena, b []byte) bool {
	s := strings.TrimSpace(arena.String(a, b))
	key, _, _ := strings.Cut(s, "=")
	a.Reset()
	return key == "id" // want `stale: `
}

func element(a *arena.Arena) int {
	s := arena.MakeSlice[int](a, 10, 10)
	t := s[2:4]
	a.Reset()
	return t[0] // want `stale: the result of arena.MakeSlice`
}

func nextTurn(a *arena.Arena, lines [][]byte) int {
	var last string
	n := 0
	for _, line := range lines {
		s := arena.String(a, line)
		if s == last { // want `stale: the result of arena.String`
			n++
		}
		last = s
		a.Reset()
	}
	return n
}

func kept(a *arena.Arena, lines [][]byte) string {
	longest := ""
	for _, line := range lines {
		s := arena.String(a, line)
		if len(s) > len(longest) {
			longest = s
		}
		a.Reset()
	}
	return "longest: " + longest // want `stale: the result of arena.String`
}

func afterPut(p *arena.Pool) int {
	a := p.Get()
	s := arena.SliceOf(a, 1, 2, 3)
	p.Put(a)
	return s[0] // want `stale: the result of arena.SliceOf \(line 79\) is used after Pool.Put`
}

func afterDo(b []byte) {
	var s string
	arena.Do(func(a *arena.Arena) {
		s = arena.String(a, b)
	})
	fmt.Println(s) // want `stale: .* is used after arena.Do`
}

func afterGroup(parts [][]byte) {
	g := arena.NewGroup()
	all := make([]string, len(parts))
	for i, part := range parts {
		g.Go(func(a *arena.Arena) { all[i] = arena.String(a, part) })
	}
	g.Wait()
	g.Reset()
	for _, s := range all {
		fmt.Println(s) // want `stale: `
	}
}

func reset(a *arena.Arena) { a.Reset() }

func read(a *arena.Arena, b []byte) *node {
	n := arena.New[node](a)
	n.name = arena.String(a, b)
	return n
}

func calls(a *arena.Arena, b []byte) string {
	n := read(a, b)
	reset(a)
	return "x" + n.name // want `stale: the result of stale.read .* is used after stale.reset`
}

type parser struct {
	a    *arena.Arena
	slab *arena.Slab[node]
}

func (p *parser) node() *node { return p.slab.New() }
func (p *parser) text(b []byte) string {
	return arena.String(p.a, b)
}

func carrier(p *parser, b []byte) {
	s := p.text(b)
	p.a.Reset()
	fmt.Println(s) // want `stale: `
}

func conditional(a *arena.Arena, b []byte, big bool) {
	s := "none"
	if big {
		s = arena.String(a, b)
	}
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func branch(a *arena.Arena, b []byte, full bool) {
	s := arena.String(a, b)
	if full {
		a.Reset()
	}
	fmt.Println(s) // want `stale: .*, whenever that is reached`
}

func closure(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	show := func() { fmt.Println(s) }
	a.Reset()
	show() // want `stale: `
}

func method(a *arena.Arena, b []byte) {
	end := a.Reset
	s := arena.String(a, b)
	end()
	fmt.Println(s) // want `stale: `
}

func zero(b []byte) {
	var a arena.Arena
	s := arena.String(&a, b)
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func elementOfAny(n int, b []byte) {
	type cell struct{ s string }
	a := arena.NewArena()
	cells := [3]cell{{arena.String(a, b)}, {"heap"}, {arena.String(a, b[1:])}}
	a.Free()
	fmt.Println(cells[n].s) // want `stale: `
}
