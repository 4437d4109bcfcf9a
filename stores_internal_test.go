package arena

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
	"github.com/arena-go/arena/internal/testrun"
)

// newWords makes a value of n words, one of twelve types.
func newWords(a *Arena, n int) {
	switch n {
	case 0:
		New[[1]uintptr](a)
	case 1:
		New[[2]*int](a)
	case 2:
		New[[3]any](a)
	case 3:
		New[[4]uintptr](a)
	case 4:
		New[[5]string](a)
	case 5:
		New[[6]*int](a)
	case 6:
		New[[7]uintptr](a)
	case 7:
		New[[8]uintptr](a)
	case 8:
		New[[1]string](a)
	case 9:
		New[[2]any](a)
	case 10:
		New[[3]*int](a)
	case 11:
		New[[4]*int](a)
	}
}

// TestFreshAllocs counts the objects that the heap makes for a new arena with a few values, for one
// from a Pool, and for Do: two for a new arena, which are the Arena and what all values lie in, and
// none for the others. Where all is plain, an object is enough for at least eight new arenas.
func TestFreshAllocs(t *testing.T) {
	if checking {
		t.Skip("see TestLayoutAllocs")
	}
	freshLayouts(t)
	const rounds = 2000
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection takes what is in pools, which is made and learnt again
	words := func(values, types int) func(a *Arena) {
		return func(a *Arena) {
			for i := range values {
				newWords(a, i%types)
			}
		}
	}
	for _, c := range []struct {
		name  string
		plain bool
		use   func(a *Arena)
	}{
		{"one value", true, words(1, 1)},
		{"ten values of one type", true, words(10, 1)},
		{"ten values of five types", false, words(10, 5)},
		{"twelve values of twelve types", false, words(12, 12)},
		{"62 values of eight types", false, words(62, 8)},
		{"120 values of twelve types", false, words(120, 12)},
		{"200 plain values", false, words(200, 1)},
		{"text", true, func(a *Arena) { String(a, "some text") }},
		{"a slice that grows", true, func(a *Arena) {
			var s []int
			for i := range 10 {
				s = Append(a, s, i)
			}
		}},
		{"a map of ten entries", false, func(a *Arena) {
			m := NewMap[uint64, uint64](a, 0)
			for i := range uint64(10) {
				m.Set(i, i)
			}
		}},
	} {
		unused.simple = sync.Pool{}
		var p Pool
		fresh := 2 * rounds
		if c.plain {
			fresh = rounds + rounds/8
		}
		for _, way := range []struct {
			name  string
			want  int
			round func()
		}{
			{"a new arena", fresh, func() {
				a := NewArena()
				c.use(a)
				a.Free()
			}},
			{"a Pool", 0, func() {
				a := p.Get()
				c.use(a)
				p.Put(a)
			}},
			{"Do", 0, func() { p.Do(c.use) }},
		} {
			// AllocsPerRun rounds down, so it counts all rounds at once.
			for range rounds {
				way.round()
			}
			if n := testing.AllocsPerRun(1, func() {
				for range rounds {
					way.round()
				}
			}); n > float64(way.want+rounds/100) {
				t.Errorf("%s, %s: %v allocations in %d rounds, want %d", c.name, way.name, n, rounds, way.want)
			}
		}
	}
}

// TestIndex compares an index with a map: with ids that lie close to each other, as the addresses
// of types do, and with any.
func TestIndex(t *testing.T) {
	seed := testrun.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var x index[*int]
		if random.IntN(2) == 0 {
			x.entries = make([]entry[*int], fewTypes+1)
		}
		want := map[uintptr]*int{}
		base, step := uintptr(random.Uint32()), uintptr(1+random.IntN(100))
		for range random.IntN(150) {
			id := base + step*uintptr(random.IntN(100)) + 1
			if random.IntN(10) == 0 {
				id = uintptr(random.Uint32()) + 1
			}
			v := new(int)
			x.set(id, v)
			want[id] = v
			if err := x.check(); err != nil {
				t.Fatal(err)
			}
			if got := x.find(id + step); got != want[id+step] {
				t.Fatalf("find of the next id is %p, want %p", got, want[id+step])
			}
		}
		for id, v := range want {
			if x.find(id) != v {
				t.Fatalf("%d: another value", id)
			}
		}
		if x.count != len(want) {
			t.Fatalf("count is %d, want %d", x.count, len(want))
		}
	}
}

// What follows is of package ref as much as the tests of this package need: they are in the
// package, and cannot import it.

type testRef[T any] struct{ off uint32 }

func (r testRef[T]) Get(a *Arena) *T {
	return (*T)(region.At(a.space(), region.Checked(a.space(), r.off, reflect.TypeFor[T]()), unsafe.Sizeof(*new(T))))
}

type testRefSlice[T any] struct {
	off uint32
	n   int
}

func (r testRefSlice[T]) Len() int { return r.n }

func (r testRefSlice[T]) Get(a *Arena) []T {
	if r.n == 0 {
		return []T{}
	}
	s := a.space()
	return mem.SliceOf[T](region.Bytes(s, region.Checked(s, r.off, reflect.TypeFor[T]()), uint64(r.n*mem.SizeOf[T]())), r.n)
}

type testRefString struct {
	off uint32
	n   int
}

func (r testRefString) Len() int { return r.n }

func (r testRefString) Get(a *Arena) string {
	if r.n == 0 {
		return ""
	}
	s := a.space()
	return mem.StringOf(region.Bytes(s, region.Checked(s, r.off, nil), uint64(r.n)))
}

type testRefSlab[T any] struct{ run *region.Run }

func (s testRefSlab[T]) New() testRef[T] { return testRef[T]{region.Next(s.run)} }

func testRefSlabOf[T any](a *Arena) testRefSlab[T] {
	s, id := a.space(), mem.TypeID[T]()
	run := region.RunOf(s, id)
	if run == nil {
		run = region.NewRun(s, id, reflect.TypeFor[T]())
	}
	return testRefSlab[T]{run}
}

func newTestRef[T any](a *Arena) (testRef[T], *T) {
	r := testRefSlabOf[T](a).New()
	return r, r.Get(a)
}

func newTestRefSlice[T any](a *Arena, n int) (testRefSlice[T], []T) {
	run := testRefSlabOf[T](a).run
	if n == 0 {
		return testRefSlice[T]{}, []T{}
	}
	if uint64(n)*uint64(mem.SizeOf[T]()) > 1<<35-region.Granule {
		region.Fail(a.space(), int64(n), region.ErrFull)
	}
	r := testRefSlice[T]{region.NewSlice(run, n), n}
	return r, r.Get(a)
}

func newTestRefString(a *Arena, text string) testRefString {
	s := a.space()
	if text == "" {
		return testRefString{}
	}
	return testRefString{region.NewText(s, text, nil), len(text)}
}

// bytesMemory is a Memory of bytes on the heap.
type bytesMemory struct{}

func (bytesMemory) Alloc(size int) ([]byte, error) { return make([]byte, size+7)[:size], nil }
func (bytesMemory) Free([]byte)                    {}

// bytesRegion is a Region of bytes on the heap.
type bytesRegion struct {
	bytesMemory
	all []byte
	now int
}

func (r *bytesRegion) Grow(size int) ([]byte, error) {
	r.now = max(r.now, size, 8)
	if r.now > len(r.all) {
		return nil, fmt.Errorf("%d bytes are too many", size)
	}
	return r.all[:r.now], nil
}

// TestShare proves for random programs that the Memory of an arena knows all text and slices that
// the arena has handed out, from its first use and from a later one, and nothing of the heap and of
// other arenas. What lies elsewhere is older than the arena's memory: what comes later may lie
// where the arena has given memory up, and so be known.
func TestShare(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	other := NewArena()
	defer other.Free()
	texts := []string{t.Name(), strings.Repeat("h", 10), String(other, "other")}
	lists := [][]string{{"h"}, SliceOf(other, "o")}
	elsewhere := func(m *share.Memory) bool {
		return m.Slice(nil) || slices.ContainsFunc(texts, m.Text) || slices.ContainsFunc(lists, m.Slice)
	}
	for _, test := range []struct {
		name string
		pool *Pool
	}{
		{"heap", &Pool{}},
		{"limit", &Pool{Options: Options{Limit: 1 << 20}}},
		{"nothing retained", &Pool{Options: Options{Retain: -1}, Retain: -1}},
		{"guard", &Pool{Options: Options{Guard: true}}},
		{"memory", &Pool{Options: Options{Memory: bytesMemory{}, Finalize: true}}},
		{"region", &Pool{Options: Options{Memory: &bytesRegion{all: make([]byte, 16<<20)}, Finalize: true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := test.pool
			region := test.name == "region"
			rounds := 60
			if test.name == "guard" {
				rounds = 5
			}
			var a *Arena
			for round := range rounds {
				if !region || a == nil {
					a = p.Get()
				}
				var m *share.Memory
				late := rnd.IntN(40)
				var texts []string
				var lists [][]string
				for i := range 80 {
					if i == late {
						m = share.MemoryOf(a.Internal())
					}
					n := rnd.IntN(40)
					if rnd.IntN(20) == 0 {
						n = rnd.IntN(50_000)
					}
					switch rnd.IntN(5) {
					case 0, 1:
						texts = append(texts, String(a, strings.Repeat("x", n)))
					case 2:
						lists = append(lists, MakeSlice[string](a, n/8, n/8+1))
					case 3:
						texts = append(texts, newTestRefString(a, strings.Repeat("r", n)).Get(a))
					case 4:
						type pair struct{ a, _ []string }
						p := New[pair](a)
						p.a = Append(a, p.a, "1", "2", "3")
						lists = append(lists, p.a)
					}
				}
				for _, s := range texts {
					if m.Text(s) != (len(s) > 0) {
						t.Fatalf("round %d: text of %d bytes is known: %t", round, len(s), m.Text(s))
					}
				}
				for _, s := range lists {
					if !m.Slice(s) || !m.Slice(s[:0]) {
						t.Fatalf("round %d: a slice of %d strings is not known", round, len(s))
					}
				}
				if elsewhere(m) {
					t.Error("what lies elsewhere is known")
				}
				if region {
					a.Reset()
				} else {
					p.Put(a)
				}
			}
			if region {
				p.Put(a)
			}
		})
	}
}

// TestShareStale proves that the Memory of an arena forgets what the arena has given up.
func TestShareStale(t *testing.T) {
	p := &Pool{Options: Options{Retain: -1}}
	a := p.Get()
	m := share.MemoryOf(a.Internal())
	for range 1000 {
		String(a, "text")
		a.Reset()
		m.Text("text")
	}
	if m.Pieces() > 40 {
		t.Errorf("there are %d pieces", m.Pieces())
	}
	p.Put(a)
}

// TestShareRace proves that other goroutines may ask while an arena is in use.
func TestShareRace(t *testing.T) {
	p := &Pool{}
	a := p.Get()
	m := share.MemoryOf(a.Internal())
	texts := make(chan string)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for s := range texts {
				if !m.Text(s) || m.Text("elsewhere") {
					t.Error("the text is not known, or another one is")
				}
			}
		})
	}
	for i := range 2000 {
		texts <- String(a, strings.Repeat("x", 1+i))
	}
	close(texts)
	wg.Wait()
	p.Put(a)
}

// typeSlabOf returns the slab of a that package arenakit has for values of type t.
func typeSlabOf(a *Arena, t reflect.Type) *typeSlab { return (*shown)(a).SlabOf(t).(*typeSlab) }

// TestOneSlab checks that functions with a type parameter and those with a reflect.Type use the
// same slab, whichever comes first, also after the slab was given away and the arena has ended.
func TestOneSlab(t *testing.T) {
	type pair struct{ _, _ *int }
	typ := reflect.TypeFor[pair]()
	for _, typeFirst := range []bool{false, true} {
		a := new(Arena)
		st := emptyStores(&unused.simple) // of nobody else
		a.claim()
		a.stores, st.arena = st, a
		for range 2 {
			if st.layout != nil {
				st.begin()
			}
			var s *slab
			if typeFirst {
				s = (*slab)(typeSlabOf(a, typ))
				New[pair](a)
			} else {
				s = SlabOf[pair](a).typeless()
				NewValue(a, typ)
			}
			if slabOf[pair](a) != s || (*slab)(typeSlabOf(a, typ)) != s || SlabOf[pair](a).typeless() != s || len(st.all) != 1 {
				t.Errorf("the type first: %v: %d slabs of one type", typeFirst, len(st.all))
			}
			if !(*typeSlab)(s).Serves(a) {
				t.Errorf("the type first: %v: the arena does not have the slab", typeFirst)
			}
			if _, err := st.checkInvariants(); err != nil {
				t.Error(err)
			}
			st.close()
			if (*typeSlab)(s).Serves(a) {
				t.Error("an arena that has ended has the slab")
			}
		}
	}
}

// Types of small trees, with and without pointers.
type (
	leaf   struct{ name string }
	number struct{ v, pos int }
	pair   struct{ x, y any }
	bits4  struct{ a, b, c, d uint64 }
	group3 struct {
		f    *leaf
		args []any
		ok   bool
	}
	wide struct {
		_    *wide
		_    [9]uint32
		text []string
	}
)

// A keptAlive value is one of a model program, with what must be in it.
type keptAlive struct {
	at   any // a pointer
	want any // what it points at, on the heap
}

func (k keptAlive) check() error {
	if got := reflect.ValueOf(k.at).Elem().Interface(); !reflect.DeepEqual(got, k.want) {
		return fmt.Errorf("%T is %v, want %v", k.at, got, k.want)
	}
	return nil
}

// keepNew makes a T by one of the ways there are, which must be zero, and writes v to it.
func keepNew[T any](a *Arena, r *rand.Rand, v T) (keptAlive, error) {
	var p *T
	switch r.IntN(4) {
	case 0:
		p = NewValue(a, reflect.TypeFor[T]()).Interface().(*T)
	case 1:
		p = SlabOf[T](a).New()
	case 2:
		p = &MakeSlice[T](a, 1+r.IntN(3), 4)[0]
	default:
		p = New[T](a)
	}
	if !reflect.ValueOf(p).Elem().IsZero() {
		return keptAlive{}, fmt.Errorf("a new %T is %v", *p, *p)
	}
	*p = v
	return keptAlive{p, v}, nil
}

// keepText makes a string, and returns it as one that is keptAlive.
func keepText(a *Arena, s string) (keptAlive, error) {
	t := String(a, s)
	return keptAlive{&t, strings.Clone(s)}, nil
}

// program is what the arenas of one kind do: how many values of which types.
func program(r *rand.Rand, kind int, a *Arena) (all []keptAlive, err error) {
	n := []int{1, 6, 25, 90, 400}[kind%5]
	if r.IntN(10) == 0 {
		n = 1 + r.IntN(3*n) // not all are alike
	}
	for i := range n {
		var k keptAlive
		heap := fmt.Sprint("heap ", i) // only the arena refers to it
		switch (i*(1+kind/5) + kind) % 7 {
		case 0:
			k, err = keepNew(a, r, leaf{heap})
		case 1:
			k, err = keepNew(a, r, number{i, -i})
		case 2:
			k, err = keepNew(a, r, pair{&heap, i})
		case 3:
			k, err = keepNew(a, r, bits4{1, 2, 3, uint64(i)})
		case 4:
			k, err = keepNew(a, r, group3{f: &leaf{heap}, args: []any{heap}, ok: true})
		case 5:
			k, err = keepNew(a, r, wide{text: []string{heap}})
		case 6:
			k, err = keepText(a, heap)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// freshLayouts makes what stores have learnt forgotten, for the time of the test.
func freshLayouts(t *testing.T) {
	was := layoutTypes.byKey
	layoutTypes.byKey = nil
	unused.simple = sync.Pool{}
	t.Cleanup(func() {
		layoutTypes.byKey = was
		unused.simple = sync.Pool{}
	})
}

// TestLayout runs programs that make, use and free arenas of several kinds, in several goroutines,
// and keep values of some: these must stay as they were, and all memory must come zeroed, whatever
// stores learn.
func TestLayout(t *testing.T) {
	freshLayouts(t)
	var wg sync.WaitGroup
	for g := range 4 {
		seed := testrun.Seed(t)
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			if err := runLayouts(r, g); err != nil {
				t.Errorf("seed %#x, goroutine %d: %v", seed, g, err)
			}
		})
	}
	wg.Wait()
}

// runLayouts goes on until an arena has begun with a layout: the collector may empty the pool of
// stores at any time.
func runLayouts(r *rand.Rand, g int) error {
	var old []keptAlive
	kind, began := g, 0
	for round := 0; round < few(3000) || began == 0; round++ {
		if round%50 == 0 {
			kind = r.IntN(15)
		}
		a := NewArena()
		if r.IntN(20) == 0 {
			a = NewWith(Options{Limit: 1 << 20})
		}
		all, err := program(r, kind, a)
		if err != nil {
			return fmt.Errorf("round %d: %v", round, err)
		}
		if _, err := a.stores.checkInvariants(); err != nil {
			return fmt.Errorf("round %d: %v", round, err)
		}
		if a.stores.layout != nil {
			began++
			if a.stores.unused != &unused.simple {
				return fmt.Errorf("round %d: an arena with a limit has a layout", round)
			}
		}
		if s := a.Stats(); s.InUse > s.Reserved || s.InUse == 0 {
			return fmt.Errorf("round %d: %d bytes of %d are in use", round, s.InUse, s.Reserved)
		}
		switch r.IntN(30) {
		case 0:
			a.Reset()
			if all, err = program(r, kind, a); err != nil {
				return fmt.Errorf("round %d, after Reset: %v", round, err)
			}
			if _, err := a.stores.checkInvariants(); err != nil {
				return fmt.Errorf("round %d, after Reset: %v", round, err)
			}
		case 1:
			continue // dropped
		}
		old = append(old, all[r.IntN(len(all))])
		a.Free()
		if len(old) > 100 {
			if round%8 == 0 {
				runtime.GC()
			}
			for _, k := range old {
				if err := k.check(); err != nil {
					return fmt.Errorf("round %d: a value that was keptAlive: %v", round, err)
				}
			}
			old = old[:0]
		}
	}
	return nil
}

// TestLayoutAllocs counts the allocations of a new arena.
func TestLayoutAllocs(t *testing.T) {
	if checking {
		t.Skip("Free notes where it was called, and sync.Pool drops some of what it gets, in programs that look for mistakes")
	}
	freshLayouts(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as in TestFreshAllocs
	round := func() {
		a := NewArena()
		for range 4 {
			New[leaf](a)
			New[number](a)
			New[pair](a).x = New[wide](a)
			New[group3](a).args = MakeSlice[any](a, 2, 2)
			String(a, "some text")
			NewValue(a, reflect.TypeFor[bits4]())
			MakeSlice[uint16](a, 3, 3) // in the memory of text
		}
		a.Free()
	}
	for range 10 * trial {
		round()
	}
	// AllocsPerRun rounds down, and stores whose layout did not suit have another one again for a
	// while.
	const rounds = 10 * (maxWait + trial)
	if n := testing.AllocsPerRun(1, func() {
		for range rounds {
			round()
		}
	}); n > 2*rounds+rounds/100 {
		t.Errorf("an arena with values of eight types takes %v allocations, want 2: its own and one for all chunks", n/rounds)
	}
}

// TestLayoutOne checks the layouts with one part: each is a chunk that no type is made for. An
// arena that is freed has nothing of it any more, not even where SlabOf has given the slab away.
func TestLayoutOne(t *testing.T) {
	if checking {
		t.Skip("see TestLayoutAllocs")
	}
	freshLayouts(t)
	for name, use := range map[string]func(a *Arena) (any, int64){
		"New":      func(a *Arena) (any, int64) { return New[leaf](a), 16 },
		"NewValue": func(a *Arena) (any, int64) { return NewValue(a, reflect.TypeFor[pair]()).Interface(), 32 },
		"SlabOf":   func(a *Arena) (any, int64) { return SlabOf[group3](a).New(), 40 },
		"String":   func(a *Arena) (any, int64) { return []byte(String(a, "some text")), 9 },
	} {
		unused.simple = sync.Pool{}
		began := 0
		for range 4 * trial {
			a := NewArena()
			for i := range 3 {
				v, size := use(a)
				if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.Elem().IsZero() {
					t.Fatalf("%s: a new value is %v", name, p.Elem())
				}
				if v, ok := v.(*leaf); ok {
					v.name = name
				}
				if s := a.Stats(); wordSize == 8 && s.InUse != int64(i+1)*size {
					t.Fatalf("%s: %d bytes are in use after %d values of %d", name, s.InUse, i+1, size)
				}
			}
			st := a.stores
			if _, err := st.checkInvariants(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if st.layout != nil {
				began++
			}
			a.Free()
			for _, s := range st.all {
				if c := s.chunks; len(c.list) > 0 && !c.list[0].at.isNil() {
					t.Fatalf("%s: stores without an arena have a chunk", name)
				}
			}
			if len(st.plain.chunks.list) > 0 && !st.plain.chunks.list[0].at.isNil() || st.plain.buf != nil {
				t.Fatalf("%s: stores without an arena have plain memory", name)
			}
		}
		if began == 0 {
			t.Errorf("%s: no arena began with a layout", name)
		}
	}
	if n := len(layoutTypes.byKey); n != 0 {
		t.Errorf("%d types were made", n)
	}
}

// TestLayoutShared checks that arenas whose values are all plain, and which share an object, share
// no memory: values come zeroed and aligned, stay as they are when later arenas come, and lie in no
// two arenas.
func TestLayoutShared(t *testing.T) {
	if checking {
		t.Skip("there are no layouts")
	}
	freshLayouts(t)
	var st *stores
	type value struct {
		at   span
		ok   func() bool
		text bool
	}
	var all []value
	objects := map[pointer]bool{}
	began := 0
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		if i%100 == 0 {
			st = emptyStores(&unused.simple) // of nobody else
		}
		a := new(Arena)
		a.claim()
		a.stores, st.arena = st, a
		if st.layout != nil {
			st.begin()
			if l := st.layout; l != nil && l.shares {
				began++
				objects[st.shared.at] = true
				if l.count > maxPiece {
					t.Fatalf("a piece has %d words", l.count)
				}
			}
		}
		var mine []value
		for k := range []int{1, 4, 9, 60}[i/100%4] + r.IntN(2) { // the last are too large to share
			switch want := uint64(i*100 + k); (k + i/400) % 4 {
			case 0:
				v := New[[3]byte](a)
				mine = append(mine, value{at: spanOf(v), ok: func() bool { return *v == [3]byte{byte(want), 1, 2} }})
				if *v != ([3]byte{}) {
					t.Fatalf("arena %d: a new value is %v", i, *v)
				}
				*v = [3]byte{byte(want), 1, 2}
			case 1:
				v := New[number](a)
				mine = append(mine, value{at: spanOf(v), ok: func() bool { return uint64(v.v) == want }})
				if *v != (number{}) {
					t.Fatalf("arena %d: a new value is %v", i, *v)
				}
				v.v = int(want)
			case 2:
				v := MakeSlice[uint64](a, 1, 2)
				mine = append(mine, value{at: spanOf(&v[0]), ok: func() bool { return v[0] == want }})
				if v[0] != 0 {
					t.Fatalf("arena %d: a new slice has %v", i, v[0])
				}
				v[0] = want
			case 3:
				s := fmt.Sprint("text ", want)
				v := String(a, s)
				mine = append(mine, value{ok: func() bool { return v == s }, text: true, at: span{uintptr(unsafe.Pointer(unsafe.StringData(v))), uintptr(unsafe.Pointer(unsafe.StringData(v))) + uintptr(len(v))}})
			}
		}
		spans, err := st.checkInvariants()
		if err != nil {
			t.Fatalf("arena %d: %v", i, err)
		}
		for _, v := range mine {
			in := slices.ContainsFunc(spans, func(s span) bool { return s.contains(v.at) })
			if !in || !v.text && v.at.to-v.at.from >= 8 && v.at.from%wordSize != 0 {
				t.Fatalf("arena %d: a value is at %x, chunks are at %x", i, v.at, spans)
			}
		}
		all = append(all, mine...)
		bytes := st.closeMemory()
		if st.layout == nil {
			st.learn(bytes)
		}
		st.arena = nil
		if i%500 == 0 {
			runtime.GC()
		}
	}
	for i, v := range all {
		if !v.ok() {
			t.Fatalf("value %d has changed", i)
		}
	}
	slices.SortFunc(all, func(v, w value) int { return cmp.Compare(v.at.from, w.at.from) })
	for i := range all[1:] {
		if all[i].at.to > all[i+1].at.from {
			t.Fatalf("two values are at %x and %x", all[i].at, all[i+1].at)
		}
	}
	if began < 500 || len(objects) > began/4 {
		t.Errorf("%d arenas have shared %d objects", began, len(objects))
	}
	if n := len(layoutTypes.byKey); n != 0 {
		t.Errorf("%d types were made for objects without pointers", n)
	}
}

func spanOf[T any](p *T) span {
	at := uintptr(unsafe.Pointer(p))
	return span{at, at + unsafe.Sizeof(*p)}
}

// TestArenaSize checks that an Arena stays small: it is a good part of what an arena for a few
// values takes.
func TestArenaSize(t *testing.T) {
	if want := 2*wordSize + 8; unsafe.Sizeof(Arena{}) > want {
		t.Errorf("an Arena has %d bytes, want %d", unsafe.Sizeof(Arena{}), want)
	}
}

// TestLayoutShrinks checks that stores give up a layout of which little is used, and wait longer
// each time.
func TestLayoutShrinks(t *testing.T) {
	freshLayouts(t)
	st := emptyStores(&unused.simple) // of nobody else
	round := func(n int) (reserved int64) {
		a := new(Arena)
		a.claim()
		a.stores, st.arena = st, a
		if st.layout != nil {
			st.begin()
		}
		for range n {
			New[pair](a)
			New[number](a)
		}
		reserved = a.Stats().Reserved
		if used, held := a.Stats().InUse, st.reserved; st.layout != nil && held > maxLayout+used {
			t.Errorf("an arena with %d bytes in use holds %d", used, held)
		}
		bytes := st.closeMemory()
		if st.layout == nil {
			st.learn(bytes)
		}
		if want := int64(n) * int64(reflect.TypeFor[pair]().Size()+reflect.TypeFor[number]().Size()); bytes != want {
			t.Errorf("%d bytes were used, want %d", bytes, want)
		}
		st.arena = nil
		return reserved
	}
	settle := func(n int) (reserved int64) {
		for range 3 * trial {
			reserved = round(n)
		}
		return reserved
	}
	large, small := settle(50), settle(2)
	if st.layout == nil || small > large/4 {
		t.Errorf("arenas of 2 values hold %d bytes after those of 50 held %d; layout %v", small, large, st.layout != nil)
	}
	if l := st.layout; l != nil && int64(l.count)*int64(l.object.typ.Size()) != l.bytes {
		t.Errorf("the object of a layout with %d bytes of chunks has %d", l.bytes, l.object.typ.Size())
	}
	wait := st.lessons.wait
	for range 20 {
		settle(50)
		settle(2)
	}
	if st.lessons.wait <= wait {
		t.Errorf("stores whose arenas differ wait for %d arenas, at first %d", st.lessons.wait, wait)
	}
}

// TestLayoutTypes checks that a program does not make more than maxLayouts types, and that arenas
// without one of these are as good.
func TestLayoutTypes(t *testing.T) {
	freshLayouts(t)
	for i := range 2 * maxLayouts {
		unused.simple = sync.Pool{} // new stores, which learn of the first arena
		for range 3 {
			a := NewArena()
			st := a.open()
			for range i%8 + 1 {
				New[leaf](a).name = String(a, "text")
			}
			for range i/8%8 + 1 {
				New[number](a).v++
			}
			for range i/64 + 1 {
				New[pair](a).x = a
			}
			if _, err := st.checkInvariants(); err != nil {
				t.Fatal(err)
			}
			a.Free()
		}
	}
	if n := len(layoutTypes.byKey); n != maxLayouts {
		t.Errorf("%d types, want %d", n, maxLayouts)
	}
}

// TestLimitForgets proves that what an arena with a limit holds does not depend on what other
// arenas needed, which were freed.
func TestLimitForgets(t *testing.T) {
	opt := Options{Limit: 8 << 10}
	need := func() int64 {
		a := NewWith(opt)
		defer a.Free()
		New[m16](a)
		New[mName](a)
		NewValue(a, reflect.TypeFor[mNode]())
		MakeSlice[byte](a, 3000, 3000)
		return a.Stats().Reserved
	}
	want := need()
	for _, opt := range []Options{opt, {Name: "without a limit"}} {
		for range 20 { // sync.Pool forgets now and then
			for _, use := range []func(a *Arena){
				func(a *Arena) { New[m16](a) },
				func(a *Arena) { New[mName](a) },
				func(a *Arena) { NewValue(a, reflect.TypeFor[mNode]()) },
				func(a *Arena) { String(a, "some text") },
			} {
				a := NewWith(opt)
				for range 60 {
					use(a)
				}
				a.Free()
			}
			if got := need(); got != want {
				t.Fatalf("%d bytes are held, after other arenas; %d before", got, want)
			}
		}
	}
}
