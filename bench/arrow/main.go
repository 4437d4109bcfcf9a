// Command arrow measures what programs do with Arrow (github.com/apache/arrow-go), with several allocators:
//
//	go run ./bench/arrow
//
// The allocators are Go's heap, the heap with GOGC=400, malloc by way of cgo, the arena allocator of a program of
// 2023, for which the command builds itself again with GOEXPERIMENT=arenas, and arenaarrow; for some work there are arrays in an
// arena besides, by package arenaarrow/build. Each measurement is a process
// of its own, which does its work several times as a service would; the allocators take turns. The columns are
//
//	CPU      of all processors, that of the collector included
//	wall     time that passed
//	peak     resident bytes at the worst time, with the input, which is on the Go heap; on Linux only
//	GC       cycles of the collector
//	calls    of Allocate and of Reallocate in one pass
//
// The numbers with an x say how many times faster than Go's heap an allocator is, and for memory how many times as
// much it takes. What a pass makes is compared with what it makes on Go's heap.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/arena-go/arena/bench/internal/rounds"
)

var (
	count  = flag.Int("rounds", 5, "of all allocators, in turns")
	only   = flag.String("only", "", "workloads, with commas between them: "+strings.Join(rounds.Names(workloads, workload.named), ",")+"; all if empty")
	short  = flag.Bool("short", false, "a hundredth of the rows, and few passes, to see that it runs")
	child  = flag.String("child", "", "measure one workload in this process")
	cpu    = flag.String("cpuprofile", "", "with -child, a file for a profile of what is measured")
	choice = flag.String("allocator", allocators[0].name, "with -child")
)

func (w workload) named() string { return w.name }

func main() {
	flag.Parse()
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "arrow:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	if *child != "" {
		found, err := rounds.Chosen(workloads, workload.named, *child)
		if err != nil {
			return err
		}
		w := found[0]
		i := slices.IndexFunc(allocators, func(a *allocator) bool { return a.name == *choice && a.open != nil })
		if i < 0 {
			return fmt.Errorf("there is no allocator %q in this program", *choice)
		}
		if *short {
			w = w.small()
		}
		return rounds.Reply(measure(w, allocators[i]))
	}
	chosen, err := rounds.Chosen(workloads, workload.named, *only)
	if err != nil {
		return err
	}
	if *count < 1 {
		return fmt.Errorf("-rounds must be positive")
	}
	dir, err := os.MkdirTemp("", "arrow")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	paths, err := programs(out, dir)
	if err != nil {
		return err
	}
	for _, w := range chosen {
		if err := compare(out, w, paths); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// small returns the workload for a test.
func (w workload) small() workload {
	w.rows, w.passes = w.rows/100, 2
	return w
}

// programs returns the path of the program to start for each allocator; for one that cannot be measured it says why.
func programs(out io.Writer, dir string) (map[*allocator]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	paths := map[*allocator]string{}
	for _, a := range allocators {
		if a.open != nil {
			paths[a] = self
		} else if a != experiment {
			fmt.Fprintf(out, "skipped: %s: the program was built without %s\n", a.name, a.missing)
		} else if paths[a], err = buildExperiment(dir); err != nil {
			delete(paths, a)
			fmt.Fprintf(out, "skipped: %s: %s\n", a.name, strings.TrimSpace(err.Error()))
		}
	}
	return paths, nil
}

// buildExperiment builds this program with the standard library's arenas.
func buildExperiment(dir string) (path string, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", fmt.Errorf("the program does not say how it was built")
	}
	path = filepath.Join(dir, "arrow.exe")
	cmd := exec.Command("go", "build", "-o", path, info.Path)
	cmd.Env = append(os.Environ(), "GOEXPERIMENT=arenas")
	_, err = rounds.Output(cmd)
	return path, err
}

// A result is that of one process. Times are seconds, sizes bytes.
type result struct {
	CPU, Wall            float64
	Before, Peak         int // Resident; Before has the input.
	GC                   uint32
	Allocate, Reallocate int64
	Digest               digest
}

func measure(w workload, a *allocator) (r result) {
	pass, mem := w.prepare(w.rows), a.open()
	debug.FreeOSMemory()
	rounds.ResetPeak()
	r.Before = rounds.Status("VmRSS")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if *cpu != "" {
		f := must(os.Create(*cpu))
		defer f.Close()
		check(pprof.StartCPUProfile(f))
	}
	cpu, wall := rounds.CPUTime(), time.Now()
	for range w.passes {
		pass(mem, nil)
	}
	r.Wall, r.CPU = time.Since(wall).Seconds(), (rounds.CPUTime() - cpu).Seconds()
	pprof.StopCPUProfile()
	runtime.ReadMemStats(&after)
	r.GC = after.NumGC - before.NumGC
	r.Peak = rounds.Status("VmHWM")

	// One more pass, not measured, in memory that others have used.
	c := counter{Allocator: mem}
	pass(&c, &r.Digest)
	r.Allocate, r.Reallocate = c.allocate.Load(), c.reallocate.Load()
	return r
}

// compare measures the workload with all allocators.
func compare(out io.Writer, w workload, paths map[*allocator]string) error {
	byName, order := map[string]*allocator{}, []string{}
	for _, a := range allocators {
		if paths[a] != "" && (a != inArena || w.inArena) {
			byName[a.name], order = a, append(order, a.name)
		}
	}
	results, err := rounds.Interleave(*count, order, func(name string) (r result, err error) {
		a := byName[name]
		return r, rounds.Program(&r, paths[a], a.environment, "-child", w.name, "-allocator", name, fmt.Sprint("-short=", *short))
	})
	if err != nil {
		return err
	}
	base := order[0]
	for _, name := range order {
		for _, r := range results[name] {
			if want := results[base][0].Digest; r.Digest != want {
				return fmt.Errorf("with %s the result is another one than with %s", name, base)
			}
		}
	}
	if *short {
		w = w.small()
	}
	first := results[base][0]
	fmt.Fprintf(out, "\n%s: %d passes of %d rows, medians of %d rounds, %.0f MB before, %d+%d calls\n%-14s %8s %7s %8s %7s %9s %7s %6s\n",
		w.name, w.passes, w.rows, *count, megabytes(first.Before), first.Allocate, first.Reallocate, "", "CPU", "", "wall", "", "peak", "", "GC")
	for _, name := range order {
		median := func(name string, value func(r result) float64) float64 { return rounds.Median(results[name], value) }
		cpu := func(r result) float64 { return r.CPU }
		wall := func(r result) float64 { return r.Wall }
		peak := func(r result) float64 { return megabytes(r.Peak) }
		fmt.Fprintf(out, "%-14s %6.2f s %6.2fx %6.2f s %6.2fx %6.0f MB %6.2fx %6.0f\n", name,
			median(name, cpu), median(base, cpu)/median(name, cpu),
			median(name, wall), median(base, wall)/median(name, wall),
			median(name, peak), median(name, peak)/math.Max(median(base, peak), 1),
			median(name, func(r result) float64 { return float64(r.GC) }))
	}
	return nil
}

func megabytes(n int) float64 { return float64(n) / (1 << 20) }
