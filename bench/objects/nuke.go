package objects

import "github.com/ortuman/nuke"

// newNuke returns what opens an arena of package nuke, which is reset, or released and made anew.
// It has a configured number of buffers, makes them when they are needed, and allocates on the heap
// what fits into none of them. An arena that is reset has buffers of 32 MiB, as in nuke's own
// benchmarks. Other buffers are as large as the round needs, and no larger. The memory it returns
// is zeroed.
func newNuke(fresh bool) func() *space {
	const buffer, buffers = 32 << 20, 8
	open := func(room int) nuke.Arena {
		if !fresh {
			return nuke.NewMonotonicArena(buffer, buffers)
		}
		return nuke.NewMonotonicArena(min(room, buffer), room/buffer+2)
	}
	reset, release := func(a nuke.Arena) { a.Reset(false) }, func(a nuke.Arena) { a.Reset(true) }
	return func() *space {
		take, end, free := inRounds(fresh, open, reset, release)
		return &space{
			small:  func(n int) []*small { return nukeValues[small](take(room[small](n)), n) },
			people: func(n int) []*person { return nukeValues[person](take(room[person](n)), n) },
			crowd:  func(keep []*person) { nukeFill(take(room[person](len(keep))), keep) },
			holders: func(n int) []*holder {
				a := take(room[holder](n) + 8*n)
				s := nuke.MakeSlice[*holder](a, n, n)
				for i := range s {
					h := nuke.New[holder](a)
					h.elements = nuke.MakeSlice[int](a, 1, 1)
					h.elements[0] = i
					s[i] = h
				}
				return s
			},
			texts: func(of []string) []string {
				a := take(roomText * len(of))
				s := nuke.MakeSlice[string](a, len(of), len(of))
				for i, text := range of {
					s[i] = nukeText(a, text)
				}
				return s
			},
			records: func(batch string, n int) []*record {
				a := take(room[record](n) + len(batch))
				s := nuke.MakeSlice[*record](a, n, n)
				for i := range s {
					var key, value string
					r := nuke.New[record](a)
					key, value, r.number, batch = next(batch)
					r.key, r.value = nukeText(a, key), nukeText(a, value)
					s[i] = r
				}
				return s
			},
			appends: func(n int) (s [8][]int) {
				a := take(roomElement * n)
				for i := range n {
					s[i%8] = nuke.SliceAppend(a, s[i%8], i)
				}
				return s
			},
			tree:  func(depth int) int { return nukeTree(take(room[node](2<<depth)), depth).count() },
			nodes: func(keep []*node) { nukeFill(take(room[node](len(keep))), keep) },
			cache: newHeapCache,
			end:   end,
			free:  free,
		}
	}
}

func nukeText(a nuke.Arena, text string) string {
	b := nuke.MakeSlice[byte](a, len(text), len(text))
	copy(b, text)
	return textOf(b)
}

func nukeValues[T any](a nuke.Arena, n int) []*T {
	s := nuke.MakeSlice[*T](a, n, n)
	nukeFill(a, s)
	return s
}

func nukeFill[T any](a nuke.Arena, keep []*T) {
	for i := range keep {
		keep[i] = nuke.New[T](a)
	}
}

func nukeTree(a nuke.Arena, depth int) *node {
	n := nuke.New[node](a)
	if depth > 0 {
		n.left, n.right = nukeTree(a, depth-1), nukeTree(a, depth-1)
	}
	return n
}
