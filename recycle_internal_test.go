package arena

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"weak"
)

// collect makes the collector look at all chunks that Free has released, and run the finalizers of
// most.
func collect() {
	runtime.GC()
	time.Sleep(time.Millisecond) // finalizers run in a goroutine of the runtime
}

// TestRecycle keeps one value of each freed arena, by a pointer into the middle of a chunk, by a
// slice and by a text. Arenas that come after the collection write over all their memory. What was
// kept must not change, and new memory must be zero.
func TestRecycle(t *testing.T) {
	type pair struct{ a, b int }
	type kept struct {
		value *pair
		slice []uint32
		text  string
	}
	const values, rounds = 20_000, 12
	round := func(i int) (k kept) {
		a := NewArena()
		defer a.Free()
		for j := range values {
			p := New[pair](a)
			s := MakeSlice[uint32](a, 8, 8)
			if *p != (pair{}) || slices.Max(s) != 0 {
				t.Fatalf("round %d: value %d is %v and %v", i, j, *p, s)
			}
			*p = pair{i, j}
			for n := range s {
				s[n] = uint32(i<<16 | 1)
			}
			if text := String(a, "some text"); j == values/2 {
				k = kept{p, s[2:5], text}
			}
		}
		return k
	}
	var all []kept
	for i := range rounds {
		all = append(all, round(i+1))
		collect()
	}
	for i, k := range all {
		want := uint32((i+1)<<16 | 1)
		if *k.value != (pair{i + 1, values / 2}) || !slices.Equal(k.slice, []uint32{want, want, want}) || k.text != "some text" {
			t.Errorf("what was kept of round %d is %v, %#x, %q", i+1, *k.value, k.slice, k.text)
		}
	}
	if checking {
		return
	}
	for { // The collector may empty a sync.Pool at any time.
		round(1)
		collect()
		for i := range recycled {
			if recycled[i].free.Get() != nil {
				return
			}
		}
	}
}

// TestRecycleOnce frees arenas in several goroutines, and takes chunks: nobody may have the chunk
// of another.
func TestRecycleOnce(t *testing.T) {
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for range 30 {
				a := NewArena()
				s := SlabOf[[4]uint64](a)
				var made []*[4]uint64
				for range 4000 {
					v := s.New()
					if *v != ([4]uint64{}) {
						t.Errorf("a new value is %v", *v)
					}
					v[0] = uint64(g + 1)
					made = append(made, v)
				}
				runtime.Gosched()
				for _, v := range made {
					if *v != ([4]uint64{uint64(g + 1)}) {
						t.Errorf("a value of goroutine %d is %v", g+1, *v)
						return
					}
				}
				a.Free()
				if g == 0 {
					runtime.GC()
				}
			}
		})
	}
	all.Wait()
}

// TestRecycleSizes makes sure that a chunk which can be used again is known by its number of slots,
// and by nothing else.
func TestRecycleSizes(t *testing.T) {
	for size := 1; size <= maxRecycled; size++ {
		c := chunks{size: size}
		for i := range recycled {
			n := c.recycledSlots(i)
			if got := c.whole(n); got != i {
				t.Fatalf("size %d: whole(%d) = %d, want %d", size, n, got, i)
			}
			for _, m := range []int{n - 1, n + 1, 0} {
				if got := c.whole(m); got >= 0 {
					t.Fatalf("size %d: whole(%d) = %d", size, m, got)
				}
			}
			for _, want := range []int{n, n + 1, 2*n - 1} {
				for _, need := range []int{1, n, n + 1, want} {
					if need > want {
						continue
					}
					got := c.fitting(want, need)
					if got < need || got > want || need <= n && c.whole(got) < i {
						t.Fatalf("size %d: fitting(%d, %d) = %d", size, want, need, got)
					}
				}
			}
		}
	}
	c := chunks{}
	if c.whole(1<<20) >= 0 {
		t.Error("chunks without bytes can be used again")
	}
}

// TestRecycleBound frees more than may wait for the collector.
func TestRecycleBound(t *testing.T) {
	for range 3 {
		a := NewArena()
		s := SlabOf[[16]uint64](a)
		for range maxWaiting / 128 {
			s.New()
		}
		a.Free()
		if n := waiting.Load(); n > maxWaiting {
			t.Fatalf("%d bytes wait", n)
		}
	}
}

// TestRecycleOthers makes sure that others have no part in it: chunks with pointers, which end with
// the first collection as all that they point at; arenas with options; and programs that look for
// mistakes.
func TestRecycleOthers(t *testing.T) {
	for name, a := range map[string]*Arena{"with options": NewWith(Options{Limit: 1 << 30}), "of a Pool": new(Pool).Get()} {
		for range 20_000 {
			New[[2]int](a)
		}
		if slabOf[[2]int](a).chunks.again {
			t.Errorf("chunks of an arena %s are used again", name)
		}
	}
	type tree struct{ to *tree }
	a := NewArena()
	var last *tree
	for range 20_000 {
		New[[2]int](a)
		last = Ptr(a, tree{last})
	}
	if slabOf[tree](a).chunks.again {
		t.Error("chunks with pointers are used again")
	}
	if got := slabOf[[2]int](a).chunks.again; got == checking {
		t.Errorf("chunks are used again: %v", got)
	}
	w := weak.Make(Ptr(a, tree{last}))
	last = nil
	a.Free()
	for w.Value() != nil {
		runtime.GC()
	}
}

// TestRecycleFinalizer has a program set a finalizer on the first value of a chunk, as documents
// forbid. That ends the program in its own call, as for any pointer into an object, and not in
// Free.
func TestRecycleFinalizer(t *testing.T) {
	if checking {
		t.Skip("no chunk is used again in programs that look for mistakes")
	}
	a := NewArena()
	defer a.Free()
	for range 10_000 {
		New[[4]uint64](a)
	}
	c := &slabOf[[4]uint64](a).chunks
	if !c.again {
		t.Fatal("no chunk can be used again")
	}
	for _, m := range c.list {
		if c.whole(m.n) < 0 {
			continue
		}
		first := slotAt[[4]uint64](m, 0)
		// The runtime would throw, so the test looks at the address that it would look at.
		if m.at.address()%leastApart != wordBytes {
			t.Errorf("the first value, %p, begins its object", first)
		}
	}
}
