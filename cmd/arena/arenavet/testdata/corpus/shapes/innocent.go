package shapes

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

func genericCopy[T number](a *arena.Arena, all []T) []T {
	s := arena.Clone(sum(a, all))
	a.Reset()
	return s
}

func swappedBack(a, b *arena.Arena, text []byte) {
	s := arena.String(a, text)
	a, b = b, a
	a.Reset()
	fmt.Println(s)
	b.Reset()
}

func pingPong(all [][]byte) {
	young, old := arena.NewArena(), arena.NewArena()
	var s string
	for _, b := range all {
		t := arena.String(young, b)
		if t != s {
			fmt.Println(t)
		}
		s = t
		old.Reset()
		young, old = old, young
	}
}

func otherField(a *arena.Arena, b []byte) {
	p := pair{left: arena.String(a, b), right: strings.Repeat("x", 3)}
	q := p
	a.Reset()
	fmt.Println(q.right)
}

func reassigned(a *arena.Arena, b []byte) {
	p := pair{left: arena.String(a, b)}
	p.left = strings.Clone(p.left)
	a.Reset()
	fmt.Println(p.left)
}

func unknown(a *arena.Arena, f func(*arena.Arena) string) {
	s := f(a)
	a.Reset()
	fmt.Println(s)
}

type store interface{ put(k string) }
type copies struct{ m map[string]bool }
type counts struct{ n int }

func (c *copies) put(k string) { c.m[strings.Clone(k)] = true }
func (c *counts) put(k string) { c.n += len(k) }

func twoImplementations(s store, a *arena.Arena, b []byte) {
	s.put(arena.String(a, b))
	a.Reset()
}

func batches(a *arena.Arena, all [][]byte) {
	var batch []string
	flush := func() {
		fmt.Println(len(batch))
		batch = nil
		a.Reset()
	}
	for _, b := range all {
		batch = append(batch, arena.String(a, b))
		if len(batch) == 10 {
			flush()
		}
	}
	flush()
}

func emptied(a *arena.Arena, all [][]byte) {
	var batch []string
	for _, b := range all {
		batch = append(batch, arena.String(a, b))
		if len(batch) == 10 {
			fmt.Println(batch)
			batch = batch[:0]
			a.Reset()
		}
	}
	fmt.Println(batch)
}

func stateMachine(a *arena.Arena, all [][]byte) {
	var cur *item[string]
	for _, b := range all {
		switch {
		case len(b) == 0:
			a.Reset()
			cur = nil
		case cur == nil:
			cur = arena.Ptr(a, item[string]{v: string(b)})
		default:
			fmt.Println(cur.v)
		}
	}
}

func retried(a *arena.Arena, b []byte, ok func(string) bool) string {
	for {
		s := arena.String(a, b)
		if ok(s) {
			return strings.Clone(s)
		}
		a.Reset()
	}
}

func flag(a *arena.Arena, b []byte) {
	s, used := arena.String(a, b), true
	if len(s) > 3 {
		a.Reset()
		used = false
	}
	if used {
		fmt.Println(s)
	}
}

func nested(outer *arena.Arena, all [][]byte) []string {
	var kept []string
	for _, b := range all {
		arena.Do(func(a *arena.Arena) {
			s := arena.String(a, b)
			kept = arena.Append(outer, kept, arena.String(outer, s))
		})
	}
	return kept
}

func errorPath(a *arena.Arena, b []byte) (s string, err error) {
	defer func() {
		if err != nil {
			a.Reset()
			s = ""
		}
	}()
	s = arena.String(a, b)
	if len(s) == 0 {
		return s, fmt.Errorf("empty")
	}
	return s, nil
}

func recursive(a *arena.Arena, n int) *item[int] {
	if n == 0 {
		return nil
	}
	i := arena.Ptr(a, item[int]{v: n})
	i.next = recursive(a, n-1)
	return i
}

func usesRecursive(a *arena.Arena) int {
	i := recursive(a, 10)
	n := i.v
	a.Reset()
	return n
}
