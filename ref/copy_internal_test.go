package ref

import (
	"testing"

	"github.com/arena-go/arena"
)

// TestCopyRefsCount copies maps that say they have more entries than there are. That is found
// before memory for them is allocated.
func TestCopyRefsCount(t *testing.T) {
	for _, n := range []uint64{1 << 16, 1 << 40, 1<<64 - 1} {
		a := arena.NewArena()
		s := In(a)
		NewSlice[byte](s, 1<<20)
		var words Map[uint64, [248]byte]
		words.Set(s, 1, [248]byte{})
		words.n = n
		var texts TextMap[[248]byte]
		texts.Set(s, "a", [248]byte{})
		texts.n = n
		for what, f := range map[string]func(to *arena.Arena){
			"Map":     func(to *arena.Arena) { Copy(In(to), new(Map[uint64, [248]byte]), s, &words) },
			"TextMap": func(to *arena.Arena) { Copy(In(to), new(TextMap[[248]byte]), s, &texts) },
		} {
			to := arena.NewArena()
			func() {
				defer func() {
					if v := recover(); v != errMap {
						t.Errorf("%s of %d entries: panic %v", what, n, v)
					}
				}()
				f(to)
			}()
			if r := to.Stats().Reserved; r > 1<<20 {
				t.Errorf("%s of %d entries: the copy took %d bytes", what, n, r)
			}
		}
	}
}

// TestCopyRefsShared copies many maps and trees that have the same memory, as in a file that was
// made for that. There is no more of the copy than a few times what there was.
func TestCopyRefsShared(t *testing.T) {
	a := arena.NewArena()
	s := In(a)
	shared(t, a, "Map", func(m *Map[uint64, [248]byte]) { m.Set(s, 1, [248]byte{}) })
	shared(t, a, "TextMap", func(m *TextMap[[248]byte]) { m.Set(s, "a", [248]byte{}) })
	shared(t, a, "Tree", func(m *Tree[uint64, [248]byte]) { m.Set(s, 1, [248]byte{}) })
	shared(t, a, "TextTree", func(m *TextTree[[248]byte]) { m.Set(s, "a", [248]byte{}) })
}

func shared[M any](t *testing.T, a *arena.Arena, what string, set func(*M)) {
	a.Reset()
	ref, all := NewSlice[M](In(a), 1<<10)
	set(&all[0])
	for i := range all {
		copy(all[i:i+1], all)
	}
	to := arena.NewArena()
	inTo := In(to)
	func() {
		defer func() { recover() }()
		Copy(inTo, new(Slice[M]), In(a), &ref)
		t.Errorf("%d times the same %s were copied", len(all), what)
	}()
	if has, had := to.Stats().Reserved, a.Stats().Reserved; has > 4*had {
		t.Errorf("%s: %d bytes became %d", what, had, has)
	}
}
