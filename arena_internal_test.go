package arena

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"
	"weak"

	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/swiss"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// BenchmarkMapBound builds maps of ten entries: Go's, one in a new arena that is freed, and one
// that has all memory that a Map takes on the way in one object, next to one of the size of an
// arena. So no arena can make less of the heap than that.
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

// TestLife checks what Stats says of arenas that were ended, also where their life has no room for
// it.
func TestLife(t *testing.T) {
	for _, s := range []state{stateFreed, stateEnded} {
		for _, peak := range []int64{0, 1, 1<<peakBits - 1, 1 << peakBits, 1<<63 - 1} {
			for _, resets := range []int64{0, 1, 1<<resetsBits - 1, 1 << resetsBits, 1<<63 - 1} {
				for _, o := range []*settings{nil, {}} {
					a := &Arena{opt: o}
					a.claim()
					a.close(s, peak, resets)
					if a.life.state() != s {
						t.Fatalf("the state is %d, want %d", a.life.state(), s)
					}
					if got := a.Stats(); got.Peak != peak || got.Resets != resets || got.Freed != (s == stateFreed) {
						t.Errorf("Stats are %+v, want a peak of %d and %d resets", got, peak, resets)
					}
				}
				shared := &settings{group: NewGroup()}
				a, b := &Arena{opt: shared}, &Arena{opt: shared}
				a.close(s, peak, resets)
				b.close(s, 7, 1)
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
		if copied.isItself() || copied.isPooled() || !a.isItself() && !a.isPooled() {
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

// TestSlabLayout compares Slab with slab, field by field: typeless and typedSlab look at the memory
// of one as the other.
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
		typeSlabOf(a, typ).Expect(a, 1<<20)
		a.Free()
		a = NewArena()
		typeSlabOf(a, typ).Expect(a, 1<<20)
		a.Free()
	}
}

// watchedTests is the environment variable with which the tests of this package run as programs do
// that are built to find mistakes. Without it the race detector and the tag arenadebug do their own
// work, and arenas theirs, as in ordinary programs: most tests are about these, and some make the
// mistakes that would be found.
const watchedTests = "ARENA_TEST_WATCHED"

// few is testrun.Few.
var few = testrun.Few

func TestMain(m *testing.M) {
	if os.Getenv(watchedTests) == "" {
		tools.Unwatch()
	}
	books.SetReporter(func(*Report) {})
	os.Exit(testrun.Run(m))
}

// A typeCase is a type and whether it is plain, said by hand, and the functions
// that look at it as a type parameter.
type typeCase struct {
	plain   bool
	typ     reflect.Type
	inBytes func(a *Arena, n int) bool // whether MakeSlice took plain memory
	at      func(a *Arena, n int) []unsafe.Pointer
	aligned func(a *Arena, n, align int) unsafe.Pointer
}

func typeOf[T any](plain bool) typeCase {
	return typeCase{
		plain: plain,
		typ:   reflect.TypeFor[T](),
		inBytes: func(a *Arena, n int) bool {
			before := a.open().plain.bytes
			MakeSlice[T](a, n, n)
			return a.stores.plain.bytes > before
		},
		at: func(a *Arena, n int) []unsafe.Pointer {
			return []unsafe.Pointer{
				unsafe.Pointer(New[T](a)),
				unsafe.Pointer(SlabOf[T](a).New()),
				unsafe.Pointer(unsafe.SliceData(MakeSlice[T](a, n, n))),
				unsafe.Pointer(unsafe.SliceData(Append(a, make([]T, n), *new(T)))),
				NewValue(a, reflect.TypeFor[T]()).UnsafePointer(),
				MakeSliceValue(a, reflect.TypeFor[[]T](), n, n).UnsafePointer(),
			}
		},
		aligned: func(a *Arena, n, align int) unsafe.Pointer {
			s := MakeSliceAligned[T](a, n, n, align)
			return unsafe.Pointer(unsafe.SliceData(s))
		},
	}
}

type (
	kindInt         int
	kindBool        bool
	kindPair[T any] struct {
		A int32
		V T
	}
	kindList[T any] struct {
		V    T
		Next *kindList[T]
	}
	//lint:ignore U1000 reflection sees the embedded field
	kindEmbedsBool struct{ kindBool }
	//lint:ignore U1000 reflection sees the embedded fields
	kindEmbedsInt struct {
		kindInt
		kindPair[float32]
	}
	kindBlankBool struct {
		_ bool
		N int
	}
	kindBlankInt struct {
		_ int8
		N int64
		_ [3]uint16
	}
)

var typeCases = []typeCase{
	typeOf[int](true), typeOf[int8](true), typeOf[int16](true), typeOf[int32](true), typeOf[int64](true),
	typeOf[uint](true), typeOf[uint8](true), typeOf[uint16](true), typeOf[uint32](true), typeOf[uint64](true),
	typeOf[uintptr](true), typeOf[float32](true), typeOf[float64](true), typeOf[complex64](true), typeOf[complex128](true),
	typeOf[kindInt](true), typeOf[kindPair[int64]](true), typeOf[kindPair[[3]byte]](true), typeOf[kindEmbedsInt](true),
	typeOf[kindBlankInt](true), typeOf[[3][5]byte](true), typeOf[[2]struct {
		a byte
		b [2]complex128
	}](true), typeOf[[4096]uint16](true),

	typeOf[bool](false), typeOf[kindBool](false), typeOf[[1]bool](false), typeOf[[2][2]bool](false), typeOf[kindPair[bool]](false),
	typeOf[kindEmbedsBool](false), typeOf[kindBlankBool](false), typeOf[struct{ a [2]struct{ b bool } }](false),
	typeOf[*int](false), typeOf[unsafe.Pointer](false), typeOf[string](false), typeOf[[]byte](false), typeOf[map[int]int](false),
	typeOf[chan int](false), typeOf[<-chan int](false), typeOf[func()](false), typeOf[any](false), typeOf[error](false),
	typeOf[kindPair[string]](false), typeOf[kindList[int]](false), typeOf[[3]*kindInt](false), typeOf[struct {
		a int
		_ *int
	}](false),
	typeOf[reflect.Value](false),

	// Without size there are no bits to be wrong; next to other fields, they decide.
	typeOf[struct{}](true), typeOf[[0]int](true), typeOf[[0]bool](true), typeOf[[0]func()](true), typeOf[[0]*int](true),
	typeOf[[5]struct{}](true), typeOf[[0][5]string](true), typeOf[struct{ _ [0]bool }](true), typeOf[struct {
		_ [0]func()
		n int
	}](true), typeOf[struct {
		n int
		_ [0]*int
	}](true), typeOf[struct {
		_ [0]int
		b bool
	}](false),
}

// TestKind proves that the test for plain types is exact for each sort of type,
// and that it decides where a slice lies, for type parameters and reflect types.
func TestKind(t *testing.T) {
	for _, c := range typeCases {
		checkKind(t, c.typ, c.plain)
		a := new(Arena)
		for range 2 {
			if got := c.inBytes(a, 3); got != (c.plain && c.typ.Size() > 0) {
				t.Errorf("%v: MakeSlice in plain memory: %t", c.typ, got)
			}
			a.Reset()
		}
	}
}

// checkKind checks what is plain for t: the kind, and where MakeSliceValue and
// NewValue put it.
func checkKind(t *testing.T, typ reflect.Type, plain bool) {
	t.Helper()
	want := kindTyped
	if plain {
		want = kindPlain
	}
	for range 2 { // the second answer comes from the cache
		if got := kindOf(typ); got != want {
			t.Errorf("%v: kind %d, want %d", typ, got, want)
		}
	}
	if bySight := everyPatternValid(typ); bySight != plain {
		t.Errorf("%v: plain is %t, by the other definition %t", typ, plain, bySight)
	}
	if typ.Size() == 0 {
		return
	}
	a := new(Arena)
	MakeSliceValue(a, reflect.SliceOf(typ), 2, 2)
	if inBytes := a.stores.plain.bytes > 0; inBytes != plain {
		t.Errorf("%v: MakeSliceValue in plain memory: %t", typ, inBytes)
	}
	if plain {
		survivesNoise(t, typ)
	}
}

// everyPatternValid defines plain in another way than isPlain: it lays out the
// type, says for each byte who owns it, and no owner may be of a kind that
// is not a number.
func everyPatternValid(t reflect.Type) bool {
	type part struct {
		t  reflect.Type
		at uintptr
	}
	owners := make([]reflect.Kind, t.Size())
	for todo := []part{{t, 0}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch p.t.Kind() {
		case reflect.Array:
			for i := range p.t.Len() {
				if p.t.Elem().Size() > 0 { // else it owns nothing, however long
					todo = append(todo, part{p.t.Elem(), p.at + uintptr(i)*p.t.Elem().Size()})
				}
			}
		case reflect.Struct:
			for i := range p.t.NumField() {
				todo = append(todo, part{p.t.Field(i).Type, p.at + p.t.Field(i).Offset})
			}
		default:
			for i := range p.t.Size() {
				owners[p.at+i] = p.t.Kind()
			}
		}
	}
	for _, k := range owners {
		padding := k == reflect.Invalid
		number := reflect.Int <= k && k <= reflect.Complex128
		if !padding && !number {
			return false
		}
	}
	return true
}

// survivesNoise writes random bytes where values of the plain type t lie, as a
// stale pointer could: each is a value of the type still, that can be copied and
// compared with its copy, byte by byte.
func survivesNoise(t *testing.T, typ reflect.Type) {
	t.Helper()
	v := MakeSliceValue(new(Arena), reflect.SliceOf(typ), 2, 2)
	bytes := unsafe.Slice((*byte)(v.UnsafePointer()), 2*typ.Size())
	for i := range bytes {
		bytes[i] = byte(rand.Uint32())
	}
	c := reflect.MakeSlice(v.Type(), 2, 2)
	reflect.Copy(c, v)
	copied := unsafe.Slice((*byte)(c.UnsafePointer()), 2*typ.Size())
	if string(bytes) != string(copied) {
		t.Errorf("%v: % x was copied as % x", typ, bytes, copied)
	}
}

// TestKindRandom proves the same for random types made by reflect. How they are
// made says whether they are plain, without a look at the result.
func TestKindRandom(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	seen := map[bool]int{}
	n := 3000
	if !testrun.Long() {
		n = 300
	}
	for i := 0; i < n || min(seen[true], seen[false]) < n/10; i++ {
		typ, plain := randomType(r, 4)
		seen[plain && typ.Size() > 0]++
		if checkKind(t, typ, plain); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

var (
	numbers = []reflect.Type{
		reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[kindInt](), reflect.TypeFor[uint64](),
		reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
	}
	others = []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[kindBool](), reflect.TypeFor[*int](), reflect.TypeFor[unsafe.Pointer](), reflect.TypeFor[string](),
		reflect.TypeFor[[]int](), reflect.TypeFor[map[int]int](), reflect.TypeFor[chan int](), reflect.TypeFor[func()](), reflect.TypeFor[any](), reflect.TypeFor[error](),
	}
)

// randomType returns a type and whether it is plain.
func randomType(r *rand.Rand, depth int) (typ reflect.Type, plain bool) {
	switch k := r.IntN(10); {
	case depth == 0 || k < 3:
		if r.IntN(12) == 0 {
			return others[r.IntN(len(others))], false
		}
		return numbers[r.IntN(len(numbers))], true
	case k < 5:
		elem, plain := randomType(r, depth-1)
		n := r.IntN(4)
		return reflect.ArrayOf(n, elem), plain || n == 0
	case k < 6: // what stands behind a pointer does not matter
		elem, _ := randomType(r, depth-1)
		return [](func(reflect.Type) reflect.Type){reflect.PointerTo, reflect.SliceOf}[r.IntN(2)](elem), false
	}
	plain = true
	fields := make([]reflect.StructField, r.IntN(4))
	for i := range fields {
		t, p := randomType(r, depth-1)
		fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: t}
		plain = plain && p
	}
	return reflect.StructOf(fields), plain
}

// TestAlign proves that every value lies where its type wants it, and that
// MakeSliceAligned keeps its word, whatever was allocated before, also in memory
// that is used again.
func TestAlign(t *testing.T) {
	a := new(Arena)
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		for _, c := range typeCases {
			for _, n := range []int{1, 3, 100} {
				String(a, "odd lengths"[:1+r.IntN(11)])
				MakeSlice[byte](a, 1, 1+r.IntN(3))
				for i, p := range c.at(a, n) {
					if uintptr(p)%uintptr(c.typ.Align()) != 0 {
						t.Errorf("%v: way %d gave %v, which is no multiple of %d", c.typ, i, p, c.typ.Align())
					}
				}
				if !c.plain || c.typ.Size() == 0 {
					continue
				}
				for align := 1; align <= 4096; align *= 2 {
					String(a, "odd")
					if p := c.aligned(a, n, align); uintptr(p)%uintptr(align) != 0 {
						t.Errorf("%v: MakeSliceAligned(%d) gave %v", c.typ, align, p)
					}
				}
			}
		}
		a.Reset()
	}
}

// TestAlignedDisjoint proves that aligned slices do not overlap with what else is
// in the arena, nor with each other.
func TestAlignedDisjoint(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		a := new(Arena)
		for range 2 {
			var all [][]byte
			for range 100 {
				n := 1 + r.IntN(1+r.IntN(5000))
				switch align := 64 << r.IntN(7); r.IntN(3) {
				case 0:
					all = append(all, MakeSliceAligned[byte](a, n, n, align))
				case 1:
					all = append(all, mem.BytesOf(MakeSliceAligned[uint64](a, 1+n/8, 1+n/8, align)))
				case 2:
					all = append(all, MakeSlice[byte](a, n, n))
				}
				for i, b := range all[len(all)-1] {
					if b != 0 {
						t.Fatalf("byte %d of %d is %d, not zero", i, n, b)
					}
				}
				for i := range all[len(all)-1] {
					all[len(all)-1][i] = byte(len(all))
				}
			}
			for i, s := range all {
				for _, b := range s {
					if b != byte(i+1) {
						t.Fatalf("slice %d overlaps with %d", i, b-1)
					}
				}
			}
			a.Reset()
		}
	}
}

// TestZeroing proves which types zeroBytes and zeroPairs zero, and how many values at most.
func TestZeroing(t *testing.T) {
	const words = int(wordSize)
	for _, want := range []struct {
		typ      reflect.Type
		pointers []int
		few      int
		pairs    bool
	}{
		{reflect.TypeFor[struct{}](), nil, -1, false},
		{reflect.TypeFor[bool](), nil, min(fewWords*words, 127), false},
		{reflect.TypeFor[[3]byte](), nil, fewWords * words / 3, false},
		{reflect.TypeFor[uintptr](), nil, fewWords, false},
		{reflect.TypeFor[[fewWords]uintptr](), nil, 1, false},
		{reflect.TypeFor[[fewWords + 1]uintptr](), nil, -1, false},
		{reflect.TypeFor[struct {
			n uintptr
			_ [1 << 30]struct{}
			_ [0]*int
			_ uintptr
		}](), nil, fewWords / 2, false},
		{reflect.TypeFor[string](), []int{0}, fewWords / 2, true},
		{reflect.TypeFor[struct {
			next *int
			n    uint16
		}](), []int{0}, fewWords / 2, true},
		{reflect.TypeFor[[3]string](), []int{0, 2 * words, 4 * words}, fewWords / 6, true},
		{reflect.TypeFor[struct {
			m    map[int]int
			n    uintptr
			text string
			f    func()
			c    chan int
		}](), []int{0, 2 * words, 4 * words, 5 * words}, -1, false},
		{reflect.TypeFor[*int](), []int{0}, -1, false},
		{reflect.TypeFor[unsafe.Pointer](), []int{0}, -1, false},
		{reflect.TypeFor[any](), []int{0, words}, -1, false},
		{reflect.TypeFor[error](), []int{0, words}, -1, false},
		{reflect.TypeFor[[]byte](), []int{0}, -1, false},
		{reflect.TypeFor[struct {
			n    uintptr
			next *int
		}](), []int{words}, -1, false},
		{reflect.TypeFor[struct {
			next *int
			_    [3]uintptr
		}](), []int{0}, -1, false},
		{reflect.TypeFor[struct {
			_    [2]uintptr
			next *int
			_    uintptr
		}](), []int{2 * words}, -1, false},
	} {
		if got := mem.PointersIn(want.typ); !slices.Equal(got, want.pointers) {
			t.Errorf("%v has pointers at %v, want %v", want.typ, got, want.pointers)
		}
		few, pairs := zeroing(want.typ)
		if int(few) != want.few || few > 0 && pairs != want.pairs {
			t.Errorf("%v: %d values are zeroed, as pairs %v; want %d and %v", want.typ, few, pairs, want.few, want.pairs)
		}
	}
}

// TestZeroInside has a slab begin in the middle of an object. It proves that Rewind and Reset write
// to nothing before the slab, however few values are left.
func TestZeroInside(t *testing.T) {
	const before, slots = 2 * twoWords, 60
	all := make([]bool, before+slots)
	a := NewArena()
	defer a.Free()
	New[bool](a)
	if a.stores.watched() {
		t.Skip("no memory is used again")
	}
	s := slabOf[bool](a)
	a.Reset()
	s.chunks.list[0] = blockOf(all).part(before, len(all), 1)
	s.full, s.n = 0, 0
	s.use(s.chunks.list[0])
	fill := func(n int) {
		for range n {
			if p := New[bool](a); *p {
				t.Fatal("a new value is not zero")
			} else {
				*p = true
			}
		}
	}
	for n := range slots {
		for i := range all[:before] {
			all[i] = true
		}
		fill(n)
		for range 2 {
			m := a.Mark()
			fill(slots - n)
			a.Rewind(m)
		}
		fill(slots - n - n%2)
		a.Reset()
		if slices.Contains(all[:before], false) || slices.Contains(all[before:], true) {
			t.Fatalf("after %d values and scopes of the rest the memory is %v", n, all)
		}
	}
}
