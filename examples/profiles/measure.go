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
	"runtime/metrics"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// childFlag, as the first argument, makes the program measure one way in this
// process. It is not for users.
const childFlag = "-child"

// A usage is what decoding and inserting took.
type usage struct {
	Time, CPU, GCCPU time.Duration
	Objects, Bytes   uint64
	Cycles           uint32
	Peak             uint64 // of the process
}

// A message goes from the child to its parent, one JSON value each.
type message struct {
	Done   int    // windows so far
	Usage  *usage // in the last message
	Digest string // of the trees of the last window, in the last message
	Nodes  int    // of these trees, in the last message
}

// measureHere merges the files in n windows and writes messages about it.
func measureHere(w io.Writer, c config, inputs []input, way string) error {
	s := newService(c, way)
	defer s.close()
	out := json.NewEncoder(w)
	runtime.GC()
	before := used()
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
	u := used().since(before)
	return out.Encode(message{Done: c.n, Usage: &u, Digest: s.digest(), Nodes: s.nodes()})
}

// used returns what this process has used so far.
func used() usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	gc := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(gc)
	return usage{
		Time:    time.Since(start),
		CPU:     cpuTime(),
		GCCPU:   time.Duration(gc[0].Value.Float64() * float64(time.Second)),
		Objects: m.Mallocs,
		Bytes:   m.TotalAlloc,
		Cycles:  m.NumGC,
		Peak:    peakMemory(&m),
	}
}

var start = time.Now()

// since returns what u has more than an earlier usage.
func (u usage) since(before usage) usage {
	u.Time -= before.Time
	u.CPU -= before.CPU
	u.GCCPU -= before.GCCPU
	u.Objects -= before.Objects
	u.Bytes -= before.Bytes
	u.Cycles -= before.Cycles
	return u
}

// peakMemory returns the largest resident size that the process has had. Where
// the system does not tell, it is what Go has taken from the system.
func peakMemory(m *runtime.MemStats) uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	if _, line, ok := strings.Cut(string(status), "VmHWM:"); ok {
		var kB uint64
		if _, err := fmt.Sscan(line, &kB); err == nil {
			return kB << 10
		}
	}
	return m.Sys
}

// measure runs all ways in processes of their own, checks that all get the
// same result, and prints the medians.
func measure(w, wErr io.Writer, c config, inputs []input, args []string, digest string) error {
	p := newProgress(wErr)
	defer p.clear()
	results := map[string][]usage{}
	var nodes int
	for round := range c.rounds {
		for _, way := range c.ways {
			last, err := measureChild(inputs, append([]string{childFlag, way}, args...), func(done int) {
				p.show("round %d of %d, %s: %d of %d", round+1, c.rounds, way, done, c.n)
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
	p.clear()

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
		what, c.n, len(inputs), value(raw, "bytes"), value(inflated, "bytes"), c.rounds)
	writeUsage(w, c.ways, results)
	fmt.Fprintf(w, "\nAll %d runs got the result above: %s nodes, digest %s.\n", c.rounds*len(c.ways), thousands(int64(nodes)), digest)
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

// writeUsage prints one line for each quantity, with a column for each way.
func writeUsage(w io.Writer, ways []string, results map[string][]usage) {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	defer tw.Flush()
	fmt.Fprint(tw, "\t", strings.Join(ways, "\t"), "\t")
	if len(ways) > 1 {
		fmt.Fprint(tw, strings.Join(ways, "/"), "\t")
	}
	fmt.Fprintln(tw)
	for _, q := range []struct {
		name, unit string
		of         func(u usage) int64
	}{
		{"time", "nanoseconds", func(u usage) int64 { return int64(u.Time) }},
		{"CPU time", "nanoseconds", func(u usage) int64 { return int64(u.CPU) }},
		{"allocations", "count", func(u usage) int64 { return int64(u.Objects) }},
		{"bytes", "bytes", func(u usage) int64 { return int64(u.Bytes) }},
		{"GC cycles", "count", func(u usage) int64 { return int64(u.Cycles) }},
		{"GC CPU", "nanoseconds", func(u usage) int64 { return int64(u.GCCPU) }},
		{"peak memory", "bytes", func(u usage) int64 { return int64(u.Peak) }},
	} {
		fmt.Fprint(tw, q.name, "\t")
		var medians []int64
		for _, way := range ways {
			var all []int64
			for _, u := range results[way] {
				all = append(all, q.of(u))
			}
			slices.Sort(all)
			m := all[len(all)/2]
			medians = append(medians, m)
			if q.unit == "count" {
				fmt.Fprint(tw, thousands(m), "\t")
			} else {
				fmt.Fprint(tw, value(m, q.unit), "\t")
			}
		}
		switch {
		case len(medians) < 2:
		case medians[1] == 0:
			fmt.Fprint(tw, "-\t")
		default:
			fmt.Fprintf(tw, "%.2f\t", float64(medians[0])/float64(medians[1]))
		}
		fmt.Fprintln(tw)
	}
}
