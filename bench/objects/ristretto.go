package objects

import "github.com/dgraph-io/ristretto/v2/z"

// newRistretto returns what opens an Allocator of ristretto, which is reset, or released and made
// anew. Its first buffer is of 8 MiB if it is reset, otherwise as large as the round needs; further
// ones double. All is taken by Allocate, in multiples of eight bytes so that it stays aligned, and
// zeroed here: AllocateAligned does that by itself, with seven bytes more for each, and takes
// longer. It has no append.
func newRistretto(fresh bool) func() *space {
	open := func(room int) *z.Allocator {
		if !fresh {
			room = 8 << 20
		}
		return z.NewAllocator(min(room, 32<<20), "")
	}
	return func() *space {
		take, end, free := inRounds(fresh, open, (*z.Allocator).Reset, (*z.Allocator).Release)
		return &space{
			small:  func(n int) []*small { return ristrettoValues[small](take(room[small](n)), n) },
			people: func(n int) []*person { return ristrettoValues[person](take(room[person](n)), n) },
			crowd:  func(keep []*person) { ristrettoFill(take(room[person](len(keep))), keep) },
			holders: func(n int) []*holder {
				a := take(room[holder](n) + 16*n)
				s := ristrettoSlice[*holder](a, n)
				for i := range s {
					h := ristrettoNew[holder](a)
					h.elements = ristrettoSlice[int](a, 1)
					h.elements[0] = i
					s[i] = h
				}
				return s
			},
			texts: func(of []string) []string {
				a := take(roomText * len(of))
				s := ristrettoSlice[string](a, len(of))
				for i, text := range of {
					s[i] = ristrettoText(a, text)
				}
				return s
			},
			records: func(batch string, n int) []*record {
				a := take(room[record](n) + len(batch))
				s := ristrettoSlice[*record](a, n)
				for i := range s {
					var key, value string
					r := ristrettoNew[record](a)
					key, value, r.number, batch = next(batch)
					r.key, r.value = ristrettoText(a, key), ristrettoText(a, value)
					s[i] = r
				}
				return s
			},
			tree:  func(depth int) int { return ristrettoTree(take(room[node](2<<depth)), depth).count() },
			nodes: func(keep []*node) { ristrettoFill(take(room[node](len(keep))), keep) },
			cache: newHeapCache,
			end:   end,
			free:  free,
		}
	}
}

func ristrettoBytes(a *z.Allocator, n int) []byte {
	b := a.Allocate(n)
	clear(b)
	return b
}

func ristrettoNew[T any](a *z.Allocator) *T { return valueAt[T](ristrettoBytes(a, sizeOf[T]())) }

func ristrettoSlice[T any](a *z.Allocator, n int) []T {
	return valuesAt[T](ristrettoBytes(a, n*sizeOf[T]()), n)
}

func ristrettoText(a *z.Allocator, text string) string {
	b := a.Allocate((len(text) + 7) &^ 7)
	return textOf(b[:copy(b, text)])
}

func ristrettoValues[T any](a *z.Allocator, n int) []*T {
	s := ristrettoSlice[*T](a, n)
	ristrettoFill(a, s)
	return s
}

func ristrettoFill[T any](a *z.Allocator, keep []*T) {
	for i := range keep {
		keep[i] = ristrettoNew[T](a)
	}
}

func ristrettoTree(a *z.Allocator, depth int) *node {
	n := ristrettoNew[node](a)
	if depth > 0 {
		n.left, n.right = ristrettoTree(a, depth-1), ristrettoTree(a, depth-1)
	}
	return n
}
