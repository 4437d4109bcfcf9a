package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/arena-go/arena/examples/internal/measure"
)

// The two ways to decode and to merge.
const (
	onHeap  = "heap"
	inArena = "arena"
)

// A run is what was measured of one process.
type run struct {
	profiles int64

	took     time.Duration
	p50, p99 time.Duration // of an upload
	usage    measure.Usage
	digest   string
}

// per returns how much of a quantity it was per profile.
func (r *run) per(quantity int64) int64 { return quantity / max(r.profiles, 1) }

var quantities = []measure.Quantity[*run]{
	{Name: "profiles/s", Unit: "count", Of: func(r *run) int64 { return int64(float64(r.profiles) / r.took.Seconds()) }, More: true},
	{Name: "CPU/profile", Unit: "nanoseconds", Of: func(r *run) int64 { return r.per(int64(r.usage.CPU)) }},
	{Name: "GC CPU/profile", Unit: "nanoseconds", Of: func(r *run) int64 { return r.per(int64(r.usage.GCCPU)) }},
	{Name: "GC share of CPU", Unit: "%", Of: func(r *run) int64 { return 100 * int64(r.usage.GCCPU) / max(int64(r.usage.CPU), 1) }},
	{Name: "GC cycles", Unit: "count", Of: func(r *run) int64 { return int64(r.usage.Cycles) }},
	{Name: "allocations/profile", Unit: "count", Of: func(r *run) int64 { return r.per(int64(r.usage.Objects)) }},
	{Name: "bytes/profile", Unit: "bytes", Of: func(r *run) int64 { return r.per(int64(r.usage.Bytes)) }},
	{Name: "peak memory", Unit: "bytes", Of: func(r *run) int64 { return int64(r.usage.Peak) }},
}

var latencies = []measure.Quantity[*run]{
	{Name: "latency p50", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.p50) }},
	{Name: "p99", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.p99) }},
}

// measureRounds measures all ways in turns. The results must be the same.
func measureRounds(wErr io.Writer, c config, what string, one func(way string) (*run, error)) (map[string][]*run, error) {
	p := measure.NewProgress(wErr)
	defer p.Clear()
	runs := map[string][]*run{}
	digest := ""
	for round := range c.rounds {
		for _, way := range c.ways {
			p.Show("%s: round %d of %d, %s", what, round+1, c.rounds, way)
			r, err := one(way)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", what, way, err)
			}
			if digest == "" {
				digest = r.digest
			}
			if r.digest != digest {
				return nil, fmt.Errorf("%s, %s: the call trees are not the same: digest %s, and before %s", what, way, r.digest, digest)
			}
			runs[way] = append(runs[way], r)
		}
	}
	return runs, nil
}

// writeReport prints the medians.
func writeReport(w io.Writer, c config, title string, runs map[string][]*run, quantities []measure.Quantity[*run]) error {
	fmt.Fprintf(w, "%s. Medians of %d runs:\n\n", title, c.rounds)
	if err := measure.WriteTable(w, c.ways, runs, quantities); err != nil {
		return err
	}
	if len(c.ways) == 2 {
		cpu := func(way string) float64 {
			return float64(measure.Median(runs[way], func(r *run) int64 { return r.per(int64(r.usage.CPU)) }))
		}
		fmt.Fprintf(w, "\nCPU saved end to end: %.0f%%.", 100-100*cpu(inArena)/cpu(onHeap))
	}
	_, err := fmt.Fprintf(w, " All call trees were the same, with digest %s.\n\n", runs[c.ways[0]][0].digest)
	return err
}

// measureServer measures servers on loopback, each in a process of its own, and the load in
// another.
func measureServer(ctx context.Context, w, wErr io.Writer, c config, args []string) error {
	base := time.Now().Truncate(c.window).Add(-(steps - 1) * c.window)
	for _, body := range c.bodies {
		runs, err := measureRounds(wErr, c, body, func(way string) (*run, error) {
			return measureOneServer(ctx, args, way, order{Body: body, Base: base})
		})
		if err != nil {
			return err
		}
		title := fmt.Sprintf("Uploads, %s: %s profiles by %d connections, into %d windows of which %d are kept", body, measure.Thousands(int64(c.n)), c.conns, steps, c.windows)
		if err := writeReport(w, c, title, runs, append(quantities, latencies...)); err != nil {
			return err
		}
	}
	return nil
}

func measureOneServer(ctx context.Context, args []string, way string, o order) (r *run, err error) {
	server, err := startChild(ctx, args, way)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	m, err := server.message()
	if err != nil {
		return nil, err
	}
	o.Addr = m.Addr
	load, err := startChild(ctx, args, "load")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, load.Stop()) }()
	line, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if _, err := load.ask(string(line)); err != nil { // it has warmed the server up
		return nil, err
	}
	before, err := server.usage(afterGC)
	if err != nil {
		return nil, err
	}
	if m, err = load.ask("go"); err != nil {
		return nil, err
	}
	after, err := server.usage(now)
	if err != nil {
		return nil, err
	}
	l := m.Load
	return &run{profiles: l.Uploads, took: l.Took, p50: l.P50, p99: l.P99, usage: after.Since(before), digest: l.Digest}, nil
}
