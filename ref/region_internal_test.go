package ref

import (
	"errors"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/tools"
)

// TestRegionRefs has programs that look for mistakes find references that nobody has made in a
// Region.
func TestRegionRefs(t *testing.T) {
	if !tools.Checking {
		t.Skip("only programs that look for mistakes know what references were made")
	}
	a := arena.NewWith(arena.Options{Memory: &mapRegion{mem: make([]byte, 8, 1<<20)}})
	space := In(a)
	bad := func(what string, f func()) {
		t.Helper()
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, region.ErrBad) {
				t.Errorf("%s: panic %v", what, err)
			}
		}()
		f()
	}
	stale, _ := New[[4]int64](space)
	var m Map[uint64, uint64]
	for i := range uint64(100) {
		m.Set(space, i, i)
	}
	if v, _ := m.Get(space, 7); v != 7 {
		t.Errorf("the map has %d", v)
	}
	New[[4]int64](space)
	a.Reset()
	r, p := New[int64](space)
	*p = 7
	s, _ := NewSlice[int64](space, 1<<10)
	if *r.Get(space) != 7 || len(s.Get(space)) != 1<<10 {
		t.Error("references are not good")
	}
	bad("stale", func() { stale.Get(space) })
	bad("a stale map", func() { m.Get(space, 7) })
	bad("another type", func() { Of[int32]{off: r.off}.Get(space) })
	bad("within a slice", func() { Of[int64]{off: s.off + 1}.Get(space) })
	bad("another arena", func() {
		b := arena.NewArena()
		inB := In(b)
		other, _ := New[int64](inB)
		other.Get(space)
	})
}

// TestSealEnds seals a Region. Nothing leads behind what was handed out from then on.
func TestSealEnds(t *testing.T) {
	memory := &toldRegion{mapRegion: mapRegion{mem: make([]byte, 8, 1<<20)}}
	a := arena.NewWith(arena.Options{Memory: memory})
	s := In(a)
	first, _ := New[int64](s)
	var most uint32
	for range 1000 {
		r, _ := New[[8]int64](s)
		most = max(most, r.off)
	}
	a.Reset()
	r, p := New[int64](s)
	*p = 7
	end := uint32(region.Limit(s.at) / region.Granule)
	memory.user.Seal(errors.New("sealed"))
	for off := uint32(1); off < most+100; off++ {
		func() {
			defer func() {
				if v := recover(); (v == nil) != (off < end) && !tools.Checking {
					t.Fatalf("the reference %d, where %d are handed out: panic %v", off, end, v)
				}
			}()
			Of[int64]{off: off}.Get(s)
		}()
	}
	if *r.Get(s) != 7 || first.off != r.off {
		t.Errorf("what there was is %d", *r.Get(s))
	}
	if _, err := region.Check(s.at); err != nil {
		t.Error(err)
	}
	a.Reset()
	a.Free()
}

// A toldRegion keeps the RegionUser.
type toldRegion struct {
	mapRegion
	user RegionUser
}

func (r *toldRegion) Attach(u RegionUser) { r.user = u }
