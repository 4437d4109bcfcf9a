/*
Package arenaotel exports what arenas and pools of arenas do and hold as OpenTelemetry metrics.

	registration, err := arenaotel.ObservePool(otel.Meter("myservice"), "requests", &pool)

The figures are those of package arenaprom, by the names that OpenTelemetry has for them: its exporter for Prometheus
makes arena_pool_gets_total of arena.pool.gets. The name of a pool or arena is in the attribute pool or arena. Bytes
have the unit By. Any number of pools and arenas may use one meter, if their names differ.

The package registers nothing by itself, and has no state: metrics end with Unregister of the registration, which keeps
its pool, or what its function refers to, from being collected until then.
*/
package arenaotel
