package report

import (
	"github.com/arena-go/arena/bench/internal/suite"
)

// A table has the figures of the plots, and others.
type table struct {
	Title string
	Head  []string // After the implementation and n.
	Rows  []row
}

type row struct {
	Implementation, N string
	Unsound           bool
	Failed            string
	Fields            []field
}

// A field has the middle of some numbers, and what they lie between if that is something else.
type field struct{ Median, Between string }

func newField(s suite.Spread, figure func(float64) string) field {
	f := field{Median: figure(s.Median)}
	if s.Min != s.Max && finite(s.Min) && finite(s.Max) {
		f.Between = between(s, figure)
	}
	return f
}

// newTable has a row for each cell, by n.
func newTable(g []*suite.Measured) table {
	last := g[len(g)-1]
	t := table{Head: []string{"CPU for each", "CPU", "wall", "CPU ratio", "wall ratio", "peak", "before", "collections", "collector CPU", "allocations", "allocated"}}
	for _, v := range last.Values {
		t.Head = append(t.Head, v.Name)
	}
	for _, m := range g {
		for i := range m.Cells {
			c := &m.Cells[i]
			r := row{Implementation: c.Implementation, N: count(m.N), Unsound: c.Unsound, Failed: c.Failed}
			add := func(figure func(float64) string, metric suite.Metric) {
				r.Fields = append(r.Fields, newField(c.Spread(metric), figure))
			}
			compare := func(metric suite.Metric) {
				if s := c.Ratio(&m.Cells[0], metric); finite(s.Median) && s.Median != 0 {
					r.Fields = append(r.Fields, newField(s, ratio))
				} else {
					r.Fields = append(r.Fields, field{Median: "–"})
				}
			}
			if len(c.Results) > 0 {
				add(seconds, func(r *suite.Result) float64 { return r.CPU / r.Made(m.N) })
				add(seconds, suite.CPU)
				add(seconds, suite.Wall)
				compare(suite.CPU)
				compare(suite.Wall)
				add(memory, suite.Peak)
				add(memory, func(r *suite.Result) float64 { return float64(r.Before) })
				add(number, func(r *suite.Result) float64 { return float64(r.Collections) })
				add(seconds, func(r *suite.Result) float64 { return r.Collector })
				add(number, func(r *suite.Result) float64 { return r.Allocs })
				add(memory, func(r *suite.Result) float64 { return r.Allocated })
				for _, v := range last.Values {
					figure, _ := formats(v.Unit)
					if s, ok := values(c, v.Name); ok {
						r.Fields = append(r.Fields, newField(s, figure))
					} else {
						r.Fields = append(r.Fields, field{Median: "–"})
					}
				}
			}
			t.Rows = append(t.Rows, r)
		}
	}
	return t
}

// newTimes has the quantiles of each of the Times.
func newTimes(m *suite.Measured) (all []table) {
	for _, name := range times(m) {
		t := table{Title: "How long each " + name + " took", Head: []string{"median", "99 %", "99.9 %", "longest", "of"}}
		for i := range m.Cells {
			c := &m.Cells[i]
			if h, ok := merge(peer{}, c, name); ok {
				r := row{Implementation: c.Implementation, N: count(m.N), Unsound: c.Unsound}
				for _, v := range []float64{h.p50, h.p99, h.p999, h.max} {
					r.Fields = append(r.Fields, field{Median: seconds(v)})
				}
				r.Fields = append(r.Fields, field{Median: count(h.total)})
				t.Rows = append(t.Rows, r)
			}
		}
		all = append(all, t)
	}
	return all
}
