package arenaprom

import (
	"github.com/arena-go/arena/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// kindOf returns the kind of a metric for Prometheus.
func kindOf(counter bool) prometheus.ValueType {
	if counter {
		return prometheus.CounterValue
	}
	return prometheus.GaugeValue
}

// A collector exports the metrics of snapshots of type S.
type collector[S any] struct {
	stats   func() S
	figures []metrics.Metric[S]
	descs   []*prometheus.Desc // of metrics, in the same order
}

// newCollector returns a collector whose figures have the given constant label.
func newCollector[S any](stats func() S, figures []metrics.Metric[S], label prometheus.Labels) *collector[S] {
	c := &collector[S]{stats: stats, figures: figures}
	for _, m := range figures {
		c.descs = append(c.descs, prometheus.NewDesc(m.Name, m.Help, nil, label))
	}
	return c
}

// Describe implements [prometheus.Collector].
func (c *collector[S]) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector[S]) Collect(ch chan<- prometheus.Metric) { c.send(ch, c.stats()) }

// send sends the metrics of one snapshot.
func (c *collector[S]) send(ch chan<- prometheus.Metric, s S) {
	for i, m := range c.figures {
		ch <- prometheus.MustNewConstMetric(c.descs[i], kindOf(m.Counter), float64(m.Value(s)))
	}
}
