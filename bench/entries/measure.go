package main

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/arena-go/arena/bench/internal/rounds"
)

// A table is what is measured.
type table[K any] interface {
	set(k K, v uint64)
	get(k K) (v uint64, ok bool)
	wait() // Returns when what was set can be found.
}

// A result is that of one process. Times of lookups are nanoseconds, of the collector milliseconds, others seconds; sizes
// are bytes for each entry.
type result struct {
	Kept, Build, Memory, Peak, Hit, Miss, GC, GCMax, GCCPU float64
}

// batch is how many keys are made at a time, which takes none of the time that is measured.
const batch = 4096

// intKey returns the key of the entry i: all are different, and in no order.
func intKey(i int) uint64 {
	k := uint64(i) * 0x9e3779b97f4a7c15
	k = (k ^ k>>30) * 0xbf58476d1ce4e5b9
	return k ^ k>>31
}

// textKey returns the key of the entry i, of 20 bytes.
func textKey(i int) string {
	b := []byte("key:................")
	k := intKey(i)
	var bytes [8]byte
	for j := range bytes {
		bytes[j] = byte(k >> (8 * j))
	}
	hex.Encode(b[4:], bytes[:])
	return string(b)
}

// of returns the function that measures tables as open returns for n entries.
func of[K any](key func(i int) K, open func(n int) table[K]) func(n, lookups int) result {
	return func(n, lookups int) (r result) {
		keys := make([]K, batch)
		// each calls f with the keys of so many entries, a batch of them at a time, and returns what f took.
		each := func(n int, entry func(i int) int, f func(keys []K, first int)) (t time.Duration) {
			for first := 0; first < n; first += batch {
				some := keys[:min(batch, n-first)]
				for i := range some {
					some[i] = key(entry(first + i))
				}
				begin := rounds.CPUTime()
				f(some, first)
				t += rounds.CPUTime() - begin
			}
			return t
		}
		debug.FreeOSMemory()
		before, cpu := rounds.Status("VmRSS"), collectorCPU()

		begin := rounds.CPUTime()
		t := open(n)
		opening := rounds.CPUTime() - begin
		r.Build = (opening + each(n, func(i int) int { return i }, func(keys []K, first int) {
			for i, k := range keys {
				t.set(k, uint64(first+i))
			}
			t.wait()
		})).Seconds()
		r.GCCPU = collectorCPU() - cpu
		peak := rounds.Status("VmHWM") - before
		debug.FreeOSMemory()
		memory := rounds.Status("VmRSS") - before

		for range 2 {
			runtime.GC()
		}
		var pauses []float64
		for range 11 {
			begin := time.Now()
			runtime.GC()
			pauses = append(pauses, float64(time.Since(begin).Microseconds())/1000)
		}
		slices.Sort(pauses)
		r.GC, r.GCMax = pauses[len(pauses)/2], pauses[len(pauses)-1]

		random := rand.New(rand.NewPCG(1, 2))
		asked, hits := make([]uint64, batch), 0
		r.Hit = float64(each(lookups, func(i int) int {
			at := random.IntN(n)
			asked[i%batch] = uint64(at)
			return at
		}, func(keys []K, _ int) {
			for i, k := range keys {
				if v, ok := t.get(k); ok && v == asked[i] {
					hits++
				} else if ok {
					panic(fmt.Sprintf("the value of %v is %d, not %d", k, v, asked[i]))
				}
			}
		}).Nanoseconds()) / float64(lookups)
		r.Miss = float64(each(lookups, func(i int) int { return n + i }, func(keys []K, _ int) {
			for _, k := range keys {
				if v, ok := t.get(k); ok {
					panic(fmt.Sprintf("%v is %d, and was not given", k, v))
				}
			}
		}).Nanoseconds()) / float64(lookups)
		r.Kept = float64(hits) / float64(lookups)
		r.Memory, r.Peak = float64(memory)/(r.Kept*float64(n)), float64(peak)/(r.Kept*float64(n))
		runtime.KeepAlive(t)
		return r
	}
}

// collectorCPU returns the seconds that the collector has taken, but for processors that had nothing else to do.
func collectorCPU() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64() - s[1].Value.Float64()
}
