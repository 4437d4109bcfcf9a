// Package shapes has mistakes in programs of many forms.
package shapes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

type number interface{ ~int | ~float64 }

func sum[T number](a *arena.Arena, all []T) []T {
	return arena.SliceOf(a, all...)
}

func generic[T number](a *arena.Arena, all []T) T {
	s := sum(a, all)
	a.Reset()
	return s[0] // want `stale: `
}

type list[T any] struct {
	a    *arena.Arena
	head *item[T]
}

type item[T any] struct {
	v    T
	next *item[T]
}

func (l *list[T]) add(v T) *item[T] { return arena.Ptr(l.a, item[T]{v: v}) }

func genericMethod(l *list[string]) {
	i := l.add("x")
	l.a.Reset()
	i.next = nil // want `stale: `
}

type source interface{ text(a *arena.Arena) string }

type file struct{ b []byte }

func (f *file) text(a *arena.Arena) string { return arena.String(a, f.b) }

func oneImplementation(s source, a *arena.Arena) {
	t := s.text(a)
	a.Reset()
	fmt.Println(t) // want `stale: `
}

func methodValue(a *arena.Arena, f *file) {
	text := f.text
	t := text(a)
	a.Reset()
	fmt.Println(t) // want `stale: `
}

func embedded(w *wrapper, b []byte) {
	s := arena.String(w.Arena, b)
	w.Reset()
	fmt.Println(s) // want `stale: `
}

type wrapper struct{ *arena.Arena }

func array(a *arena.Arena, b []byte) {
	var two [2]string
	two[0] = arena.String(a, b)
	a.Reset()
	fmt.Println(two[0]) // want `stale: `
}

func structCopy(a *arena.Arena, b []byte) {
	p := pair{left: arena.String(a, b), right: "heap"}
	q := p
	a.Reset()
	fmt.Println(q.left) // want `stale: `
}

type pair struct{ left, right string }

func swapped(a, b *arena.Arena, text []byte) {
	s := arena.String(a, text)
	a, b = b, a
	b.Reset()
	fmt.Println(s) // want `stale: `
}

func inSwitch(a *arena.Arena, b []byte, kind int) {
	var s string
	switch kind {
	case 0:
		s = arena.String(a, b)
	case 1:
		s = strings.TrimSpace(arena.String(a, b))
	}
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func sorted(a *arena.Arena, all []string) string {
	s := arena.SliceOf(a, all...)
	slices.Sort(s)
	a.Reset()
	return "first: " + s[0] // want `stale: `
}

func ranged(a *arena.Arena, b []byte) (n int) {
	s := arena.String(a, b)
	a.Reset()
	for _, r := range s { // want `stale: `
		n += int(r)
	}
	return n
}

func labelled(a *arena.Arena, all [][]byte) {
	var s string
outer:
	for _, b := range all {
		for range 2 {
			s = arena.String(a, b)
			if len(s) > 10 {
				break outer
			}
		}
	}
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func appendedAgain(a *arena.Arena, all [][]byte) {
	batch := arena.MakeSlice[string](a, 0, 10)
	for _, b := range all {
		batch = arena.Append(a, batch, string(b)) // want `stale: `
		if len(batch) == 10 {
			fmt.Println(len(batch))
			batch = batch[:0]
			a.Reset()
		}
	}
}

func pointerToPointer(a *arena.Arena) int {
	p := arena.New[int](a)
	pp := &p
	a.Reset()
	return **pp // want `stale: `
}

func closureResult(a *arena.Arena, b []byte) {
	text := func() string { return arena.String(a, b) }
	s := text()
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func tried(b []byte) (s string) {
	a := arena.NewArena()
	if err := arena.Try(func() { s = arena.String(a, b) }); err != nil {
		return ""
	}
	a.Reset()
	return s // want `outlives: `
}
