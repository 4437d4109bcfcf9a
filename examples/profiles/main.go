// Profiles merges pprof profiles into a call tree, reports it, and measures what an arena saves
// while it does so.
//
//	go run ./examples/profiles [flags] [file ...]
//
// It does the work of a service that programs send their profiles to. Each file is a profile in the
// format of runtime/pprof, gzipped or not; "-" is the standard input. Without files it takes four
// profiles of the Go toolchain, which are part of the program.
//
// First the work is measured. A window of time begins, all profiles are decoded and their stacks
// inserted into the trees; the next window begins with new trees, and so on n times. This is done
// in two ways, with the same code:
//
//   - heap: decoder and trees get a nil *arena.Arena, which is the Go heap.
//   - arena: a profile is decoded into an arena that is reset as soon as its stacks are in the
//     tree. The trees have another arena, which is reset with the window.
//
// Each way runs five times (see -rounds), in turns and each time in a process of its own. The
// medians are printed:
//
//	time, CPU time      to decode and to insert, nothing else
//	allocations, bytes  what the Go heap was asked for meanwhile
//	GC cycles, GC CPU   what the garbage collector did meanwhile
//	peak memory         of the whole process, with the profiles to decode
//
// The trees of all runs must equal the trees of the report; a difference is an error.
//
// Then comes the report. It lists the top functions, as `go tool pprof -top` does, one table for
// each kind of profile (CPU, heap, ...): only profiles of one kind can be merged. The fields
// drop_frames and keep_frames of a profile are not applied.
//
// Files are read and inflated before the clock starts, because inflating is the same work both
// ways. With -gzip it is part of what is measured.
//
// Every sample, location and function of a profile is an object of its own with slices of the exact
// size, as protobuf decoders have it. A decoder that packs all of them into a few large slices by
// hand gets a part of the gain without an arena.
//
// The flags are:
//
//	-n N             measure N windows; 0 only reports (default 40)
//	-rounds N        run each way N times (default 5)
//	-heap, -arena    measure this way only
//	-gzip            measure inflating, too
//	-top N           list N functions (default 10)
//	-sample_index T  report this sample type, such as alloc_space; by default
//	                 the preferred type of the profile, or else the last
//	-html FILE       write a flame graph: a page that needs no other file
//	-maxsize N       reject files that inflate to more than N MiB (default 32);
//	                 decoding can take fifty times as much
//
// For example:
//
//	go run ./examples/profiles -n 0 -html flame.html cpu.pb.gz
//
// The exit status is 0, 1 after an error, and 2 if the command line is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/arena-go/arena/examples/internal/command"
)

// config is what the command line says.
type config struct {
	n, rounds   int
	ways        []string
	gzip        bool
	top         int
	sampleIndex string
	html        string
	maxSize     int // in bytes
	files       []string
}

// The two ways to decode and to insert.
const (
	onHeap  = "heap"
	inArena = "arena"
)

func main() {
	os.Exit(run(os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// run is the whole program; it returns the exit status.
func run(stdin io.Reader, w, wErr io.Writer, args []string) int {
	return command.Run(context.Background(), "profiles", wErr, args, parse, func(c config, way string, args []string) error {
		inputs, err := readAll(c.files, stdin, c.maxSize)
		if err != nil {
			return err
		}
		if way != "" {
			return measureHere(w, c, inputs, way)
		}
		return reportAndMeasure(w, wErr, c, inputs, args)
	})
}

func parse(wErr io.Writer, args []string) (config, error) {
	var c config
	var heap, arena bool
	fs := flag.NewFlagSet("profiles", flag.ContinueOnError)
	fs.SetOutput(wErr)
	fs.Usage = func() {
		fmt.Fprintln(wErr, "usage: profiles [flags] [file ...]\n\nIt merges pprof profiles, reports them, and measures what an arena saves.\n\nflags:")
		fs.PrintDefaults()
	}
	fs.IntVar(&c.n, "n", 40, "measure `N` windows; 0 only reports")
	fs.IntVar(&c.rounds, "rounds", 5, "run each way `N` times")
	fs.BoolVar(&heap, "heap", false, "measure the heap only")
	fs.BoolVar(&arena, "arena", false, "measure the arena only")
	fs.BoolVar(&c.gzip, "gzip", false, "measure inflating, too")
	fs.IntVar(&c.top, "top", 10, "list `N` functions")
	fs.StringVar(&c.sampleIndex, "sample_index", "", "report this sample `type`")
	fs.StringVar(&c.html, "html", "", "write a flame graph to `FILE`")
	maxMiB := fs.Int("maxsize", 32, "reject files that inflate to more than `N` MiB")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	c.maxSize = *maxMiB << 20
	c.files = fs.Args()
	if heap || !arena {
		c.ways = append(c.ways, onHeap)
	}
	if arena || !heap {
		c.ways = append(c.ways, inArena)
	}
	if c.n < 0 || c.rounds < 1 || c.top < 0 || *maxMiB < 1 || *maxMiB > 2047 {
		err := errors.New("-n and -top must not be negative, -rounds and -maxsize must be positive, -maxsize at most 2047")
		fmt.Fprintln(wErr, "profiles:", err)
		return c, err
	}
	return c, nil
}

// reportAndMeasure does what the command is for.
func reportAndMeasure(w, wErr io.Writer, c config, inputs []input, args []string) error {
	s := newService(c, c.ways[len(c.ways)-1])
	defer s.close()
	for _, in := range inputs {
		if err := s.ingest(in); err != nil {
			return err
		}
	}
	views, err := s.views()
	if err != nil {
		return err
	}
	if c.html != "" {
		if err := writeFlame(c.html, views); err != nil {
			return err
		}
	}
	if c.n > 0 {
		if err := measureAll(w, wErr, c, inputs, args, s.digest()); err != nil {
			return err
		}
		fmt.Fprint(w, "\nWhat was merged:\n\n")
	}
	for _, v := range views {
		writeTop(w, v, c.top)
	}
	return nil
}
