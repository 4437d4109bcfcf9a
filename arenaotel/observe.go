package arenaotel

import (
	"context"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/metrics"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// ObservePool makes a meter observe the [arena.PoolStats] of p, with the name in the attribute
// pool. Other goroutines may use p and its arenas meanwhile. The time of a collection is
// proportional to the number of arenas that p has made and the garbage collector has not freed. The
// metrics of a nil Pool are zero. An error comes from the meter.
func ObservePool(meter metric.Meter, name string, p *arena.Pool) (metric.Registration, error) {
	return observe(meter, metrics.Pool, attribute.String("pool", name), p.Stats)
}

// ObserveArena makes a meter observe the [arena.Stats] that the function stats returns, with the
// name in the attribute arena. It panics if stats is nil. An error comes from the meter.
//
// The meter calls stats for each collection, on a goroutine of its own. One goroutine at a time
// uses an arena, and [arena.Arena.Stats] is a use of it. So the owner of the arena stores its Stats
// after each round, before Reset, in an atomic.Pointer, and stats loads them; or stats takes the
// lock under which the arena is used.
func ObserveArena(meter metric.Meter, name string, stats func() arena.Stats) (metric.Registration, error) {
	if stats == nil {
		panic("arenaotel: ObserveArena with a nil function; pass one that returns the Stats of the arena")
	}
	return observe(meter, metrics.Arena, attribute.String("arena", name), stats)
}

// observe has a meter observe the figures of snapshots of type S. Each collection takes one
// snapshot.
func observe[S any](meter metric.Meter, figures []metrics.Metric[S], name attribute.KeyValue, stats func() S) (metric.Registration, error) {
	instruments := make([]metric.Int64Observable, len(figures))
	all := make([]metric.Observable, len(figures))
	for i, f := range figures {
		n, unit := nameOf(f.Name)
		var err error
		if f.Counter {
			instruments[i], err = meter.Int64ObservableCounter(n, metric.WithDescription(f.Help), metric.WithUnit(unit))
		} else {
			instruments[i], err = meter.Int64ObservableGauge(n, metric.WithDescription(f.Help), metric.WithUnit(unit))
		}
		if err != nil {
			return nil, err
		}
		all[i] = instruments[i]
	}
	with := metric.WithAttributeSet(attribute.NewSet(name))
	return meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := stats()
		for i, f := range figures {
			o.ObserveInt64(instruments[i], f.Value(s), with)
		}
		return nil
	}, all...)
}

// nameOf returns the name and the unit that OpenTelemetry has for a metric of Prometheus.
func nameOf(prometheus string) (name, unit string) {
	name = strings.TrimSuffix(prometheus, "_total")
	if name, ok := strings.CutSuffix(name, "_bytes"); ok {
		return dotted(name), "By"
	}
	return dotted(name), ""
}

// dotted returns a name with dots behind what it is about.
func dotted(name string) string {
	for _, about := range []string{"arena_pool_", "arena_"} {
		if rest, ok := strings.CutPrefix(name, about); ok {
			return strings.ReplaceAll(about, "_", ".") + rest
		}
	}
	return name
}
