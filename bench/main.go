// Command bench measures arenas beside the Go heap, what programs do without arenas, and other
// people's arenas:
//
//	go run ./bench                      all of it, more than an hour; report.html has the plots
//	go run ./bench -quick               less of it, in a minute once it is built
//	go run ./bench -run struct16        some workloads
//	go run ./bench -run '^trees$/heap|slab' -count 3
//	go run ./bench -builds              some workloads, by versions and experiments of Go
//	go run ./bench -json run.json       keeps the figures
//	go run ./bench -run trees -into run.json  replaces some of them
//	go run ./bench -from run.json       the report of figures that were kept
//	GOTOOLCHAIN=go1.26.8 go run ./bench with another version of Go, whose heap is another one
//
// The same workloads are benchmarks for benchstat, in one process:
//
//	go test -run '^$' -bench /struct16 -count 6 ./bench > new.txt && benchstat -col /impl new.txt
//
// Every cell, a workload with n values by one implementation, is measured in a process of its own.
// The processes take turns: a round is one process of each cell. The cells of a workload run one
// after the other. Each round begins with another cell. So a short disturbance of the machine
// affects all cells that are compared, and a long one spares other rounds. Figures are medians of
// the rounds, with the least and the most; a ratio is of two processes of the same round.
//
//	CPU     of all processors, the collector's included, for one round of the work
//	wall    the time that passed
//	memory  resident at the worst time, beyond what the process had at its start
//
// All implementations of a workload must make the same. Some of the peers lose what their values
// refer to: that is measured too, see the soundness in the report, and it does not show in
// workloads whose text is constant or lies in the arena.
//
// The command builds programs with GOEXPERIMENT=arenas, and programs in Rust (cargo), C (cc), C++
// (c++) and Zig (zig or python-zig). A message says which ones cannot be built, and are left out.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/arena-go/arena/bench/internal/report"
	"github.com/arena-go/arena/bench/internal/suite"
)

var (
	quick    = flag.Bool("quick", false, "less of everything, in a minute")
	pattern  = flag.String("run", "", "what to measure: regular expressions for workload/implementation/n; all if empty")
	inBuilds = flag.Bool("builds", false, "measure the workloads of the front page in builds by versions and experiments of Go, which takes long to build")
	count    = flag.Int("count", 0, "rounds; 6, or 2 of a quick run, if it is 0")
	keep     = flag.String("json", "", "a file for the figures")
	into     = flag.String("into", "", "a file of figures, of which those of the workloads that are measured are replaced")
	page     = flag.String("html", "report.html", "a file for the report; none if empty")
	from     = flag.String("from", "", "report the figures of a file, and measure nothing")
	cell     = flag.String("cell", "", "measure one cell in this process: workload/implementation/n")
	sound    = flag.String("sound", "", "do one test of soundness in this process: implementation/test")
	long     = flag.Duration("for", 200*time.Millisecond, "how long a process does its work at least")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("there are no arguments, only flags, and not %q", flag.Arg(0))
	case *cell != "":
		return measureCell(*cell)
	case *sound != "":
		return testSound(*sound)
	case *count < 0:
		return fmt.Errorf("-count must not be negative")
	}
	var r, old *suite.Run
	var err error
	if *into != "" {
		if old, err = suite.Load(*into); err != nil { // before the measuring, not after
			return err
		}
	}
	if *from != "" {
		r, err = suite.Load(*from)
	} else {
		r, err = measure(ctx)
	}
	if err != nil {
		return err
	}
	printRun(os.Stdout, r)
	if *keep != "" {
		if err := r.Save(*keep); err != nil {
			return err
		}
	}
	if old != nil {
		if err := old.Merge(r); err != nil {
			return fmt.Errorf("-into %s: %w", *into, err)
		}
		if err := old.Save(*into); err != nil {
			return err
		}
	}
	if *page != "" {
		if err := writePage(*page, r); err != nil {
			return err
		}
		fmt.Println("\nreport:", *page)
	}
	return failures(r)
}

func writePage(file string, r *suite.Run) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := report.Write(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// failures is an error when cells have failed.
func failures(r *suite.Run) error {
	var failed []string
	for _, m := range r.Workloads {
		for _, c := range m.Cells {
			if c.Failed != "" {
				failed = append(failed, fmt.Sprintf("%s with n = %d by %s: %s", m.Name, m.N, c.Implementation, c.Failed))
			}
		}
	}
	if failed != nil {
		return fmt.Errorf("%d cells failed:\n%s", len(failed), strings.Join(failed, "\n"))
	}
	return nil
}

// measureCell is what the process of a cell does.
func measureCell(name string) error {
	parts := strings.Split(name, "/")
	if len(parts) != 3 {
		return fmt.Errorf("-cell is workload/implementation/n, not %q", name)
	}
	var n int
	if _, err := fmt.Sscan(parts[2], &n); err != nil {
		return fmt.Errorf("-cell %s: %w", name, err)
	}
	for _, w := range workloads() {
		for _, i := range w.Implementations {
			if w.Name == parts[0] && i.Name == parts[1] && i.Here() {
				return json.NewEncoder(os.Stdout).Encode(i.Run(n, *long))
			}
		}
	}
	return fmt.Errorf("there is no cell %s in this program", name)
}
