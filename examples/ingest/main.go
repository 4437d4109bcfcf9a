// Ingest is a service that receives pprof profiles, as programs push them, and measures what arenas
// save.
//
//	go run ./examples/ingest [flags] [file ...]
//
// With -listen it serves:
//
//	go run ./examples/ingest -listen localhost:4040 -data profiles
//	curl --data-binary @cpu.pb.gz 'http://localhost:4040/ingest?name=shop{zone=a}'
//	curl 'http://localhost:4040/top?app=shop'
//
// POST /ingest takes a profile, compressed or not, as the body or as the field "profile" of a form,
// with a Content-Encoding of gzip or without. name is the application with labels, from its time
// (until, if there is no from; else now). What is merged into the call tree of that application and
// window of time is all of the profile or, with an error, nothing: 400 says what is wrong with it
// or that its window is over, 413 that it is too large, also decoded, 507 that there is no room in
// its window. Stacks that differ in their labels or lines only are one, and sample types are not
// converted: a tree has a column for each.
//
// GET /apps lists the applications; /top?app=&n=&type= the functions with the largest values, as
// text or, with format=json, as JSON; /flamegraph?app=&type= is a page; /export?app= is the tree as
// a profile again, for go tool pprof; all of them take name{key=value} for app, which stands for
// all that have these labels, and see all windows that are kept. /metrics is for Prometheus, and
// /debug/pprof/profile is a CPU profile of the service itself.
//
// Where the arenas are:
//
//   - A profile is decoded by arenapb into an arena of a Pool, which is Put back when its stacks
//     are in the tree. The body is read before, into a buffer: a slow client holds no arena. The
//     strings of the message refer to that buffer.
//   - Each window of each application has an arena for its tree. Windows are a ring: the oldest is
//     emptied by a Reset when a newer one begins, under a lock, so that no reader sees a part of
//     that.
//   - A query has an arena in its context, by arenahttp.Middleware, where all windows are merged,
//     so that locks are not held for long.
//   - With -batch and -kafka all profiles of a batch are decoded into one arena, which is Reset
//     with each batch.
//
// With -heap the same code runs without arenas: a nil *arena.Arena is the Go heap, where arenapb is
// proto.Unmarshal.
//
// On SIGTERM and SIGINT requests under way are finished, and with -data the windows are written
// into a directory, from which they are taken at the next start.
//
// Without -listen it measures both ways: servers on loopback, each in a process of its own, five
// times in turns (see -rounds), and the load in a third process. A load fills eight windows, one
// after the other, in a closed loop: each connection sends a profile when it has the answer to the
// last one, so latencies are the latencies of a server at its limit. First profiles are sent plain,
// then compressed, which is more work on both sides. The profiles are of the Go toolchain, which
// are part of the program, or files. The medians are printed:
//
//	profiles/s, CPU/profile   of the server's process, with net/http and the collector
//	GC ...                    what the garbage collector did in it; its share of the CPU time
//	allocations, bytes        what the Go heap was asked for
//	peak memory               of the server's process
//	latency p50, p99          of an upload
//
// Behind the arena is how many times better it is than the heap: a ratio above 1 speaks for it, one
// below 1 against it. What all servers answer, /top after each window and /export at the end, must
// be the same; a difference is an error.
//
// The flags are:
//
//	-listen A        serve at this address, such as localhost:4040
//	-data DIR        keep windows in this directory over a restart; with -listen
//	-heap, -arena    serve, or measure, this way only
//	-window D        a window is this long (default 10m0s)
//	-windows N       keep N windows (default 6)
//	-maxsize N       take profiles of up to N MiB, inflated (default 32)
//	-limit N         an arena may hold N MiB: the one of a profile, of a window, of a query (default 512)
//	-timeout D       give a client so much time for an upload (default 30s)
//	-rounds N        measure each way N times (default 5)
//	-n N             send N profiles in a round (default 320)
//	-conns N         by N connections (default 4)
//	-body B          send them plain or gzip only
//	-batch FILE      measure with batches of 4 to 8 MB, as from a message queue, in this file
//	-make-batch FILE write such a file
//	-batches N       of N batches (default 12)
//	-kafka N         measure with a consumer of N profiles in a topic of Kafka, whose broker is in this process; 0 does not
//
// For example:
//
//	go run ./examples/ingest -make-batch /tmp/batches && go run ./examples/ingest -batch /tmp/batches
//	go run ./examples/ingest -kafka 500
//
// The exit status is 0, 1 after an error, and 2 if the command line is wrong. Nothing is left
// behind: a child ends when this process does, however that ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/arena-go/arena/examples/internal/command"
)

// config is what the command line says.
type config struct {
	listen, data     string
	ways, bodies     []string
	window           time.Duration
	windows          int
	maxUpload, limit int64 // in bytes
	timeout          time.Duration
	rounds, n, conns int
	batch, makeBatch string
	batches, kafka   int
	files            []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(program(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// program is the whole program; it returns the exit status.
func program(ctx context.Context, stdin io.Reader, w, wErr io.Writer, args []string) int {
	return command.Run(context.Background(), "ingest", wErr, args, parse, func(c config, part string, args []string) error {
		if part != "" {
			signal.Ignore(os.Interrupt) // of the terminal: the other process gets it too, and closes stdin
			return runPart(stdin, w, c, part)
		}
		var err error
		switch {
		case c.listen != "":
			return serveForEver(ctx, w, c)
		case c.makeBatch != "":
			return makeBatches(w, c)
		case c.batch != "":
			err = measureBatches(ctx, w, wErr, c, args)
		case c.kafka > 0:
			err = measureKafka(ctx, w, wErr, c, args)
		default:
			err = measureServer(ctx, w, wErr, c, args)
		}
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		return err
	})
}

// runPart does the work of a child.
func runPart(stdin io.Reader, w io.Writer, c config, part string) error {
	kind, way, _ := strings.Cut(part, ":")
	switch kind {
	case "load":
		return loadChild(stdin, w, c)
	case "batch":
		return batchChild(w, c, way)
	case "kafka":
		return kafkaChild(stdin, w, c, way)
	}
	return serveChild(stdin, w, c, part)
}

func parse(wErr io.Writer, args []string) (config, error) {
	var c config
	var heap, arena bool
	fs := flag.NewFlagSet("ingest", flag.ContinueOnError)
	fs.SetOutput(wErr)
	fs.Usage = func() {
		fmt.Fprintln(wErr, "usage: ingest [flags] [file ...]\n\nIt takes pprof profiles by HTTP, or measures what arenas save while it does.\n\nflags:")
		fs.PrintDefaults()
	}
	fs.StringVar(&c.listen, "listen", "", "serve at this `address`")
	fs.StringVar(&c.data, "data", "", "keep windows in this `directory` over a restart; with -listen")
	fs.BoolVar(&heap, "heap", false, "serve, or measure, on the heap only")
	fs.BoolVar(&arena, "arena", false, "serve, or measure, with arenas only")
	fs.DurationVar(&c.window, "window", 10*time.Minute, "a window is this `long`")
	fs.IntVar(&c.windows, "windows", 6, "keep `N` windows")
	maxMiB := fs.Int64("maxsize", 32, "take profiles of up to `N` MiB, inflated")
	limitMiB := fs.Int64("limit", 512, "an arena may hold `N` MiB")
	fs.DurationVar(&c.timeout, "timeout", 30*time.Second, "give a client so much `time` for an upload")
	fs.IntVar(&c.rounds, "rounds", 5, "measure each way `N` times")
	fs.IntVar(&c.n, "n", 320, "send `N` profiles in a round")
	fs.IntVar(&c.conns, "conns", 4, "send them by `N` connections")
	body := fs.String("body", "", "send them `so` only, which is "+strings.Join(bodies, " or "))
	fs.StringVar(&c.batch, "batch", "", "measure with the batches in this `file`")
	fs.StringVar(&c.makeBatch, "make-batch", "", "write batches to this `file`")
	fs.IntVar(&c.batches, "batches", 12, "write `N` of them")
	fs.IntVar(&c.kafka, "kafka", 0, "measure with `N` profiles in a topic of Kafka; 0 does not")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	c.files = fs.Args()
	c.maxUpload, c.limit = *maxMiB<<20, *limitMiB<<20
	if heap || !arena {
		c.ways = append(c.ways, onHeap)
	}
	if arena || !heap {
		c.ways = append(c.ways, inArena)
	}
	c.bodies = bodies
	if *body != "" {
		c.bodies = []string{*body}
	}
	err := c.check()
	if err != nil {
		fmt.Fprintln(wErr, "ingest:", err)
	}
	return c, err
}

// check says what is wrong with the command line.
func (c config) check() error {
	switch {
	case !slices.Contains(bodies, c.bodies[0]):
		return fmt.Errorf("-body is %s, and must be %s", c.bodies[0], strings.Join(bodies, " or "))
	case c.data != "" && c.listen == "":
		return errors.New("-data is for -listen")
	case c.window < time.Second || c.windows < 1 || c.windows > 1000:
		return errors.New("-window must be 1s or more, -windows 1 to 1000")
	case c.maxUpload < 1<<20 || c.maxUpload > 1<<30 || c.limit < 1<<20 || c.limit > 1<<40:
		return errors.New("-maxsize must be 1 to 1024, -limit 1 to 1048576")
	case c.timeout < time.Millisecond:
		return errors.New("-timeout must be 1ms or more")
	case c.rounds < 1 || c.n < steps || c.conns < 1 || c.batches < 1 || c.kafka < 0:
		return fmt.Errorf("-rounds, -conns and -batches must be 1 or more, -n %d or more, -kafka 0 or more", steps)
	}
	return nil
}
