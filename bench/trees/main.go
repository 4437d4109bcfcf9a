// Command trees measures the binary trees of the Benchmarks Game, from the start of a process to its end:
//
//	go run ./bench/trees
//
// The programs make a tree of the given depth and one more, forget it, make one that stays, then many of
// smaller depths, one after the other, and count the nodes of each. All do it with one thread; in Go that is GOMAXPROCS=1,
// the collector included. With Rust's cargo and a C compiler there are two more, with bumpalo and a plain bump allocator.
//
// After that it measures collections with 10 million nodes alive.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/arena-go/arena/bench/internal/rounds"
)

var (
	depth = flag.Int("depth", 18, "of the trees")
	nodes = flag.Int("nodes", 10_000_000, "alive for the collections; 0 for none of these")
	count = flag.Int("rounds", 6, "of all programs, in turns")
	child = flag.String("child", "", "run one of the programs in this process, and measure nothing")
	gc    = flag.Bool("gc", false, "with -child: measure collections")
)

func main() {
	flag.Parse()
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "trees:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	if *child != "" {
		newForest := forests[*child]
		switch {
		case newForest == nil:
			return fmt.Errorf("there is no program %q", *child)
		case *gc:
			return rounds.Reply(collect(newForest(), *nodes))
		}
		game(*depth, newForest, w)
		return nil
	}
	dir, err := os.MkdirTemp("", "trees")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	others, missing := buildOthers(dir)
	for _, m := range missing {
		fmt.Fprintln(w, "skipped:", m)
	}
	if err := compare(w, others); err != nil {
		return err
	}
	if *nodes > 0 {
		return compareCollections(w)
	}
	return nil
}

// A result is that of one process.
type result struct{ wall, cpu time.Duration }

// compare measures the programs.
func compare(w io.Writer, others map[string]string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var want []byte // What the first one writes.
	names := []string{"heap", "new", "slab", "ref"}
	for name := range others {
		names = append(names, name)
	}
	slices.Sort(names[4:])
	results, err := rounds.Interleave(*count, names, func(name string) (result, error) {
		cmd := exec.Command(self, "-child", name, "-depth", fmt.Sprint(*depth))
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if path := others[name]; path != "" {
			cmd = exec.Command(path, fmt.Sprint(*depth))
		}
		begin := time.Now()
		out, err := rounds.Output(cmd)
		if err != nil {
			return result{}, err
		}
		r := result{time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
		if want == nil {
			want = out
		}
		if !bytes.Equal(out, want) {
			return result{}, fmt.Errorf("it writes\n%sand %s\n%s", out, names[0], want)
		}
		return r, nil
	})
	if err != nil {
		return err
	}
	wall := func(name string) float64 {
		return rounds.Median(results[name], func(r result) float64 { return r.wall.Seconds() })
	}
	cpu := func(name string) float64 {
		return rounds.Median(results[name], func(r result) float64 { return r.cpu.Seconds() })
	}
	base := "heap"
	if others["bumpalo"] != "" {
		base = "bumpalo"
	}
	fmt.Fprintf(w, "\nbinary trees of depth %d, medians of %d rounds, and by how much they are those of %s\n%-10s %16s %16s\n",
		*depth, *count, base, "", "wall", "CPU")
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(cpu(b), cpu(a)) })
	for _, name := range names {
		fmt.Fprintf(w, "%-10s %7.3f s %6.2f %7.3f s %6.2f\n", name, wall(name), wall(name)/wall(base), cpu(name), cpu(name)/cpu(base))
	}
	return nil
}

// compareCollections measures runtime.GC with trees alive.
func compareCollections(w io.Writer) error {
	names := []string{"heap", "slab", "ref", "mmap"}
	results, err := rounds.Interleave(max(*count/2, 1), names, func(name string) (r collections, err error) {
		return r, rounds.Self(&r, nil, "-child", name, "-gc", "-nodes", fmt.Sprint(*nodes))
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nruntime.GC() with %d nodes alive, %d processors\n%-10s %9s %9s\n", *nodes, runtime.GOMAXPROCS(0), "", "median", "max")
	for _, name := range names {
		fmt.Fprintf(w, "%-10s %6.2f ms %6.2f ms\n", name,
			rounds.Median(results[name], func(r collections) float64 { return r.Median }),
			slices.MaxFunc(results[name], func(a, b collections) int { return cmp.Compare(a.Max, b.Max) }).Max)
	}
	return nil
}
