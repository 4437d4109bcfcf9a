package arenaprom

import (
	"strings"
	"unicode/utf8"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// NewAllocatorCollector returns a collector of the [arenaarrow.Stats] of a, with the name in the
// label allocator. It also collects the figures of the children of a's root by their names, in the
// label child. [arenaarrow.Options].Names sets the number of distinguished names, which bounds the
// number of series; without it there are no children. U+FFFD replaces bytes of names that are not
// UTF-8, and the figures of names that become equal are added up. Goroutines may use a and its
// children during a scrape, whose time is proportional to the number of children with memory in
// use. NewAllocatorCollector panics if a is nil.
//
// a should be the allocator made by [arenaarrow.New]. Collectors of two allocators of the same root
// have the same series of children, apart from their label allocator.
func NewAllocatorCollector(name string, a *arenaarrow.Allocator) prometheus.Collector {
	if a == nil {
		panic("arenaprom: NewAllocatorCollector with a nil allocator; pass one that arenaarrow.New has returned")
	}
	return newAllocatorCollector(name, a.Stats, a.ByName)
}

func newAllocatorCollector(name string, stats func() arenaarrow.Stats, byName func() map[string]arenaarrow.NameStats) *allocatorCollector {
	label := prometheus.Labels{"allocator": name}
	c := &allocatorCollector{collector: newCollector(stats, allocatorMetrics, label), byName: byName}
	for _, m := range childMetrics {
		c.ofNames = append(c.ofNames, prometheus.NewDesc(m.Name, m.Help, []string{"child"}, label))
	}
	return c
}

// An allocatorCollector exports Stats, and those by name.
type allocatorCollector struct {
	*collector[arenaarrow.Stats]
	byName  func() map[string]arenaarrow.NameStats
	ofNames []*prometheus.Desc // of childMetrics
}

// Describe implements [prometheus.Collector].
func (c *allocatorCollector) Describe(ch chan<- *prometheus.Desc) {
	c.collector.Describe(ch)
	for _, d := range c.ofNames {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *allocatorCollector) Collect(ch chan<- prometheus.Metric) {
	c.collector.Collect(ch)
	for name, s := range validNames(c.byName()) {
		for i, m := range childMetrics {
			ch <- prometheus.MustNewConstMetric(c.ofNames[i], kindOf(m.Counter), float64(m.Value(s)), name)
		}
	}
}

// validNames returns figures whose names are UTF-8, as labels require: one other name would make
// each scrape an error. The figures of names that become equal are added up. Their peak is the
// highest peak. Their limit is the highest limit, because nobody knows which was set last.
func validNames(byName map[string]arenaarrow.NameStats) map[string]arenaarrow.NameStats {
	for name, s := range byName {
		if utf8.ValidString(name) {
			continue
		}
		delete(byName, name)
		valid := strings.ToValidUTF8(name, "\uFFFD")
		sum := byName[valid]
		sum.Made += s.Made
		sum.Closed += s.Closed
		sum.InUse += s.InUse
		sum.Reserved += s.Reserved
		sum.Peak = max(sum.Peak, s.Peak)
		sum.Limit = max(sum.Limit, s.Limit)
		sum.Exceeded += s.Exceeded
		sum.Refused += s.Refused
		sum.Leaked += s.Leaked
		byName[valid] = sum
	}
	return byName
}

var allocatorMetrics = []metrics.Metric[arenaarrow.Stats]{
	metrics.Gauge("arena_arrow_in_use_bytes", func(s arenaarrow.Stats) int64 { return s.InUse },
		"Bytes that the allocator and its children have in use."),
	metrics.Gauge("arena_arrow_reserved_bytes", func(s arenaarrow.Stats) int64 { return s.Reserved },
		"Bytes that are reserved or guaranteed and not in use. They count to limits. Large for long: work reserves more than it needs."),
	metrics.Gauge("arena_arrow_peak_bytes", func(s arenaarrow.Stats) int64 { return s.Peak },
		"The most bytes that blocks had at a time. Above the limit: a soft limit was exceeded by so much."),
	metrics.Gauge("arena_arrow_blocks", func(s arenaarrow.Stats) int64 { return int64(s.Blocks) },
		"Blocks that the bytes in use consist of."),
	metrics.Gauge("arena_arrow_limit_bytes", func(s arenaarrow.Stats) int64 { return s.Limit },
		"The limit of the allocator, 0 for none."),
	metrics.Gauge("arena_arrow_held_bytes", func(s arenaarrow.Stats) int64 { return s.Held },
		"Memory of blocks in use, with what is free beside them. Far above the bytes in use: few blocks keep many slabs."),
	metrics.Gauge("arena_arrow_cached_bytes", func(s arenaarrow.Stats) int64 { return s.Cached },
		"Memory that is kept for later. Options.Retain bounds it."),
	metrics.Gauge("arena_arrow_orphans_bytes", func(s arenaarrow.Stats) int64 { return s.Orphans },
		"Bytes that were in use when their child was closed, and still are. Growth: something keeps what it should release."),
	metrics.Counter("arena_arrow_children_total", func(s arenaarrow.Stats) int64 { return s.Children },
		"Children that were made."),
}

var childMetrics = []metrics.Metric[arenaarrow.NameStats]{
	metrics.Counter("arena_arrow_child_made_total", func(s arenaarrow.NameStats) int64 { return s.Made },
		"Children of the name that were made."),
	metrics.Counter("arena_arrow_child_closed_total", func(s arenaarrow.NameStats) int64 { return s.Closed },
		"Children of the name that were closed. Ever less than made: Close is missing."),
	metrics.Gauge("arena_arrow_child_in_use_bytes", func(s arenaarrow.NameStats) int64 { return s.InUse },
		"Bytes that children of the name have in use now, their own children included."),
	metrics.Gauge("arena_arrow_child_reserved_bytes", func(s arenaarrow.NameStats) int64 { return s.Reserved },
		"Bytes that they have reserved and not in use."),
	metrics.Gauge("arena_arrow_child_peak_bytes", func(s arenaarrow.NameStats) int64 { return s.Peak },
		"The most bytes that blocks of one child of the name had at a time, since the start. Its limit should be above it."),
	metrics.Gauge("arena_arrow_child_limit_bytes", func(s arenaarrow.NameStats) int64 { return s.Limit },
		"The limit that a child of the name was given last, 0 for none."),
	metrics.Counter("arena_arrow_child_exceeded_total", func(s arenaarrow.NameStats) int64 { return s.Exceeded },
		"How often a child of the name became Exceeded. Any means work that was stopped, or should have been."),
	metrics.Counter("arena_arrow_child_refused_total", func(s arenaarrow.NameStats) int64 { return s.Refused },
		"How often a reservation was refused. A steady rate: work spills, or does with less, for want of memory."),
	metrics.Counter("arena_arrow_child_leaked_bytes_total", func(s arenaarrow.NameStats) int64 { return s.Leaked },
		"Bytes that Close has found in use. Each is a missing Release, or a result that outlives its child."),
}
