package arenaarrow

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// These are about mistakes that the allocator has had.

// recovered returns with what f panics.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// boundedMemory has a limited number of bytes, and can be made to panic or to return too little.
type boundedMemory struct {
	mu     sync.Mutex
	left   int
	calls  int
	panics bool
	short  bool
	spoils int // how many times Free panics, when it has the memory back
}

func (m *boundedMemory) Alloc(size int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	switch {
	case m.panics:
		panic("out of order")
	case size > m.left:
		return nil, errors.New("full")
	case m.short:
		return make([]byte, size/2), nil
	}
	m.left -= size
	return make([]byte, size), nil
}

func (m *boundedMemory) Free(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left += len(b)
	if m.spoils > 0 {
		m.spoils--
		panic("out of order")
	}
}

// TestMemoryPanics has a Memory panic when it is asked for memory, and when it gets memory back.
// The allocator counts what it has, and the Memory gets all of it back.
func TestMemoryPanics(t *testing.T) {
	const room = 64 << 20
	r := rand.New(rand.NewPCG(testrun.Seed(t), 0))
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // after a collection nobody could recover
	runtime.GC()                                     // and none goes on
	for range 20 {
		m := &boundedMemory{left: room}
		a := New(Options{Memory: m, Retain: int64(r.IntN(3)-1) * 100_000, Limit: 8 << 20})
		var blocks [][]byte
		lost := 0 // results of Reallocate
		for range 300 {
			m.spoils, m.panics = max(0, r.IntN(12)-8), r.IntN(12) == 0
			switch i := r.IntN(len(blocks) + 1); {
			case i == len(blocks) || r.IntN(3) == 0:
				recovered(func() { blocks = append(blocks, a.Allocate(1+r.IntN(1<<r.IntN(18)))) })
			case r.IntN(3) == 0:
				was := blocks[i]
				blocks = slices.Delete(blocks, i, i+1) // unless the result is known
				if v := recovered(func() { blocks = append(blocks, a.Reallocate(r.IntN(1<<r.IntN(18)), was)) }); v != nil {
					m.spoils, m.panics = 0, false
					if recovered(func() { a.Free(was) }) != nil {
						lost++
					}
				}
			default:
				was := blocks[i]
				blocks = slices.Delete(blocks, i, i+1)
				recovered(func() { a.Free(was) })
			}
			m.spoils, m.panics = 0, false
			n := 0
			for _, b := range blocks {
				n += len(b)
			}
			if got := int(a.AllocatedBytes()); got < n {
				t.Fatalf("%d bytes are counted, and %d are in use", got, n)
			}
		}
		for _, b := range blocks {
			a.Free(b)
		}
		if _, n := a.inUse(); n != lost {
			t.Fatalf("%d blocks are in use, and %d were lost", n, lost)
		}
		m.spoils = r.IntN(3)
		recovered(func() { a.Close() })
		if m.left != room && lost == 0 {
			t.Fatalf("%d bytes are not given back", room-m.left)
		}
	}
}

// TestImpossible proves that what cannot be had is an error, after which all goes on and nothing is
// counted.
func TestImpossible(t *testing.T) {
	for name, o := range map[string]Options{
		"heap":   {},
		"debug":  {Debug: true},
		"full":   {Memory: &boundedMemory{left: 64 << 20}},
		"panics": {Memory: &boundedMemory{panics: true}},
		"short":  {Memory: &boundedMemory{left: 64 << 20, short: true}},
	} {
		a := New(o)
		works := name == "heap" || name == "debug" || name == "full"
		for i := range 20 { // Something of many sizes is in the cache.
			if works {
				a.Free(a.Allocate(40_000 << (i % 5)))
			}
		}
		sizes := []int{math.MaxInt, math.MaxInt - 1000, math.MaxInt - math.MaxInt/16, math.MaxInt/2 + 1, math.MaxInt / 1000}
		if !works {
			sizes = append(sizes, 100, 100_000)
		}
		if name == "full" {
			sizes = append(sizes, 1<<30)
		}
		for _, size := range sizes {
			if math.MaxInt>>31 == 0 && works && size < math.MaxInt-1000 {
				continue // There may be so much.
			}
			q := a.Child("q")
			if err, ok := recovered(func() { q.Allocate(size) }).(*arena.MemoryError); !ok || err.Size != int64(size) {
				t.Errorf("%s: %d bytes: %v", name, size, err)
			}
			if l := q.Close(); l != nil {
				t.Errorf("%s: %d bytes: %v", name, size, l)
			}
		}
		if works {
			a.Free(a.Allocate(100_000))
		}
		if s := a.Stats(); s.InUse != 0 || s.Peak > 1<<20 {
			t.Errorf("%s: %+v", name, s)
		}
		if a.spans.peak > 2<<20 {
			t.Errorf("%s: what could not be had makes room in the cache for %d bytes", name, a.spans.peak)
		}
		a.Close()
	}
}

// TestEmptySlabs proves that slabs with no block in use are given up for want of memory, and when
// nobody uses them.
func TestEmptySlabs(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // A cycle would give slabs up before they are counted.
	m := &boundedMemory{left: 8 << 20}
	a := New(Options{Memory: m, Retain: 1 << 10})
	defer a.Close()
	all := func() {
		for size := 64; size <= maxSlabBlock; size += 64 {
			a.Free(a.Allocate(size))
		}
	}
	all()
	if held := a.Stats().Held; held < 1<<20 {
		t.Fatalf("%d bytes are held", held)
	}
	a.Free(a.Allocate(7 << 20))
	all()
	if !testrun.Collect(func() bool { return a.Stats().Held == 0 }) {
		t.Fatalf("%+v", a.Stats())
	}
}

// collectOrphans waits until the collector has taken the orphans of a.
func collectOrphans(t *testing.T, a *Allocator) {
	t.Helper()
	if !testrun.Collect(func() bool { return a.Stats().Orphans == 0 }) {
		t.Fatalf("%+v", a.Stats())
	}
}

// TestForgottenByChild has a child, and one of that, forget blocks that the collector takes. Each
// is reported once: by the child, or by what is closed in its place.
func TestForgottenByChild(t *testing.T) {
	for _, closed := range []string{"neither", "part", "query", "both"} {
		t.Run(closed, func(t *testing.T) {
			a := New(Options{StackRate: 1})
			q := a.Child("query")
			part := q.Child("part")
			part.home = q.home
			q.Allocate(1000)
			part.Allocate(2000)
			part.Allocate(100_000)
			orphan := a.Child("orphan") // the collector takes a slab as a whole, once somebody has left a block in it
			orphan.home = q.home
			orphan.Allocate(1000)
			orphan.Allocate(2000)
			orphan.Close()
			collectOrphans(t, a)
			blocks, bytes := 0, int64(0)
			check := func(l *Leaks, wantBlocks int, wantBytes int64) {
				t.Helper()
				if l == nil {
					l = new(Leaks)
				}
				if l.Blocks != wantBlocks || l.Bytes != wantBytes || wantBlocks > 0 && !strings.Contains(l.String(), "TestForgottenByChild") {
					t.Errorf("want %d blocks of %d bytes; %v", wantBlocks, wantBytes, l)
				}
				blocks += l.Blocks
				bytes += l.Bytes
			}
			switch closed {
			case "part":
				check(part.Close(), 2, 102_000)
			case "query":
				check(q.Close(), 3, 103_000)
				check(part.Close(), 0, 0)
			case "both":
				check(part.Close(), 2, 102_000)
				check(q.Close(), 1, 1000)
			}
			check(a.Close(), 3-blocks, 103_000-bytes)
		})
	}
}

// TestSharedForgotten has two queries forget blocks in one slab, which the collector takes before
// the second one is closed.
func TestSharedForgotten(t *testing.T) {
	a := New(Options{StackRate: 1})
	q, other := a.Child("q"), a.Child("other")
	other.home = q.home
	q.Allocate(1000)
	other.Allocate(1000)
	q.Close()
	collectOrphans(t, a)
	if l := other.Close(); l == nil || l.Blocks != 1 || l.Bytes != 1000 || !strings.Contains(l.String(), "TestSharedForgotten") {
		t.Errorf("what other has forgotten is %v", l)
	}
	if s := a.Stats(); s.InUse != 0 || a.stackCount() != 0 {
		t.Errorf("%+v, %d stacks", s, a.stackCount())
	}
}

// TestReallocatedOrphan has a block grow when its owner was closed, and forgets it then.
func TestReallocatedOrphan(t *testing.T) {
	a := New(Options{})
	for _, size := range []int{100, 1 << 20} {
		q := a.Child("q")
		b := q.Allocate(size)
		q.Close()
		b = q.Reallocate(2*size, b)
		_ = b
	}
	collectOrphans(t, a)
}

// TestCacheOfOthers has small queries end while a large one goes on, whose memory they must not
// give up.
func TestCacheOfOthers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // Each cycle gives something up.
	synctest.Test(t, cacheOfOthers)                  // At once: what is not used for a while may be given up.
}

func cacheOfOthers(t *testing.T) {
	m := &boundedMemory{left: 1 << 30}
	a := New(Options{Memory: m})
	defer a.Close()
	big := a.Child("big")
	for range 20 {
		var all [][]byte
		for range 64 {
			all = append(all, big.Allocate(1<<20))
		}
		for _, b := range all {
			big.Free(b)
		}
		for range 20 {
			q := a.Child("small")
			q.Free(q.Allocate(1000))
			q.Close()
		}
	}
	if m.calls > 20*64/2 {
		t.Errorf("%d of %d blocks are new", m.calls, 20*64)
	}
}

// TestHardNeighbours has one goroutine ask for too much, which must not make the allocations of
// others fail.
func TestHardNeighbours(t *testing.T) {
	a := New(Options{Limit: 1000, Hard: true})
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !done.Load() {
			recovered(func() { a.Allocate(5000) })
		}
	})
	for range 20_000 {
		if err := arena.Try(func() { a.Free(a.Allocate(10)) }); err != nil {
			t.Error(err)
			break
		}
	}
	done.Store(true)
	wg.Wait()
}

// TestStatsBesideSlabs asks for Stats while pages are now one block, now a slab: for the race
// detector.
func TestStatsBesideSlabs(t *testing.T) {
	a := New(Options{StackRate: 1})
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !done.Load() {
			a.Stats()
		}
	})
	for range testrun.Times(300, 3000) {
		var all [][]byte
		for i := range 100 {
			size := 4000 + 1000*(i%3)
			if i < 4 {
				size = 60_000
			}
			all = append(all, a.Allocate(size))
		}
		for _, b := range all {
			h := a.lock(address(b), cap(b))
			if a.stackOf(h.s, h.i) == nil {
				t.Error("a stack is lost")
			}
			a.guard(h.c).Unlock()
			a.Free(b)
		}
	}
	done.Store(true)
	wg.Wait()
}

// TestGigabyte is for processors of 32 bits, where that was the size of a block with a stack.
func TestGigabyte(t *testing.T) {
	if math.MaxInt>>31 != 0 {
		return
	}
	a := New(Options{StackRate: -1})
	var b []byte
	if recovered(func() { b = a.Allocate(1<<30 + 4096) }) == nil {
		a.Free(b)
	}
	if n := a.CurrentAlloc(); n != 0 {
		t.Errorf("%d bytes are in use", n)
	}
}
