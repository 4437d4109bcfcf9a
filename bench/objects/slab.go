package objects

import "github.com/arena-go/arena"

// newSlabs returns what opens an arena, from which values are taken by handles; all else is as in
// newArena.
func newSlabs(fresh bool) func() *space {
	return func() *space {
		a := arena.NewArena()
		return &space{
			small:  func(n int) []*small { return slabValues[small](a, n) },
			people: func(n int) []*person { return slabValues[person](a, n) },
			crowd:  func(keep []*person) { slabFill(arena.SlabOf[person](a), keep) },
			holders: func(n int) []*holder {
				s := slabValues[holder](a, n)
				for i, h := range s {
					h.elements = arena.MakeSlice[int](a, 1, 1)
					h.elements[0] = i
				}
				return s
			},
			records: func(batch string, n int) []*record {
				s := slabValues[record](a, n)
				for _, r := range s {
					var key, value string
					key, value, r.number, batch = next(batch)
					r.key, r.value = arena.String(a, key), arena.String(a, value)
				}
				return s
			},
			tree:  func(depth int) int { return slabTree(arena.SlabOf[node](a), depth).count() },
			nodes: func(keep []*node) { slabFill(arena.SlabOf[node](a), keep) },
			cache: newHeapCache,
			end:   ending(&a, fresh),
			free:  func() { a.Free() },
		}
	}
}

func slabValues[T any](a *arena.Arena, n int) []*T {
	s := arena.MakeSlice[*T](a, n, n)
	slabFill(arena.SlabOf[T](a), s)
	return s
}

func slabFill[T any](slab *arena.Slab[T], keep []*T) {
	for i := range keep {
		keep[i] = slab.New()
	}
}

func slabTree(s *arena.Slab[node], depth int) *node {
	n := s.New()
	if depth > 0 {
		n.left, n.right = slabTree(s, depth-1), slabTree(s, depth-1)
	}
	return n
}
