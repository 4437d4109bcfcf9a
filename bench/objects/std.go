//go:build goexperiment.arenas

package objects

import (
	"arena"

	"github.com/arena-go/arena/bench/internal/suite"
)

// standard is the experimental arena of the standard library. It has no reset: each round has a new
// one. It has no append, no text and no maps; text is a slice of bytes here.
var standard = origin{Implementation: suite.Implementation{Name: "std"}, open: newStandard}

func newStandard() *space {
	take, end, free := inRounds(true, func(int) *arena.Arena { return arena.NewArena() }, nil, (*arena.Arena).Free)
	return &space{
		small:  func(n int) []*small { return stdValues[small](take(0), n) },
		people: func(n int) []*person { return stdValues[person](take(0), n) },
		crowd:  func(keep []*person) { stdFill(take(0), keep) },
		holders: func(n int) []*holder {
			a := take(0)
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
			a := take(0)
			s := arena.MakeSlice[string](a, len(of), len(of))
			for i, text := range of {
				s[i] = stdText(a, text)
			}
			return s
		},
		records: func(batch string, n int) []*record {
			a := take(0)
			s := arena.MakeSlice[*record](a, n, n)
			for i := range s {
				var key, value string
				r := arena.New[record](a)
				key, value, r.number, batch = next(batch)
				r.key, r.value = stdText(a, key), stdText(a, value)
				s[i] = r
			}
			return s
		},
		tree:  func(depth int) int { return stdTree(take(0), depth).count() },
		nodes: func(keep []*node) { stdFill(take(0), keep) },
		cache: newHeapCache,
		end:   end,
		free:  free,
	}
}

func stdText(a *arena.Arena, text string) string {
	b := arena.MakeSlice[byte](a, len(text), len(text))
	copy(b, text)
	return textOf(b)
}

func stdValues[T any](a *arena.Arena, n int) []*T {
	s := arena.MakeSlice[*T](a, n, n)
	stdFill(a, s)
	return s
}

func stdFill[T any](a *arena.Arena, keep []*T) {
	for i := range keep {
		keep[i] = arena.New[T](a)
	}
}

func stdTree(a *arena.Arena, depth int) *node {
	n := arena.New[node](a)
	if depth > 0 {
		n.left, n.right = stdTree(a, depth-1), stdTree(a, depth-1)
	}
	return n
}
