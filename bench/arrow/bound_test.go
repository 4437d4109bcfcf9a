package arrow

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/bench/internal/suite"
)

// A call is one of an allocator's methods: of block id, which is allocated, gets another size, or
// is freed where the size is 0.
type call struct{ id, size int32 }

// A recorder notes the calls that workloads make. compute makes some in goroutines of its own.
type recorder struct {
	memory.Allocator
	mu    sync.Mutex
	calls []call
	ids   map[*byte]int32 // of blocks in use
	free  []int32
	all   int32
}

func first(b []byte) *byte { return &b[:1][0] }

func (r *recorder) Allocate(size int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.Allocator.Allocate(size)
	if size > 0 {
		id := r.all
		if n := len(r.free); n > 0 {
			id, r.free = r.free[n-1], r.free[:n-1]
		} else {
			r.all++
		}
		r.ids[first(b)] = id
		r.calls = append(r.calls, call{id, int32(size)})
	}
	return b
}

func (r *recorder) Reallocate(size int, b []byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cap(b) == 0 || size == 0 {
		panic("arrow-go does not do that")
	}
	id := r.ids[first(b)]
	delete(r.ids, first(b))
	b = r.Allocator.Reallocate(size, b)
	r.ids[first(b)] = id
	r.calls = append(r.calls, call{id, int32(size)})
	return b
}

func (r *recorder) Free(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cap(b) > 0 {
		id := r.ids[first(b)]
		delete(r.ids, first(b))
		r.free = append(r.free, id)
		r.calls = append(r.calls, call{id, 0})
	}
	r.Allocator.Free(b)
}

// record returns the calls of a pass over the given rows, and the number of blocks in use at a
// time.
func record(w *workload, rows int) ([]call, int32) {
	r := &recorder{Allocator: newIdeal(), ids: map[*byte]int32{}}
	w.prepare(rows)(r, nil)
	return r.calls, r.all
}

// replay makes the calls.
func replay(mem memory.Allocator, calls []call, blocks [][]byte) {
	for _, c := range calls {
		switch b := &blocks[c.id]; {
		case c.size == 0:
			mem.Free(*b)
			*b = nil
		case *b == nil:
			*b = mem.Allocate(int(c.size))
		default:
			*b = mem.Reallocate(int(c.size), *b)
		}
	}
}

// A shared ideal is one that goroutines may share, and that knows what is in use and what the peak
// was: a mutex and a counter for each call. That is the bound for allocators with an account.
type shared struct {
	counter
	locked
}

// A counter is an account.
type counter struct{ bytes, peak atomic.Int64 }

func (c *counter) count(n int) {
	if now := c.bytes.Add(int64(n)); now > c.peak.Load() {
		c.peak.Store(now)
	}
}

func (m *shared) Allocate(size int) []byte {
	m.count(size)
	return m.locked.Allocate(size)
}

func (m *shared) Reallocate(size int, b []byte) []byte {
	if size > cap(b) {
		m.count(size - cap(b))
	}
	return m.locked.Reallocate(size, b)
}

func (m *shared) Free(b []byte) {
	m.count(-cap(b))
	m.locked.Free(b)
}

// A locked ideal is one that goroutines may share, and no more: what it takes longer than the ideal
// is the lock.
type locked struct {
	mu sync.Mutex
	ideal
}

func (m *locked) Allocate(size int) []byte {
	m.mu.Lock()
	b := m.ideal.Allocate(size)
	m.mu.Unlock()
	return b
}

func (m *locked) Reallocate(size int, b []byte) []byte {
	m.mu.Lock()
	b = m.ideal.Reallocate(size, b)
	m.mu.Unlock()
	return b
}

func (m *locked) Free(b []byte) {
	m.mu.Lock()
	m.ideal.Free(b)
	m.mu.Unlock()
}

// A checked ideal is shared, and trusts nothing: it finds the block at an address, and Free and
// Reallocate panic unless that block is in use and has the given size. So it does the least that an
// allocator which finds mistakes can do. Its memory is of no concern: the page table covers one
// piece of the addresses, of 32 GiB, and a map holds the blocks of more than 256 KiB.
type checked struct {
	counter
	mu    sync.Mutex
	pages [1 << 22]*slabOfBlocks // by the address
	large map[uintptr][]byte
	free  [64 * 4][]freeBlock // by class
}

// A slabOfBlocks is some pages of the Go heap with blocks of one size.
type slabOfBlocks struct {
	memory  []byte
	base    uintptr
	size    int    // of a block
	inverse uint64 // 2^32/size, rounded up
	used    []int  // the bytes of each block that are in use
}

type freeBlock struct {
	slab *slabOfBlocks
	i    int
}

const (
	checkedPage = 8 << 10
	checkedSlab = 1 << 20
	checkedMost = checkedSlab / 4
)

func (m *checked) page(at uintptr) **slabOfBlocks {
	return &m.pages[at/checkedPage%uintptr(len(m.pages))]
}

func (m *checked) Allocate(size int) []byte {
	m.mu.Lock()
	b := m.take(size)
	m.mu.Unlock()
	return b
}

func (m *checked) take(size int) []byte {
	class, blockSize := idealClass(size)
	m.count(size)
	if blockSize > checkedMost {
		b := make([]byte, size)
		if m.large == nil {
			m.large = map[uintptr][]byte{}
		}
		m.large[address(b)] = b
		return b
	}
	list := m.free[class]
	if len(list) == 0 {
		list = m.add(blockSize)
	}
	f := list[len(list)-1]
	m.free[class] = list[:len(list)-1]
	f.slab.used[f.i] = size
	b := f.slab.memory[f.i*blockSize:][:size:size]
	clear(b)
	return b
}

// add returns the blocks of a new slab.
func (m *checked) add(blockSize int) (list []freeBlock) {
	s := &slabOfBlocks{memory: make([]byte, checkedSlab), size: blockSize, inverse: (1<<32 + uint64(blockSize) - 1) / uint64(blockSize)}
	s.base = address(s.memory)
	for at := uintptr(0); at < checkedSlab; at += checkedPage {
		*m.page(s.base + at) = s
	}
	s.used = make([]int, checkedSlab/blockSize)
	for i := range s.used {
		list = append(list, freeBlock{s, i})
	}
	return list
}

// find returns the slab and the number of the block in use that b is.
func (m *checked) find(b []byte) (*slabOfBlocks, int) {
	at := address(b)
	if s := *m.page(at); s != nil {
		offset := at - s.base
		i := int(uint64(offset) * s.inverse >> 32)
		if uint(i) < uint(len(s.used)) && uintptr(i*s.size) == offset && s.used[i] == cap(b) {
			return s, i
		}
	}
	panic("not in use")
}

func (m *checked) Reallocate(size int, b []byte) []byte {
	old := len(b)
	switch {
	case cap(b) > checkedMost && size <= cap(b):
		b = b[:size]
		clear(b[min(old, size):])
		return b
	case cap(b) > checkedMost || cap(b) == 0:
		result := m.Allocate(max(size, 1))[:size]
		copy(result, b)
		m.Free(b)
		return result
	}
	m.mu.Lock()
	s, i := m.find(b)
	switch {
	case size <= cap(b):
		b = b[:size]
		clear(b[min(old, size):])
	case size <= s.size:
		m.count(size - cap(b))
		s.used[i] = size
		b = s.memory[i*s.size:][:size:size]
		clear(b[old:])
	default:
		result := m.take(size)
		copy(result, b)
		m.give(s, i, cap(b))
		b = result
	}
	m.mu.Unlock()
	return b
}

// give frees block i of s, which has size bytes.
func (m *checked) give(s *slabOfBlocks, i, size int) {
	class, _ := idealClass(s.size)
	s.used[i] = 0
	m.free[class] = append(m.free[class], freeBlock{s, i})
	m.count(-size)
}

func (m *checked) Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	m.mu.Lock()
	if at := address(b); cap(b) > checkedMost && m.large[at] != nil {
		delete(m.large, at)
		m.count(-cap(b))
	} else {
		s, i := m.find(b)
		m.give(s, i, cap(b))
	}
	m.mu.Unlock()
}

var boundAllocators = []struct {
	name string
	open func() memory.Allocator
}{
	{"ideal", newIdeal},
	{"locked", func() memory.Allocator { return new(locked) }},
	{"shared", func() memory.Allocator { return new(shared) }},
	{"checked", func() memory.Allocator { return new(checked) }},
	{"arenaarrow", newArenaAllocator},
	{"arenaarrow-child", func() memory.Allocator { return arenaarrow.New(arenaarrow.Options{}).Child("query") }},
	{"GoAllocator", newGoAllocator},
}

// boundWorkloads are the workloads whose calls are measured apart from the rest of Arrow's work.
func boundWorkloads(b *testing.B, f func(b *testing.B, w *workload)) {
	for _, w := range workloads {
		switch w.name {
		case "build-1k", "build-64", "fixed-size-list", "ipc-read", "filter":
			b.Run("workload="+w.name, func(b *testing.B) { f(b, w) })
		}
	}
}

// turns calls pass with each allocator in turns, in each iteration of b, and returns the CPU times
// by allocator.
func turns(b *testing.B, pass func(memory.Allocator)) [][]float64 {
	mems, times := make([]memory.Allocator, len(boundAllocators)), make([][]float64, len(boundAllocators))
	for i, a := range boundAllocators {
		mems[i] = a.open()
		pass(mems[i])
	}
	for round := 0; b.Loop(); round++ {
		for i := range mems {
			i = (i + round) % len(mems)
			runtime.GC() // Nobody pays for the garbage of the one before.
			start := suite.CPUTime()
			pass(mems[i])
			times[i] = append(times[i], float64(suite.CPUTime()-start))
		}
	}
	return times
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// BenchmarkBound has what Arrow does with its allocator, and nothing else: the calls of a workload
// are recorded and made again. That is steadier than the work with all of Arrow, of which it is a
// few percent. The allocators take turns, and ns/call is CPU time, the median of the iterations.
//
//	go test ./bench/arrow -run '^$' -bench 'Bound$' -benchtime 100x -count 6
func BenchmarkBound(b *testing.B) {
	boundWorkloads(b, func(b *testing.B, w *workload) {
		rows := w.rows / 10
		calls, blocks := record(w, rows)
		held := make([][]byte, blocks)
		times := turns(b, func(mem memory.Allocator) { replay(mem, calls, held) })
		b.ReportMetric(float64(len(calls))/float64(rows)*1000, "calls/1000-rows")
		for i, a := range boundAllocators {
			b.ReportMetric(median(times[i])/float64(len(calls)), a.name+"-ns/call")
		}
	})
}

// BenchmarkBoundWork does the work itself, and says how many times the CPU time with the ideal
// allocator it takes: the median of the iterations.
//
//	go test ./bench/arrow -run '^$' -bench BoundWork -benchtime 15x -count 6
func BenchmarkBoundWork(b *testing.B) {
	boundWorkloads(b, func(b *testing.B, w *workload) {
		if w.name == "filter" {
			return // It allocates in several goroutines, and the ideal is for one.
		}
		pass := w.prepare(w.rows)
		times := turns(b, func(mem memory.Allocator) { pass(mem, nil) })
		for i, a := range boundAllocators {
			ratios := make([]float64, len(times[i]))
			for j := range ratios {
				ratios[j] = times[i][j] / times[0][j]
			}
			if i > 0 {
				b.ReportMetric(median(ratios), a.name+"/ideal")
			}
		}
		b.ReportMetric(median(times[0])/1e6, "ideal-ms/pass")
	})
}

// BenchmarkBoundAlone is both, with one allocator at a time: for tools that count the instructions
// of a process. The difference between two numbers of iterations counts the iterations alone.
//
//	go test -c -o bound.test ./bench/arrow
//	GOGC=off GOMAXPROCS=1 valgrind --tool=cachegrind --cache-sim=no ./bound.test -test.run '^$' -test.bench 'Alone/workload=build-64/of=calls/by=arenaarrow$' -test.benchtime 4x
func BenchmarkBoundAlone(b *testing.B) {
	boundWorkloads(b, func(b *testing.B, w *workload) {
		rows := w.rows / 10
		calls, blocks := record(w, rows)
		held := make([][]byte, blocks)
		alone := func(of string, pass func(memory.Allocator)) {
			for _, a := range boundAllocators {
				b.Run("of="+of+"/by="+a.name, func(b *testing.B) {
					mem := a.open()
					pass(mem)
					for b.ResetTimer(); b.Loop(); {
						pass(mem)
					}
					b.ReportMetric(float64(len(calls)), "calls/op")
				})
			}
		}
		alone("calls", func(mem memory.Allocator) { replay(mem, calls, held) })
		if w.name != "filter" {
			work := w.prepare(rows)
			alone("work", func(mem memory.Allocator) { work(mem, nil) })
		}
	})
}

// TestIdeal checks that the bounds do what Arrow needs: the workloads make the same with them, and
// memory is zero and aligned.
func TestIdeal(t *testing.T) {
	for _, w := range workloads {
		switch w.name {
		case "build-1k", "build-one", "build-64", "fixed-size-list", "ipc-read":
		default:
			continue // Others allocate in several goroutines.
		}
		var want digest
		w.prepare(w.rows/100)(newGoAllocator(), &want)
		for _, mem := range []memory.Allocator{newIdeal(), new(locked), new(shared), new(checked)} {
			for range 2 {
				var d digest
				if w.prepare(w.rows/100)(mem, &d); d != want {
					t.Errorf("%s with %T: %x, want %x", w.name, mem, d, want)
				}
			}
		}
	}
	mem := newIdeal()
	for size := 1; size < 1<<21; size += 1 + size/5 {
		for range 2 {
			b := mem.Reallocate(size, mem.Allocate(size/2))
			if at := reflect.ValueOf(b).Pointer(); at%64 != 0 {
				t.Fatalf("%d bytes at %#x", size, at)
			}
			for i, c := range b {
				if c != 0 {
					t.Fatalf("byte %d of %d is %d", i, size, c)
				}
				b[i] = 1
			}
			if class, blockSize := idealClass(cap(b)); cap(b) != blockSize || blockSize < size || class >= len(mem.(*ideal).free) {
				t.Fatalf("%d bytes: capacity %d, class %d of %d", size, cap(b), class, blockSize)
			}
			mem.Free(b)
		}
	}
}
