package arenaarrow_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/offheap"
)

var soakTime = flag.Duration("soak", 3*time.Second, "how long TestSoak runs at least with -long; give -timeout as well when it is more than some minutes")

// TestSoak has several goroutines open queries, run random programs in them, and close them, by
// allocators that live as long as the test: some queries forget to release, some results are
// released after Close by somebody else. After each round nothing is in use, and after the last one
// no more of the heap than after the second.
func TestSoak(t *testing.T) {
	seed := testrun.Seed(t)
	mmap := &offheap.Mmap{}
	var all []*soakAllocator
	for i, o := range []arenaarrow.Options{
		{StackRate: 1 << 12},
		{Retain: -1, Align: 256},
		{Memory: mmap},
		{Limit: 1 << 20, Retain: soakRetain},
	} {
		o.Name = fmt.Sprintf("options %d", i)
		all = append(all, &soakAllocator{Allocator: arenaarrow.New(o), offheap: o.Memory != nil})
	}
	var live, resident int64
	var queries, steps atomic.Int64
	goroutines := runtime.NumGoroutine()
	begin := time.Now()
	round := uint64(0)
	for ; round < 5 || testrun.Long() && time.Since(begin) < *soakTime; round++ {
		var wg sync.WaitGroup
		results := make(chan []arrow.Array, 8)
		for g := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, round<<8|g))
			wg.Go(func() {
				for range testrun.Times(10, 100) {
					if t.Failed() {
						break
					}
					a := any1(r, all...)
					queries.Add(1)
					if err := a.query(r, results, &steps); err != nil {
						t.Errorf("%s: %v", a, err)
					}
				}
			})
		}
		wg.Wait()
		close(results)
		for list := range results {
			releaseAll(list)
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
		for _, a := range all {
			if s := a.Stats(); s.InUse != 0 || s.Blocks != 0 || s.Orphans > a.forgotten.Load() || s.Held > 8<<20*int64(runtime.GOMAXPROCS(0)) {
				t.Errorf("%s: %+v; %d bytes were forgotten", a, s, a.forgotten.Load())
			}
		}
		if round == 1 {
			live, resident = soakMemory(t, all)
		}
	}
	liveNow, residentNow := soakMemory(t, all)
	t.Logf("%d rounds, %d queries, %d steps; live after the second round %d KiB, at the end %d KiB; resident %d KiB, %d KiB",
		round, queries.Load(), steps.Load(), live>>10, liveNow>>10, resident>>10, residentNow>>10)
	if liveNow > live+soakRetain+4<<20 {
		t.Errorf("the heap has grown from %d KiB to %d KiB", live>>10, liveNow>>10)
	}
	if !testrun.Collect(func() bool { return runtime.NumGoroutine() <= goroutines }) {
		t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), goroutines)
	}
	for _, a := range all {
		if l := a.Close(); l != nil {
			t.Error(l)
		}
		if s := a.Stats(); s.Held != 0 || s.Cached != 0 {
			t.Errorf("%s: %+v", a, s)
		}
	}
	if s := mmap.Stats(); s.Blocks != 0 {
		t.Errorf("%+v", s)
	}
}

// soakRetain is what one of the allocators of TestSoak keeps for later.
const soakRetain = 4 << 20

// A soakAllocator is one of those that TestSoak uses.
type soakAllocator struct {
	*arenaarrow.Allocator
	offheap   bool         // What is forgotten stays forever.
	forgotten atomic.Int64 // bytes
}

// query is the life of a query, some of whose results go to others.
func (a *soakAllocator) query(r *rand.Rand, results chan []arrow.Array, steps *atomic.Int64) error {
	q := a.Child("query")
	p := newPair(q, 500, &a.forgotten)
	p.noLeaks = a.offheap
	end := r.IntN(4)
	if a.offheap && end == 0 {
		end = 1
	}
	p.noC = end == 0 // C would keep it.
	for range 1 + r.IntN(15) {
		steps.Add(1)
		if err := p.step(r); err != nil {
			return err
		}
	}
	late := p.ours.arrays
	if end > 1 {
		if err := p.releaseAll(); err != nil {
			return err
		}
	}
	n := int64(q.CurrentAlloc())
	l := q.Close()
	if n != 0 && end > 1 || (l != nil) != (n != 0) || l != nil && l.Bytes != n {
		return fmt.Errorf("%d bytes in use, %v", n, l)
	}
	switch end {
	case 0: // forgets
		a.forgotten.Add(n)
		for i := range late {
			if err := p.compare(i); err != nil {
				return err
			}
		}
	case 1: // has a result that is released later
		releaseAll(p.want.arrays)
		select {
		case results <- late:
			releaseAll(<-results)
		default:
			releaseAll(late)
		}
	}
	return nil
}

// clearZstd has parquet's decoders of zstd, which are as old as the process, refer to other memory
// than what they decoded into last. They take turns, and are four at the most.
func clearZstd() {
	zstd, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err)
	}
	packed := zstd.Encode(nil, make([]byte, 100))
	for range 8 {
		zstd.Decode(make([]byte, 200), packed)
	}
}

// soakMemory returns how many bytes of the heap are live when the allocators keep no more than
// soakRetain for later, and how many are resident, or 0 where that is not known.
func soakMemory(t *testing.T, all []*soakAllocator) (live, resident int64) {
	keeps := func() (n int64) {
		for _, a := range all {
			if s := a.Stats(); !a.offheap {
				n += s.Held + s.Orphans + max(s.Cached-soakRetain, 0)
			}
		}
		return n
	}
	clearZstd()
	if !testrun.Collect(func() bool { return keeps() == 0 }) {
		t.Errorf("%d bytes are kept when nobody uses the allocators", keeps())
	}
	for range 3 {
		debug.FreeOSMemory()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	live = int64(m.HeapAlloc)
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return live, 0
	}
	var size int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return live, resident * int64(os.Getpagesize())
}
