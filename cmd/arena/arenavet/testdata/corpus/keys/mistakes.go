// Package keys has maps whose keys lie in an arena that ends before the map does.
package keys

import (
	"github.com/arena-go/arena"
)

func different(lines []string) (n int) {
	line := arena.NewArena()
	known := map[string]bool{}
	for _, l := range lines {
		word := arena.String(line, l)
		if !known[word] { // want `stale: the result of arena.String .* is a key of a map that is used after Reset`
			known[word] = true
			n++
		}
		line.Reset()
	}
	return n
}

func tally(lines []string) int {
	var p arena.Pool
	counts := map[string]int{}
	for _, l := range lines {
		a := p.Get()
		counts[arena.String(a, l)]++ // want `stale: `
		p.Put(a)
	}
	return len(counts)
}

func tallyInArena(lines []string) int {
	all, line := arena.NewArena(), arena.NewArena()
	counts := arena.NewMap[string, int](all, 0)
	for _, l := range lines {
		*counts.Entry(arena.String(line, l))++ // want `stale: .* is a key of a map`
		line.Reset()
	}
	return counts.Len()
}

type point struct {
	file string
	line int
}

func pointsOnce(files []string) int {
	a := arena.NewArena()
	hit := map[point]bool{}
	for n, f := range files {
		hit[point{arena.String(a, f), n}] = true // want `stale: `
		a.Reset()
	}
	return len(hit)
}

func dropped(a *arena.Arena, name string, used map[string]int) {
	local := map[string]int{arena.String(a, name): 1}
	a.Reset()
	delete(local, name) // want `stale: `
}

func askedLater(name string) bool {
	a := arena.NewArena()
	m := map[string]bool{}
	m[arena.String(a, name)] = true
	a.Reset()
	return m["x"] // want `stale: `
}

func hasLater(long *arena.Arena, name string) bool {
	a := arena.NewArena()
	m := arena.NewMap[string, bool](long, 0)
	m.Set(arena.String(a, name), true)
	a.Reset()
	return m.Has("x") // want `stale: `
}

type filter struct{ seen map[string]struct{} }

func (f *filter) isNew(s string) bool {
	_, old := f.seen[s]
	if !old {
		f.seen[s] = struct{}{}
	}
	return !old
}

func news(lines []string) (n int) {
	f := filter{seen: map[string]struct{}{}}
	a := arena.NewArena()
	for _, l := range lines {
		if f.isNew(arena.String(a, l)) { // want `stale: .* is a key of a map`
			n++
		}
		a.Reset()
	}
	return n
}

type table struct {
	ids  *arena.Map[string, int]
	next int
}

func (t *table) number(b []byte, text func([]byte) string) int {
	if n := arena.LookupText(t.ids, b); n != nil {
		return *n
	}
	t.next++
	t.ids.Set(text(b), t.next)
	return t.next
}

func textIn(a *arena.Arena) func([]byte) string {
	return func(b []byte) string { return arena.String(a, b) }
}

func numbers(lines [][]byte) (sum int) {
	all, line := arena.NewArena(), arena.NewArena()
	t := &table{ids: arena.NewMap[string, int](all, 0)}
	for _, l := range lines {
		sum += t.number(l, textIn(line)) // want `stale: .* is a key of a map`
		line.Reset()
	}
	return sum
}
