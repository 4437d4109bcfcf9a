package stale

import (
	"fmt"
	"os"
	"strings"

	"github.com/arena-go/arena"
)

func cloned(a *arena.Arena, b []byte) {
	s := strings.Clone(arena.String(a, b))
	a.Reset()
	fmt.Println(s)
}

func deep(a *arena.Arena, b []byte) {
	n := arena.DeepClone(read(a, b))
	a.Reset()
	fmt.Println(n.name, n.next)
}

func again(a *arena.Arena, lines [][]byte) {
	for _, line := range lines {
		s := arena.String(a, line)
		fmt.Println(s)
		a.Reset()
	}
}

func resetFirst(a *arena.Arena, lines [][]byte) {
	var s string
	for _, line := range lines {
		a.Reset()
		s = arena.String(a, line)
	}
	fmt.Println(s)
}

func other(a, b *arena.Arena, text []byte) {
	s := arena.String(b, text)
	a.Reset()
	fmt.Println(s)
}

func length(a *arena.Arena, b []byte) {
	s := arena.String(a, b)
	n := len(s)
	a.Reset()
	fmt.Println(n)
}

func correlated(a *arena.Arena, b []byte, done bool) {
	s := arena.String(a, b)
	if done {
		a.Reset()
	}
	if !done {
		fmt.Println(s)
	}
}

func early(a *arena.Arena, b []byte, done bool) {
	s := arena.String(a, b)
	if done {
		a.Reset()
		return
	}
	fmt.Println(s)
}

func exits(a *arena.Arena, b []byte, done bool) {
	s := arena.String(a, b)
	if done {
		a.Reset()
		os.Exit(1)
	}
	fmt.Println(s)
}

func cleared(a *arena.Arena, lines [][]byte) {
	var last *node
	for _, line := range lines {
		if last != nil {
			fmt.Println(last.name)
		}
		last = read(a, line)
		if len(line) > 10 {
			a.Reset()
			last = nil
		}
	}
}

func slab(a *arena.Arena) {
	s := arena.SlabOf[node](a)
	for range 10 {
		n := s.New()
		n.name = "x"
		a.Reset()
	}
}

func made(p *arena.Pool, all [][]byte) {
	for _, b := range all {
		a := p.Get()
		s := arena.String(a, b)
		fmt.Println(s)
		p.Put(a)
	}
}

func inDo(all [][]byte) (n int) {
	for _, b := range all {
		arena.Do(func(a *arena.Arena) {
			s := arena.String(a, b)
			n += len(s)
		})
	}
	return n
}

func heapName(a *arena.Arena, names []string) {
	n := arena.New[node](a)
	n.name = names[0]
	name := n.name
	a.Reset()
	fmt.Println(name)
}

func copies(a *arena.Arena, b []byte) {
	s := fmt.Sprint(arena.String(a, b))
	t := string(arena.Bytes(a, b))
	a.Reset()
	fmt.Println(s, t)
}

func deferredReset(a *arena.Arena, b []byte) {
	defer a.Reset()
	s := arena.String(a, b)
	fmt.Println(s)
}

func (p *parser) each(all [][]byte) {
	for _, b := range all {
		n := p.node()
		n.name = p.text(b)
		fmt.Println(n.name)
		p.a.Reset()
	}
}

func nilCheck(a *arena.Arena, b []byte) bool {
	n := read(a, b)
	a.Reset()
	return n == nil
}

func elementOfAnother(b []byte) {
	type cell struct{ s string }
	a := arena.NewArena()
	cells := [2]cell{{arena.String(a, b)}, {"heap"}}
	a.Free()
	fmt.Println(cells[1].s)
}
