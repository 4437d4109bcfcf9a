// Query runs queries over a Parquet file, each with an allocator of its own, prints what memory
// each of them took, kept and forgot, and measures what that saves.
//
//	go run ./examples/query [flags]
//
// The file has orders: id, customer (a dictionary), region, price, quantity and day. Queries read
// it with pqarrow, batch by batch, filter with compute, sum up in loops of their own, and write
// their result as an IPC stream, of which a digest is kept. There is one arenaarrow.Allocator for
// all, and for each query a child of it, with a limit and a context that ends when the limit is
// exceeded. The queries know nothing of that: they take a memory.Allocator and a context.
//
// "by price" sorts all orders, and keeps within its limit: it reserves memory before it takes a
// batch (TryReserve). If there is none it merges what it has into a file, an IPC stream, and merges
// the files at the end. Others can make it do so, too (OnLimit). With -limit 2 -batch 4096 it has a
// tenth of the memory that it takes without a limit.
//
// Two of them go wrong. "newest first" has to have all orders in memory: it exceeds its limit, and
// stops at the next batch with an *arena.LimitError. "dearest orders" forgets to release the
// batches that it has kept for a while: Close of its child says how much that is and from which
// line of the query it was allocated, and the memory is not lost. With -debug a third kind of
// mistake is found: memory that is used after Release. (It has found one while this program was
// written, see sums.add.)
//
// What is printed of each query:
//
//	rows, IPC, digest  of the result
//	peak               the most that it had in use at a time
//	in use at the end  when it has returned, and before Close of its child, and in how many
//	                   blocks
//	leaked             what Close has reported
//	held, cached       memory of the allocator of the whole program at that time: the slabs
//	                   and pages of blocks, also of slabs that are empty just now, and what
//	                   is kept for any block of the next query
//
// Then all queries are measured, without limits: with memory.GoAllocator, with a child for each
// query, and with GoAllocator and GOGC=400, in turns and each time in a process of its own. The
// medians are printed, and behind each way how many times better it is than GoAllocator: a ratio
// above 1 speaks for it, one below 1 against it. The digests of all results must be the same for
// all ways: a difference is an error.
//
// The flags are:
//
//	-rows N    make a file of N orders (default 500000)
//	-file F    have the orders in F, which is made if it is not there; -rows is for that only. Without
//	           -file it is made in a temporary directory, and removed
//	-batch N   read N orders at a time (default 32768)
//	-limit N   give each query a limit of N MiB; 0 is none (default 16)
//	-debug     run the queries with arenaarrow.Options.Debug, in which memory cannot be used after
//	           Release, and do not measure
//	-n N       run all queries N times when they are measured (default 3)
//	-rounds N  measure each way N times; 0 does not measure (default 3)
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
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/measure"
)

// config is what the command line says.
type config struct {
	rows   int
	file   string
	batch  int
	limit  int64 // bytes; 0 is none
	debug  bool
	times  int
	rounds int
	copy   io.Writer        // gets the results, if not nil
	seen   func(run string) // is called for the path of each run that a sort has written, if not nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(program(ctx, os.Stdout, os.Stderr, os.Args[1:]))
}

// program is the whole program; it returns the exit status.
func program(ctx context.Context, w, wErr io.Writer, args []string) int {
	return command.Run(ctx, "query", wErr, args, parse, func(c config, way string, args []string) error {
		if way != "" {
			return c.measureHere(ctx, w, way)
		}
		return c.do(ctx, w, wErr, args)
	})
}

func parse(wErr io.Writer, args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("query", flag.ContinueOnError)
	fs.SetOutput(wErr)
	fs.Usage = func() {
		fmt.Fprintln(wErr, "usage: query [flags]\n\nIt runs queries over a Parquet file, each with an allocator of its own, prints their accounts, and measures.\n\nflags:")
		fs.PrintDefaults()
	}
	fs.IntVar(&c.rows, "rows", 500_000, "make a file of `N` orders")
	fs.StringVar(&c.file, "file", "", "have the orders in `FILE`, which is made if it is not there")
	fs.IntVar(&c.batch, "batch", 1<<15, "read `N` orders at a time")
	limit := fs.Int("limit", 16, "give each query a limit of `N` MiB; 0 is none")
	fs.BoolVar(&c.debug, "debug", false, "run the queries with Options.Debug, and do not measure")
	fs.IntVar(&c.times, "n", 3, "run all queries `N` times when they are measured")
	fs.IntVar(&c.rounds, "rounds", 3, "measure each way `N` times; 0 does not measure")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	c.limit = int64(*limit) << 20
	var err error
	switch {
	case fs.NArg() > 0:
		err = fmt.Errorf("%q is not a flag", fs.Arg(0))
	case c.rows < 100 || c.rows > 1e8:
		err = errors.New("-rows must be 100 to 100000000")
	case c.batch < 1 || c.batch > 1e8:
		err = errors.New("-batch must be 1 to 100000000")
	case *limit < 0 || *limit > 1<<20:
		err = errors.New("-limit must be 0 to 1048576")
	case c.times < 1 || c.times > 1000 || c.rounds < 0 || c.rounds > 100:
		err = errors.New("-n must be 1 to 1000, and -rounds 0 to 100")
	}
	if err != nil {
		fmt.Fprintln(wErr, "query:", err)
	}
	return c, err
}

// do does what the command is for.
func (c config) do(ctx context.Context, w, wErr io.Writer, args []string) error {
	if c.file == "" {
		dir, err := os.MkdirTemp("", "query")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		c.file = filepath.Join(dir, "orders.parquet")
		args = append(args, "-file", c.file)
	}
	if err := makeOrders(c.file, c.rows); err != nil {
		return err
	}
	in, err := file.OpenParquetFile(c.file, false)
	if err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	rows := in.NumRows()
	if err := in.Close(); err != nil {
		return err
	}
	limit := "without a limit"
	if c.limit > 0 {
		limit = "with a limit of " + size(c.limit) + " each"
	}
	fmt.Fprintf(w, "Queries over a Parquet file of %s orders, %s at a time, %s:\n\n", measure.Thousands(rows), measure.Thousands(int64(c.batch)), limit)
	if err := c.report(ctx, w); err != nil {
		return err
	}
	if c.rounds == 0 || c.debug {
		return nil
	}
	return c.measureAll(ctx, w, wErr, args)
}
