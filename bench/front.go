package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// others are what Go programs can use instead of an arena of ours, and how the table of the front
// page calls them.
var others = []named{
	{"sync.Pool", "sync.Pool"}, {"slices by hand", "node-slice"}, {"GOEXPERIMENT=arenas", "std"},
	{"go-arena", "wundergraph"}, {"nuke", "nuke"}, {"ristretto", "ristretto"}, {"modernc", "modernc"},
	{"vtprotobuf", "vtprotobuf"}, {"vtprotobuf's pool", "vtprotobuf-pool"}, {"hyperpb", "hyperpb-shared"}, {"hyperpb, all read", "hyperpb-read"},
	{"malloc (cgo)", "mallocator"},
}

// afterFree are those whose objects must not be used after a Free: that is not memory-safe. So they
// stand with the unsound ones.
var afterFree = map[string]bool{"hyperpb-shared": true, "hyperpb-read": true}

// A frontRow is a workload of the front page.
type frontRow struct {
	title, workload string
	n               int
	ours            string
	of              suite.Metric    // CPU time
	m               *suite.Measured // nil if a run lacks it
}

// front are few, for readers who have not decided yet to read further. One of them is a loss.
var front = []frontRow{
	{title: "1,000 values of 16 bytes", workload: "struct16", n: 1000, ours: "slab-reset", of: perUnit(1000)},
	{title: "1,000,000 structs with three strings each", workload: "person", n: 1_000_000, ours: "slab-reset", of: perUnit(1_000_000)},
	{title: "1,000 strings of 1 to 256 bytes", workload: "texts", n: 1000, ours: "arena-reset", of: perUnit(1000)},
	{title: "decoding a batch into 100,000 objects", workload: "batch", n: 100_000, ours: "slab-reset", of: perUnit(100_000)},
	{title: "binary trees of depth 16", workload: "trees", n: 16, ours: "slab-reset", of: perUnit(16)},
	{title: "a request next to a cache of 1,000,000 entries", workload: "cache", n: 1_000_000, ours: "arena-reset", of: suite.CPU},
	{title: "40 different protobuf messages in turn", workload: "protobuf-mixed", n: 40, ours: "arenapb-reset", of: perUnit(40)},
	{title: "1,000,000 rows of Apache Arrow", workload: "arrow-build-1k", n: 1_000_000, ours: "arenaarrow", of: perUnit(1_000_000)},
	{title: "a new arena for only 10 values, and Free", workload: "struct16", n: 10, ours: "arena-free", of: perUnit(10)},
}

// frontRows returns them with what a run has found.
func frontRows(r *suite.Run) []frontRow {
	rows := slices.Clone(front)
	for i := range rows {
		rows[i].m = r.Find(rows[i].workload, rows[i].n)
	}
	return rows
}

// base is the implementation on the heap.
func (w *frontRow) base() string { return w.m.Cells[0].Implementation }

// more is the heap with GOGC=400.
func (w *frontRow) more() string { return w.base() + "-gogc400" }

// ratio is how many times less an implementation takes than the heap; 1 if the run lacks it.
func (w *frontRow) ratio(implementation string, of suite.Metric) float64 {
	if c := w.m.Cell(implementation); c != nil {
		return c.Ratio(&w.m.Cells[0], of).Median
	}
	return 1
}

// frontTable compares the workloads of the chart with what else Go programs use.
func frontTable(r *suite.Run) string {
	g := grid{{"CPU time per object, request or message; × = times less than the heap", "Go heap", "GOGC=400", "its peak memory", "best sound alternative", "best unsound arena", "this package", "its peak memory"}}
	for _, row := range frontRows(r) {
		if row.m == nil {
			continue
		}
		g = append(g, []string{row.title, median(row.m, row.base(), row.of, "s"), less(row.m, row.more(), row.of), less(row.m, row.more(), suite.Peak),
			best(row.m, false, row.of), best(row.m, true, row.of), less(row.m, row.ours, row.of), less(row.m, row.ours, suite.Peak)})
	}
	return g.String()
}

// less is how many times less than the heap, with a sign that says so.
func less(m *suite.Measured, implementation string, of suite.Metric) string {
	s := faster(m, implementation, of)
	if bare, bold := strings.CutSuffix(s, "**"); bold {
		return bare + "×**"
	}
	if s != "" {
		s += "×"
	}
	return s
}

// best returns the one of the others that takes least, of the sound or of the unsound ones.
func best(m *suite.Measured, unsound bool, of suite.Metric) string {
	text, most := "", 0.0
	for _, i := range others {
		if c := m.Cell(i.name); c != nil && (c.Unsound || afterFree[i.name]) == unsound {
			if v := c.Ratio(&m.Cells[0], of).Median; v > most {
				text, most = fmt.Sprintf("%s %s", less(m, i.name, of), i.title), v
			}
		}
	}
	return text
}

// versionsTable compares the saved run with a part of it that was made with the Go before.
func versionsTable(former, r *suite.Run) string {
	if former == nil {
		return "Not measured yet: `" + formerCommand + "`\n"
	}
	before, now := strings.TrimPrefix(former.Go, "go"), strings.TrimPrefix(r.Go, "go")
	g := grid{{"CPU for one, in ns", "n", "in the arena by", "heap, Go " + before, "heap, Go " + now, "arena, Go " + before, "arena, Go " + now, "times less, Go " + before, "times less, Go " + now}}
	for _, w := range []struct {
		named
		sizes []int
	}{
		{named{"16 bytes without pointers (`struct16`)", "struct16"}, []int{10, 1000, 1_000_000}},
		{named{"three strings, two integers (`person`)", "person"}, []int{1000, 1_000_000}},
		{named{"strings of 1 to 256 bytes (`texts`)", "texts"}, []int{10, 1000, 100_000}},
	} {
		title := w.title
		for _, n := range w.sizes {
			old, m, size := former.Find(w.name, n), r.Find(w.name, n), suite.Thousands(n)
			ns := func(m *suite.Measured, implementation string) string {
				return fmt.Sprintf("%.3g", 1e9*m.Cell(implementation).Spread(perUnit(n)).Median)
			}
			heaps := []string{"", ""}
			if old.Cell("heap") != nil && m.Cell("heap") != nil {
				heaps = []string{ns(old, "heap"), ns(m, "heap")}
			}
			for _, i := range []named{{"`Slab.New`, Reset", "slab-reset"}, {"`New`, Reset", "arena-reset"}, {"a new arena, `New`, Free", "arena-free"}} {
				if old.Cell(i.name) == nil || m.Cell(i.name) == nil {
					continue
				}
				g = append(g, []string{title, size, i.title, heaps[0], heaps[1], ns(old, i.name), ns(m, i.name), faster(old, i.name, suite.CPU), faster(m, i.name, suite.CPU)})
				title, size, heaps = "", "", []string{"", ""}
			}
		}
	}
	return g.String()
}
