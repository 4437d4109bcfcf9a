package arena

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
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

// TestFreshAllocs counts the objects that the heap makes for a new arena with a few values, for one from a Pool, and for Do: two for a new
// arena, which are the Arena and what all values lie in, and none for the others. Where all is plain, an object is enough for at least eight new arenas.
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

// TestIndex compares an index with a map: with ids that lie close to each other, as the addresses of types do, and with any.
func TestIndex(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
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

// What follows is of package ref as much as the tests of this package need: they are in the package, and cannot import it.

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

// TestShare proves for random programs that the Memory of an arena knows all text and slices that the arena has handed out, from its first use and
// from a later one, and nothing of the heap and of other arenas. What lies elsewhere is older than the arena's memory: what comes later may
// lie where the arena has given memory up, and so be known.
func TestShare(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
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

// TestOneSlab checks that functions with a type parameter and those with a reflect.Type use the same slab, whichever comes first, also
// after the slab was given away and the arena has ended.
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
