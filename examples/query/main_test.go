package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/examples/internal/command"
)

// TestMain lets the test binary measure, as the program starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.ChildFlag {
		os.Exit(program(context.Background(), os.Stdout, os.Stderr, os.Args[1:]))
	}
	// The race detector has processes wait for a second at their end.
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// testConfig is for few orders in many batches.
func testConfig(t *testing.T) *config {
	t.Helper()
	c := &config{file: filepath.Join(t.TempDir(), "orders.parquet"), batch: 1000}
	if err := makeOrders(c.file, 20_000); err != nil {
		t.Fatal(err)
	}
	return c
}

// An order is a row of the file.
type order struct {
	id, price, quantity, day int64
	customer, region         string
}

// readOrders reads all of the file, for a model.
func readOrders(t *testing.T, path string) (all []order) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := pqarrow.ReadTable(t.Context(), f, nil, pqarrow.ArrowReadProperties{}, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	batches := array.NewTableReader(table, 0)
	for batches.Next() {
		b := batches.RecordBatch()
		for i := range int(b.NumRows()) {
			all = append(all, order{
				id:       b.Column(0).(*array.Int64).Value(i),
				customer: b.Column(1).ValueStr(i),
				region:   b.Column(2).ValueStr(i),
				price:    b.Column(3).(*array.Int64).Value(i),
				quantity: int64(b.Column(4).(*array.Int32).Value(i)),
				day:      int64(b.Column(5).(*array.Date32).Value(i)),
			})
		}
	}
	return all
}

// model returns the text of the result of a query.
func model(name string, orders []order) (rows []string) {
	top := func(n int, key func(order) (string, bool)) {
		sums := map[string]int64{}
		for _, o := range orders {
			if k, ok := key(o); ok {
				sums[k] += o.price * o.quantity
			}
		}
		names := slices.SortedFunc(maps.Keys(sums), func(x, y string) int { return cmp.Compare(sums[y], sums[x]) })
		for _, k := range names[:min(n, len(names))] {
			rows = append(rows, fmt.Sprint(k, " ", sums[k]))
		}
	}
	switch name {
	case "revenue by region":
		top(100, func(o order) (string, bool) { return o.region, o.day >= int64(firstDay)+days-90 })
	case "top customers":
		top(10, func(o order) (string, bool) { return o.customer, o.price >= 5000 })
	case "large orders":
		for _, o := range orders {
			if o.quantity > 1 {
				rows = append(rows, fmt.Sprint(o.id, " ", o.customer, " ", o.region, " ", o.price, " ", o.quantity, " ", arrow.Date32(o.day).FormattedString()))
			}
		}
	case "newest first":
		for _, o := range slices.Backward(orders) {
			rows = append(rows, fmt.Sprint(o.id, " ", o.region, " ", o.price, " ", o.quantity, " ", arrow.Date32(o.day).FormattedString()))
		}
	case "by price":
		slices.SortFunc(orders, func(x, y order) int { return cmp.Or(cmp.Compare(y.price, x.price), cmp.Compare(x.id, y.id)) })
		for _, o := range orders {
			rows = append(rows, fmt.Sprint(o.id, " ", o.region, " ", o.price, " ", o.quantity, " ", arrow.Date32(o.day).FormattedString()))
		}
	case "dearest orders":
		best := slices.MaxFunc(orders, func(x, y order) int { return cmp.Compare(x.price, y.price) })
		rows = append(rows, fmt.Sprint(best.id, " ", best.price))
	}
	return rows
}

// text returns the rows of an IPC stream.
func text(t *testing.T, stream *bytes.Buffer) (rows []string) {
	t.Helper()
	in, err := ipc.NewReader(stream)
	if err != nil {
		t.Fatal(err)
	}
	for in.Next() {
		b := in.RecordBatch()
		for i := range int(b.NumRows()) {
			var row []string
			for _, column := range b.Columns() {
				row = append(row, column.ValueStr(i))
			}
			rows = append(rows, strings.Join(row, " "))
		}
	}
	if err := in.Err(); err != nil {
		t.Error(err)
	}
	return rows
}

// TestResults compares the results of all queries with a model, and their digests on the Go heap,
// with children, with no memory kept, and in debug mode. Nothing but what one query forgets may be
// left.
func TestResults(t *testing.T) {
	c := testConfig(t)
	orders := readOrders(t, c.file)
	allocators := []*arenaarrow.Allocator{
		arenaarrow.New(arenaarrow.Options{}),
		arenaarrow.New(arenaarrow.Options{Retain: -1}),
		arenaarrow.New(arenaarrow.Options{Debug: true}),
	}
	for _, q := range queries {
		var stream bytes.Buffer
		heap := *c
		heap.copy = &stream
		want, err := heap.run(t.Context(), nil, q)
		if err != nil {
			t.Fatal(err)
		}
		rows := model(q.name, orders)
		if got := text(t, &stream); !slices.Equal(got, rows) || len(rows) == 0 || want.rows != int64(len(rows)) {
			t.Errorf("%s: %d rows:\n%.500s\nwant %d:\n%.500s", q.name, want.rows, strings.Join(got, "\n"), len(rows), strings.Join(rows, "\n"))
		}
		for i, alloc := range allocators {
			got, err := c.run(t.Context(), alloc, q)
			if err != nil {
				t.Fatal(err)
			}
			if got.digest != want.digest || got.bytes != want.bytes || got.rows != want.rows || got.stopped != nil {
				t.Errorf("%s, allocator %d: %+v, want %+v", q.name, i, got, want)
			}
			left := got.leaks != nil
			if s := got.stats; s.Peak == 0 || left != (q.name == "dearest orders") || left != (s.InUse > 0) || left != (s.Blocks > 0) {
				t.Errorf("%s, allocator %d: %+v; %v", q.name, i, s, got.leaks)
			}
			if n := alloc.CurrentAlloc(); n != 0 {
				t.Errorf("%s, allocator %d: %d bytes in use after Close", q.name, i, n)
			}
		}
	}
	for _, alloc := range allocators {
		if leaks := alloc.Close(); leaks != nil {
			t.Error(leaks)
		}
	}
}

// TestLimit gives the queries a limit that one of them exceeds: it stops at the next batch, and
// releases what it has.
func TestLimit(t *testing.T) {
	c := testConfig(t)
	c.limit = 640 << 10
	alloc := arenaarrow.New(arenaarrow.Options{})
	defer alloc.Close()
	for _, q := range queries {
		r, err := c.run(t.Context(), alloc, q)
		if err != nil {
			t.Fatal(err)
		}
		if q.name != "newest first" {
			if r.stopped != nil || r.rows == 0 || r.stats.Peak > c.limit {
				t.Errorf("%s: %+v", q.name, r)
			}
			continue
		}
		limit := new(arena.LimitError)
		if !errors.As(r.stopped, &limit) || limit.Name != q.name || limit.Limit != c.limit || limit.Reserved+limit.Needed <= c.limit {
			t.Errorf("%s: %v", q.name, r.stopped)
		}
		// Of all orders 38 bytes each would be in use; what one batch takes, and reading it, is
		// much less.
		if r.rows != 0 || r.stats.InUse != 0 || r.leaks != nil || r.stats.Peak <= c.limit || r.stats.Peak > c.limit+128<<10 {
			t.Errorf("%s: %+v", q.name, r)
		}
	}
	if alloc.Exceeded() {
		t.Error("the allocator of the program is exceeded")
	}
}

// TestLeak looks for the line of the query that leaks.
func TestLeak(t *testing.T) {
	source, err := os.ReadFile("query.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(source), `err := r.scan([]string{"id", "price"}`)
	if !ok {
		t.Fatal("dearestOrders does not scan as it did")
	}
	line := 1 + strings.Count(before, "\n")
	c := testConfig(t)
	var out strings.Builder
	if err := c.report(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(fmt.Sprintf(`(?m)^dearest orders leaks \d+ blocks of \d.*B, allocated at\n    query.dearestOrders \(query.go:%d\): \d+ of .*B$`, line)); !want.MatchString(out.String()) {
		t.Errorf("not like %s:\n%s", want, out.String())
	}
	if n := strings.Count(out.String(), " leaks "); n != 1 {
		t.Errorf("%d leaks:\n%s", n, out.String())
	}
}

// TestCancelled runs queries with a context that has ended.
func TestCancelled(t *testing.T) {
	c := testConfig(t)
	cause := errors.New("no more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	alloc := arenaarrow.New(arenaarrow.Options{})
	defer alloc.Close()
	for _, q := range queries {
		r, err := c.run(ctx, alloc, q)
		if !errors.Is(err, cause) || r.leaks != nil || r.rows != 0 {
			t.Errorf("%s: %v, %+v", q.name, err, r)
		}
	}
}

// runQuery runs the program and returns its output.
func runQuery(t *testing.T, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	status = program(t.Context(), &out, &errOut, args)
	return status, out.String(), errOut.String()
}

func TestProgram(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, temp)
	}
	file := filepath.Join(t.TempDir(), "orders.parquet")
	for _, args := range [][]string{{"-rows", "2000"}, {"-rows", "2000", "-file", file, "-debug"}, {"-file", file}} {
		status, out, stderr := runQuery(t, append(args, "-batch", "100", "-rounds", "1", "-n", "2")...)
		if status != 0 || stderr != "" {
			t.Fatalf("%v: status %d: %s", args, status, stderr)
		}
		words := regexp.MustCompile(` +`).ReplaceAllString(out, " ")
		wants := []string{"file of 2,000 orders, 100 at a time, with a limit of 16MB each", "\n revenue by region 8 ", "\n newest first 2,000 ", "\ndearest orders leaks "}
		if !slices.Contains(args, "-debug") {
			wants = append(wants, "\n GoAllocator arenaarrow ratio GOGC=400 ratio\n", "\n GC cycles ", "All 3 runs had the same results")
		}
		for _, want := range wants {
			if !strings.Contains(words, want) {
				t.Errorf("%v: no %q in\n%s", args, want, out)
			}
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("no orders\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string // a regular expression
	}{
		{[]string{"-h"}, 0, `^usage: query`},
		{[]string{"-bad"}, 2, `flag provided but not defined: -bad`},
		{[]string{"x"}, 2, `"x" is not a flag`},
		{[]string{"-rows", "99"}, 2, `-rows must be`},
		{[]string{"-batch", "0"}, 2, `-batch must be`},
		{[]string{"-limit", "-1"}, 2, `-limit must be`},
		{[]string{"-n", "0"}, 2, `-n must be`},
		{[]string{"-rounds", "-1"}, 2, `-rounds 0 to 100`},
		{[]string{"-file", other}, 1, `^query: .*other: parquet: `},
		{[]string{"-file", dir}, 1, `^query: `},
		{[]string{"-file", filepath.Join(dir, "none", "file")}, 1, `^query: .*none`},
	} {
		status, _, stderr := runQuery(t, test.args...)
		if status != test.status || !regexp.MustCompile(test.want).MatchString(stderr) {
			t.Errorf("%v: status %d, want %d\n%s\nis not like %s", test.args, status, test.status, stderr, test.want)
		}
	}
}

// TestManual checks that the manual has every flag.
func TestManual(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	manual, _, _ := strings.Cut(string(source), "package main")
	_, _, usage := runQuery(t, "-h")
	flags := regexp.MustCompile(`(?m)^  (-\w+)`).FindAllStringSubmatch(usage, -1)
	if len(flags) != 7 {
		t.Errorf("%d flags in\n%s", len(flags), usage)
	}
	for _, f := range flags {
		if !regexp.MustCompile(`(?m)^//\t` + f[1] + `\b`).MatchString(manual) {
			t.Errorf("%s is not in the manual", f[1])
		}
	}
}
