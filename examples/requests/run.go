package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/arena-go/arena/examples/internal/measure"
)

// A run is what was measured of one server.
type run struct {
	closed   int64 // requests per second of the closed loop
	busy     int64 // the server's CPU time for a request of the closed loop, in nanoseconds
	rate     int   // requests per second of the open loop, to which the rest belongs
	samples  []sample
	p50, p99 time.Duration
	p999     time.Duration
	max      time.Duration
	usage    measure.Usage
}

// per returns how much of a quantity it was per request.
func (r *run) per(quantity int64) int64 { return quantity / int64(len(r.samples)) }

var quantities = []measure.Quantity[*run]{
	{Name: "requests/s", Unit: "count", Of: func(r *run) int64 { return r.closed }, More: true},
	{Name: "CPU/request, saturated", Unit: "nanoseconds", Of: func(r *run) int64 { return r.busy }},
	{Name: "latency p50", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.p50) }},
	{Name: "p99", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.p99) }},
	{Name: "p99.9", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.p999) }},
	{Name: "largest", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.max) }},
	{Name: "CPU/request", Unit: "nanoseconds", Of: func(r *run) int64 { return r.per(int64(r.usage.CPU)) }},
	{Name: "allocations/request", Unit: "count", Of: func(r *run) int64 { return r.per(int64(r.usage.Objects)) }},
	{Name: "bytes/request", Unit: "bytes", Of: func(r *run) int64 { return r.per(int64(r.usage.Bytes)) }},
	{Name: "GC cycles", Unit: "count", Of: func(r *run) int64 { return int64(r.usage.Cycles) }},
	{Name: "GC CPU", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.usage.GCCPU) }},
	{Name: "CPU", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.usage.CPU) }},
	{Name: "peak memory", Unit: "bytes", Of: func(r *run) int64 { return int64(r.usage.Peak) }},
}

// measureAll measures all ways and endpoints, each time with a server in a process of its
// own, and prints the medians.
func measureAll(ctx context.Context, w, wErr io.Writer, c config, args []string) error {
	if c.plot != "" { // try it before the measuring, not after
		f, err := os.OpenFile(c.plot, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		f.Close()
	}
	p := measure.NewProgress(wErr)
	defer p.Clear()
	loads := map[string]*load{}
	runs := map[string]map[string][]*run{}
	for _, endpoint := range c.endpoints {
		loads[endpoint] = newLoad(c, endpoint)
		runs[endpoint] = map[string][]*run{}
	}
	for round := range c.rounds {
		for _, endpoint := range c.endpoints {
			rate := c.rate
			for _, way := range c.ways {
				p.Show("round %d of %d, %s, %s", round+1, c.rounds, endpoint, way)
				if first := runs[endpoint][c.ways[0]]; rate == 0 && len(first) > 0 {
					rate = first[0].rate
				}
				r, err := measureChild(ctx, c, args, loads[endpoint], way, rate)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", endpoint, way, err)
				}
				runs[endpoint][way] = append(runs[endpoint][way], r)
			}
		}
	}
	p.Clear()
	for _, endpoint := range c.endpoints {
		if err := report(w, c, endpoint, runs[endpoint]); err != nil {
			return err
		}
	}
	if c.plot == "" {
		return nil
	}
	return writePlot(c, runs)
}

// calm is the most requests per second and connection at which the clock of this process,
// which on some systems sleeps for whole milliseconds, does not show in the latencies.
const calm = 250

// measureChild measures a server. The rate 0 is half of what it
// can do, or calm.
func measureChild(ctx context.Context, c config, args []string, l *load, way string, rate int) (r *run, err error) {
	server, err := startChild(ctx, args, way)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := l.once(ctx, server.addr); err != nil {
		return nil, err
	}
	d := c.duration / 2
	before, err := server.usage(afterGC)
	if err != nil {
		return nil, err
	}
	count, err := l.closed(ctx, server.addr, d)
	if err != nil {
		return nil, err
	}
	after, err := server.usage(now)
	if err != nil {
		return nil, err
	}
	r = &run{closed: int64(float64(count) / d.Seconds()), rate: rate}
	r.busy = int64(after.Since(before).CPU) / max(count, 1)
	if rate == 0 {
		r.rate = c.boundedRate(min(int(r.closed/2), calm*l.conns))
	}
	if before, err = server.usage(afterGC); err != nil {
		return nil, err
	}
	if r.samples, err = l.open(ctx, server.addr, r.rate, c.duration); err != nil {
		return nil, err
	}
	if after, err = server.usage(now); err != nil {
		return nil, err
	}
	r.usage = after.Since(before)
	r.summarize()
	return r, nil
}

// summarize sets the percentiles: the smallest latencies that so many requests do
// not exceed.
func (r *run) summarize() {
	took := make([]time.Duration, len(r.samples))
	for i, s := range r.samples {
		took[i] = s.took
	}
	slices.Sort(took)
	at := func(perMille int) time.Duration { return took[(len(took)*perMille+999)/1000-1] }
	r.p50, r.p99, r.p999, r.max = at(500), at(990), at(999), at(1000)
}

// report prints the table of an endpoint.
func report(w io.Writer, c config, endpoint string, runs map[string][]*run) error {
	first := runs[c.ways[0]][0]
	what := "an article, which takes few allocations"
	if endpoint == "quote" {
		what = fmt.Sprintf("a quote for an order with %d lines", c.lines)
	}
	fmt.Fprintf(w, "/%s: %s. Latencies and below at %s requests per second. Medians of %d runs:\n\n",
		endpoint, what, measure.Thousands(int64(first.rate)), c.rounds)
	if err := measure.WriteTable(w, c.ways, runs, quantities); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nAll responses were right: %d different ones, the same with %s.\n\n", variants, strings.Join(c.ways, ", "))
	return err
}
