package arenaprom

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// NewPoolCollector returns a collector of the [arena.PoolStats] of p, with the name in the label
// pool. Other goroutines may use p and its arenas while it collects. The time of a scrape is
// proportional to the number of arenas that p has made and the garbage collector has not freed. The
// metrics of a nil Pool are zero.
func NewPoolCollector(name string, p *arena.Pool) prometheus.Collector {
	return newCollector(p.Stats, metrics.Pool, prometheus.Labels{"pool": name})
}
