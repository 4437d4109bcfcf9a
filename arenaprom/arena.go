package arenaprom

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// NewArenaCollector returns a collector of the [arena.Stats] that the function stats returns, with
// the name in the label arena. It panics if stats is nil.
//
// One goroutine at a time uses an arena, and Stats is a use of it. A scrape runs on another
// goroutine, at any time. So stats must not be the method [arena.Arena.Stats] of an arena that is
// in use: that is a data race. There are two ways. Either the owner of the arena stores its Stats
// after each round, before Reset, in an atomic.Pointer, and the function loads them, as in the
// example. Or the function takes the lock under which the arena is used.
//
// The same applies to [arena.Group.Stats], which also panics while goroutines of the Group are
// running: call it between Wait and Reset.
//
// The registry calls the function once per scrape, on a goroutine of its own, and several times at
// once if scrapes overlap. The function must not panic: the registry turns a panic into an error,
// and a scrape with an error has no metrics at all unless promhttp.HandlerOpts say otherwise. It
// may return the Stats of one arena now and of its successor later. Counters then begin anew, as
// Prometheus expects after a restart.
func NewArenaCollector(name string, stats func() arena.Stats) prometheus.Collector {
	return newArenaCollector("NewArenaCollector", name, stats)
}

func newArenaCollector(what, name string, stats func() arena.Stats) *collector[arena.Stats] {
	if stats == nil {
		panic("arenaprom: " + what + " with a nil function; pass one that returns the Stats of the arena")
	}
	return newCollector(stats, metrics.Arena, prometheus.Labels{"arena": name})
}
