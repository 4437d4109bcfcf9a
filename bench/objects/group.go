package objects

import "github.com/arena-go/arena"

// newGroup returns the arenas of a Group, one for each of n goroutines, and what resets them all.
func newGroup(n int) (spaces []*space, end func()) {
	g := arena.NewGroup()
	arenas := make([]*arena.Arena, n)
	for i := range arenas {
		arenas[i] = g.Arena()
		spaces = append(spaces, inArena(&arenas[i], nil, nil))
	}
	return spaces, func() {
		g.Reset()
		for i := range arenas {
			arenas[i] = g.Arena()
		}
	}
}
