package objects

import "modernc.org/memory"

// newModernc returns what opens an Allocator of modernc.org/memory, which is not an arena: it frees
// all that was made one by one, or is closed and made anew. Its memory is not on the Go heap. Of
// nodes nothing is freed before it is closed. It has no append.
func newModernc(fresh bool) func() *space {
	return func() *space {
		a := new(memory.Allocator)
		var all backs
		free := func() {
			all = nil
			must(a.Close())
		}
		later, end := all.later, all.end
		if fresh {
			later, end = func(func()) {}, free
		}
		return &space{
			small: func(n int) []*small {
				s := moderncValues[small](a, n)
				later(func() { moderncValuesBack(a, s) })
				return s
			},
			people: func(n int) []*person {
				s := moderncValues[person](a, n)
				later(func() { moderncValuesBack(a, s) })
				return s
			},
			crowd: func(keep []*person) {
				s := moderncValues[person](a, len(keep))
				later(func() { moderncValuesBack(a, s) })
				copy(keep, s)
			},
			holders: func(n int) []*holder {
				s := moderncValues[holder](a, n)
				for i, h := range s {
					h.elements = moderncSlice[int](a, 1)
					h.elements[0] = i
				}
				later(func() {
					for _, h := range s {
						moderncSliceBack(a, h.elements)
					}
					moderncValuesBack(a, s)
				})
				return s
			},
			texts: func(of []string) []string {
				s := moderncSlice[string](a, len(of))
				for i, text := range of {
					s[i] = moderncText(a, text)
				}
				later(func() {
					for _, text := range s {
						moderncTextBack(a, text)
					}
					moderncSliceBack(a, s)
				})
				return s
			},
			records: func(batch string, n int) []*record {
				s := moderncValues[record](a, n)
				for _, r := range s {
					var key, value string
					key, value, r.number, batch = next(batch)
					r.key, r.value = moderncText(a, key), moderncText(a, value)
				}
				later(func() {
					for _, r := range s {
						moderncTextBack(a, r.key)
						moderncTextBack(a, r.value)
					}
					moderncValuesBack(a, s)
				})
				return s
			},
			tree: func(depth int) int {
				t := moderncTree(a, depth)
				later(func() { moderncTreeBack(a, t) })
				return t.count()
			},
			nodes: func(keep []*node) { moderncFill(a, keep) },
			cache: newHeapCache,
			end:   end,
			free:  free,
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func moderncValues[T any](a *memory.Allocator, n int) []*T {
	s := moderncSlice[*T](a, n)
	moderncFill(a, s)
	return s
}

func moderncFill[T any](a *memory.Allocator, keep []*T) {
	for i := range keep {
		keep[i] = moderncNew[T](a)
	}
}

func moderncValuesBack[T any](a *memory.Allocator, s []*T) {
	for _, v := range s {
		moderncBack(a, v)
	}
	moderncSliceBack(a, s)
}

func moderncTree(a *memory.Allocator, depth int) *node {
	n := moderncNew[node](a)
	if depth > 0 {
		n.left, n.right = moderncTree(a, depth-1), moderncTree(a, depth-1)
	}
	return n
}

func moderncTreeBack(a *memory.Allocator, n *node) {
	if n.left != nil {
		moderncTreeBack(a, n.left)
		moderncTreeBack(a, n.right)
	}
	moderncBack(a, n)
}
