package suite

import (
	"math"
	"slices"
	"time"
)

// A Result is what one process has measured.
type Result struct {
	Rounds       int                // How often it did the work.
	Units        float64            // What was made in one round, if that is not n.
	Wall, CPU    float64            // Seconds for one round; CPU is of all processors, with the collector's part.
	Before, Peak int                // Resident bytes, when all was ready and at the worst time; 0 where that is not known.
	Collections  int                // Cycles of the collector, in all rounds.
	Collector    float64            // Seconds of CPU in one round that the collector took.
	Allocs       float64            // On the heap in one round.
	Allocated    float64            // Bytes on the heap in one round.
	Check        uint64             // A number for what was made, the same for all implementations.
	Values       map[string]float64 `json:",omitempty"` // What the workload measures besides, in the units of its Values.
	Times        map[string]*Times  `json:",omitempty"` // What took how long: "request", "frame", "collection".
}

// Made returns how much was made in one round, where n is the workload's n.
func (r *Result) Made(n int) float64 {
	if r.Units > 0 {
		return r.Units
	}
	return float64(max(n, 1))
}

// Times are how long something took, each time.
type Times struct {
	N                   int
	P50, P90, P99, P999 float64 // Seconds: this part of them took at most so long.
	Max                 float64
	// Counts has for b how many took from 2^(b/8) to 2^((b+1)/8) nanoseconds.
	Counts map[int]int
}

// NewTimes sorts all.
func NewTimes(all []time.Duration) *Times {
	slices.Sort(all)
	t := &Times{N: len(all), Counts: map[int]int{}}
	for _, d := range all {
		t.Counts[int(math.Floor(8*math.Log2(max(float64(d), 1))))]++
	}
	at := func(part float64) float64 {
		if len(all) == 0 {
			return 0
		}
		return all[min(int(math.Ceil(part*float64(len(all)))), len(all))-1].Seconds()
	}
	t.P50, t.P90, t.P99, t.P999, t.Max = at(0.5), at(0.9), at(0.99), at(0.999), at(1)
	return t
}
