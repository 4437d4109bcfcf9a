package arenatest

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
)

// NoHeap fails t if f, or a function that it calls, allocates on the heap. It names each place,
// with the calls from f to it, and the number and the bytes of allocations in each run of f. The
// most frequent place comes first. t goes on.
//
// NoHeap runs f some hundred times with an arena that is Reset after each run: first until the
// arena has enough memory, and then to measure. f must do the same each time. The arena is not in
// guard mode.
//
// NoHeap counts the entries of the memory profile with runtime.MemProfileRate at 1, which it sets
// while it measures. So
//
//   - values without pointers of less than 16 bytes share a block, and the profile contains only
//     the place that began the block. Such numbers are too low, and said to be "at least". A place
//     that always finds room in the blocks of others is named when the others are gone. With the
//     race detector there are no such blocks.
//   - allocations of goroutines that f starts are not seen, nor allocations more than 120 calls
//     deep.
//   - the memory of the arena is not counted.
//   - places that allocate less than once in 32 runs do not count: caches, and values that a
//     sync.Pool makes when the collector has emptied it. The race detector makes a sync.Pool lose
//     each fourth value: there places need one allocation in two runs to count.
//
// Programs that are built with the race detector, the address sanitizer or the tag arenadebug are
// different: arenas take new memory after each Reset there, and the collector runs more often. So
// NoHeap does not count allocations of package arena there, not even for a nil arena, which is the
// heap. Nor does it count the memory of a sync.Pool, or allocations of package fmt, which has a
// sync.Pool. With the race detector bytes that are passed to arena.String or arena.Bytes are on the
// heap, even if they would otherwise be on the stack, and count.
//
// Parallel tests may call NoHeap; one of them runs at a time. f must not call it.
func NoHeap(t testing.TB, f func(a *arena.Arena)) {
	t.Helper()
	heap.Lock()
	defer heap.Unlock()
	a := arena.NewArena()
	defer a.Free()
	warm(a, f)
	if sites := measure(a, f); len(sites) > 0 {
		t.Error(describe(sites))
	}
}

// heap is held while NoHeap is at work.
var heap struct {
	sync.Mutex
	sink *byte
}

// runs is how often f is run to measure: the same number of times for each place in a block.
const runs = 8 * blockSize

// warm runs f until the arena has what it needs. An arena lets go what 32 Resets did not find used,
// so it is stable when nothing changes for longer.
func warm(a *arena.Arena, f func(*arena.Arena)) {
	var last arena.Stats
	for i, since := 0, 0; i < 500 && since <= 32; i++ {
		f(a)
		a.Reset()
		s := a.Stats()
		if since++; s.Chunks != last.Chunks || s.Reserved != last.Reserved {
			since = 0
		}
		last = s
	}
}

// A site is a place that allocates.
type site struct {
	stack        []runtime.Frame // from the place to f
	count, bytes int64
	least        bool // there may have been more, which shared a block
}

// measure returns the sites, by stack, of what runs of f allocate.
func measure(a *arena.Arena, f func(*arena.Arena)) map[string]*site {
	before := profile()
	run(a, f)
	after := profile()
	sites := map[string]*site{}
	for key, r := range after {
		r.count -= before[key].count
		r.bytes -= before[key].bytes
		if r.count == 0 {
			continue
		}
		stack, ok := inside(r.stack)
		if !ok || ours(stack) || watched && pooled(stack) {
			continue
		}
		name := stackString(stack)
		s := sites[name]
		if s == nil {
			s = &site{stack: stack}
			sites[name] = s
		}
		s.count += r.count
		s.bytes += r.bytes
		s.least = s.least || r.bytes == blockSize*r.count
	}
	maps.DeleteFunc(sites, func(_ string, s *site) bool { return s.count < often })
	return sites
}

// run runs f with everything profiled.
func run(a *arena.Arena, f func(*arena.Arena)) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	for i := range runs {
		fill(i % blockSize)
		measured(a, f)
		a.Reset()
	}
}

// blockSize is the size of the blocks that small values without pointers share.
const blockSize = 16

// fill leaves a block with n used bytes for the next small value. If n were the same each time, or
// random, the same value of a run would always begin the next block, and the others would never be
// seen.
//
// With the race detector there are no such blocks.
func fill(n int) {
	for range blockSize {
		heap.sink = new(byte)
		if at := reflect.ValueOf(heap.sink).Pointer(); int(at+1)%blockSize == n {
			break
		}
	}
}

// measured is the function by which stacks of f are known.
//
//go:noinline
func measured(a *arena.Arena, f func(*arena.Arena)) { f(a) }

// inside returns the part of the stack that is f and what it called, without the runtime's
// functions at its top. It reports false when there is none.
func inside(pcs []uintptr) ([]runtime.Frame, bool) {
	const measured = "github.com/arena-go/arena/arenatest.measured"
	var stack []runtime.Frame
	frames := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == measured:
			return stack, true
		case len(stack) == 0 && isRuntime(f.Function):
		default:
			stack = append(stack, f)
		}
	}
	return nil, false
}

func isRuntime(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "internal/runtime/")
}

// ours reports whether the memory belongs to the arena.
func ours(stack []runtime.Frame) bool {
	for _, f := range stack {
		name, ok := strings.CutPrefix(f.Function, "github.com/arena-go/arena")
		ok = ok && (name[0] == '.' || strings.HasPrefix(name, "/ref.") || strings.HasPrefix(name, "/internal/"))
		switch {
		case ok && (watched || strings.HasPrefix(name, ".(*chunks).")):
			return true
		case !ok && !helps(f.Function):
			return false
		}
	}
	return false
}

// helps reports whether package arena has the function allocate for it.
func helps(function string) bool {
	pkg, _, _ := strings.Cut(function, ".")
	return slices.Contains([]string{"reflect", "slices", "strings", "sync", "internal/sync"}, pkg)
}

// pooled reports whether the memory is for a sync.Pool, or for the buffers of package fmt, which
// lie in one.
func pooled(stack []runtime.Frame) bool {
	return slices.ContainsFunc(stack, func(f runtime.Frame) bool { return strings.HasPrefix(f.Function, "sync.(*Pool).") }) ||
		len(stack) > 0 && (strings.HasPrefix(stack[0].Function, "fmt.(*buffer).") || strings.HasPrefix(stack[0].Function, "fmt.(*fmt)."))
}

// describe returns the text about sites, of which there are some.
func describe(sites map[string]*site) string {
	var b strings.Builder
	var count, bytes int64
	for _, s := range sites {
		count += s.count
		bytes += s.bytes
	}
	fmt.Fprintf(&b, "arenatest: NoHeap: each run allocates on the heap, %v times and %v bytes:\n", perRun(count), perRun(bytes))
	for _, name := range slices.SortedFunc(maps.Keys(sites), func(x, y string) int {
		s, t := sites[x], sites[y]
		return cmp.Or(cmp.Compare(t.count, s.count), cmp.Compare(t.bytes, s.bytes), cmp.Compare(x, y))
	}) {
		s := sites[name]
		least := ""
		if s.least {
			least = "at least "
		}
		fmt.Fprintf(&b, "%s%v times, %v bytes, at:\n%s", least, perRun(s.count), perRun(s.bytes), name)
	}
	return b.String()
}

func perRun(n int64) float64 { return float64(n) / runs }

// stackString returns the stack as a traceback prints it.
func stackString(stack []runtime.Frame) string {
	var b strings.Builder
	for _, f := range stack {
		fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
	}
	return b.String()
}
