package arenaprom

import "github.com/prometheus/client_golang/prometheus"

const (
	counter = prometheus.CounterValue
	gauge   = prometheus.GaugeValue
)

// A metric is one figure of a snapshot of type S.
type metric[S any] struct {
	name  string
	kind  prometheus.ValueType
	value func(S) int64
	help  string
}

// A collector exports the metrics of snapshots of type S.
type collector[S any] struct {
	stats   func() S
	metrics []metric[S]
	descs   []*prometheus.Desc // of metrics, in the same order
}

// newCollector returns a collector whose metrics have the given constant label.
func newCollector[S any](stats func() S, metrics []metric[S], label prometheus.Labels) *collector[S] {
	c := &collector[S]{stats: stats, metrics: metrics}
	for _, m := range metrics {
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, nil, label))
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
	for i, m := range c.metrics {
		ch <- prometheus.MustNewConstMetric(c.descs[i], m.kind, float64(m.value(s)))
	}
}
