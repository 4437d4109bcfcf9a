package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/measure"
)

// The ways to run the queries.
const (
	onHeap      = "GoAllocator"
	withGOGC    = "GOGC=400" // GoAllocator with that
	inAllocator = "arenaarrow"
)

var ways = []string{onHeap, inAllocator, withGOGC}

// A run is what was measured of all queries, some times.
type run struct {
	Usage   measure.Usage
	Digests []uint32 // of the queries
}

var quantities = []measure.Quantity[run]{
	{Name: "time", Unit: "nanoseconds", Of: func(r run) int64 { return int64(r.Usage.Time) }},
	{Name: "CPU time", Unit: "nanoseconds", Of: func(r run) int64 { return int64(r.Usage.CPU) }},
	{Name: "GC CPU", Unit: "nanoseconds", Of: func(r run) int64 { return int64(r.Usage.GCCPU) }},
	{Name: "GC cycles", Unit: "count", Of: func(r run) int64 { return int64(r.Usage.Cycles) }},
	{Name: "Go heap allocated", Unit: "bytes", Of: func(r run) int64 { return int64(r.Usage.Bytes) }},
	{Name: "peak memory", Unit: "bytes", Of: func(r run) int64 { return int64(r.Usage.Peak) }},
}

// measureHere measures in this process, without limits, so that every query has a result, and
// writes the run.
func (c config) measureHere(ctx context.Context, w io.Writer, way string) error {
	c.limit = 0
	var alloc *arenaarrow.Allocator
	switch way {
	case inAllocator:
		alloc = arenaarrow.New(arenaarrow.Options{Name: "queries"})
		defer alloc.Close()
	case withGOGC:
		debug.SetGCPercent(400)
	}
	r := run{Digests: make([]uint32, len(queries))}
	runtime.GC()
	before := measure.Used()
	for range c.times {
		for i, q := range queries {
			one, err := c.run(ctx, alloc, q)
			if err != nil {
				return err
			}
			r.Digests[i] = one.digest
		}
	}
	r.Usage = measure.Used().Since(before)
	return json.NewEncoder(w).Encode(r)
}

// measureAll measures all ways, each in processes of its own and in turns, checks that they have
// the same results, and prints the medians.
func (c config) measureAll(ctx context.Context, w, wErr io.Writer, args []string) error {
	p := measure.NewProgress(wErr)
	defer p.Clear()
	runs := map[string][]run{}
	var first []uint32
	for round := range c.rounds {
		for _, way := range ways {
			p.Show("round %d of %d, %s", round+1, c.rounds, way)
			r, err := measureChild(ctx, append([]string{command.ChildFlag, way}, args...))
			if err != nil {
				return fmt.Errorf("%s: %w", way, err)
			}
			if first == nil {
				first = r.Digests
			}
			if !slices.Equal(r.Digests, first) {
				return fmt.Errorf("the results differ: digests %08x with %s, %08x with %s", r.Digests, way, first, ways[0])
			}
			runs[way] = append(runs[way], r)
		}
	}
	p.Clear()
	fmt.Fprintf(w, "\nAll queries %d times, without limits. Medians of %d runs:\n\n", c.times, c.rounds)
	if err := measure.WriteTable(w, ways, runs, quantities); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nAll %d runs had the same results: digests %08x.\n", c.rounds*len(ways), first)
	return nil
}

// measureChild runs the program with the given arguments.
func measureChild(ctx context.Context, args []string) (r run, err error) {
	exe, err := os.Executable()
	if err != nil {
		return r, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("%s (%w)", strings.TrimPrefix(strings.TrimSpace(stderr.String()), "query: "), err)
	}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return r, fmt.Errorf("what a measuring process has written: %w", err)
	}
	return r, nil
}
