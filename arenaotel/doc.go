/*
Package arenaotel exports the statistics of arenas and pools as OpenTelemetry metrics.

	registration, err := arenaotel.ObservePool(otel.Meter("myservice"), "requests", &pool)

The figures equal package arenaprom's, with OpenTelemetry's names: its exporter for Prometheus turns
arena.pool.gets into arena_pool_gets_total. The name of a pool or arena is in the attribute pool or
arena. Bytes have the unit By. Any number of pools and arenas may use one meter, if their names
differ.

The package registers nothing by itself, and has no state. Metrics end with Unregister of the
registration. Until then the registration keeps its pool, or the references of its function, from
being collected.
*/
package arenaotel
