/*
Package arenaprom exports what arenas and pools of arenas do and hold as
Prometheus metrics.

	registry.MustRegister(arenaprom.NewPoolCollector("requests", &pool))

The package registers nothing by itself. A program without Prometheus needs none for this: the same figures are in [arena.PoolStats] and
[arena.Stats], and expvar.Func publishes them in one line.

A pool may be scraped at any time. An arena is used by one goroutine at a time, and a scrape is a use: see [NewArenaCollector] for how its owner
lets the figures out.

# Names

The metrics of a pool begin with arena_pool_ and carry its name in the label pool. Those of a single arena begin with arena_ and carry its name in
the label arena. Those of an allocator for Arrow begin with arena_arrow_ and carry its name in the label allocator, and the names of its children in
the label child. prometheus.WrapRegistererWith adds other labels.

Any number of pools and arenas may be in one registry, if their names differ. The registry returns an error for a name that is registered twice,
and for one that is not valid UTF-8. Names of children and types are no reason for an error. The empty name is a name like others; Prometheus does not tell an empty label from a missing one.

A scrape takes one snapshot of each pool and arena. What it says of an arena fits together. What it says of a pool fits together as well as
[arena.Pool.Stats] can make it while arenas come and go. A collector keeps its pool, or what its function refers to, from being collected until
it is unregistered.

# Questions to ask

Which pool loses arenas? Each is a Get without its Put, and memory that was not used again:

	increase(arena_pool_lost_total[1h]) > 0

Which pool refuses memory? Requests are too large, or Options.Limit is too small:

	rate(arena_pool_limit_errors_total[5m]) > 0

What part of the Gets does a pool answer with an arena that it had? If it is small, arenas
do not come back, or come back so rarely that the garbage collector takes them first:

	1 - rate(arena_pool_made_total[15m]) / rate(arena_pool_gets_total[15m])

How much of the memory of a pool lies idle, and in how many arenas? Pool.Retain bounds what
each of them keeps:

	arena_pool_retained_bytes / arena_pool_reserved_bytes
	arena_pool_retained_bytes / arena_pool_idle_arenas

Which queries over Arrow exceed their limit, and how far above what they need is it?

	increase(arena_arrow_child_exceeded_total[1h]) > 0
	arena_arrow_child_limit_bytes / arena_arrow_child_peak_bytes
*/
package arenaprom
