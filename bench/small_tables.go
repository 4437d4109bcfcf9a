package main

import (
	"fmt"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/bench/small"
)

var smallTables = map[string]table{
	"small-run":  madeBy,
	"small":      smallTable,
	"middleware": middlewareTable,
	"curve":      curveTable,
}

// smallTable says how many times less CPU time than on the heap each way to have an arena takes.
func smallTable(r *suite.Run) string {
	g := grid{{"work", "n", "a nil arena", "a new arena, Free", "*types found, no more*", "*two objects*", "from a Pool", "Reset"}}
	for _, w := range []struct {
		title, workload string
		n               int
	}{
		{"a syntax tree, four types", "nil-tree", 100}, {"a parser, and a slice that grows", "nil-parser", 100}, {"copies of text", "nil-text", 100},
		{"values of one type", "fresh-1", 10}, {"of five types", "fresh-5", 10}, {"of twelve types", "fresh-12", 12}, {"of eight types", "fresh-8", 62},
		{"of twelve types", "fresh-12", 120},
		{"lines of text, changed and split (`arenastrings`)", "strings", 10}, {"", "strings", 100},
		{"words that come as bytes, counted (`LookupText`)", "map-bytes", 10}, {"", "map-bytes", 1000},
		{"a map of integers is built", "map-int", 10}, {"a map of text is built", "map-text", 10},
	} {
		m := r.Find(w.workload, w.n)
		row := []string{w.title, suite.Thousands(w.n)}
		for _, i := range []string{"arena-nil", "arena-free", "bound-types", "bound", "arena-pool", "arena-reset"} {
			row = append(row, faster(m, i, suite.CPU))
		}
		g = append(g, row)
	}
	m := only(r, "protobuf-profile-281B")
	return append(g, []string{"a protobuf message of 281 bytes is decoded", "1", "", faster(m, "arenapb-free", suite.CPU), "", "", faster(m, "arenapb-pool", suite.CPU), faster(m, "arenapb-reset", suite.CPU)}).String()
}

func middlewareTable(r *suite.Run) string {
	g := grid{{"CPU for one request, without a server", "without the middleware", "with it", "*a value in the context, and nothing else*"}}
	m := only(r, "middleware")
	for _, i := range []named{{"the handler writes five bytes", ""}, {"and makes ten values", "-used"}} {
		row := []string{i.title}
		for _, name := range []string{"plain", "middleware", "context"} {
			cell := ""
			if c := m.Cell(name + i.name); c != nil {
				cell = quantity(c.Spread(perUnit(m.N)).Median, "s")
			}
			row = append(row, cell)
		}
		g = append(g, row)
	}
	return g.String()
}

// curveTable has the time of one operation by size, on the heap, and as a part of that.
func curveTable(r *suite.Run) string {
	g := grid{{"keys", "n"}}
	ops := []string{"build", "hit", "miss", "set"}
	for _, op := range ops {
		g[0] = append(g[0], op+", Go's map, ns", "`Map`", "`ref.Map`, `ref.TextMap`")
	}
	for _, w := range []struct{ title, name, ref string }{{"`uint64`", "curve-int", "RefMap"}, {"text of 20 bytes", "curve-text", "RefTextMap"}} {
		title := w.title
		for _, n := range small.CurveSizes {
			m := r.Find(w.name, n)
			row := []string{title, suite.Thousands(n)}
			for _, op := range ops {
				row = append(row, fmt.Sprintf("%.3g", 1e9*m.Cell("gomap").Spread(suite.ValueOf(op)).Median), faster(m, "arena.Map", suite.ValueOf(op)), faster(m, w.ref, suite.ValueOf(op)))
			}
			g, title = append(g, row), ""
		}
	}
	return g.String()
}
