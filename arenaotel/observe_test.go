package arenaotel_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaotel"
	"github.com/arena-go/arena/internal/metrics"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// collect returns the points of a reader as text: name, attribute, unit, kind and value.
func collect(t *testing.T, reader sdk.Reader) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			points := func(kind string, list []metricdata.DataPoint[int64]) {
				for _, p := range list {
					at := p.Attributes.ToSlice()[0]
					got[fmt.Sprintf("%s{%s=%q} %s %s", m.Name, at.Key, at.Value.AsString(), kind, m.Unit)] = p.Value
				}
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				if !data.IsMonotonic {
					t.Errorf("%s may fall", m.Name)
				}
				points("counter", data.DataPoints)
			case metricdata.Gauge[int64]:
				points("gauge", data.DataPoints)
			default:
				t.Errorf("%s is a %T", m.Name, m.Data)
			}
			if m.Description == "" {
				t.Errorf("%s has no description", m.Name)
			}
		}
	}
	return got
}

// TestObserve checks names, units, kinds and values, with several pools and arenas at one meter.
func TestObserve(t *testing.T) {
	reader := sdk.NewManualReader()
	meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")
	small, large := &arena.Pool{}, &arena.Pool{}
	for name, p := range map[string]*arena.Pool{"small": small, "large": large, "none": nil} {
		if _, err := arenaotel.ObservePool(meter, name, p); err != nil {
			t.Fatal(err)
		}
	}
	var stats arena.Stats
	registration, err := arenaotel.ObserveArena(meter, "one", func() arena.Stats { return stats })
	if err != nil {
		t.Fatal(err)
	}
	a := small.Get()
	arena.New[[100]int64](a)
	stats = a.Stats()
	small.Put(a)
	large.Get()

	got := collect(t, reader)
	if want := 3*len(metrics.Pool) + len(metrics.Arena); len(got) != want {
		t.Errorf("%d points, want %d", len(got), want)
	}
	for point, want := range map[string]int64{
		`arena.pool.gets{pool="small"} counter `:        1,
		`arena.pool.puts{pool="small"} counter `:        1,
		`arena.pool.puts{pool="large"} counter `:        0,
		`arena.pool.out_arenas{pool="large"} gauge `:    1,
		`arena.pool.out_arenas{pool="none"} gauge `:     0,
		`arena.pool.allocated{pool="small"} counter By`: 800,
		`arena.pool.peak{pool="small"} gauge By`:        800,
		`arena.in_use{arena="one"} gauge By`:            800,
		`arena.reserved{arena="one"} gauge By`:          stats.Reserved,
		`arena.freed{arena="one"} gauge `:               0,
	} {
		if v, ok := got[point]; !ok || v != want {
			t.Errorf("%s: %d, %v, want %d", point, v, ok, want)
		}
	}
	for point := range got {
		if strings.Contains(point, "_total") || strings.Contains(point, "_bytes") || !strings.HasPrefix(point, "arena.") {
			t.Errorf("%s has a name of Prometheus", point)
		}
	}

	if err := registration.Unregister(); err != nil {
		t.Fatal(err)
	}
	for point := range collect(t, reader) {
		if strings.Contains(point, "{arena=") {
			t.Errorf("%s after Unregister", point)
		}
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "arenaotel: ObserveArena with a nil function") {
			t.Error(p)
		}
	}()
	arenaotel.ObserveArena(meter, "none", nil)
}
