package arena

import (
	"errors"
	"testing"
	"weak"
)

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
