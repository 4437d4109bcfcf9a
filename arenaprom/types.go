package arenaprom

import (
	"fmt"
	"sync"

	"github.com/arena-go/arena"
	"github.com/prometheus/client_golang/prometheus"
)

// NewArenaTypesCollector returns a collector that exports the metrics of [NewArenaCollector], and
// the use of the arena by type. Register one of the two. The metrics arena_type_bytes and
// arena_type_values have the name of the type in the label type. The sum of arena_type_bytes is
// arena_in_use_bytes.
//
// Each type is a series, and n bounds their number. The first n types that are seen get a series
// each, larger types first in each scrape. They keep it, and it is zero while there are no values
// of the type. All other types together are the type "other". Different types of the same name,
// such as ast.Node of two packages, are one. The text in strings is the type "text".
//
// NewArenaTypesCollector panics if stats is nil, or n is less than 1. [NewArenaCollector] states
// the requirements of stats.
func NewArenaTypesCollector(name string, stats func() arena.Stats, n int) prometheus.Collector {
	c := newArenaCollector("NewArenaTypesCollector", name, stats)
	if n < 1 {
		panic(fmt.Sprintf("arenaprom: NewArenaTypesCollector of %d types; pass at least 1, or use NewArenaCollector", n))
	}
	label := prometheus.Labels{"arena": name}
	return &typesCollector{
		collector: c,
		bytes: prometheus.NewDesc("arena_type_bytes",
			"Bytes of the type allocated since the last Reset.", []string{"type"}, label),
		values: prometheus.NewDesc("arena_type_values",
			"Values of the type allocated since the last Reset, elements of slices included; strings for the type text.",
			[]string{"type"}, label),
		most:  n,
		names: map[string]bool{},
	}
}

// otherTypes is the name of the types that have no series. No type of Go has it.
const otherTypes = "other"

// A typesCollector exports Stats with their Types.
type typesCollector struct {
	*collector[arena.Stats]
	bytes, values *prometheus.Desc
	most          int

	mu    sync.Mutex
	names map[string]bool // those that have a series; len(names) <= most
}

// Describe implements [prometheus.Collector].
func (c *typesCollector) Describe(ch chan<- *prometheus.Desc) {
	c.collector.Describe(ch)
	ch <- c.bytes
	ch <- c.values
}

// Collect implements [prometheus.Collector].
func (c *typesCollector) Collect(ch chan<- prometheus.Metric) {
	s := c.stats()
	c.send(ch, s)
	for name, t := range c.byName(s.Types) {
		ch <- prometheus.MustNewConstMetric(c.bytes, prometheus.GaugeValue, float64(t.Bytes), name)
		ch <- prometheus.MustNewConstMetric(c.values, prometheus.GaugeValue, float64(t.Count), name)
	}
}

// byName returns for each series the sums over its types.
func (c *typesCollector) byName(types []arena.TypeStats) map[string]arena.TypeStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	sums := map[string]arena.TypeStats{otherTypes: {}}
	for name := range c.names {
		sums[name] = arena.TypeStats{}
	}
	for _, t := range types {
		name := t.Name
		if !c.names[name] {
			if len(c.names) < c.most {
				c.names[name] = true
			} else {
				name = otherTypes
			}
		}
		sum := sums[name]
		sum.Bytes += t.Bytes
		sum.Count += t.Count
		sums[name] = sum
	}
	return sums
}
