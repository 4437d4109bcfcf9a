// Service is a typical HTTP service: it decodes JSON, asks a database, keeps an order, answers with
// JSON and writes an access log. It does so in three ways, and measures the difference: with an
// arena for each request, on the heap with the same adapters, and on the heap without adapters.
//
//	go run ./examples/service [flags]
//
// POST /orders takes an order with customer and lines. The service looks up the products, inserts
// the order into a table, and answers with prices and stock of each line. The database is an SQLite
// file, which is a part of the process, or a PostgreSQL:
//
//	go run ./examples/service -postgres "host=localhost user=me dbname=test"
//
// It makes two tables there, arena_products and arena_orders, anew each time. Without a server of
// your own:
//
//	go -C arenapgx run ./internal/postgres/serve
//
// runs one in a temporary directory, and prints the text for -postgres.
//
// These are the ways to answer:
//
//   - plain: encoding/json, pgx.CollectRows or Rows.Scan, maps of Go. No arena, and no adapter.
//   - plain again: the same in one more process. What it differs from plain is the machine.
//   - GOGC=400: the same, with the collector told to run a quarter as often. That is the cheaper
//     remedy, and takes memory instead.
//   - GOMEMLIMIT=64: the same, with GOGC=off and that limit of the process in MiB. The collector
//     runs only when that is reached.
//   - nil arena: arenajson, and arenapgx or arenasql, with a nil arena, which is the heap. The
//     difference to plain is what the adapters bring.
//   - arena: the same handler behind arenahttp.Middleware. The difference to nil arena is what the
//     arena brings.
//   - no codecs, with -bound: a handler that reads the request and the rows, and decodes neither,
//     because it has seen that order before. It writes the answer that it made then. So that is
//     what any service takes with this net/http, this driver and this log, and no adapter can be
//     below it.
//
// The orders are small, about 2 kB with 20 lines, or large, about 30 kB with 200 lines. Each way
// runs three times for each size (see -rounds), in turns and each time in a server process of its
// own, as in examples/requests, where the comment of main.go says how the load is made. Medians are
// printed. "CPU/request, saturated" is the figure to look at: it includes the server process and
// the collector, and SQLite, which is a part of it, but not PostgreSQL.
//
// Every answer is checked: it must equal the answer of the first server, byte for byte.
//
// With -objects, each way also runs once with an allocation profile of every object, and a table
// says which packages have made the objects of a request that are left on the heap.
//
// The flags are:
//
//	-postgres DSN    use this PostgreSQL
//	-driver NAME     connect to it with pgx (the default), with stdlib, which is pgx by database/sql, or with pq, which is lib/pq
//	-file FILE       use this SQLite file, and leave it behind; by default it is a temporary one
//	-lines N         have N lines in an order, and no other size
//	-way W           measure this way only
//	-gogc N          measure with GOGC=N, too, unless N is 0 (default 400)
//	-memlimit N      measure with GOGC=off and a limit of N MiB, too, unless N is 0 (default 64)
//	-rounds N        run each way N times (default 3)
//	-duration D      measure latencies for D, throughput for half of it (default 2s)
//	-conns N         use N connections (default 8)
//	-rate N          measure latencies at N requests per second; by default at half of what the first way can do
//	-products N      have N products in the table (default 10000)
//	-text N          have a note of N bytes in each product, which the answer has for each line: with 1800 and 200 lines it has 400 kB
//	-bound           measure no codecs, too
//	-objects         count objects by package
//	-plot FILE       write a plot of the latencies over time, in the last round, as SVG
//
// The exit status is 0, 1 after an error, and 2 if the command line is wrong. Nothing is left
// behind but the two tables.
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
	dsn, file   string
	driver      string // of PostgreSQL
	ways        []string
	lines       []int
	gogc        int
	memlimit    int // MiB
	rounds      int
	duration    time.Duration
	conns, rate int
	products    int
	text        int // bytes
	objects     bool
	plot        string
}

// The ways to answer.
const (
	plain    = "plain"
	again    = plain + measure.Again
	gogc     = "GOGC="       // and a number
	memlimit = "GOMEMLIMIT=" // and a number of MiB, with GOGC=off
	nilArena = "nil arena"
	inArena  = "arena"
	noCodecs = "no codecs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(program(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// program is the whole program; it returns the exit status.
func program(ctx context.Context, stdin io.Reader, w, wErr io.Writer, args []string) int {
	return command.Run(ctx, "service", wErr, args, parse, func(c config, way string, args []string) error {
		if way != "" {
			signal.Ignore(os.Interrupt) // of the terminal: the other process gets it too, and closes stdin
			return serve(stdin, w, c, way)
		}
		return measureAll(ctx, w, wErr, c, args)
	})
}

func parse(wErr io.Writer, args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("service", flag.ContinueOnError)
	fs.SetOutput(wErr)
	fs.Usage = func() {
		fmt.Fprintln(wErr, "usage: service [flags]\n\nIt takes orders with a database, on the heap and in arenas, and measures the difference.\n\nflags:")
		fs.PrintDefaults()
	}
	fs.StringVar(&c.dsn, "postgres", "", "use the PostgreSQL that `DSN` says, and not an SQLite file")
	fs.StringVar(&c.driver, "driver", "pgx", "connect to PostgreSQL with `NAME`: pgx, stdlib or pq")
	fs.StringVar(&c.file, "file", "", "use the SQLite `FILE`, and leave it behind; by default it is a temporary one")
	lines := fs.Int("lines", 0, "have `N` lines in an order; by default 20, and then 200")
	way := fs.String("way", "", "measure this `way` only: plain, GOGC, GOMEMLIMIT, nil or arena")
	bound := fs.Bool("bound", false, "measure also what is left without JSON and rows, which is the bound of all adapters")
	fs.IntVar(&c.gogc, "gogc", 400, "measure plain with GOGC=`N`, too; 0 does not")
	fs.IntVar(&c.memlimit, "memlimit", 64, "measure plain with GOGC=off and a limit of `N` MiB, too; 0 does not")
	fs.IntVar(&c.rounds, "rounds", 3, "run each way `N` times")
	fs.DurationVar(&c.duration, "duration", 2*time.Second, "measure latencies for the time `D`, and throughput for half of it")
	fs.IntVar(&c.conns, "conns", 8, "use `N` connections")
	fs.IntVar(&c.rate, "rate", 0, "measure latencies at `N` requests per second; 0 is half of what the first way can do, at most 250 per connection")
	fs.IntVar(&c.products, "products", 10000, "have `N` products in the table")
	fs.IntVar(&c.text, "text", 0, "have a note of `N` bytes in each product, and so in each line of an answer; 0 has a short one in some")
	fs.BoolVar(&c.objects, "objects", false, "count objects by package")
	fs.StringVar(&c.plot, "plot", "", "write a plot of the latencies over time to `FILE`, as SVG")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	c.lines = []int{20, 200}
	if *lines != 0 {
		c.lines = []int{*lines}
	}
	c.ways = []string{plain, again}
	if c.gogc != 0 {
		c.ways = append(c.ways, fmt.Sprint(gogc, c.gogc))
	}
	if c.memlimit != 0 {
		c.ways = append(c.ways, fmt.Sprint(memlimit, c.memlimit))
	}
	c.ways = append(c.ways, nilArena, inArena)
	if *bound {
		c.ways = append(c.ways, noCodecs)
	}
	if *way != "" {
		c.ways = slices.DeleteFunc(c.ways, func(w string) bool { return !strings.HasPrefix(w, *way) })
	}
	err := c.check()
	if len(c.ways) == 0 {
		err = fmt.Errorf("-way is %s, and must be plain, GOGC, GOMEMLIMIT, nil or arena", *way)
	}
	if fs.NArg() > 0 {
		err = fmt.Errorf("there are no arguments, only flags: %s", fs.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(wErr, "service:", err)
	}
	return c, err
}

// maxSamples bounds the requests whose latencies are kept, per run.
const maxSamples = 1_000_000

// check says what is wrong with the command line.
func (c config) check() error {
	switch {
	case c.lines[0] < 1 || c.lines[0] > maxLines:
		return fmt.Errorf("-lines must be 1 to %d", maxLines)
	case c.driver != "pgx" && drivers[c.driver] == "":
		return fmt.Errorf("-driver is %s, and must be pgx, stdlib or pq", c.driver)
	case c.driver != "pgx" && c.dsn == "":
		return errors.New("-driver needs -postgres: SQLite has one driver here")
	case c.gogc < 0:
		return errors.New("-gogc must not be negative")
	case c.memlimit < 0:
		return errors.New("-memlimit must not be negative")
	case c.rounds < 1 || c.rounds > 100:
		return errors.New("-rounds must be 1 to 100")
	case c.duration < 10*time.Millisecond || c.duration > time.Hour:
		return errors.New("-duration must be 10ms to 1h")
	case c.conns < 1 || c.conns > 1000:
		return errors.New("-conns must be 1 to 1000")
	case c.products < 1 || c.products > 1_000_000:
		return errors.New("-products must be 1 to 1000000")
	case c.text < 0 || c.text > 100_000:
		return errors.New("-text must be 0 to 100000")
	case c.rate < 0 || c.rate != 0 && c.rate != c.boundedRate(c.rate):
		return fmt.Errorf("-rate times -duration must be 1 to %d requests", maxSamples)
	}
	return nil
}

// boundedRate returns the rate, or the nearest one at which there are latencies, and not too many.
func (c config) boundedRate(rate int) int {
	seconds := c.duration.Seconds()
	return min(max(rate, int(1/seconds)+1), int(maxSamples/seconds))
}
