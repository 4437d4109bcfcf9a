// Package entries measures maps and caches with millions of entries.
//
// Keys are 64-bit numbers, or text of 20 bytes, in no order; values are 64-bit numbers. One
// goroutine uses the table. Its CPU time is what passes on an idle machine, but for the collector,
// and other programs disturb it less; only the time of a collection is what passes.
//
// The comparison is not fair to the caches: they are for use by many goroutines at a time, and
// lock, copy values, and count what is used. It shows what a program pays that uses one as a large
// map. Nothing is to be evicted: freecache gets half as much room again as the entries take, and
// ristretto, which drops what is set faster than it works off, is waited for after every 4096
// entries.
package entries

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A table is what is measured.
type table[K any] interface {
	set(k K, v uint64)
	get(k K) (v uint64, ok bool)
	wait() // Returns when what was set can be found.
}

const about = `Each Set is of a new key, in no order. Then the collector runs eleven times with the table alive, and keys are looked up ` +
	`in random order: up to five million that are there ("hit") and as many that are not ("miss"), by one goroutine. CPU and "build" are the time of all Sets, ` +
	`with the collector's part but without the making of the keys; "memory" and "peak" are resident bytes for each entry that was kept, after a collection and at ` +
	`the worst time of the Sets; "gc" is the median collection, "gcmax" the longest. The caches do more than a map does: they lock, copy values, count what is used, and evict.`

// Workloads returns those with numbers as keys, and those with text. They have no Check, since a
// cache may drop an entry: the value "kept" says how many are found, and one that is another value
// than was set, or of a key that was not, is a panic.
func Workloads() []suite.Workload {
	return []suite.Workload{
		workload("entries-int", "Tables of 64-bit numbers", []suite.Implementation{
			of("gomap", intKey, newGoMap[uint64]),
			of("arena.Map", intKey, newMap),
			of("RefMap", intKey, newRefMap),
			of("RefMap-mmap", intKey, newMmapRefMap),
			of("RefTree", intKey, newRefTree),
			of("bigcache", intKey, newIntBigcache),
			of("freecache", intKey, newIntFreecache),
			of("ristretto", intKey, newRistretto[uint64]),
		}),
		workload("entries-text", "Tables of text of 20 bytes", []suite.Implementation{
			of("gomap", textKey, newTextGoMap),
			of("RefTextMap", textKey, newRefTextMap),
			of("RefTextMap-mmap", textKey, newMmapRefTextMap),
			of("bigcache", textKey, newBigcache),
			of("freecache", textKey, newFreecache),
			of("ristretto", textKey, newRistretto[string]),
		}),
	}
}

func workload(name, title string, implementations []suite.Implementation) suite.Workload {
	return suite.Workload{
		Name: name, Title: title, About: about,
		Unit: "entries", Sizes: []int{10_000_000}, Quick: []int{20_000}, Rounds: 2,
		Implementations: implementations,
		Values: []suite.Value{
			{Name: "kept", Unit: "%", More: true},
			{Name: "build", Unit: "s"}, {Name: "memory", Unit: "B"}, {Name: "peak", Unit: "B"},
			{Name: "hit", Unit: "s"}, {Name: "miss", Unit: "s"},
			{Name: "gc", Unit: "s"}, {Name: "gcmax", Unit: "s"},
		},
	}
}

// batch is how many keys are made at a time, which takes none of the time that is measured.
const batch = 4096

// of returns what measures tables as open returns for n entries.
func of[K any](name string, key func(i int) K, open func(n int) table[K]) suite.Implementation {
	return suite.Implementation{Name: name, Measure: func(n int, _ time.Duration) suite.Result {
		keys := make([]K, batch)
		// each calls f with the keys of n entries, a batch of them at a time, and returns the time
		// of f.
		each := func(n int, entry func(i int) int, f func(keys []K, first int)) (cpu, wall time.Duration) {
			for first := 0; first < n; first += batch {
				some := keys[:min(batch, n-first)]
				for i := range some {
					some[i] = key(entry(first + i))
				}
				c, w := measure(func() { f(some, first) })
				cpu, wall = cpu+c, wall+w
			}
			return cpu, wall
		}

		m := suite.NewMeter()
		m.Rounds = 1
		m.Start()
		var t table[K]
		opening, openingWall := measure(func() { t = open(n) })
		sets, setsWall := each(n, func(i int) int { return i }, func(keys []K, first int) {
			for i, k := range keys {
				t.set(k, uint64(first+i))
			}
			t.wait()
		})
		m.Stop()
		m.CPU, m.Wall = (opening + sets).Seconds(), (openingWall + setsWall).Seconds()
		debug.FreeOSMemory()
		memory := suite.Status("VmRSS") - m.Before

		for range 2 {
			runtime.GC()
		}
		collections := make([]time.Duration, 11)
		for i := range collections {
			_, collections[i] = measure(runtime.GC)
		}
		times := suite.NewTimes(collections)

		lookups := min(2*n, 5_000_000)
		random := rand.New(rand.NewPCG(1, 2))
		asked, found := make([]int, batch), 0
		hit, _ := each(lookups, func(i int) int {
			asked[i%batch] = random.IntN(n)
			return asked[i%batch]
		}, func(keys []K, _ int) {
			for i, k := range keys {
				if v, ok := t.get(k); ok && v == uint64(asked[i]) {
					found++
				} else if ok {
					panic(fmt.Sprintf("the value of %v is %d, not %d", k, v, asked[i]))
				}
			}
		})
		miss, _ := each(lookups, func(i int) int { return n + i }, func(keys []K, _ int) {
			for _, k := range keys {
				if v, ok := t.get(k); ok {
					panic(fmt.Sprintf("%v is %d, and was not set", k, v))
				}
			}
		})
		runtime.KeepAlive(t)

		kept := float64(found) / float64(lookups)
		m.Times = map[string]*suite.Times{"collection": times}
		m.Values = map[string]float64{
			"kept": 100 * kept, "build": m.CPU,
			"memory": float64(memory) / (kept * float64(n)), "peak": float64(m.Peak-m.Before) / (kept * float64(n)),
			"hit": hit.Seconds() / float64(lookups), "miss": miss.Seconds() / float64(lookups),
			"gc": times.P50, "gcmax": times.Max,
		}
		return m.Result
	}}
}

// measure returns the time that f takes.
func measure(f func()) (cpu, wall time.Duration) {
	c, w := suite.CPUTime(), time.Now()
	f()
	return suite.CPUTime() - c, time.Since(w)
}
