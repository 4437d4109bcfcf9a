package arena

import (
	"errors"
	"testing"
	"weak"
)

// TestRefsOfRegion has programs that look for mistakes find references that nobody has made in a Region.
func TestRefsOfRegion(t *testing.T) {
	if !checking {
		t.Skip("only programs that look for mistakes know what references were made")
	}
	a := NewWith(Options{Memory: &refMapRegion{mem: make([]byte, 8, 1<<20)}})
	bad := func(what string, f func()) {
		t.Helper()
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, errRefs) {
				t.Errorf("%s: panic %v", what, err)
			}
		}()
		f()
	}
	stale, _ := NewRef[[4]int64](a)
	var m RefMap[uint64, uint64]
	for i := range uint64(100) {
		m.Set(a, i, i)
	}
	if v, _ := m.Get(a, 7); v != 7 {
		t.Errorf("the map has %d", v)
	}
	NewRef[[4]int64](a)
	a.Reset()
	r, p := NewRef[int64](a)
	*p = 7
	s, _ := NewRefSlice[int64](a, 1<<10)
	if *r.Get(a) != 7 || len(s.Get(a)) != 1<<10 {
		t.Error("references are not good")
	}
	bad("stale", func() { stale.Get(a) })
	bad("a stale map", func() { m.Get(a, 7) })
	bad("another type", func() { Ref[int32]{off: r.off}.Get(a) })
	bad("within a slice", func() { Ref[int64]{off: s.off + 1}.Get(a) })
	bad("another arena", func() {
		b := NewArena()
		other, _ := NewRef[int64](b)
		other.Get(a)
	})
}

// TestSealEnds seals a Region. Nothing leads behind what was handed out from then on.
func TestSealEnds(t *testing.T) {
	region := &refMapRegion{mem: make([]byte, 8, 1<<20)}
	a := NewWith(Options{Memory: region})
	first, _ := NewRef[int64](a)
	var most uint32
	for range 1000 {
		r, _ := NewRef[[8]int64](a)
		most = max(most, r.off)
	}
	a.Reset()
	r, p := NewRef[int64](a)
	*p = 7
	g, end := a.refs, a.refs.next
	RegionUser{weak.Make(g)}.Seal(errors.New("sealed"))
	for off := uint32(1); off < most+100; off++ {
		func() {
			defer func() {
				if v := recover(); (v == nil) != (off < end) && !checking {
					t.Fatalf("the reference %d, where %d are handed out: panic %v", off, end, v)
				}
			}()
			Ref[int64]{off: off}.Get(a)
		}()
	}
	if *r.Get(a) != 7 || first.off != r.off {
		t.Errorf("what there was is %d", *r.Get(a))
	}
	if _, err := a.stores.checkInvariants(); err != nil {
		t.Error(err)
	}
	a.Reset()
	a.Free()
}
