package offheap

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-go/arena/internal/child"
	"github.com/arena-go/arena/internal/vm"
)

// mmapChildVariable is the environment variable that makes TestMmapChild run one of mmapChildren.
const mmapChildVariable = "OFFHEAP_MMAP_CHILD"

// mmapChildren are functions for a process of their own, by name. They panic if something is wrong.
var mmapChildren = map[string]func(){
	"addresses": mmapChildAddresses,
	"data":      mmapChildData,
	"locked":    mmapChildLocked,
	"mappings":  mmapChildMappings,
}

func TestMmapLimits(t *testing.T) {
	for name := range mmapChildren {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := child.Command(t.Context(), []string{"-test.run=^TestMmapChild$"}, mmapChildVariable+"="+name,
				"GORACE=atexit_sleep_ms=0", // With the race detector each would sleep for a second.
				"MALLOC_ARENA_MAX=1")       // With cgo, each thread would reserve addresses.
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "good\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestMmapChild is for TestMmapLimits, and does nothing otherwise.
func TestMmapChild(*testing.T) {
	if name := os.Getenv(mmapChildVariable); name != "" {
		debug.SetPanicOnFault(true)
		mmapChildren[name]()
		fmt.Println("good")
	}
}

// mmapStatus returns a line of /proc/self/status in bytes.
func mmapStatus(name string) int {
	text, err := os.ReadFile("/proc/self/status")
	mmapCheck(err)
	_, rest, _ := strings.Cut(string(text), "\n"+name+":")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " kB")
	n, err := strconv.Atoi(number)
	mmapCheck(err)
	return n << 10
}

func mmapCheck(err error) {
	if err != nil {
		panic(err)
	}
}

func mmapLimit(what, n int) {
	var r syscall.Rlimit
	mmapCheck(syscall.Getrlimit(what, &r))
	r.Cur = min(uint64(n), r.Max)
	mmapCheck(syscall.Setrlimit(what, &r))
}

// mmapFill allocates until it fails, for a reason that it checks, and returns the blocks, which it
// has written to.
func mmapFill(m *Mmap, size int) (blocks [][]byte) {
	for {
		before := m.Stats()
		b, err := m.Alloc(size)
		if err == nil {
			b[0], b[size-1] = byte(len(blocks)), 1
			blocks = append(blocks, b)
			continue
		}
		prefix := fmt.Sprintf("offheap: Mmap.Alloc of %d bytes: ", size)
		if b != nil || !errors.Is(err, syscall.ENOMEM) || !strings.HasPrefix(err.Error(), prefix) {
			panic(fmt.Sprint("unexpected: ", err))
		}
		after := m.Stats()
		if after.InUse != before.InUse || after.Blocks != before.Blocks || after.Locked != before.Locked {
			panic(fmt.Sprintf("a failure changed %+v to %+v", before, after))
		}
		for i, b := range blocks {
			if b[0] != byte(i) || b[size-1] != 1 {
				panic("the contents changed")
			}
		}
		mmapCheck(m.check())
		if i := m.last; i != 0 && mmapTouch(m.mem(&m.pieces.all[i]), 0, true) == 0 {
			panic("what a failure has put into quarantine is accessible")
		}
		return blocks
	}
}

// mmapRounds fills the memory, and empties it, time and again: each time there must be as much.
// Once all is free it closes m.
func mmapRounds(m *Mmap, size int, least int) {
	for range 3 {
		blocks := mmapFill(m, size)
		if len(blocks) < least {
			panic(fmt.Sprintf("only %d blocks, want %d", len(blocks), least))
		}
		for _, b := range blocks {
			m.Free(b)
		}
		mmapCheck(m.check())
	}
	mmapCheck(m.Close())
}

// What the blocks leave of these limits is for the runtime, which does not survive without.
const (
	mmapLimitBlock = 32 << 20
	mmapLimitSlack = 6*mmapLimitBlock + mmapLimitBlock*3/4
)

// mmapHeap gives the runtime a heap that is large enough for what follows: it takes addresses 64
// MiB at a time, and does not survive if it cannot have them.
func mmapHeap() {
	clear(make([]byte, 64<<20))
	runtime.GC()
	debug.SetGCPercent(-1)
}

// mmapChildAddresses has few addresses: those in quarantine have to be enough.
func mmapChildAddresses() {
	mmapHeap()
	mmapLimit(syscall.RLIMIT_AS, mmapStatus("VmSize")+mmapLimitSlack)
	mmapRounds(new(Mmap), mmapLimitBlock, 3)
	mmapRounds(new(Mmap), 2*mmapLimitBlock+4096, 2) // There is not room for a power of two for each.
}

// mmapChildData has little memory that may be written to.
func mmapChildData() {
	mmapHeap()
	const rlimitData = 2 // RLIMIT_DATA, in Linux on all processors.
	mmapLimit(rlimitData, mmapStatus("VmData")+mmapLimitSlack)
	mmapRounds(new(Mmap), mmapLimitBlock, 3)
}

// mmapChildLocked may lock little memory.
func mmapChildLocked() {
	const rlimitMemlock, most = 8, 1 << 20 // RLIMIT_MEMLOCK, in Linux on most processors.
	mmapLimit(rlimitMemlock, most)
	if os.Getuid() == 0 {
		mmapCheck(syscall.Setuid(65534)) // The limit is not for the superuser.
	}
	m := &Mmap{Lock: true}
	a, err := m.Alloc(most / 2)
	mmapCheck(err)
	if s := m.Stats(); s.Locked != most/2 || mmapStatus("VmLck") != most/2 {
		panic(fmt.Sprintf("%d bytes are locked: %+v", mmapStatus("VmLck"), s))
	}
	for i := range 3 {
		b, err := m.Alloc(most)
		if b != nil || err == nil || !strings.Contains(err.Error(), "RLIMIT_MEMLOCK") {
			panic(fmt.Sprint("unexpected: ", err))
		}
		if s := m.Stats(); s.LockFailures != int64(i+1) || s.Locked != most/2 || mmapStatus("VmLck") != most/2 || s.Accessible != 0 {
			panic(fmt.Sprintf("%d bytes are locked: %+v", mmapStatus("VmLck"), s))
		}
	}
	m.Free(a)
	if n := mmapStatus("VmLck"); n != 0 {
		panic(fmt.Sprint(n, " bytes are still locked"))
	}
	mmapRounds(m, 64<<10, 16)

	f, err := NewFixed(most / 2)
	mmapCheck(err)
	mmapCheck(f.Lock())
	if !f.Stats().Locked || mmapStatus("VmLck") != most/2 {
		panic("not locked")
	}
	mmapCheck(f.Close())
	f, err = NewFixed(2 * most)
	mmapCheck(err)
	if err := f.Lock(); err == nil || !strings.Contains(err.Error(), "RLIMIT_MEMLOCK") || f.Stats().Locked || mmapStatus("VmLck") != 0 {
		panic(fmt.Sprint("unexpected: ", err))
	}
	mmapCheck(f.Close())
}

// mmapChildMappings uses up all ranges of pages: Alloc fails, and Free does what it can.
func mmapChildMappings() {
	mmapHeap()
	page := vm.PageSize()
	// Blocks next to each other are one range, until every other one is freed: which fails at some
	// point.
	m := &Mmap{Quarantine: 1 << 30}
	blocks := make([][]byte, 0, 140_000)
	for i := range cap(blocks) {
		b, err := m.Alloc(page)
		mmapCheck(err)
		b[0] = byte(i)
		blocks = append(blocks, b)
	}
	// Blocks to free when there are no more ranges.
	other := new(Mmap)
	var rest [5][]byte
	for i := range rest {
		b, err := other.Alloc(page)
		mmapCheck(err)
		rest[i] = b
	}
	resident := mmapStatus("VmRSS")
	freed := 0
	for m.Stats().Accessible < int64(100*page) && freed < len(blocks)/2 {
		m.Free(blocks[2*freed+1])
		freed++
	}
	s := m.Stats()
	other.Free(rest[1])
	other.Free(rest[3])
	accessible := other.Stats().Accessible
	_, err := other.Alloc(3 * page) // Works without another range, but that is up to the system.
	last := blocks[2*freed-1]
	lost := last[0] == 0
	stale := mmapTouch(last, 0, true) // Does not fault; nobody sees it.
	fault := mmapTouch(blocks[1], 0, true) == vm.Addr(blocks[1])
	now := mmapStatus("VmRSS")

	for _, i := range []int{0, 2, 4} { // There is room again for what the checks need.
		other.Free(rest[i])
	}
	for i := range 1000 {
		m.Free(blocks[2*i])
		blocks[2*i] = nil
	}
	switch {
	case s.Accessible != int64(100*page) || s.Quarantined != int64(freed*page):
		panic(fmt.Sprintf("no such limit after %d blocks: %+v", freed, s))
	case accessible != int64(2*page):
		panic(fmt.Sprint("the other Mmap has ", accessible, " bytes that are accessible"))
	case err != nil && !errors.Is(err, syscall.ENOMEM):
		panic(err)
	case !lost || stale != 0 || !fault:
		panic(fmt.Sprintf("memory given back: %t; stale writes: %#x %t", lost, stale, fault))
	case now > resident-freed*page*9/10:
		panic(fmt.Sprintf("%d bytes are resident, and %d before %d blocks were freed", now, resident, freed))
	}
	mmapCheck(m.check())
	for i, b := range blocks {
		if b != nil && (i%2 == 0 || i > 2*freed) {
			if b[0] != byte(i) {
				panic("the contents changed")
			}
			m.Free(b)
		}
	}
	m.mu.Lock()
	m.trim(0)
	m.mu.Unlock()
	mmapCheck(m.check())
	if s := m.Stats(); s.Accessible != 0 || s.Quarantined != 0 || s.Blocks != 0 {
		panic(fmt.Sprintf("there is room again: %+v", s))
	}
	if mmapTouch(last, 0, false) == 0 {
		panic("there is room again, and what was freed is still accessible")
	}
}

// TestMmapResident checks that Free returns memory at once, and that Close returns the addresses.
func TestMmapResident(t *testing.T) {
	const size, tolerance = 8 << 20, 6 << 20
	m := new(Mmap)
	resident := mmapStatus("VmRSS")
	for range 100 {
		b, err := m.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		if n := mmapStatus("VmRSS"); n > resident+tolerance {
			t.Fatalf("%d bytes before something was written, %d at first", n, resident)
		}
		for i := 0; i < size; i += 4096 {
			b[i] = 1
		}
		if n := mmapStatus("VmRSS"); n < resident+size-tolerance {
			t.Fatalf("%d bytes with a block in use, %d at first", n, resident)
		}
		m.Free(b)
	}
	type span struct{ base, end uintptr }
	var spans []span
	for _, e := range m.extents {
		base := vm.Addr(e.raw)
		spans = append(spans, span{base, base + uintptr(len(e.raw))})
	}
	mapped := func() (n int) {
		mmapSmaps(t, func(base, end uintptr, _ map[string]string) {
			for _, s := range spans {
				if base < s.end && s.base < end {
					n++
				}
			}
		})
		return n
	}
	if mapped() == 0 {
		t.Error("the addresses are not reserved any more")
	}
	mmapClose(t, m)
	if mapped() != 0 {
		t.Error("the addresses are still reserved")
	}
}

// mmapSmaps calls f for each mapping of the process, with what the system says of it.
func mmapSmaps(t *testing.T, f func(base, end uintptr, fields map[string]string)) {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var base, end uintptr
	fields := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		first, rest, _ := strings.Cut(lines.Text(), " ")
		if name, ok := strings.CutSuffix(first, ":"); ok {
			fields[name] = strings.TrimSpace(rest)
			continue
		}
		if end != 0 {
			f(base, end, fields)
		}
		fields = map[string]string{}
		if _, err := fmt.Sscanf(first, "%x-%x", &base, &end); err != nil {
			t.Fatal(err)
		}
	}
	f(base, end, fields)
}

// TestMmapHugePages checks programs with huge pages, and what the system was asked for.
func TestMmapHugePages(t *testing.T) {
	huge := vm.HugePageSize()
	if huge > 4<<20 {
		t.Skip("huge pages of ", huge>>20, " MiB are too large for a test")
	}
	_, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled")
	advised := err == nil
	pool := mmapPool(t, huge)
	for name, h := range map[string]HugePages{"transparent": TransparentHugePages, "explicit": ExplicitHugePages} {
		t.Run(name, func(t *testing.T) {
			m := &Mmap{HugePages: h, Quarantine: 16 << 20}
			small, err := m.Alloc(huge - vm.PageSize())
			if err != nil {
				t.Fatal(err)
			}
			if s := m.Stats(); s.HugeAsked != 0 || s.Fallbacks != 0 {
				t.Errorf("a small block asks for huge pages: %+v", s)
			}
			b, err := m.Alloc(2*huge + 1)
			if err != nil {
				t.Fatal(err)
			}
			b[2*huge] = 1
			size := 2*huge + vm.PageSize()
			if h == ExplicitHugePages {
				size = 3 * huge
			}
			s := m.Stats()
			t.Logf("%+v", s)
			if s.HugeAsked != int64(size) || vm.Addr(b)%uintptr(huge) != 0 {
				t.Errorf("a large block at %#x: %+v", vm.Addr(b), s)
			}
			switch fromPool := h == ExplicitHugePages && pool >= 3; {
			case fromPool && (s.HugePool != int64(size) || s.Fallbacks != 0):
				t.Errorf("%d huge pages are in the pool: %+v", pool, s)
			case !fromPool && s.HugePool != 0:
				t.Errorf("%d huge pages are in the pool: %+v", pool, s)
			case h == ExplicitHugePages && pool < 3 && s.Fallbacks == 0:
				t.Errorf("there are no huge pages in the pool, and nobody says so: %+v", s)
			}
			if advised && s.HugePool == 0 {
				found := false
				mmapSmaps(t, func(base, end uintptr, fields map[string]string) {
					if base <= vm.Addr(b) && vm.Addr(b) < end {
						found = strings.Contains(" "+fields["VmFlags"]+" ", " hg ")
					}
				})
				if !found && s.Fallbacks < 1+int64(h-TransparentHugePages) {
					t.Errorf("no huge pages were asked for: %+v", s)
				}
			}
			m.Free(small)
			m.Free(b)
			if got := mmapPool(t, huge); got != pool {
				t.Errorf("%d huge pages are in the pool, %d before", got, pool)
			}
			mmapProgram(t, m, 8*huge)
		})
	}
}

// mmapPool returns how many huge pages the pool has.
func mmapPool(t *testing.T, huge int) int {
	text, err := os.ReadFile(fmt.Sprintf("/sys/kernel/mm/hugepages/hugepages-%dkB/free_hugepages", huge>>10))
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMmapNode checks a node that every machine has.
func TestMmapNode(t *testing.T) {
	if _, err := os.Stat("/proc/self/numa_maps"); err != nil {
		t.Skip("a system without NUMA: ", err)
	}
	m := &Mmap{Node: new(0)}
	b, err := m.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	b[0] = 1
	text, err := os.ReadFile("/proc/self/numa_maps")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range strings.Lines(string(text)) {
		found = found || strings.HasPrefix(line, fmt.Sprintf("%x prefer:0 ", vm.Addr(b)))
	}
	if !found {
		t.Errorf("nothing at %#x prefers node 0:\n%s", vm.Addr(b), text)
	}
	m.Free(b)
	mmapProgram(t, m, 4<<20)
}

func TestMmapLock(t *testing.T) {
	m := &Mmap{Lock: true, Quarantine: 1 << 20}
	b, err := m.Alloc(100_000)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Stats(); s.Locked != s.InUse || s.Locked == 0 {
		t.Errorf("%+v", s)
	}
	locked := false
	mmapSmaps(t, func(base, end uintptr, fields map[string]string) {
		if base <= vm.Addr(b) && vm.Addr(b) < end {
			locked = strings.Contains(fields["VmFlags"]+" ", "lo ")
		}
	})
	if !locked {
		t.Error("the system has not locked the block")
	}
	m.Free(b)
	mmapProgram(t, m, 2<<20)
}
