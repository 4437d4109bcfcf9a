// Package metrics has the figures of arenas and pools that exporters export: names, kinds and what
// they mean.
package metrics

import "github.com/arena-go/arena"

// A Metric is one figure of a snapshot of type S. Its name is the name for Prometheus.
type Metric[S any] struct {
	Name    string
	Counter bool // it only grows
	Value   func(S) int64
	Help    string
}

// Counter returns a metric that only grows.
func Counter[S any](name string, value func(S) int64, help string) Metric[S] {
	return Metric[S]{name, true, value, help}
}

// Gauge returns a metric that may fall.
func Gauge[S any](name string, value func(S) int64, help string) Metric[S] {
	return Metric[S]{name, false, value, help}
}

// Pool is what [arena.PoolStats] say.
var Pool = []Metric[arena.PoolStats]{
	Counter("arena_pool_gets_total", func(s arena.PoolStats) int64 { return s.Gets },
		"Arenas given away by Get."),
	Counter("arena_pool_puts_total", func(s arena.PoolStats) int64 { return s.Puts },
		"Arenas that came back by Put. Less than gets over a long time: see lost, dropped and freed for how the others ended."),
	Counter("arena_pool_freed_total", func(s arena.PoolStats) int64 { return s.Freed },
		"Arenas that were freed instead of Put. Their memory is not used again: right only where values must outlive the arena."),
	Counter("arena_pool_dropped_total", func(s arena.PoolStats) int64 { return s.Dropped },
		"Arenas given up by Drop because they might still be in use. A steady rate means work that panics, or goes on when its caller has left."),
	Counter("arena_pool_lost_total", func(s arena.PoolStats) int64 { return s.Lost },
		"Arenas that nobody gave back and the garbage collector took. Each is a missing Put: a bug in the program."),
	Counter("arena_pool_made_total", func(s arena.PoolStats) int64 { return s.Made },
		"Arenas made because the pool was empty. Nearly as many as gets: the pool is of no use, since arenas do not come back, or lie unused for too long."),
	Counter("arena_pool_collected_total", func(s arena.PoolStats) int64 { return s.Collected },
		"Arenas that the garbage collector took out of the pool because they lay unused. Normal after a burst; a steady rate means that the pool is used too rarely."),
	Counter("arena_pool_limit_errors_total", func(s arena.PoolStats) int64 { return s.LimitHits },
		"Allocations that failed with a LimitError. Any means that work is too large, or Options.Limit too small."),
	Counter("arena_pool_resets_total", func(s arena.PoolStats) int64 { return s.Resets },
		"Resets of arenas, the one by each Put included. More than puts: arenas are used for several rounds."),
	Counter("arena_pool_allocated_bytes_total", func(s arena.PoolStats) int64 { return s.Allocated },
		"Bytes that arenas had in use when they were Reset, Put or freed. Its rate is what the heap is spared; divided by resets it is what one round needs."),
	Gauge("arena_pool_peak_bytes", func(s arena.PoolStats) int64 { return s.Peak },
		"The most bytes that an arena had in use when it was Reset, Put or freed, since the start. Far above the average: one odd piece of work, and a reason to set Pool.Retain."),
	Counter("arena_pool_sampled_total", func(s arena.PoolStats) int64 { return s.Sampled },
		"Arenas that Pool.KeepEvery has chosen, to look for values that are kept after the end."),
	Counter("arena_pool_kept_values_total", func(s arena.PoolStats) int64 { return s.Kept },
		"Values of the sampled arenas that something pointed at some collections after the end. Any means a bug: what is reported as Kept."),
	Gauge("arena_pool_out_arenas", func(s arena.PoolStats) int64 { return s.Out },
		"Arenas that are given away now. Above the number of pieces of work in flight: Puts are missing, and lost counts them when the garbage collector finds them."),
	Gauge("arena_pool_idle_arenas", func(s arena.PoolStats) int64 { return s.Idle },
		"Arenas that lie in the pool now."),
	Gauge("arena_pool_reserved_bytes", func(s arena.PoolStats) int64 { return s.Reserved },
		"Memory of all arenas of the pool: given away, idle, or dropped and not collected yet. What the pool costs now."),
	Gauge("arena_pool_retained_bytes", func(s arena.PoolStats) int64 { return s.Retained },
		"Memory of the arenas that lie in the pool, a part of the reserved bytes. Too much for too long: set Pool.Retain."),
	Gauge("arena_pool_guarded_bytes", func(s arena.PoolStats) int64 { return s.Guarded },
		"Memory of arenas in guard mode and of those that Pool.KeepEvery has chosen, a part of the reserved bytes. What looking for mistakes costs now."),
}

// Arena is what [arena.Stats] say, but for Types.
var Arena = []Metric[arena.Stats]{
	Gauge("arena_in_use_bytes", func(s arena.Stats) int64 { return s.InUse },
		"Bytes allocated since the last Reset."),
	Gauge("arena_reserved_bytes", func(s arena.Stats) int64 { return s.Reserved },
		"Memory that the arena holds, used or kept by Reset. What it costs now, and what Options.Limit bounds. Far above the peak for long: set Options.Retain."),
	Gauge("arena_peak_bytes", func(s arena.Stats) int64 { return s.Peak },
		"The most bytes that have been in use. Options.Limit should be well above it."),
	Gauge("arena_chunks", func(s arena.Stats) int64 { return int64(s.Chunks) },
		"Chunks that the reserved bytes consist of."),
	Counter("arena_resets_total", func(s arena.Stats) int64 { return s.Resets },
		"Resets. No increase while there is work: the arena only grows."),
	Gauge("arena_references_bytes", func(s arena.Stats) int64 { return s.RefBytes },
		"Memory of values with references, padding included. They reach 32 GiB and no further."),
	Counter("arena_limit_errors_total", func(s arena.Stats) int64 { return s.LimitHits },
		"Allocations that failed with a LimitError. Any means that work is too large, or Options.Limit too small."),
	Gauge("arena_freed", func(s arena.Stats) int64 {
		if s.Freed {
			return 1
		}
		return 0
	}, "1 if the arena is closed by Free, 0 if not. A closed arena holds nothing, and its collector should be unregistered."),
}
