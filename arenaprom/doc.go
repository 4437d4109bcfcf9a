/*
Package arenaprom exports the statistics of arenas and pools as Prometheus metrics.

	registry.MustRegister(arenaprom.NewPoolCollector("requests", &pool))

The package registers nothing by itself. A program without Prometheus does not need it: the same
figures are in [arena.PoolStats] and [arena.Stats], and expvar.Func publishes them in one line.

A pool may be scraped at any time. One goroutine at a time uses an arena, and a scrape is a use: see
[NewArenaCollector] for how its owner publishes the figures.

# Names

The metrics of a pool begin with arena_pool_, with its name in the label pool. The metrics of a
single arena begin with arena_, with its name in the label arena. The metrics of an allocator for
Arrow begin with arena_arrow_, with its name in the label allocator, and the names of its children
in the label child. prometheus.WrapRegistererWith adds other labels.

Any number of pools and arenas may be in one registry, if their names differ. The registry returns
an error for a name that is registered twice, and for a name that is not valid UTF-8. Names of
children and types cause no errors. The empty name is allowed; Prometheus does not distinguish an
empty label from a missing label.

A scrape takes one snapshot of each pool and arena. The figures of an arena are consistent. The
figures of a pool are as consistent as [arena.Pool.Stats] can make them while arenas come and go.
Until it is unregistered, a collector keeps its pool, or the references of its function, from being
collected.

# Questions to ask

Which pool loses arenas? Each is a Get without its Put, and memory that was not reused:

	increase(arena_pool_lost_total[1h]) > 0

Which pool refuses memory? Requests are too large, or Options.Limit is too small:

	rate(arena_pool_limit_errors_total[5m]) > 0

Which part of the Gets does a pool answer with an existing arena? If it is small, arenas do not come
back, or come back so rarely that the garbage collector frees them first:

	1 - rate(arena_pool_made_total[15m]) / rate(arena_pool_gets_total[15m])

How much of the memory of a pool is idle, and in how many arenas? Pool.Retain bounds the memory that
each of them keeps:

	arena_pool_retained_bytes / arena_pool_reserved_bytes
	arena_pool_retained_bytes / arena_pool_idle_arenas

Which queries over Arrow exceed their limit, and how far is the limit above their needs?

	increase(arena_arrow_child_exceeded_total[1h]) > 0
	arena_arrow_child_limit_bytes / arena_arrow_child_peak_bytes
*/
package arenaprom
