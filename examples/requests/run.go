package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/arena-go/arena/examples/internal/load"
	"github.com/arena-go/arena/examples/internal/measure"
)

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
	loads := map[string]*load.Load{}
	runs := map[string]map[string][]*load.Run{}
	for _, endpoint := range c.endpoints {
		loads[endpoint] = newLoad(c, endpoint)
		runs[endpoint] = map[string][]*load.Run{}
	}
	for round := range c.rounds {
		for _, endpoint := range c.endpoints {
			rate := c.rate
			for _, way := range c.ways {
				p.Show("round %d of %d, %s, %s", round+1, c.rounds, endpoint, way)
				if first := runs[endpoint][c.ways[0]]; rate == 0 && len(first) > 0 {
					rate = first[0].Rate
				}
				r, err := load.Measure(ctx, "requests", args, way, loads[endpoint], rate, c.duration, c.boundedRate)
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
	ways := slices.DeleteFunc(slices.Clone(c.ways), func(way string) bool { return way == heapAgain })
	var panels []load.Panel
	for _, endpoint := range c.endpoints {
		panels = append(panels, load.Panel{Title: "/" + endpoint, Runs: load.Last(runs[endpoint])})
	}
	return load.WritePlot(c.plot, c.duration, ways, panels)
}

// report prints the table of an endpoint.
func report(w io.Writer, c config, endpoint string, runs map[string][]*load.Run) error {
	first := runs[c.ways[0]][0]
	what := "an article, which takes few allocations"
	if endpoint == "quote" {
		what = fmt.Sprintf("a quote for an order with %d lines", c.lines)
	}
	fmt.Fprintf(w, "/%s: %s. Latencies and below at %s requests per second. Medians of %d runs:\n\n",
		endpoint, what, measure.Thousands(int64(first.Rate)), c.rounds)
	if err := measure.WriteTable(w, c.ways, runs, load.Quantities); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nAll responses were right: %d different ones, the same with %s.\n\n", variants, strings.Join(c.ways, ", "))
	return err
}
