package load

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/arena-go/arena/examples/internal/measure"
)

// A Run is what was measured of one server.
type Run struct {
	Closed   int64 // requests per second of the closed loop
	Busy     int64 // the server's CPU time for a request of the closed loop, in nanoseconds
	Rate     int   // requests per second of the open loop, to which the rest belongs
	Samples  []Sample
	P50, P99 time.Duration
	P999     time.Duration
	Max      time.Duration
	Usage    measure.Usage
}

// Last returns the last run of each way.
func Last(all map[string][]*Run) map[string]*Run {
	last := map[string]*Run{}
	for way, runs := range all {
		last[way] = runs[len(runs)-1]
	}
	return last
}

// per returns how much of a quantity it was per request.
func (r *Run) per(quantity int64) int64 { return quantity / int64(len(r.Samples)) }

// Quantities are what tables have of runs.
var Quantities = []measure.Quantity[*Run]{
	{Name: "requests/s", Unit: "count", Of: func(r *Run) int64 { return r.Closed }, More: true},
	{Name: "CPU/request, saturated", Unit: "nanoseconds", Of: func(r *Run) int64 { return r.Busy }},
	{Name: "latency p50", Unit: "nanoseconds", Of: func(r *Run) int64 { return int64(r.P50) }},
	{Name: "p99", Unit: "nanoseconds", Of: func(r *Run) int64 { return int64(r.P99) }},
	{Name: "p99.9", Unit: "nanoseconds", Of: func(r *Run) int64 { return int64(r.P999) }},
	{Name: "largest", Unit: "nanoseconds", Of: func(r *Run) int64 { return int64(r.Max) }},
	{Name: "CPU/request", Unit: "nanoseconds", Of: func(r *Run) int64 { return r.per(int64(r.Usage.CPU)) }},
	{Name: "allocations/request", Unit: "count", Of: func(r *Run) int64 { return r.per(int64(r.Usage.Objects)) }},
	{Name: "bytes/request", Unit: "bytes", Of: func(r *Run) int64 { return r.per(int64(r.Usage.Bytes)) }},
	{Name: "GC cycles", Unit: "count", Of: func(r *Run) int64 { return int64(r.Usage.Cycles) }},
	{Name: "GC CPU", Unit: "nanoseconds", Of: func(r *Run) int64 { return int64(r.Usage.GCCPU) }},
	{Name: "CPU", Unit: "nanoseconds", Of: func(r *Run) int64 { return int64(r.Usage.CPU) }},
	{Name: "peak memory", Unit: "bytes", Of: func(r *Run) int64 { return int64(r.Usage.Peak) }},
}

// calm is the most requests per second and connection at which the clock of this process,
// which on some systems sleeps for whole milliseconds, does not show in the latencies.
const calm = 250

// Measure measures a server that StartChild starts: for half of d in a closed loop, and for d in an
// open one. The rate 0 is half of what the server can do, or calm, as bounded bounds it.
func Measure(ctx context.Context, name string, args []string, way string, l *Load, rate int, d time.Duration, bounded func(rate int) int) (r *Run, err error) {
	server, err := StartChild(ctx, name, args, way)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := l.Once(ctx, server.Addr); err != nil {
		return nil, err
	}
	before, err := server.Usage(AfterGC)
	if err != nil {
		return nil, err
	}
	count, err := l.Closed(ctx, server.Addr, d/2)
	if err != nil {
		return nil, err
	}
	after, err := server.Usage(Now)
	if err != nil {
		return nil, err
	}
	r = &Run{Closed: int64(float64(count) / (d / 2).Seconds()), Rate: rate}
	r.Busy = int64(after.Since(before).CPU) / max(count, 1)
	if rate == 0 {
		r.Rate = bounded(min(int(r.Closed/2), calm*l.Conns))
	}
	if before, err = server.Usage(AfterGC); err != nil {
		return nil, err
	}
	if r.Samples, err = l.Open(ctx, server.Addr, r.Rate, d); err != nil {
		return nil, err
	}
	if after, err = server.Usage(Now); err != nil {
		return nil, err
	}
	r.Usage = after.Since(before)
	r.Summarize()
	return r, nil
}

// Summarize sets the percentiles: the smallest latencies that these shares of the requests do not
// exceed.
func (r *Run) Summarize() {
	took := make([]time.Duration, len(r.Samples))
	for i, s := range r.Samples {
		took[i] = s.Took
	}
	slices.Sort(took)
	at := func(perMille int) time.Duration { return took[(len(took)*perMille+999)/1000-1] }
	r.P50, r.P99, r.P999, r.Max = at(500), at(990), at(999), at(1000)
}
