package arenaarrow

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// check returns an error if what the spans and classes of r say of one another is not true.
// It tries again where the collector has had slabs released meanwhile.
func (r *root) check() (err error) {
	for range 10_000 {
		if err = r.checkOnce(); err == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return err
}

// stackCount returns how many stacks are known.
func (r *root) stackCount() int {
	r.stacksMu.Lock()
	defer r.stacksMu.Unlock()
	return len(r.stacks)
}

func (r *root) checkOnce() error {
	var live, cached int
	r.table.all(func(s *span) {
		c := s.class.Load()
		r.guard(c).Lock()
		defer r.guard(c).Unlock()
		if s.class.Load() != c || s.memory == nil {
			return
		}
		used := 0
		lives := map[*holding]int{}
		for _, b := range s.blocks {
			if b.size != 0 {
				used++
				lives[b.holding]++
			}
		}
		for h, n := range lives {
			if h.live != n || h.span != s || h.list.owner == nil {
				panic(fmt.Sprintf("a holding of %v has %d blocks, want %d", h.list.owner, h.live, n))
			}
			if (h.prev == nil) != (h.list.first == h) || h.prev != nil && h.prev.next != h || h.next != nil && h.next.prev != h {
				panic("a holding is not in the list of its owner")
			}
		}
		if c == nil {
			if used == 0 {
				cached += s.size
			} else {
				live += s.size
			}
			return
		}
		live += s.size
		free, open := 0, false
		for i := s.free; i != noBlock; i = s.blocks[i].cut {
			free++
			if i >= s.next || s.blocks[i].size != 0 || free > s.next {
				panic(fmt.Sprintf("block %d of %d is free, of %d that were in use", i, len(s.blocks), s.next))
			}
		}
		if used != s.live || s.next-free != s.live {
			panic(fmt.Sprintf("%d blocks are in use, of %d that were, %d are free; want %d", used, s.next, free, s.live))
		}
		for o := c.open; o != nil; o = o.older {
			open = open || o == s
		}
		if open != (s.live < len(s.blocks)) {
			panic(fmt.Sprintf("%d of %d are in use, which is not open, or is", s.live, len(s.blocks)))
		}
	})
	for i := range r.shards {
		for j := range r.shards[i] {
			c := &r.shards[i][j]
			c.mu.Lock()
			n := 0
			for s := c.open; s != nil; s = s.older {
				if s.live == 0 {
					n++
				}
				if s.older != nil && s.older.newer != s || (s.newer == nil) != (s == c.open) {
					panic("a slab is not where the others say")
				}
			}
			if n != c.empty {
				panic(fmt.Sprintf("%d slabs are empty, want %d", n, c.empty))
			}
			c.mu.Unlock()
		}
	}
	r.spans.mu.Lock()
	defer r.spans.mu.Unlock()
	if live != r.spans.live || cached != r.spans.bytes {
		return fmt.Errorf("%d bytes are live, %d cached; want %d, %d", live, cached, r.spans.live, r.spans.bytes)
	}
	return nil
}

func TestClasses(t *testing.T) {
	for _, shift := range []uint{6, 7, 12} {
		last, lastSize := -1, 0
		for size := 1; size <= maxSlabBlock; size++ {
			class, blockSize := classOf(size, shift)
			if blockSize < size || blockSize%(1<<shift) != 0 || blockSize > size*5/4+1<<shift || class >= slabClasses {
				t.Fatalf("%d bytes: class %d of %d", size, class, blockSize)
			}
			if size > lastSize && class != last+1 || size <= lastSize && (class != last || blockSize != lastSize) {
				t.Fatalf("%d bytes: class %d of %d behind %d of %d", size, class, blockSize, last, lastSize)
			}
			last, lastSize = class, blockSize
		}
		for c, size := -1, 1; size <= maxSlabBlock; size++ {
			class, blockSize := classOf(size, shift)
			if class == c {
				continue
			}
			c = class
			s := &span{base: 1 << 20, size: slabSize(blockSize), blockSize: blockSize, inverse: (1<<32 + uint64(blockSize) - 1) / uint64(blockSize)}
			for offset := range s.size {
				want := offset / blockSize
				if offset%blockSize != 0 {
					want = -1
				}
				if i := s.index(s.base + uintptr(offset)); i != want {
					t.Fatalf("block of %d bytes at %d has number %d", blockSize, offset, i)
				}
			}
		}
	}
	for last, size := 0, 1; size < 1<<26; size += 1 + size/7 {
		n := spanSize(size)
		if n < size || n%pageSize != 0 || n > size+size/8+pageSize || n < last || spanSize(n) != n {
			t.Fatalf("%d bytes: span of %d", size, n)
		}
		last = n
	}
}

// testMemory is a Memory that can fail, whose memory begins where no page does, and which knows
// what it has given.
type testMemory struct {
	mu     sync.Mutex
	calls  int
	rand   *rand.Rand // if fail > 0
	fail   int        // one call in this number fails, 0 for none
	blocks map[uintptr]int
}

var errTest = errors.New("no memory today")

func (m *testMemory) Alloc(size int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail > 0 && m.rand.IntN(m.fail) == 0 {
		return nil, errTest
	}
	shift := 8 * (m.calls % 3)
	m.calls++
	b := make([]byte, size+shift)[shift:][:size:size]
	m.blocks[address(b)] = size
	return b, nil
}

func (m *testMemory) Free(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blocks[address(b)] != len(b) {
		panic("Free of what is not from here")
	}
	delete(m.blocks, address(b))
	stamp(b, 1)
}

// held is a block that a program has.
type held struct {
	b      []byte
	want   []byte // its contents, up to its capacity
	counts int    // bytes in use
	room   int    // bytes that it has
	owner  *modelAllocator
	orphan bool
}

type modelAllocator struct {
	*Allocator
	parent *modelAllocator
	closed bool
	bytes  int
	room   int
	blocks int
	peak   int // of room
}

func (m *modelAllocator) isClosed() bool { return m != nil && (m.closed || m.parent.isClosed()) }

func (m *modelAllocator) cut(bytes int) { m.add(-bytes, 0, 0) }

func (m *modelAllocator) add(bytes, room, blocks int) {
	for ; m != nil; m = m.parent {
		m.bytes += bytes
		m.room += room
		m.blocks += blocks
	}
}

func (m *modelAllocator) raise() {
	for ; m != nil; m = m.parent {
		m.peak = max(m.peak, m.room)
	}
}

func randomSize(r *rand.Rand) int {
	switch r.IntN(12) {
	case 0:
		return 0
	case 1:
		return r.IntN(1 << 18)
	case 2:
		return maxSlabBlock - 1 + r.IntN(3)
	case 3, 4:
		return r.IntN(1 << 14)
	case 5:
		return 1 << r.IntN(18)
	case 6, 7, 8:
		return (r.IntN(100) + 1) * 64
	default:
		return r.IntN(1000)
	}
}

// TestPrograms runs random programs with one goroutine, and compares with a model.
func TestPrograms(t *testing.T) {
	seed := testrun.Seed(t)
	rounds := 60
	if !testrun.Long() {
		rounds = 20
	}
	for i := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := Options{Name: "root", StackRate: []int{0, 1, 1 << 12, -1}[r.IntN(4)], Retain: []int64{0, 0, -1, 1 << 20}[r.IntN(4)]}
		if r.IntN(3) == 0 {
			o.Align = 64 << r.IntN(7)
		}
		var memory *testMemory
		if r.IntN(2) == 0 {
			memory = &testMemory{rand: r, blocks: map[uintptr]int{}, fail: []int{0, 3, 10}[r.IntN(3)]}
			o.Memory = memory
		}
		if o.Debug = r.IntN(8) == 0; o.Debug {
			memory = nil
		}
		program(t, r, o, memory, 1500)
		if t.Failed() {
			t.Fatalf("round %d, %+v", i, o)
		}
	}
}

func program(t *testing.T, r *rand.Rand, o Options, memory *testMemory, steps int) {
	if o.Debug {
		steps /= 10
	}
	align := uintptr(max(o.Align, 64))
	top := &modelAllocator{Allocator: New(o)}
	all := []*modelAllocator{top}
	var blocks []*held
	orphans := 0

	verify := func(h *held) {
		if !bytes.Equal(h.b[:cap(h.b)], h.want) {
			t.Fatalf("the contents of %d bytes of %d changed", len(h.b), cap(h.b))
		}
	}
	// made is for b, of size bytes. Up to its capacity it begins with old, and ends with zeros.
	made := func(b []byte, size, capacity int, old []byte) *held {
		if len(b) != size || cap(b) != capacity || b == nil {
			t.Fatalf("length %d, capacity %d, want %d, %d", len(b), cap(b), size, capacity)
		}
		if capacity > 0 && address(b)%align != 0 {
			t.Fatalf("block at %#x", address(b))
		}
		h := &held{b: b, want: make([]byte, capacity), counts: size, room: capacity}
		copy(h.want, old)
		verify(h)
		stamp(b[:capacity], r.Uint64()) // What is behind its length is nobody else's.
		copy(h.want, b[:capacity])
		return h
	}
	late := func(b []byte) *held { return made(b, len(b), len(b), nil) }
	// try calls f, and reports whether it worked. It may fail for lack of memory.
	try := func(f func()) bool {
		err := arena.Try(f)
		if err == nil {
			return true
		}
		if e := new(*arena.MemoryError); !errors.As(err, e) || !errors.Is(err, errTest) || memory == nil || memory.fail == 0 {
			t.Fatal(err)
		}
		return false
	}
	forget := func(h *held) {
		if h.orphan {
			orphans -= h.counts
		} else {
			h.owner.add(-h.counts, -h.room, -1)
		}
	}
	own := func(h *held, m *modelAllocator) {
		if cap(h.b) == 0 {
			return
		}
		h.owner = m
		if h.orphan = m.isClosed(); h.orphan {
			orphans += h.counts
		} else {
			m.add(h.counts, h.room, 1)
			m.raise()
		}
		blocks = append(blocks, h)
	}
	for range steps {
		m := all[r.IntN(len(all))]
		switch n := r.IntN(100); {
		case n < 40:
			size := randomSize(r)
			var b []byte
			if try(func() { b = m.Allocate(size) }) {
				own(made(b, size, size, nil), m)
			}
		case n < 60 && len(blocks) > 0:
			i := r.IntN(len(blocks))
			h := blocks[i]
			size := randomSize(r)
			if r.IntN(3) == 0 {
				size = len(h.b) + r.IntN(200) - 100
			}
			size = max(size, 0)
			verify(h)
			n, most := len(h.b), cap(h.b)
			if r.IntN(4) == 0 {
				n = r.IntN(n + 1)
			}
			if r.IntN(8) == 0 {
				most = max(n, r.IntN(most)+1)
			}
			var b []byte
			if !try(func() { b = m.Reallocate(size, h.b[:n:most]) }) {
				verify(h)
				break
			}
			blocks[i] = blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			old := slices.Clone(h.want)
			clear(old[min(n, len(old)):min(max(n, size), len(old))])
			if size <= most {
				if !o.Debug && address(b) != address(h.b) {
					t.Fatalf("%d bytes of %d have moved, to be %d", n, most, size)
				}
				next := made(b, size, most, old[:most])
				next.room, next.owner, next.orphan = h.room, h.owner, h.orphan
				if h.orphan {
					orphans += next.counts - h.counts
				} else {
					h.owner.cut(h.counts - next.counts)
				}
				blocks = append(blocks, next)
				break
			}
			next := made(b, size, size, old[:n])
			next.room = max(size, h.room)
			next.counts = next.room
			forget(h)
			own(next, h.owner)
		case n < 90 && len(blocks) > 0:
			i := r.IntN(len(blocks))
			h := blocks[i]
			verify(h)
			m.Free(h.b[:r.IntN(len(h.b)+1)]) // of length 0, too
			forget(h)
			blocks[i] = blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			if r.IntN(10) == 0 && !o.Debug {
				mustPanic(t, "Free of what is free", func() { m.Free(h.b) })
			}
		case n < 93:
			name := fmt.Sprint("child", len(all))
			all = append(all, &modelAllocator{Allocator: m.Child(name), parent: m})
		case n < 95 && m != top:
			leaks := m.Close()
			if m.closed || m.isClosed() {
				if leaks != nil {
					t.Fatalf("second Close: %v", leaks)
				}
				m.closed = true
				break
			}
			m.closed = true
			if (leaks != nil) != (m.blocks > 0) || leaks != nil && (leaks.Blocks != m.blocks || leaks.Bytes != int64(m.bytes) || leaks.Name != m.Name()) {
				t.Fatalf("%v leak; want %d of %d bytes", leaks, m.blocks, m.bytes)
			}
			if leaks != nil && (o.StackRate == 1 || o.Debug) && !strings.Contains(leaks.String(), "program") {
				t.Fatalf("no stack: %v", leaks)
			}
			for _, h := range blocks {
				if !h.orphan && h.owner.isClosed() {
					h.owner.add(-h.counts, -h.room, -1)
					h.orphan = true
					orphans += h.counts
				}
			}
		case n < 96:
			if r.IntN(10) == 0 {
				runtime.GC()
			}
		case n < 98 && len(blocks) > 0:
			h := blocks[r.IntN(len(blocks))]
			if len(h.b) > 1 {
				mustPanic(t, "Free inside", func() { m.Free(h.b[1+r.IntN(len(h.b)-1):]) })
				mustPanic(t, "Free of something else", func() { m.Free(make([]byte, 100)) })
				mustPanic(t, "Reallocate inside", func() { m.Reallocate(10, h.b[1:]) })
				mustPanic(t, "Reallocate to less than nothing", func() { m.Reallocate(-1, h.b) })
			}
		default:
			s := m.Stats()
			if s.InUse != int64(m.bytes) || s.Blocks != m.blocks || s.Orphans != int64(orphans) {
				t.Fatalf("%+v; want %d bytes in %d blocks, peak %d, orphans %d", s, m.bytes, m.blocks, m.peak, orphans)
			}
			if s.Peak < int64(m.peak) || s.Peak > int64(m.peak+mostCredit(len(all))) {
				t.Fatalf("peak %d, want %d", s.Peak, m.peak)
			}
			if err := m.check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, h := range blocks {
		verify(h)
	}
	leaks := top.Close()
	if (leaks != nil) != (top.blocks > 0) || leaks != nil && leaks.Bytes != int64(top.bytes) {
		t.Fatalf("%v; want %d bytes", leaks, top.bytes)
	}
	if r.IntN(2) == 0 {
		for range 10 {
			try(func() { blocks = append(blocks, late(top.Allocate(r.IntN(100_000)+1))) })
		}
	}
	runtime.GC()
	for _, h := range blocks {
		verify(h)
		top.Free(h.b)
	}
	if s := top.Stats(); s.Orphans != 0 || s.Held != 0 || s.Cached != 0 || s.InUse != 0 {
		t.Fatalf("at the end: %+v", s)
	}
	if memory != nil && len(memory.blocks) != 0 {
		t.Fatalf("%d pieces of memory are left", len(memory.blocks))
	}
	if n := top.stackCount(); n != 0 {
		t.Fatalf("%d stacks are left", n)
	}
	top.table.all(func(s *span) {
		if s.memory != nil || memory != nil {
			t.Fatalf("a span of %d bytes is still in the table", s.size)
		}
	})
}

// mustPanic fails if f does not panic with a message of this package.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if v := recover(); !strings.HasPrefix(fmt.Sprint(v), "arenaarrow: ") {
			t.Errorf("%s: %v", what, v)
		}
	}()
	f()
}
