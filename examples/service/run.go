package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/examples/internal/load"
	"github.com/arena-go/arena/examples/internal/measure"
)

// serve serves until stdin ends.
func serve(stdin io.Reader, stdout io.Writer, c config, way string) error {
	if c.objects {
		runtime.MemProfileRate = 1
	}
	switch {
	case strings.HasPrefix(way, gogc):
		debug.SetGCPercent(c.gogc)
	case strings.HasPrefix(way, memlimit):
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(int64(c.memlimit) << 20)
	}
	db, err := openStore(context.Background(), c.driver, c.dsn, c.file)
	if err != nil {
		return err
	}
	defer db.close()
	log, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer log.Close()
	s := &service{store: db, log: slog.New(slog.NewJSONHandler(log, nil))}
	handler := s.handler(way)
	if way == inArena {
		handler = arenahttp.Middleware(handler, arenahttp.Options{})
	}
	if c.objects {
		handler = counted(handler)
	}
	return load.Serve(stdin, stdout, handler)
}

// measureAll measures all sizes and ways, each time with a server in a process of its own, and
// prints the medians.
func measureAll(ctx context.Context, w, wErr io.Writer, c config, args []string) error {
	if c.dsn == "" && c.file == "" {
		dir, err := os.MkdirTemp("", "service")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		c.file = filepath.Join(dir, "orders.db")
		args = append(slices.Clone(args), "-file", c.file)
	}
	p := measure.NewProgress(wErr)
	defer p.Clear()
	p.Show("%d products", c.products)
	if err := setUp(ctx, c.dsn, c.file, c.products, c.text); err != nil {
		return err
	}
	var panels []load.Panel
	for _, lines := range c.lines {
		l := newLoad(c, lines)
		runs := map[string][]*load.Run{}
		if c.objects {
			if err := reportObjects(ctx, w, c, args, l, lines); err != nil {
				return err
			}
			continue
		}
		rate := c.rate
		for round := range c.rounds {
			for _, way := range c.ways {
				p.Show("round %d of %d, %d lines, %s", round+1, c.rounds, lines, way)
				r, err := load.Measure(ctx, "service", args, way, l, rate, c.duration, c.boundedRate)
				if err != nil {
					return fmt.Errorf("%s: %w", way, err)
				}
				if rate == 0 {
					rate = r.Rate
				}
				runs[way] = append(runs[way], r)
			}
		}
		p.Clear()
		database := "PostgreSQL by " + c.driver
		if c.dsn == "" {
			database = "SQLite, in the process"
		}
		fmt.Fprintf(w, "Orders with %d lines, %s of JSON; %s; %s. Latencies and below at %s requests per second. Medians of %d runs:\n\n",
			lines, measure.Value(int64(len(l.Requests[0])), "bytes"), database, runtime.Version(), measure.Thousands(int64(rate)), c.rounds)
		if err := measure.WriteTable(w, c.ways, runs, load.Quantities); err != nil {
			return err
		}
		fmt.Fprintf(w, "\nAll answers were right: %d different ones, the same with %s.\n\n", variants, strings.Join(c.ways, ", "))
		panels = append(panels, load.Panel{Title: fmt.Sprintf("orders with %d lines", lines), Runs: load.Last(runs)})
	}
	if c.plot == "" || c.objects {
		return nil
	}
	return load.WritePlot(c.plot, c.duration, slices.DeleteFunc(slices.Clone(c.ways), func(way string) bool { return way == again }), panels)
}

// variants is how many different requests a load has.
const variants = 64

// newLoad returns orders, always the same.
func newLoad(c config, lines int) *load.Load {
	l := &load.Load{Conns: c.conns}
	random := rand.New(rand.NewPCG(7, 7))
	for i := range variants {
		body := randomOrder(random, i, lines, c.products)
		l.Requests = append(l.Requests, fmt.Appendf(nil, "POST /orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	}
	return l
}

// randomOrder returns an order with a number of lines, each for another product, of which a few do
// not exist.
func randomOrder(random *rand.Rand, number, lines, products int) []byte {
	o := Order{
		Number: int64(number + 1),
		Customer: Customer{
			ID: fmt.Sprint("c", random.IntN(1000)), Name: "Zoë Müller", Email: "zoe@example.com",
			Address: Address{Street: "12 Long Road", City: "Bristol", Zip: "BS1 1AA", Country: "GB"},
		},
		Coupons: []string{"SPRING"},
	}
	from := random.IntN(products)
	for i := range lines {
		l := Line{SKU: sku((from + i*7) % (products + products/50)), Quantity: int64(1 + random.IntN(9))}
		if i%2 == 0 {
			l.Note = fmt.Sprintf("as “last time”, line %d; please leave the parcel with the neighbours if nobody opens, and call before", i)
		}
		if i%3 == 0 {
			l.Options = []Option{{"engraving", "for Max"}, {"wrap", "blue paper with a ribbon"}, {"card", "All the best for your birthday!"}}
		}
		o.Lines = append(o.Lines, l)
	}
	body, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return body
}

// reportObjects prints which packages make the objects of a request.
func reportObjects(ctx context.Context, w io.Writer, c config, args []string, l *load.Load, lines int) error {
	const rounds = 5
	all := map[string]census{}
	names := census{}
	for _, way := range c.ways {
		if way == again || strings.HasPrefix(way, gogc) || strings.HasPrefix(way, memlimit) {
			continue // as plain
		}
		count, err := countObjects(ctx, args, way, l, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", way, err)
		}
		all[way] = count
		for name, n := range count {
			names[name] = max(names[name], n)
		}
	}
	sorted := slices.SortedFunc(func(yield func(string) bool) {
		for name := range names {
			if !yield(name) {
				return
			}
		}
	}, func(x, y string) int { return int(names[y] - names[x]) })
	fmt.Fprintf(w, "Objects on the heap for an order with %d lines, by the package that makes them:\n\n", lines)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, of func(way string) string) {
		fmt.Fprintf(t, "%s\t", name)
		for _, way := range c.ways {
			if all[way] != nil {
				fmt.Fprintf(t, "%s\t", of(way))
			}
		}
		fmt.Fprintln(t)
	}
	row("", func(way string) string { return way })
	for _, name := range sorted {
		if names[name] > 0 {
			row(name, func(way string) string { return fmt.Sprint(all[way][name]) })
		}
	}
	row("all", func(way string) string {
		sum := int64(0)
		for _, n := range all[way] {
			sum += n
		}
		return fmt.Sprint(sum)
	})
	fmt.Fprintln(t)
	return t.Flush()
}

// countObjects returns how many objects each package makes for a request.
func countObjects(ctx context.Context, args []string, way string, l *load.Load, rounds int) (count census, err error) {
	server, err := load.StartChild(ctx, "service", args, way)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	var before, after census
	for _, c := range []*census{&before, &after} {
		for range rounds {
			if err := l.Once(ctx, server.Addr); err != nil {
				return nil, err
			}
		}
		if *c, err = fetchCensus(ctx, server.Addr); err != nil {
			return nil, err
		}
	}
	requests := int64(rounds * len(l.Requests))
	for name := range after {
		if after[name] = (after[name] - before[name] + requests/2) / requests; after[name] == 0 {
			delete(after, name)
		}
	}
	return after, nil
}
