package main

import (
	"github.com/arena-go/arena/bench/internal/suite"
)

// anchorsPattern measures arenas in other languages next to ours.
const anchorsPattern = "^(struct16|trees|fresh-5)$/^(slab-reset|arena-scope|c|bumpalo|bump-scope|pmr|zig|mimalloc)$/^(10|16|1000|1000000)$"

var (
	anchorTables = map[string]table{"anchors-run": madeBy, "anchors": anchorsTable}
	buildTables  = map[string]table{"builds-run": madeBy, "builds": buildsTable}
)

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
