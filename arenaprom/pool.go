package arenaprom

import (
	"github.com/arena-go/arena"
	"github.com/prometheus/client_golang/prometheus"
)

// NewPoolCollector returns a collector of the [arena.PoolStats] of p, with the name in the label pool. Other goroutines may use p and its arenas
// while it collects. A scrape takes time in proportion to the arenas that p has made and the garbage collector has not taken. The metrics of a nil
// Pool are zero.
func NewPoolCollector(name string, p *arena.Pool) prometheus.Collector {
	return newCollector(p.Stats, poolMetrics, prometheus.Labels{"pool": name})
}

var poolMetrics = []metric[arena.PoolStats]{
	{"arena_pool_gets_total", counter, func(s arena.PoolStats) int64 { return s.Gets },
		"Arenas given away by Get."},
	{"arena_pool_puts_total", counter, func(s arena.PoolStats) int64 { return s.Puts },
		"Arenas that came back by Put. Less than gets over a long time: see lost, dropped and freed for how the others ended."},
	{"arena_pool_freed_total", counter, func(s arena.PoolStats) int64 { return s.Freed },
		"Arenas that were freed instead of Put. Their memory is not used again: right only where values must outlive the arena."},
	{"arena_pool_dropped_total", counter, func(s arena.PoolStats) int64 { return s.Dropped },
		"Arenas given up by Drop because they might still be in use. A steady rate means work that panics, or goes on when its caller has left."},
	{"arena_pool_lost_total", counter, func(s arena.PoolStats) int64 { return s.Lost },
		"Arenas that nobody gave back and the garbage collector took. Each is a missing Put: a bug in the program."},
	{"arena_pool_made_total", counter, func(s arena.PoolStats) int64 { return s.Made },
		"Arenas made because the pool was empty. Nearly as many as gets: the pool is of no use, since arenas do not come back, or lie unused for too long."},
	{"arena_pool_collected_total", counter, func(s arena.PoolStats) int64 { return s.Collected },
		"Arenas that the garbage collector took out of the pool because they lay unused. Normal after a burst; a steady rate means that the pool is used too rarely."},
	{"arena_pool_limit_errors_total", counter, func(s arena.PoolStats) int64 { return s.LimitHits },
		"Allocations that failed with a LimitError. Any means that work is too large, or Options.Limit too small."},
	{"arena_pool_resets_total", counter, func(s arena.PoolStats) int64 { return s.Resets },
		"Resets of arenas, the one by each Put included. More than puts: arenas are used for several rounds."},
	{"arena_pool_allocated_bytes_total", counter, func(s arena.PoolStats) int64 { return s.Allocated },
		"Bytes that arenas had in use when they were Reset, Put or freed. Its rate is what the heap is spared; divided by resets it is what one round needs."},
	{"arena_pool_peak_bytes", gauge, func(s arena.PoolStats) int64 { return s.Peak },
		"The most bytes that an arena had in use when it was Reset, Put or freed, since the start. Far above the average: one odd piece of work, and a reason to set Pool.Retain."},
	{"arena_pool_sampled_total", counter, func(s arena.PoolStats) int64 { return s.Sampled },
		"Arenas that Pool.KeepEvery has chosen, to look for values that are kept after the end."},
	{"arena_pool_kept_values_total", counter, func(s arena.PoolStats) int64 { return s.Kept },
		"Values of the sampled arenas that something pointed at some collections after the end. Any means a bug: what is reported as Kept."},
	{"arena_pool_out_arenas", gauge, func(s arena.PoolStats) int64 { return s.Out },
		"Arenas that are given away now. Above the number of pieces of work in flight: Puts are missing, and lost counts them when the garbage collector finds them."},
	{"arena_pool_idle_arenas", gauge, func(s arena.PoolStats) int64 { return s.Idle },
		"Arenas that lie in the pool now."},
	{"arena_pool_reserved_bytes", gauge, func(s arena.PoolStats) int64 { return s.Reserved },
		"Memory of all arenas of the pool: given away, idle, or dropped and not collected yet. What the pool costs now."},
	{"arena_pool_retained_bytes", gauge, func(s arena.PoolStats) int64 { return s.Retained },
		"Memory of the arenas that lie in the pool, a part of the reserved bytes. Too much for too long: set Pool.Retain."},
	{"arena_pool_guarded_bytes", gauge, func(s arena.PoolStats) int64 { return s.Guarded },
		"Memory of arenas in guard mode and of those that Pool.KeepEvery has chosen, a part of the reserved bytes. What looking for mistakes costs now."},
}
