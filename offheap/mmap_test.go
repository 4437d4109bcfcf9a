package offheap

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/vm"
	"github.com/arena-go/arena/ref"
)

// mmapSupported skips a test if there is nothing to test.
func mmapSupported(t testing.TB) {
	t.Helper()
	b, err := vm.Reserve(vm.PageSize())
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err == nil {
		err = vm.Release(b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// check verifies the invariants of pieces of extents with these sizes.
func (s *pieces) check(extents []int) error {
	count := make([]int, quarantined+1)
	seen := make([]bool, len(extents))
	for i := range s.all {
		p := &s.all[i]
		if i == 0 {
			continue
		}
		count[p.state]++
		if p.state == unused || p.before != 0 {
			continue
		}
		if seen[p.extent] {
			return fmt.Errorf("extent %d has two beginnings", p.extent)
		}
		seen[p.extent] = true
		offset, before := 0, int32(0)
		for j := int32(i); j != 0; j = s.all[j].after {
			q := &s.all[j]
			if q.offset != offset || q.size <= 0 || q.before != before || q.extent != p.extent || q.state == unused {
				return fmt.Errorf("piece %d in extent %d at %d after %d: %+v", j, p.extent, offset, before, *q)
			}
			if before != 0 && q.state == free && s.all[before].state == free {
				return fmt.Errorf("pieces %d and %d are free neighbours", before, j)
			}
			offset, before = offset+q.size, j
		}
		if offset != extents[p.extent] {
			return fmt.Errorf("the pieces of extent %d have %d bytes of %d", p.extent, offset, extents[p.extent])
		}
	}
	if slices.Contains(seen, false) {
		return errors.New("an extent has no pieces")
	}
	var last *piece
	var walk func(i int32) error
	walk = func(i int32) error {
		if i == 0 {
			return nil
		}
		p, left, right := s.all[i], &s.all[s.all[i].kids[0]], &s.all[s.all[i].kids[1]]
		count[free]--
		if d := left.height - right.height; p.state != free || d < -1 || d > 1 {
			return fmt.Errorf("piece %d in the tree: %+v, between %+v and %+v", i, p, *left, *right)
		}
		if s.measure(i); s.all[i] != p {
			return fmt.Errorf("piece %d says %+v of its subtree, and should say %+v", i, p, s.all[i])
		}
		if err := walk(p.kids[0]); err != nil {
			return err
		}
		if last != nil && (last.extent > p.extent || last.extent == p.extent && last.offset >= p.offset) {
			return fmt.Errorf("piece %+v comes after %+v in the tree", p, *last)
		}
		last = &p
		return walk(p.kids[1])
	}
	if err := walk(s.root); err != nil {
		return err
	}
	if s.all[0] != (piece{}) {
		return fmt.Errorf("piece 0 is %+v", s.all[0])
	}
	for i := s.spare; i != 0; i = s.all[i].after {
		count[unused]--
	}
	if count[free] != 0 || count[unused] != 0 {
		return fmt.Errorf("%d free pieces and %d records are in no tree or list", count[free], count[unused])
	}
	return nil
}

// check verifies the invariants of m, which nobody uses.
func (m *Mmap) check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var sizes []int
	s := MmapStats{Fallbacks: m.stats.Fallbacks, LockFailures: m.stats.LockFailures}
	for _, e := range m.extents {
		sizes = append(sizes, len(e.mem))
		s.Reserved += int64(len(e.raw))
	}
	if err := m.pieces.check(sizes); err != nil {
		return err
	}
	for i := range m.pieces.all {
		p := &m.pieces.all[i]
		size := int64(p.size)
		switch p.state {
		case used:
			s.Blocks++
			s.InUse += size
			if p.locked {
				s.Locked += size
			}
			if p.huge {
				s.HugePool += size
			}
			if m.asksHuge(p.size) {
				s.HugeAsked += size
			}
			if j, ok := m.blocks[vm.Addr(m.mem(p))]; !ok || int(j) != i {
				return fmt.Errorf("piece %d is in use and piece %d is listed there", i, j)
			}
		case quarantined:
			s.Quarantined += size
			if p.open {
				s.Accessible += size
			}
		}
	}
	queue := 0
	last := int32(0)
	for i := m.first; i != 0; i = m.pieces.all[i].next {
		queue += m.pieces.all[i].size
		last = i
	}
	bound := m.Quarantine
	if bound == 0 {
		bound = defaultQuarantine
	}
	switch {
	case s != m.stats:
		return fmt.Errorf("Stats are %+v, and should be %+v", m.stats, s)
	case len(m.blocks) != s.Blocks:
		return fmt.Errorf("%d blocks are listed, of %d", len(m.blocks), s.Blocks)
	case int64(queue) != s.Quarantined || last != m.last:
		return fmt.Errorf("%d of %d bytes in quarantine are in its list; the last is %d, and should be %d", queue, s.Quarantined, m.last, last)
	case s.Quarantined-s.Accessible > max(bound, 0):
		return fmt.Errorf("%d bytes are in quarantine, of %d", s.Quarantined, bound)
	}
	return nil
}

func TestMmapRandomPrograms(t *testing.T) {
	mmapSupported(t)
	for name, m := range map[string]*Mmap{
		"default":    {},
		"none":       {Quarantine: -1},
		"quarantine": {Quarantine: 1 << 20},
	} {
		t.Run(name, func(t *testing.T) { mmapProgram(t, m, 16<<20) })
	}
}

// TestMmapExtents has several goroutines need new extents all the time.
func TestMmapExtents(t *testing.T) {
	mmapSupported(t)
	m := &Mmap{Quarantine: 1 << 40}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				b, err := m.Alloc(extentSize - 1)
				if err != nil {
					t.Error(err)
					return
				}
				b[0], b[extentSize-2] = 1, 1
				m.Free(b)
			}
		})
	}
	wg.Wait()
	if err := m.check(); err != nil {
		t.Error(err)
	}
	mmapClose(t, m)
}

// mmapProgram checks a Mmap and closes it.
func mmapProgram(t *testing.T, m *Mmap, most int) {
	t.Helper()
	conform(t, m, most, m.check)
	s := m.Stats()
	t.Logf("%+v", s)
	if s.Blocks != 0 || s.InUse != 0 || s.Locked != 0 || s.HugeAsked != 0 || s.HugePool != 0 {
		t.Errorf("Stats at the end: %+v", s)
	}
	mmapClose(t, m)
}

func mmapClose(t *testing.T, m *Mmap) {
	t.Helper()
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if s := m.Stats(); s.Reserved != 0 || s.Quarantined != 0 {
		t.Errorf("Stats after Close: %+v", s)
	}
	if b, err := m.Alloc(1); b != nil || !errors.Is(err, errClosed) {
		t.Errorf("Alloc after Close: %d bytes, %v", len(b), err)
	}
}

func TestMmapMisuse(t *testing.T) {
	mmapSupported(t)
	m := new(Mmap)
	conformMisuse(t, "Mmap", m)
	if err := m.check(); err != nil {
		t.Error(err)
	}
	b, _ := m.Alloc(10000)
	want := fmt.Sprintf("offheap: Mmap.Close: 1 blocks with %d bytes are in use; Free the arenas first", m.Stats().InUse)
	if err := m.Close(); err == nil || err.Error() != want {
		t.Errorf("Close: %v", err)
	}
	b[9999] = 1 // Nothing happened.
	m.Free(b)
	mmapClose(t, m)
	if got := conformPanic(func() { m.Free(b) }); got != badFree("Mmap", b) {
		t.Errorf("Free after Close: %v", got)
	}
}

// TestMmapUseAfterFree checks that each page of a freed block faults as long as the block is in
// quarantine, and that it stays there until enough other blocks were freed.
func TestMmapUseAfterFree(t *testing.T) {
	mmapSupported(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	const bound = 4 << 20
	m := &Mmap{Quarantine: bound}
	page := vm.PageSize()
	var stale [][]byte // Oldest first, all of them together not more than bound.
	sum := 0
	for range 2000 {
		size := 1 + r.IntN(1<<r.IntN(20))
		b, err := m.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stale {
			if vm.Addr(s) < vm.Addr(b)+uintptr(size) && vm.Addr(b) < vm.Addr(s)+uintptr(len(s)) {
				t.Fatalf("addresses in quarantine were used again after %d bytes", sum)
			}
		}
		clear(b)
		m.Free(b)
		stale = append(stale, b)
		sum += (size + page - 1) &^ (page - 1)
		for sum > bound {
			sum -= (len(stale[0]) + page - 1) &^ (page - 1)
			stale = stale[1:]
		}
		s := stale[r.IntN(len(stale))]
		i := r.IntN(len(s))
		want := vm.Addr(s) + uintptr(i)
		if runtime.GOARCH == "s390x" {
			want &^= uintptr(vm.PageSize() - 1) // the processor tells the page only
		}
		if got := mmapTouch(s, i, r.IntN(2) == 0); got != want {
			t.Fatalf("use of byte %d of %d after Free: fault at %#x, want %#x", i, len(s), got, want)
		}
	}
	s := m.Stats()
	if s.Quarantined != int64(sum) || s.Accessible != 0 {
		t.Errorf("%d bytes in quarantine, want %d: %+v", s.Quarantined, sum, s)
	}
	if s.Reserved > 2*bound+extentSize {
		t.Errorf("%d bytes of addresses for a quarantine of %d", s.Reserved, bound)
	}
	mmapClose(t, m)
}

// mmapTouch reads or writes b[i] and returns the address that faulted, or 0.
func mmapTouch(b []byte, i int, write bool) (addr uintptr) {
	defer func() {
		if e := recover(); e != nil {
			addr = e.(interface{ Addr() uintptr }).Addr()
		}
	}()
	if write {
		b[i] = 1
	} else {
		mmapSink = b[i]
	}
	return 0
}

var mmapSink byte

// TestMmapAddresses checks that the addresses stay in proportion to what was in use at a time,
// whatever the sizes.
func TestMmapAddresses(t *testing.T) {
	mmapSupported(t)
	seed := testrun.Seed(t)
	for i, draw := range map[string]func(r *rand.Rand, step int) int{
		"any":       func(r *rand.Rand, _ int) int { return 1 + r.IntN(1<<r.IntN(24)) },
		"powers":    func(r *rand.Rand, _ int) int { return 4096 << r.IntN(11) },
		"same":      func(*rand.Rand, int) int { return extentSize/2 + 4096 },
		"large":     func(r *rand.Rand, _ int) int { return extentSize + r.IntN(extentSize) },
		"growing":   func(_ *rand.Rand, step int) int { return 4096 * (1 + step/8) },
		"shrinking": func(_ *rand.Rand, step int) int { return 4096 * (1 + (3000-step)/8) },
	} {
		t.Run(i, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			const bound = 16 << 20
			m := &Mmap{Quarantine: bound}
			peak := int64(0)
			var live [][]byte
			for step := range 3000 {
				if r.IntN(2) == 0 && m.Stats().InUse < 4*extentSize {
					b, err := m.Alloc(draw(r, step))
					if err != nil {
						t.Fatal(err)
					}
					live = append(live, b)
				} else if len(live) > 0 {
					i := r.IntN(len(live))
					m.Free(live[i])
					live[i] = live[len(live)-1]
					live = live[:len(live)-1]
				}
				peak = max(peak, m.Stats().InUse)
			}
			s := m.Stats()
			t.Logf("%d MiB of addresses for %d MiB in use", s.Reserved>>20, peak>>20)
			if s.Reserved > 2*(peak+bound)+2*extentSize {
				t.Errorf("%d bytes of addresses for %d in use", s.Reserved, peak)
			}
			for _, b := range live {
				m.Free(b)
			}
			if err := m.check(); err != nil {
				t.Error(err)
			}
			mmapClose(t, m)
		})
	}
}

// TestMmapOptions checks that what a system does not have is an error, and leaves nothing behind.
func TestMmapOptions(t *testing.T) {
	mmapSupported(t)
	none := -1
	for name, m := range map[string]*Mmap{
		"node -1":   {Node: &none},
		"node 1000": {Node: new(1000)},
	} {
		b, err := m.Alloc(10000)
		if b != nil || err == nil || !strings.HasPrefix(err.Error(), "offheap: Mmap.Alloc of 10000 bytes: vm: prefer a node for ") {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		if err := m.check(); err != nil {
			t.Error(name, err)
		}
		mmapClose(t, m)
	}
	if vm.HugePageSize() == 0 {
		for _, h := range []HugePages{TransparentHugePages, ExplicitHugePages} {
			m := &Mmap{HugePages: h}
			if b, err := m.Alloc(10000); b != nil || !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("huge pages: %d bytes, %v", len(b), err)
			}
			mmapClose(t, m)
		}
	}
}

func BenchmarkMmap(b *testing.B) {
	mmapSupported(b)
	for name, m := range map[string]*Mmap{
		"mmap":      {},
		"mmap-huge": {HugePages: TransparentHugePages},
	} {
		if name == "mmap-huge" && vm.HugePageSize() == 0 {
			continue
		}
		b.Run("impl="+name, func(b *testing.B) { conformBench(b, m) })
		if err := m.Close(); err != nil {
			b.Error(err)
		}
	}
}

// BenchmarkHeap is there to compare with.
func BenchmarkHeap(b *testing.B) {
	b.Run("impl=heap", func(b *testing.B) { conformBench(b, heapMemory{}) })
}

// heapMemory is the Go heap.
type heapMemory struct{}

func (heapMemory) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (heapMemory) Free([]byte)                    {}

// TestMmapHalf checks the largest slices that references can be to.
func TestMmapHalf(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		return // they are larger than memory
	}
	m := &Mmap{}
	a := arena.NewWith(arena.Options{Memory: m})
	space := ref.In(a)
	half := math.MaxInt32 // of all references; that many is the most in one piece
	for _, n := range []int{half, half + 1, half + 2, 2*half + 1} {
		var s ref.Slice[int64]
		err := arena.Try(func() { s, _ = ref.NewSlice[int64](space, n) })
		if n > half && err == nil { // programs that look for mistakes have fewer references
			t.Errorf("a slice of %d words: %v", n, err)
		}
		if got := s.Get(space); err == nil && len(got) != n {
			t.Errorf("a slice of %d words has %d", n, len(got))
		}
		a.Reset()
		if r, p := ref.New[int](space); r.IsNil() || *p != 0 {
			t.Error("nothing can be made any more")
		}
		a.Reset()
	}
	a.Free()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestMmapClone checks that DeepClone does not copy what has memory, which it could not read.
func TestMmapClone(t *testing.T) {
	type holder struct {
		m    *Mmap
		name string
	}
	m := &Mmap{}
	a := arena.NewWith(arena.Options{Memory: m})
	arena.MakeSlice[byte](a, 10_000, 10_000)
	if c := arena.DeepClone(holder{m, "m"}); c.m != m || c.name != "m" {
		t.Errorf("the clone is %v", c)
	}
	a.Free()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
