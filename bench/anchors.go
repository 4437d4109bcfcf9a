package main

import "github.com/arena-go/arena/bench/internal/suite"

// anchorsPattern measures arenas in other languages next to ours, and new arenas next to new ones
// of peers.
const anchorsPattern = "^(struct16|person|trees|fresh-5)$/^(slab-reset|arena-scope|c|bumpalo|bump-scope|pmr|zig|mimalloc|.*-free|.*-fresh)$/^(10|16|1000|100000|1000000)$"

var (
	anchorTables = map[string]table{"anchors-run": madeBy, "anchors": anchorsTable, "renewed": renewedTable}
	buildTables  = map[string]table{"builds-run": madeBy, "builds": buildsTable}
)

// renewedTable says how many times less CPU time than the heap a new arena for each round takes.
func renewedTable(r *suite.Run) string {
	columns := []struct {
		title, workload string
		n               int
	}{
		{"struct of 16 bytes, 1,000", "struct16", 1000}, {"100,000", "struct16", 100_000}, {"1,000,000", "struct16", 1_000_000},
		{"three strings, 1,000", "person", 1000}, {"1,000,000", "person", 1_000_000},
	}
	g := grid{{"a new arena for each round"}}
	for _, c := range columns {
		g[0] = append(g[0], c.title)
	}
	for _, i := range []named{
		{"**arena**, `New`, Free", "arena-free"}, {"**arena**, `Slab.New`, Free", "slab-free"},
		{"new slices of 10,000 values, by hand", "node-slice-fresh"},
		{"wundergraph/go-arena (unsound)", "wundergraph-fresh"}, {"ortuman/nuke (unsound)", "nuke-fresh"},
		{"ristretto z.Allocator (unsound)", "ristretto-fresh"}, {"modernc.org/memory (unsound)", "modernc-fresh"},
	} {
		row := []string{i.title}
		for _, c := range columns {
			row = append(row, faster(r.Find(c.workload, c.n), i.name, suite.CPU))
		}
		g = append(g, row)
	}
	return g.String()
}

// anchorsTable says how many times as much CPU time as with an arena of ours others take.
func anchorsTable(r *suite.Run) string {
	others := []named{
		{"C, by hand", "c"}, {"Rust, bumpalo", "bumpalo"}, {"Rust, bump-scope", "bump-scope"}, {"C++, pmr", "pmr"}, {"Zig", "zig"}, {"mimalloc 3", "mimalloc"}, {"Go heap", "heap"},
	}
	g := grid{{"CPU time, this package = 1", "this package"}}
	for _, o := range others {
		g[0] = append(g[0], o.title)
	}
	for _, w := range []struct {
		title, workload string
		n               int
		ours            string
		each            int // how many times a round makes n
	}{
		{"1,000 values of 16 bytes, Reset", "struct16", 1000, "slab-reset", 1},
		{"1,000,000 values of 16 bytes, Reset", "struct16", 1_000_000, "slab-reset", 1},
		{"binary trees of depth 16", "trees", 16, "slab-reset", 1},
		{"ten values of five types in a scope", "fresh-5", 10, "arena-scope", 100},
	} {
		m := r.Find(w.workload, w.n)
		ours := m.Cell(w.ours)
		if ours == nil {
			continue
		}
		row := []string{w.title, quantity(ours.Spread(perUnit(w.n)).Median/float64(w.each), "s")}
		for _, o := range others {
			text := ""
			if c := m.Cell(o.name); c != nil {
				text = times(ours.Ratio(c, suite.CPU).Median, 1)
			}
			row = append(row, text)
		}
		g = append(g, row)
	}
	return g.String()
}
