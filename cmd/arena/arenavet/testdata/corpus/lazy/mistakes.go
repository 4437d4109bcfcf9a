// Package lazy makes values when they are needed first.
package lazy

import (
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

type group struct {
	key   string
	items []string
}

func kept(lines []string) {
	a := arena.NewArena()
	var g *group
	for _, l := range lines {
		if g == nil {
			g = arena.New[group](a)
		}
		g.items = arena.Push(a, g.items, l) // want `stale: ` `stale: `
		if l == "" {
			a.Reset()
		}
	}
}

func keptMap(lines []string) {
	a := arena.NewArena()
	by := map[string]*group{}
	for _, l := range lines {
		g, ok := by[l]
		if !ok {
			g = arena.New[group](a)
			by[l] = g
		}
		g.items = arena.Push(a, g.items, l) // want `stale: ` `stale: `
		a.Reset()
	}
}

func texts(p *arena.Pool, text string) []string {
	a := p.Get()
	defer p.Put(a)
	w := arena.MakeSlice[string](a, 0, 8)
	for f := range strings.FieldsSeq(text) {
		w = arena.Push(a, w, arena.String(a, f))
	}
	return slices.Clone(w) // want `outlives: `
}

func called(p *arena.Pool, text string) []string {
	a := p.Get()
	defer p.Put(a)
	w := arena.MakeSlice[string](a, 0, 8)
	add := func() { w = arena.Push(a, w, arena.String(a, text)) }
	for range 2 {
		add()
	}
	return append([]string(nil), w...) // want `outlives: `
}
