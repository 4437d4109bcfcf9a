package arena

import "testing"

// TestCopyRefsCount copies maps that say they have more entries than there are. That is found before there is memory for so many.
func TestCopyRefsCount(t *testing.T) {
	for _, n := range []uint64{1 << 16, 1 << 40, 1<<64 - 1} {
		a := NewArena()
		NewRefSlice[byte](a, 1<<20)
		var words RefMap[uint64, [248]byte]
		words.Set(a, 1, [248]byte{})
		words.n = n
		var texts RefTextMap[[248]byte]
		texts.Set(a, "a", [248]byte{})
		texts.n = n
		for what, f := range map[string]func(to *Arena){
			"RefMap":     func(to *Arena) { CopyRefs(to, new(RefMap[uint64, [248]byte]), a, &words) },
			"RefTextMap": func(to *Arena) { CopyRefs(to, new(RefTextMap[[248]byte]), a, &texts) },
		} {
			to := NewArena()
			func() {
				defer func() {
					if v := recover(); v != errRefMap {
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

// TestCopyRefsShared copies many maps and trees that have the same memory, as in a file that was made for that. There is no more of the copy than a few
// times what there was.
func TestCopyRefsShared(t *testing.T) {
	a := NewArena()
	shared(t, a, "RefMap", func(m *RefMap[uint64, [248]byte]) { m.Set(a, 1, [248]byte{}) })
	shared(t, a, "RefTextMap", func(m *RefTextMap[[248]byte]) { m.Set(a, "a", [248]byte{}) })
	shared(t, a, "RefTree", func(m *RefTree[uint64, [248]byte]) { m.Set(a, 1, [248]byte{}) })
	shared(t, a, "RefTextTree", func(m *RefTextTree[[248]byte]) { m.Set(a, "a", [248]byte{}) })
}

func shared[M any](t *testing.T, a *Arena, what string, set func(*M)) {
	a.Reset()
	ref, all := NewRefSlice[M](a, 1<<10)
	set(&all[0])
	for i := range all {
		copy(all[i:i+1], all)
	}
	to := NewArena()
	func() {
		defer func() { recover() }()
		CopyRefs(to, new(RefSlice[M]), a, &ref)
		t.Errorf("%d times the same %s were copied", len(all), what)
	}()
	if has, had := to.Stats().Reserved, a.Stats().Reserved; has > 4*had {
		t.Errorf("%s: %d bytes became %d", what, had, has)
	}
}
