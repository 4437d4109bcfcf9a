package lazy

import (
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

// grouped makes the group anew when the arena has been Reset.
func grouped(lines []string, emit func(n int)) {
	a := arena.NewArena()
	var g *group
	for _, l := range lines {
		if g != nil && g.key != l {
			emit(len(g.items))
			g = nil
			a.Reset()
		}
		if g == nil {
			g = arena.New[group](a)
			g.key = arena.String(a, l)
		}
		g.items = arena.Push(a, g.items, l)
	}
}

func pushed(lines []string) {
	a := arena.NewArena()
	var g *group
	for _, l := range lines {
		if g == nil {
			g = arena.New[group](a)
		}
		g.items = arena.Push(a, g.items, l)
		if l == "" {
			g = nil
			a.Reset()
		}
	}
}

func counted(lines []string, emit func(n int)) {
	a := arena.NewArena()
	var m *arena.Map[string, int]
	for _, l := range lines {
		if m == nil {
			m = arena.NewMap[string, int](a, 0)
		}
		m.Set(arena.String(a, l), 1)
		if m.Len() > 10 {
			emit(m.Len())
			m = nil
			a.Reset()
		}
	}
}

func pooled(p *arena.Pool, lines []string) {
	a := p.Get()
	var g *group
	for _, l := range lines {
		if g == nil {
			g = arena.Ptr(a, group{key: l})
		}
		g.items = arena.Push(a, g.items, l)
		if len(g.items) > 10 {
			g = nil
			p.Put(a)
			a = p.Get()
		}
	}
	p.Put(a)
}

func looked(lines []string, emit func(n int)) {
	a := arena.NewArena()
	by := map[string]*group{}
	for _, l := range lines {
		g, ok := by[l]
		if !ok {
			g = arena.New[group](a)
			by[arena.String(a, l)] = g
		}
		g.items = arena.Push(a, g.items, l)
		if len(by) > 10 {
			emit(len(by))
			clear(by)
			a.Reset()
		}
	}
}

// words has text of the heap in a slice of the arena, and returns a copy of the slice.
func words(p *arena.Pool, text string) []string {
	a := p.Get()
	defer p.Put(a)
	w := arena.MakeSlice[string](a, 0, 8)
	for f := range strings.FieldsSeq(text) {
		w = arena.Push(a, w, f)
	}
	return slices.Clone(w)
}

func twice(p *arena.Pool, text string) []string {
	a := p.Get()
	defer p.Put(a)
	w := arena.MakeSlice[string](a, 0, 8)
	add := func() { w = arena.Push(a, w, text) }
	for range 2 {
		add()
	}
	return append([]string(nil), w...)
}
