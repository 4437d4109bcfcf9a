package arenaarrow

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// TestJoinedWithBlock has a parent forget its idle children, as new ones come, while one of them
// allocates: who has a block is known to the parent.
func TestJoinedWithBlock(t *testing.T) {
	p := New(Options{}).Child("parent")
	a := p.Child("child")
	done := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			for range 64 {
				c := p.Child("another")
				c.Free(c.Allocate(2048)) // too large for credit
			}
		}
	})
	for i := range 1_000_000 {
		b := a.Allocate(2048)
		if !a.joined.Load() {
			p.mu.Lock() // forgetIdle changes it for a moment
			joined := a.joined.Load()
			p.mu.Unlock()
			if !joined {
				t.Errorf("allocation %d: the parent does not know of it", i)
				break
			}
		}
		a.Free(b)
	}
	close(done)
	wg.Wait()
}

// TestReallocateBesideClose has a block grow while its allocator is closed. It is an orphan then,
// whichever comes first.
func TestReallocateBesideClose(t *testing.T) {
	rounds := 1000
	if !testrun.Long() {
		rounds = 200
	}
	for _, memory := range []arena.Memory{nil, &boundedMemory{left: math.MaxInt}} {
		for _, parents := range []int{0, 2} {
			top := New(Options{Memory: memory})
			for i := range rounds {
				q := top.Child("query")
				a := q
				for range parents {
					a = a.Child("step")
				}
				b := a.Allocate(30_000)
				var x []byte
				if i%4 == 0 {
					x = q.Allocate(30_000)
				}
				others := make([][]byte, 100) // so that Close takes a while
				for j := range others {
					others[j] = q.Child("other").Allocate(1100)
				}
				for _, other := range others {
					q.Free(other)
				}
				var wg sync.WaitGroup
				wg.Go(func() {
					for range i * 37 % 2000 {
						_ = a.Exceeded()
					}
					b = a.Reallocate(4<<20, b)
				})
				wg.Go(func() {
					for range i * 101 % 500 {
						_ = a.Exceeded()
					}
					if parents > 0 {
						a.Close()
					}
				})
				q.Close()
				wg.Wait()
				q.Free(x)
				a.Free(b)
				if s := top.Stats(); s.InUse != 0 || s.Orphans != 0 || top.bytes.Load() < 0 || q.bytes.Load() != 0 || a.bytes.Load() != 0 {
					t.Fatalf("round %d: %+v; %d bytes are counted, %d for the query and %d for its part", i, s, top.bytes.Load(), q.bytes.Load(), a.bytes.Load())
				}
			}
			top.Close()
			if n := top.bytes.Load(); n != 0 {
				t.Errorf("%d bytes are counted after Close", n)
			}
		}
	}
}

// TestCountedBesideClose looks between the two blocks of a Reallocate, while the allocator is
// closed: what is counted is not less than what its block has.
func TestCountedBesideClose(t *testing.T) {
	for _, memory := range []arena.Memory{nil, &boundedMemory{left: 64 << 20}} {
		const old, size = 30_000, 1 << 20
		top := New(Options{Memory: memory})
		a := top.Child("child")
		b := a.Allocate(old)
		a.charge(size - old)
		a.closed.Store(true) // and Close is about to look for blocks
		result, own, err := a.place(size, size-old, b)
		if n := a.bytes.Load(); n != old || !own || err != nil {
			t.Errorf("%d bytes are counted, want %d; own: %t, %v", n, old, own, err)
		}
		a.closed.Store(false)
		if l := a.Close(); l == nil || l.Bytes != old {
			t.Errorf("leaks: %v", l)
		}
		top.Free(result)
		top.Free(b)
		if s := top.Stats(); s.InUse != 0 || s.Orphans != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestCloseLooks closes an allocator whose bytes are too few at that moment, as they may be during
// a Reallocate of a child. Its blocks are still found.
func TestCloseLooks(t *testing.T) {
	for _, size := range []int{2000, 100_000} {
		top := New(Options{Memory: &boundedMemory{left: 64 << 20}})
		a := top.Child("child")
		b := a.Allocate(size)
		a.sub(size)
		if l := a.Close(); l == nil || l.Blocks != 1 || l.Bytes != int64(size) {
			t.Errorf("%d bytes: the leaks are %v", size, l)
		}
		a.add(size)
		top.Free(b)
		if s := top.Stats(); s.InUse != 0 || s.Orphans != 0 || a.bytes.Load() != 0 {
			t.Errorf("%d bytes: %+v, and %d are counted", size, s, a.bytes.Load())
		}
	}
}

// TestMoveBesideClose stops a Reallocate between its two blocks, and closes the allocator and its
// parent there.
func TestMoveBesideClose(t *testing.T) {
	for _, debug := range []bool{false, true} {
		for _, way := range []string{"before", "between", "parent between"} {
			m := &hookedMemory{}
			o := Options{Memory: m, Debug: debug}
			if debug {
				o.Memory = nil
			}
			top := New(o)
			p := top.Child("parent")
			a := p.Child("child")
			x := p.Allocate(100_000) // as many as the block of the child
			b := a.Allocate(100_000)
			closeAll := func() {
				m.hook = nil
				if way == "parent between" {
					p.Close()
				}
				a.Close()
			}
			if way == "before" || debug {
				closeAll()
			} else {
				m.hook = closeAll
			}
			b = a.Reallocate(3_000_000, b)
			if way != "parent between" {
				p.Close()
			}
			if s := top.Stats(); s.Orphans != 3_100_000 || s.InUse != 0 {
				t.Errorf("%s: %+v, want two orphans", way, s)
			}
			top.Free(b)
			top.Free(x)
			for _, of := range []*Allocator{top, p, a, &top.root.orphans} {
				if n := of.bytes.Load(); n != 0 {
					t.Errorf("%s: %d bytes are counted for %s", way, n, of)
				}
			}
			if l := top.Close(); l != nil {
				t.Errorf("%s: %v", way, l)
			}
		}
	}
}

// A hookedMemory calls hook when it is asked for memory.
type hookedMemory struct{ hook func() }

func (m *hookedMemory) Alloc(size int) ([]byte, error) {
	if m.hook != nil {
		m.hook()
	}
	return make([]byte, size), nil
}

func (m *hookedMemory) Free([]byte) {}

// TestClosedHasNoLimit allocates by what is closed. These are orphans, and no limit is asked.
func TestClosedHasNoLimit(t *testing.T) {
	for _, o := range []Options{{}, {Hard: true}, {Debug: true}, {Memory: &boundedMemory{left: 64 << 20}}} {
		top := New(o)
		p := top.Child("parent")
		p.SetLimit(100)
		p.OnLimit(func(int64) bool { t.Errorf("%+v: the function of the parent is called", o); return false })
		a := p.Child("child")
		a.SetLimit(50)
		a.Close()
		var blocks [][]byte
		for _, size := range []int{200, 2000, 200_000} {
			blocks = append(blocks, a.Allocate(size))
		}
		blocks[0] = a.Reallocate(3000, blocks[0])
		if p.Exceeded() || a.Exceeded() || p.CurrentAlloc() != 0 || p.joinedOnes() != 0 {
			t.Errorf("%+v: exceeded %t and %t, the parent has %d bytes and %d children", o, p.Exceeded(), a.Exceeded(), p.CurrentAlloc(), p.joinedOnes())
		}
		if s := top.Stats(); s.Orphans != 205_000 {
			t.Errorf("%+v: %+v", o, s)
		}
		for _, b := range blocks {
			top.Free(b)
		}
		if l := top.Close(); l != nil || top.bytes.Load() != 0 {
			t.Errorf("%+v: %v, %d bytes are counted", o, l, top.bytes.Load())
		}
	}
}

func (a *Allocator) joinedOnes() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.family.children)
}

// TestReserveAll reserves and allocates as much as there are numbers for. Limits hold all the same.
func TestReserveAll(t *testing.T) {
	for _, hard := range []bool{false, true} {
		top := New(Options{Limit: 1000, Hard: hard})
		a, b := top.Child("a"), top.Child("b")
		held := a.Allocate(10)
		for _, n := range []int64{math.MaxInt64, math.MaxInt64 - 10, 1 << 62, 1 << 48, 1000} {
			if err, ok := a.TryReserve(n).(*arena.LimitError); !ok {
				t.Errorf("TryReserve(%d) with a limit of 1000: %v", n, err)
			}
			if err, ok := b.SetShare(Share{Minimum: n}).(*arena.LimitError); !ok {
				t.Errorf("a Minimum of %d with a limit of 1000: %v", n, err)
			}
			if size := int(min(n, math.MaxInt)); size > maxBlock {
				if err, ok := recovered(func() { a.Allocate(size) }).(*arena.MemoryError); !ok || err.Size != int64(size) {
					t.Errorf("Allocate(%d): %v", size, err)
				}
				if err, ok := recovered(func() { a.Reallocate(size, held) }).(*arena.MemoryError); !ok || err.Size != int64(size) {
					t.Errorf("Reallocate(%d): %v", size, err)
				}
			}
			if n := top.bytes.Load(); n != int64(cap(held)) || top.Exceeded() {
				t.Fatalf("%d bytes are counted, exceeded: %t", n, top.Exceeded())
			}
		}
		a.Free(held)
		if l := top.Close(); l != nil {
			t.Error(l)
		}
	}
	top := New(Options{}) // without a limit
	var all []*Allocator
	for i := range 1000 {
		a := top.Child(fmt.Sprint(i))
		if err := a.TryReserve(math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	for _, a := range all {
		a.Close()
	}
	if n := top.bytes.Load(); n != 0 {
		t.Errorf("%d bytes are counted", n)
	}
}

// TestNoCreditAfterClose has a cycle of the collector end while the root is closed. Nothing may
// become credit any more then.
func TestNoCreditAfterClose(t *testing.T) {
	top := New(Options{Memory: &boundedMemory{left: 64 << 20}})
	top.closed.Store(true)
	top.credits.Lock()
	top.makeExact()
	top.credits.Unlock()
	top.allowCredit()
	if !top.exact.Load() {
		t.Error("the root is not exact any more")
	}
}

// TestSizesNearTheEnd looks in the cache for spans of all sizes, up to the largest that an int has.
// That ends, and finds none that is smaller.
func TestSizesNearTheEnd(t *testing.T) {
	for _, cached := range []int{40_000, 1 << 20} {
		p := &spans{}
		p.cache(&span{size: spanSize(cached)})
		for size := spanSize(2 << 20); size > 0; size = spanSize(size + 1) {
			if s := p.cachedSpan(size); s != nil {
				t.Fatalf("%d bytes for %d", s.size, size)
			}
		}
	}
}
