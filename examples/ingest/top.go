package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/examples/internal/measure"
)

// A row is what a report says about one function: flat is the value of the stacks that end in it,
// cum of those that it is part of.
type row struct {
	Name string `json:"name"`
	Flat int64  `json:"flat"`
	Cum  int64  `json:"cum"`
}

// A report is the functions with the largest flat values.
type report struct {
	App       string `json:"app"`
	Type      string `json:"type"`
	Unit      string `json:"unit"`
	Total     int64  `json:"total"`
	Functions int    `json:"functions"` // that have a value
	Rows      []row  `json:"rows"`      // of the first of them
}

// top returns the n first functions of a column, in a.
func (t *tree) top(a *arena.Arena, c *column, n int) (total int64, functions int, rows []row) {
	totals := t.totals(a, c)
	rows = arena.MakeSlice[row](a, len(t.names), len(t.names))
	active := arena.MakeSlice[int32](a, len(t.names), len(t.names)) // how often the frame is on the path
	t.walk(func(n int32) {
		if n == 0 {
			return
		}
		f := t.nodes[n].frame
		rows[f].Name = t.names[f]
		rows[f].Flat += c.at(n)
		if active[f] == 0 { // recursion counts once
			rows[f].Cum += totals[n]
		}
		active[f]++
	}, func(n int32) {
		if n > 0 {
			active[t.nodes[n].frame]--
		}
	})
	rows = slices.DeleteFunc(rows, func(r row) bool { return r.Flat == 0 && r.Cum == 0 })
	slices.SortFunc(rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(y.Flat, x.Flat), cmp.Compare(y.Cum, x.Cum), cmp.Compare(x.Name, y.Name))
	})
	return totals[0], len(rows), rows[:min(n, len(rows))]
}

// write writes the report in the format of `go tool pprof -top`.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "%s, %s: %s in %s functions", r.App, r.Type, measure.Value(r.Total, r.Unit), measure.Thousands(int64(r.Functions)))
	if len(r.Rows) < r.Functions {
		fmt.Fprintf(w, ", of which %d follow", len(r.Rows))
	}
	fmt.Fprintf(w, "\n%10s %6s %6s %10s %6s\n", "flat", "flat%", "sum%", "cum", "cum%")
	sum := int64(0)
	for _, row := range r.Rows {
		sum += row.Flat
		fmt.Fprintf(w, "%10s %6s %6s %10s %6s  %s\n",
			measure.Value(row.Flat, r.Unit), percent(row.Flat, r.Total), percent(sum, r.Total), measure.Value(row.Cum, r.Unit), percent(row.Cum, r.Total), row.Name)
	}
}

func percent(v, total int64) string {
	if total == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(v)/float64(total))
}
