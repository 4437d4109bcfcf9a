package objects

import wundergraph "github.com/wundergraph/go-arena"

// newWundergraph returns what opens an arena of package go-arena of WunderGraph, which is reset, or
// released and made anew. An arena that is reset has buffers of 1 MiB, as its Pool makes them at
// first. An arena that is made anew has buffers as large as the round needs, 32 MiB at most, as its
// Pool makes them when it has learnt that. The memory it returns is zeroed.
func newWundergraph(fresh bool) func() *space {
	open := func(room int) wundergraph.Arena {
		if !fresh {
			room = 1 << 20
		}
		return wundergraph.NewMonotonicArena(wundergraph.WithMinBufferSize(min(room, 32<<20)))
	}
	return func() *space {
		take, end, free := inRounds(fresh, open, wundergraph.Arena.Reset, wundergraph.Arena.Release)
		return &space{
			small:  func(n int) []*small { return wundergraphValues[small](take(room[small](n)), n) },
			people: func(n int) []*person { return wundergraphValues[person](take(room[person](n)), n) },
			crowd:  func(keep []*person) { wundergraphFill(take(room[person](len(keep))), keep) },
			holders: func(n int) []*holder {
				a := take(room[holder](n) + 8*n)
				s := wundergraph.AllocateSlice[*holder](a, n, n)
				for i := range s {
					h := wundergraph.Allocate[holder](a)
					h.elements = wundergraph.AllocateSlice[int](a, 1, 1)
					h.elements[0] = i
					s[i] = h
				}
				return s
			},
			texts: func(of []string) []string {
				a := take(roomText * len(of))
				s := wundergraph.AllocateSlice[string](a, len(of), len(of))
				for i, text := range of {
					s[i] = wundergraphText(a, text)
				}
				return s
			},
			records: func(batch string, n int) []*record {
				a := take(room[record](n) + len(batch))
				s := wundergraph.AllocateSlice[*record](a, n, n)
				for i := range s {
					var key, value string
					r := wundergraph.Allocate[record](a)
					key, value, r.number, batch = next(batch)
					r.key, r.value = wundergraphText(a, key), wundergraphText(a, value)
					s[i] = r
				}
				return s
			},
			appends: func(n int) (s [8][]int) {
				a := take(roomElement * n)
				for i := range n {
					s[i%8] = wundergraph.SliceAppend(a, s[i%8], i)
				}
				return s
			},
			tree:  func(depth int) int { return wundergraphTree(take(room[node](2<<depth)), depth).count() },
			nodes: func(keep []*node) { wundergraphFill(take(room[node](len(keep))), keep) },
			cache: newHeapCache,
			end:   end,
			free:  free,
		}
	}
}

func wundergraphText(a wundergraph.Arena, text string) string {
	b := wundergraph.AllocateSlice[byte](a, len(text), len(text))
	copy(b, text)
	return textOf(b)
}

func wundergraphValues[T any](a wundergraph.Arena, n int) []*T {
	s := wundergraph.AllocateSlice[*T](a, n, n)
	wundergraphFill(a, s)
	return s
}

func wundergraphFill[T any](a wundergraph.Arena, keep []*T) {
	for i := range keep {
		keep[i] = wundergraph.Allocate[T](a)
	}
}

func wundergraphTree(a wundergraph.Arena, depth int) *node {
	n := wundergraph.Allocate[node](a)
	if depth > 0 {
		n.left, n.right = wundergraphTree(a, depth-1), wundergraphTree(a, depth-1)
	}
	return n
}
