package ref_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/tools"
	"github.com/arena-go/arena/ref"
)

// TestFree has values of two types come and go, and compares them with what they have to be. Their
// number is bounded, and so is the memory.
func TestFree(t *testing.T) {
	type pair struct{ a, b uint64 }
	type wide [5]uint32
	const most, rounds = 300, 20_000
	r := rand.New(rand.NewPCG(1, 2))
	a := arena.NewArena()
	for range 3 {
		s := ref.In(a)
		pairs, wides := map[ref.Of[pair]]uint64{}, map[ref.Of[wide]]uint32{}
		slab := ref.SlabOf[pair](s)
		for i := range rounds {
			if len(pairs) < most && r.IntN(2) == 0 {
				p := slab.New()
				if _, known := pairs[p]; known || *p.Get(s) != (pair{}) {
					t.Fatalf("New returns a value that is in use, or is not zero: %v", *p.Get(s))
				}
				*p.Get(s) = pair{uint64(i), ^uint64(i)}
				pairs[p] = uint64(i)
			}
			if len(wides) < most && r.IntN(2) == 0 {
				p, v := ref.New[wide](s)
				if _, known := wides[p]; known || *v != (wide{}) {
					t.Fatalf("New returns a value that is in use, or is not zero: %v", *v)
				}
				for j := range v {
					v[j] = uint32(i)
				}
				wides[p] = uint32(i)
			}
			for p, n := range pairs {
				if *p.Get(s) != (pair{n, ^n}) {
					t.Fatalf("the pair of %d is %v", n, *p.Get(s))
				}
				if r.IntN(2) == 0 {
					p.Free(s)
					delete(pairs, p)
				}
				break
			}
			for p, n := range wides {
				if *p.Get(s) != (wide{n, n, n, n, n}) {
					t.Fatalf("the wide of %d is %v", n, *p.Get(s))
				}
				if r.IntN(2) == 0 {
					p.Free(s)
					delete(wides, p)
				}
				break
			}
		}
		if bytes := s.Bytes(); !tools.Checking && bytes > 64<<10 {
			t.Errorf("%d and %d values take %d bytes", len(pairs), len(wides), bytes)
		}
		for _, v := range a.Stats().Types {
			if want := map[string]int{"ref_test.pair": len(pairs), "ref_test.wide": len(wides)}[v.Type.String()]; v.Count != int64(want) {
				t.Errorf("Stats has %d of %v, want %d", v.Count, v.Type, want)
			}
		}
		a.Reset() // and nothing of it is handed out again
	}
	a.Free()
}

// TestFreeStale frees what cannot be freed, and looks for what was freed.
func TestFreeStale(t *testing.T) {
	a := arena.NewArena()
	s := ref.In(a)
	ref.Of[int64]{}.Free(s)
	x, _ := ref.New[int64](s)
	y, _ := ref.New[int64](s)
	x.Free(s)
	mustPanic(t, "a second Free", func() { x.Free(s) })
	mustPanic(t, "Free in another Space", func() { y.Free(ref.In(arena.NewArena())) })
	mustPanic(t, "Free in no Space", func() { y.Free(ref.Space{}) })
	if tools.Checking {
		mustPanic(t, "Get after Free", func() { x.Get(s) })
	} else {
		*x.Get(s) = 7
		if _, z := ref.New[int64](s); *z != 0 {
			t.Errorf("a new value is %d", *z)
		}
	}
	y.Free(s)
	a.Reset()
	s = ref.In(a)
	first, _ := ref.New[int64](s)
	for range 100 {
		if r, _ := ref.New[int64](s); r == first {
			t.Fatal("a value that was freed before Reset is handed out twice")
		}
	}
	a.Free()
	mustPanic(t, "Free of a reference after that of the arena", func() { first.Free(s) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s does not panic", what)
		}
	}()
	f()
}

func ExampleOf_Free() {
	type entry struct{ key, value int64 }
	a := arena.NewArena()
	defer a.Free()
	s := ref.In(a)
	old, v := ref.New[entry](s)
	v.key, v.value = 1, 2
	old.Free(s)
	_, v = ref.New[entry](s) // in the memory of old
	fmt.Println(v.key, v.value)
	// Output: 0 0
}
