package objects

import (
	"github.com/arena-go/arena"
)

// newNilArena returns a nil arena, which is the Go heap.
func newNilArena() *space {
	var a *arena.Arena
	return inArena(&a, func() {}, func() {})
}

// newArena returns what opens an arena, which is reset, or freed and made anew.
func newArena(fresh bool) func() *space {
	return func() *space {
		a := arena.NewArena()
		return inArena(&a, ending(&a, fresh), func() { a.Free() })
	}
}

// ending returns the end of what was made in an arena.
func ending(a **arena.Arena, fresh bool) func() {
	if !fresh {
		return func() { (*a).Reset() }
	}
	return func() {
		(*a).Free()
		*a = arena.NewArena()
	}
}

// inArena returns a space in the arena at a, by New.
func inArena(a **arena.Arena, end, free func()) *space {
	return &space{
		small:  func(n int) []*small { return arenaValues[small](*a, n) },
		people: func(n int) []*person { return arenaValues[person](*a, n) },
		crowd:  func(keep []*person) { arenaFill(*a, keep) },
		holders: func(n int) []*holder {
			a := *a
			s := arena.MakeSlice[*holder](a, n, n)
			for i := range s {
				h := arena.New[holder](a)
				h.elements = arena.MakeSlice[int](a, 1, 1)
				h.elements[0] = i
				s[i] = h
			}
			return s
		},
		texts: func(of []string) []string {
			a := *a
			s := arena.MakeSlice[string](a, len(of), len(of))
			for i, text := range of {
				s[i] = arena.String(a, text)
			}
			return s
		},
		records: func(batch string, n int) []*record {
			a := *a
			s := arena.MakeSlice[*record](a, n, n)
			for i := range s {
				var key, value string
				r := arena.New[record](a)
				key, value, r.number, batch = next(batch)
				r.key, r.value = arena.String(a, key), arena.String(a, value)
				s[i] = r
			}
			return s
		},
		appends: func(n int) (s [8][]int) {
			a := *a
			for i := range n {
				s[i%8] = arena.Append(a, s[i%8], i)
			}
			return s
		},
		ints: func(n int) int {
			m := arena.NewMap[int, int](*a, 0)
			for i := range n {
				m.Set(scattered(i), i)
			}
			return m.Len()
		},
		words: func(keys []string) int {
			m := arena.NewMap[string, int](*a, 0)
			for i, k := range keys {
				m.Set(k, i)
			}
			return m.Len()
		},
		tree:  func(depth int) int { return arenaTree(*a, depth).count() },
		nodes: func(keep []*node) { arenaFill(*a, keep) },
		cache: newHeapCache,
		end:   end,
		free:  free,
	}
}

func arenaValues[T any](a *arena.Arena, n int) []*T {
	s := arena.MakeSlice[*T](a, n, n)
	arenaFill(a, s)
	return s
}

func arenaFill[T any](a *arena.Arena, keep []*T) {
	for i := range keep {
		keep[i] = arena.New[T](a)
	}
}

func arenaTree(a *arena.Arena, depth int) *node {
	n := arena.New[node](a)
	if depth > 0 {
		n.left, n.right = arenaTree(a, depth-1), arenaTree(a, depth-1)
	}
	return n
}
