package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arena-go/arena/examples/internal/measure"
)

// A Row is what the report says about one function: flat is the value of the
// stacks that end in it, cum of those that it is part of.
type Row struct {
	Name      string
	Flat, Cum int64
}

// Top returns a row for every function with a value, the largest flat first.
func (t *Tree) Top(index int) []Row {
	t.Sum(index)
	rows := make([]Row, len(t.Frames))
	active := make([]int, len(t.Frames)) // how often the frame is on the path
	t.walk(func(n *Node) {
		if n.Frame == nil {
			return
		}
		row := &rows[n.Frame.Index]
		row.Name = n.Frame.Name
		if n.Self != nil {
			row.Flat += n.Self[index]
		}
		if active[n.Frame.Index] == 0 { // recursion counts once
			row.Cum += n.Total
		}
		active[n.Frame.Index]++
	}, func(n *Node) {
		if n.Frame != nil {
			active[n.Frame.Index]--
		}
	})
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Flat == 0 && r.Cum == 0 })
	slices.SortFunc(rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(y.Flat, x.Flat), cmp.Compare(y.Cum, x.Cum), strings.Compare(x.Name, y.Name))
	})
	return rows
}

// A view is a tree and one of its sample types.
type view struct {
	*Tree
	index int
}

func (v view) unit() string { return v.Type[v.index].Unit }

// writeTop writes the n largest functions in the format of `go tool pprof -top`.
func writeTop(w io.Writer, v view, n int) {
	rows := v.Top(v.index)
	unit, total := v.unit(), v.Root.Total
	shown := rows[:min(n, len(rows))]
	fmt.Fprintf(w, "%s: %s in %s functions", v.Type[v.index], measure.Value(total, unit), measure.Thousands(int64(len(rows))))
	if len(shown) < len(rows) {
		fmt.Fprintf(w, ", of which %d follow", len(shown))
	}
	fmt.Fprintf(w, "\n%10s %6s %6s %10s %6s\n", "flat", "flat%", "sum%", "cum", "cum%")
	var sum int64
	for _, r := range shown {
		sum += r.Flat
		fmt.Fprintf(w, "%10s %6s %6s %10s %6s  %s\n",
			measure.Value(r.Flat, unit), percent(r.Flat, total), percent(sum, total), measure.Value(r.Cum, unit), percent(r.Cum, total), r.Name)
	}
	fmt.Fprintln(w)
}

func percent(v, total int64) string {
	if total == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(v)/float64(total))
}
