package arena

import "testing"

// TestLife checks what Stats says of arenas that were ended, also where their life has no room for it.
func TestLife(t *testing.T) {
	for _, s := range []state{stateFreed, stateEnded} {
		for _, peak := range []int64{0, 1, 1<<peakBits - 1, 1 << peakBits, 1<<63 - 1} {
			for _, resets := range []int64{0, 1, 1<<resetsBits - 1, 1 << resetsBits, 1<<63 - 1} {
				for _, o := range []*settings{nil, {}} {
					a := &Arena{opt: o}
					a.claim()
					a.end(s, peak, resets)
					if a.life.state() != s {
						t.Fatalf("the state is %d, want %d", a.life.state(), s)
					}
					if got := a.Stats(); got.Peak != peak || got.Resets != resets || got.Freed != (s == stateFreed) {
						t.Errorf("Stats are %+v, want a peak of %d and %d resets", got, peak, resets)
					}
				}
				shared := &settings{group: NewGroup()}
				a, b := &Arena{opt: shared}, &Arena{opt: shared}
				a.end(s, peak, resets)
				b.end(s, 7, 1)
				if got := b.Stats(); got.Peak != 7 || got.Resets != 1 {
					t.Errorf("Stats are %+v after another arena of the Group was ended", got)
				}
				if got := a.Stats(); got.Peak != min(peak, 1<<peakBits-1) || got.Resets != min(resets, 1<<resetsBits-1) {
					t.Errorf("Stats are %+v, want those of a peak of %d and %d resets", got, peak, resets)
				}
			}
		}
	}
}

// TestLifeCopies checks that a copy of an arena is known in each of its states but the last ones.
func TestLifeCopies(t *testing.T) {
	var p Pool
	a := NewArena()
	New[int](a)
	b := p.Get()
	p.Put(b)
	for i, a := range []*Arena{a, b, p.Get(), NewGroup().Arena()} {
		copied := &Arena{opt: a.opt, stores: a.stores, life: a.life}
		if copied.isItself() || copied.rests() || !a.isItself() && !a.rests() {
			t.Errorf("arena %d: the copy is taken for the original", i)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("arena %d: the copy can be used", i)
				}
			}()
			New[string](copied)
		}()
	}
	a.Free()
	if s := a.Stats(); !s.Freed || s.Peak != int64(wordSize) {
		t.Errorf("Stats are %+v", s)
	}
}
