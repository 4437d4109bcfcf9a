package arena

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/arena-go/arena/internal/swiss"
)

// BenchmarkMapBound builds maps of ten entries: Go's, one in a new arena that is freed, and one that has all memory that a Map takes
// on the way in one object, beside one of the size of an arena. So no arena can make less of the heap than that.
func BenchmarkMapBound(b *testing.B) {
	keys := make([]uint64, 10)
	for i := range keys {
		keys[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	type block struct {
		m   Map[uint64, uint64]
		one [1]swiss.Group[uint64, uint64]
		two [2]swiss.Group[uint64, uint64]
	}
	var kept struct {
		std   map[uint64]uint64
		arena *Arena
		block *block
	}
	b.Run("impl=gomap", func(b *testing.B) {
		for b.Loop() {
			kept.std = map[uint64]uint64{}
			for _, k := range keys {
				kept.std[k] = k
			}
		}
	})
	b.Run("impl=fresh", func(b *testing.B) {
		for b.Loop() {
			a := NewArena()
			m := NewMap[uint64, uint64](a, 0)
			for _, k := range keys {
				m.Set(k, k)
			}
			a.Free()
		}
	})
	b.Run("impl=bound", func(b *testing.B) {
		for b.Loop() {
			kept.arena, kept.block = new(Arena), new(block)
			m := &kept.block.m
			m.mapTable = emptyTable[uint64, uint64](nil)
			m.use(kept.block.one[:])
			for _, k := range keys {
				if m.n == m.room { // as in move
					m.use(kept.block.two[:])
					for i := range kept.block.one[0].Slots {
						s := kept.block.one[0].Slots[i]
						*m.free(m.hash(s.Key)) = s
					}
				}
				m.Set(k, k)
			}
		}
	})
}

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

// TestSlabLayout compares Slab with slab, field by field: typeless and typedSlab look at the memory of
// one as the other.
func TestSlabLayout(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Slab[byte]](), reflect.TypeFor[Slab[struct{}]](), reflect.TypeFor[Slab[[0]func()]](),
		reflect.TypeFor[Slab[string]](), reflect.TypeFor[Slab[*int]](), reflect.TypeFor[Slab[[1000]any]](),
	} {
		sameLayout(t, typ, reflect.TypeFor[slab]())
	}
}

func sameLayout(t *testing.T, typed, typeless reflect.Type) {
	if typed.Size() != typeless.Size() || typed.NumField() != typeless.NumField() {
		t.Fatalf("%v has %d bytes in %d fields, %v %d in %d", typed, typed.Size(), typed.NumField(), typeless, typeless.Size(), typeless.NumField())
	}
	for i := range typed.NumField() {
		f, g := typed.Field(i), typeless.Field(i)
		same := f.Type == g.Type
		if f.Name == "buf" {
			same = f.Type.Kind() == reflect.Slice && g.Type == reflect.TypeFor[header]()
		}
		if f.Offset != g.Offset || !same {
			t.Errorf("%v has %s %v at %d, %v %s %v at %d", typed, f.Name, f.Type, f.Offset, typeless, g.Name, g.Type, g.Offset)
		}
	}
	var s []int
	h := reflect.TypeFor[header]()
	if at, n, c := h.Field(0).Type.Field(0), h.Field(0).Type.Field(1), h.Field(1); h.Size() != unsafe.Sizeof(s) ||
		at.Offset != 0 || n.Offset != wordSize || c.Offset != 2*wordSize {
		t.Errorf("%v is not what a slice is", h)
	}
}

// TestTrimmedChunks has an arena drop chunks that it had first, and looks whether they are gone.
func TestTrimmedChunks(t *testing.T) {
	type large struct {
		_ [1 << 20]byte
		_ *int
	}
	for _, make := range []func(a *Arena) any{
		func(a *Arena) any { return weak.Make(New[large](a)) },
		func(a *Arena) any { return weak.Make(&MakeSlice[byte](a, 100, 100)[0]) },
		func(a *Arena) any { return weak.Make(NewValue(a, reflect.TypeFor[large]()).Interface().(*large)) },
	} {
		a := NewWith(Options{Retain: -1})
		first := make(a)
		for a.Stats().Chunks < 2 {
			make(a)
		}
		a.Reset()
		if n := a.Stats().Reserved; n != 0 {
			t.Fatalf("%d bytes are retained", n)
		}
		runtime.GC()
		gone := false
		switch w := first.(type) {
		case weak.Pointer[large]:
			gone = w.Value() == nil
		case weak.Pointer[byte]:
			gone = w.Value() == nil
		}
		if !gone {
			t.Errorf("%T: something keeps the first chunk", first)
		}
		runtime.KeepAlive(a)
	}
}

// TestExpectEnds expects many values of a type, and makes none. The next arena does not.
func TestExpectEnds(t *testing.T) {
	typ := reflect.TypeFor[[3]*int]()
	for range 300 { // with a layout, and without
		a := NewArena()
		New[string](a)
		NewValue(a, typ)
		if n := a.Stats().Reserved; n > 4<<10 {
			t.Fatalf("%d bytes for two values", n)
		}
		SlabOfType(a, typ).Expect(1 << 20)
		a.Free()
		a = NewArena()
		SlabOfType(a, typ).Expect(1 << 20)
		a.Free()
	}
}
