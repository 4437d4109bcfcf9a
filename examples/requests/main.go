// Requests is an HTTP service that answers with an arena for each request, and without, and
// measures the difference.
//
//	go run ./examples/requests [flags]
//
// The service has a catalogue of articles and of suppliers who sell them. The catalogue is on the
// Go heap, as the caches of real services are, and it is what the collector marks in each cycle.
// There are two endpoints:
//
//   - POST /quote takes an order of a hundred lines as JSON. Each line says in words what is
//     wanted, how many, and at what price. The service looks for all offers that fit, fills a
//     basket for each supplier, and answers with the best five, as JSON. This takes thousands of
//     small values: the lines of the order, their words, the offers, the baskets.
//   - GET /item/{id} answers with one article. This takes a buffer, and is the honest case: what is
//     left is net/http, and an arena brings nothing.
//
// They are served in four ways, with the same code:
//
//   - heap: the context of a request carries no arena, so that arena.FromContext returns nil, which
//     is the Go heap.
//   - heap again: the same once more. Its ratios would be 1 on a machine that does nothing else. A
//     ratio of another way means something if it is further from 1.
//   - arena: arenahttp.Middleware has an arena for a request that asks for one, and resets it
//     behind the response.
//   - GOGC=400: as heap, with the collector told to run a quarter as often. That is the cheaper
//     remedy, and takes memory instead.
//
// Each way runs three times for each endpoint (see -rounds), in turns and each time in a server
// process of its own. This process asks, over 127.0.0.1, and makes no garbage meanwhile. It shares
// the processors with the server. The load comes in two loops:
//
//   - Closed: each connection asks when it has its last answer. This shows the throughput. It would
//     not show latencies: while the server pauses nobody asks, so that a pause of 50 ms delays one
//     request per connection, where users would have sent many (coordinated omission).
//   - Open: requests are due at a fixed rate, the same for all ways, and the latency counts from
//     when a request was due, not from when a connection was free for it.
//
// The medians are printed, and all but the first two lines are of the open loop. Both loops begin
// behind a collection:
//
//	requests/s          in the closed loop
//	CPU/request, saturated   of the server process in the closed loop
//	latency p50, ...    50%, 99%, 99.9%, all of the requests took no longer
//	CPU, CPU/request    of the server process, with net/http and the collector; a
//	                    server that waits for each request pays for waking up
//	allocations, bytes  what the Go heap was asked for, per request
//	GC cycles, GC CPU   what the garbage collector did, with processors else idle, too
//	peak memory         of the server process, with the catalogue
//
// Behind each way is how many times better it is than the heap: a ratio above 1 speaks for it, one
// below 1 against it.
//
// Every response is checked: its status, and its checksum, which must equal the checksum of the
// first server's response to the same request.
//
// JSON is read and written by package arenajson in all ways: without an arena, its values are on
// the heap. encoding/json would take more time in all of them, and allocate on the heap in all of
// them; see docs/json.md for the difference, and examples/service for one that counts it.
//
// The flags are:
//
//	-heap, -arena    measure this way only
//	-gogc N          measure the heap with GOGC=N, too, unless N is 0 (default 400)
//	-endpoint E      ask quote or item only
//	-rounds N        run each way N times (default 3)
//	-duration D      measure latencies for D, throughput for half of it (default 1.6s)
//	-conns N         use N connections (default 8)
//	-rate N          measure latencies at N requests per second; by default at half
//	                 of what the first way can do, and at most 250 per connection:
//	                 with more, the clock of this process shows in the latencies
//	-live N          have N articles in the catalogue (default 60000)
//	-lines N         have N lines in an order (default 100)
//	-plot FILE       write a plot of the latencies over time, in the last round, as SVG
//
// For example:
//
//	go run ./examples/requests -endpoint quote -duration 10s -rounds 1 -plot latency.svg
//
// The exit status is 0, 1 after an error, and 2 if the command line is wrong. Nothing is left
// behind: a server ends when this process does, however that ends.
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
	"github.com/arena-go/arena/examples/internal/measure"
)

// config is what the command line says.
type config struct {
	ways, endpoints []string
	gogc            int
	rounds          int
	duration        time.Duration
	conns, rate     int
	live, lines     int
	plot            string
}

// The ways to answer.
const (
	onHeap    = "heap"
	heapAgain = onHeap + measure.Again // as heap, in one more process: how far two equal servers are apart
	inArena   = "arena"
	heapGOGC  = "GOGC=" // and a number: on the heap, with that GOGC
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(program(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// program is the whole program; it returns the exit status.
func program(ctx context.Context, stdin io.Reader, w, wErr io.Writer, args []string) int {
	return command.Run(context.Background(), "requests", wErr, args, parse, func(c config, way string, args []string) error {
		if way != "" {
			signal.Ignore(os.Interrupt) // of the terminal: the other process gets it too, and closes stdin
			return serve(stdin, w, c, way)
		}
		err := measureAll(ctx, w, wErr, c, args)
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		return err
	})
}

func parse(wErr io.Writer, args []string) (config, error) {
	var c config
	var heap, arena bool
	fs := flag.NewFlagSet("requests", flag.ContinueOnError)
	fs.SetOutput(wErr)
	fs.Usage = func() {
		fmt.Fprintln(wErr, "usage: requests [flags]\n\nIt serves HTTP requests on the heap and in arenas, and measures the difference.\n\nflags:")
		fs.PrintDefaults()
	}
	fs.BoolVar(&heap, "heap", false, "measure the heap only")
	fs.BoolVar(&arena, "arena", false, "measure the arena only")
	fs.IntVar(&c.gogc, "gogc", 400, "measure the heap with GOGC=`N`, too; 0 does not")
	endpoint := fs.String("endpoint", "", "ask this `endpoint` only, which is "+strings.Join(endpoints, " or "))
	fs.IntVar(&c.rounds, "rounds", 3, "run each way `N` times")
	fs.DurationVar(&c.duration, "duration", 1600*time.Millisecond, "measure latencies for the time `D`, and throughput for half of it")
	fs.IntVar(&c.conns, "conns", 8, "use `N` connections")
	fs.IntVar(&c.rate, "rate", 0, "measure latencies at `N` requests per second; 0 is half of what the first way can do, at most 250 per connection")
	fs.IntVar(&c.live, "live", 60000, "have `N` articles in the catalogue")
	fs.IntVar(&c.lines, "lines", 100, "have `N` lines in an order")
	fs.StringVar(&c.plot, "plot", "", "write a plot of the latencies to `FILE`, as SVG")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if heap || !arena {
		c.ways = append(c.ways, onHeap)
	}
	if heap == arena {
		c.ways = append(c.ways, heapAgain)
	}
	if arena || !heap {
		c.ways = append(c.ways, inArena)
	}
	if heap == arena && c.gogc != 0 {
		c.ways = append(c.ways, fmt.Sprint(heapGOGC, c.gogc))
	}
	c.endpoints = endpoints
	if *endpoint != "" {
		c.endpoints = []string{*endpoint}
	}
	err := c.check()
	if fs.NArg() > 0 {
		err = fmt.Errorf("there are no arguments, only flags: %s", fs.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(wErr, "requests:", err)
	}
	return c, err
}

// maxSamples bounds the requests whose latencies are kept, per run.
const maxSamples = 1_000_000

// check says what is wrong with the command line.
func (c config) check() error {
	switch {
	case !slices.Contains(endpoints, c.endpoints[0]):
		return fmt.Errorf("-endpoint is %s, and must be %s", c.endpoints[0], strings.Join(endpoints, " or "))
	case c.gogc < 0:
		return errors.New("-gogc must not be negative")
	case c.rounds < 1 || c.rounds > 100:
		return errors.New("-rounds must be 1 to 100")
	case c.duration < 10*time.Millisecond || c.duration > time.Hour:
		return errors.New("-duration must be 10ms to 1h")
	case c.conns < 1 || c.conns > 1000:
		return errors.New("-conns must be 1 to 1000")
	case c.live < 1 || c.live > 10_000_000:
		return errors.New("-live must be 1 to 10000000")
	case c.lines < 1 || c.lines > maxLines:
		return fmt.Errorf("-lines must be 1 to %d", maxLines)
	case c.rate < 0 || c.rate != 0 && c.rate != c.boundedRate(c.rate):
		return fmt.Errorf("-rate times -duration must be 1 to %d requests", maxSamples)
	}
	return nil
}

// boundedRate returns the rate, or the nearest one at which there are latencies, and not
// too many.
func (c config) boundedRate(rate int) int {
	seconds := c.duration.Seconds()
	return min(max(rate, int(1/seconds)+1), int(maxSamples/seconds))
}
