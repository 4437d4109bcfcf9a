package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/measure"
)

// A message goes from the child to its parent, one JSON value each.
type message struct {
	Done   int            // windows so far
	Usage  *measure.Usage // in the last message
	Digest string         // of the trees of the last window, in the last message
	Nodes  int            // of these trees, in the last message
}

// measureHere merges the files in n windows and writes messages about it.
func measureHere(w io.Writer, c config, inputs []input, way string) error {
	s := newService(c, way)
	defer s.close()
	out := json.NewEncoder(w)
	runtime.GC()
	before := measure.Used()
	for i, last := 0, time.Now(); i < c.n; i++ {
		s.newWindow()
		for _, in := range inputs {
			if err := s.ingest(in); err != nil {
				return err
			}
		}
		if time.Since(last) > 100*time.Millisecond {
			last = time.Now()
			if err := out.Encode(message{Done: i + 1}); err != nil {
				return err
			}
		}
	}
	u := measure.Used().Since(before)
	return out.Encode(message{Done: c.n, Usage: &u, Digest: s.digest(), Nodes: s.nodes()})
}

// measureAll runs all ways in processes of their own, checks that all get the
// same result, and prints the medians.
func measureAll(w, wErr io.Writer, c config, inputs []input, args []string, digest string) error {
	p := measure.NewProgress(wErr)
	defer p.Clear()
	results := map[string][]measure.Usage{}
	var nodes int
	for round := range c.rounds {
		for _, way := range c.ways {
			last, err := measureChild(inputs, append([]string{command.ChildFlag, way}, args...), func(done int) {
				p.Show("round %d of %d, %s: %d of %d", round+1, c.rounds, way, done, c.n)
			})
			if err != nil {
				return err
			}
			if last.Digest != digest {
				return fmt.Errorf("the trees differ: %s with %s, %s expected", last.Digest, way, digest)
			}
			results[way] = append(results[way], *last.Usage)
			nodes = last.Nodes
		}
	}
	p.Clear()

	var raw, inflated int64
	for _, in := range inputs {
		raw += int64(len(in.raw))
		inflated += int64(len(in.data))
	}
	what := "Decoded and merged"
	if c.gzip {
		what = "Inflated, decoded and merged"
	}
	fmt.Fprintf(w, "%s, %d times: %d files with %s, inflated %s. Medians of %d runs:\n\n",
		what, c.n, len(inputs), measure.Value(raw, "bytes"), measure.Value(inflated, "bytes"), c.rounds)
	if err := measure.WriteTable(w, c.ways, results, quantities); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nAll %d runs got the same trees: %s nodes, digest %s.\n", c.rounds*len(c.ways), measure.Thousands(int64(nodes)), digest)
	return nil
}

// measureChild runs the program with the given arguments and returns the last
// message of it.
func measureChild(inputs []input, args []string, progress func(done int)) (last message, err error) {
	exe, err := os.Executable()
	if err != nil {
		return last, err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(exe, args...)
	cmd.Stderr = &stderr
	for _, in := range inputs {
		if in.name == stdinName {
			cmd.Stdin = bytes.NewReader(in.raw)
		}
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return last, err
	}
	if err := cmd.Start(); err != nil {
		return last, err
	}
	progress(0)
	messages := json.NewDecoder(stdout)
	for err = messages.Decode(&last); err == nil; err = messages.Decode(&last) {
		progress(last.Done)
	}
	if waitErr := cmd.Wait(); waitErr != nil {
		text := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "profiles: ")
		return last, fmt.Errorf("%s (%w)", text, waitErr)
	}
	if last.Usage == nil {
		return last, errors.New("a measuring process ended early")
	}
	return last, nil
}

// quantities are the lines of the table.
var quantities = []measure.Quantity[measure.Usage]{
	{Name: "time", Unit: "nanoseconds", Of: func(u measure.Usage) int64 { return int64(u.Time) }},
	{Name: "CPU time", Unit: "nanoseconds", Of: func(u measure.Usage) int64 { return int64(u.CPU) }},
	{Name: "allocations", Unit: "count", Of: func(u measure.Usage) int64 { return int64(u.Objects) }},
	{Name: "bytes", Unit: "bytes", Of: func(u measure.Usage) int64 { return int64(u.Bytes) }},
	{Name: "GC cycles", Unit: "count", Of: func(u measure.Usage) int64 { return int64(u.Cycles) }},
	{Name: "GC CPU", Unit: "nanoseconds", Of: func(u measure.Usage) int64 { return int64(u.GCCPU) }},
	{Name: "peak memory", Unit: "bytes", Of: func(u measure.Usage) int64 { return int64(u.Peak) }},
}
