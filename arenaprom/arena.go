package arenaprom

import (
	"github.com/arena-go/arena"
	"github.com/prometheus/client_golang/prometheus"
)

// NewArenaCollector returns a collector of the [arena.Stats] that the function stats returns, with the name in the label arena. It panics if stats
// is nil.
//
// One goroutine at a time uses an arena, and Stats is a use of it. A scrape runs on another goroutine, at any time. So stats must not be the method
// [arena.Arena.Stats] of an arena that is in use: that is a data race. There are two ways. Either the owner of the arena stores its Stats after
// each round, before Reset, in an atomic.Pointer, and the function loads them, as in the example. Or the function takes the lock under which the
// arena is used.
//
// The same goes for [arena.Group.Stats], which also panics while goroutines of the Group are running: take them between Wait and Reset.
//
// The registry calls the function once per scrape, on a goroutine of its own, and several times at once when scrapes overlap. The function must not
// panic: the registry makes an error of a panic, and a scrape with an error has no metrics at all unless promhttp.HandlerOpts say otherwise. It may
// return the Stats of one arena now and of its successor later. Counters then begin anew, as Prometheus expects of a restart.
func NewArenaCollector(name string, stats func() arena.Stats) prometheus.Collector {
	return newArenaCollector("NewArenaCollector", name, stats)
}

func newArenaCollector(what, name string, stats func() arena.Stats) *collector[arena.Stats] {
	if stats == nil {
		panic("arenaprom: " + what + " with a nil function; pass one that returns the Stats of the arena")
	}
	return newCollector(stats, arenaMetrics, prometheus.Labels{"arena": name})
}

var arenaMetrics = []metric[arena.Stats]{
	{"arena_in_use_bytes", gauge, func(s arena.Stats) int64 { return s.InUse },
		"Bytes allocated since the last Reset."},
	{"arena_reserved_bytes", gauge, func(s arena.Stats) int64 { return s.Reserved },
		"Memory that the arena holds, used or kept by Reset. What it costs now, and what Options.Limit bounds. Far above the peak for long: set Options.Retain."},
	{"arena_peak_bytes", gauge, func(s arena.Stats) int64 { return s.Peak },
		"The most bytes that have been in use. Options.Limit should be well above it."},
	{"arena_chunks", gauge, func(s arena.Stats) int64 { return int64(s.Chunks) },
		"Chunks that the reserved bytes consist of."},
	{"arena_resets_total", counter, func(s arena.Stats) int64 { return s.Resets },
		"Resets. No increase while there is work: the arena only grows."},
	{"arena_references_bytes", gauge, func(s arena.Stats) int64 { return s.RefBytes },
		"Memory of values with references, padding included. They reach 32 GiB and no further."},
	{"arena_limit_errors_total", counter, func(s arena.Stats) int64 { return s.LimitHits },
		"Allocations that failed with a LimitError. Any means that work is too large, or Options.Limit too small."},
	{"arena_freed", gauge, func(s arena.Stats) int64 {
		if s.Freed {
			return 1
		}
		return 0
	}, "1 if the arena is closed by Free, 0 if not. A closed arena holds nothing, and its collector should be unregistered."},
}
