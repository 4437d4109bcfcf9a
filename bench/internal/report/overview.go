package report

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/arena-go/arena/bench/internal/suite"
)

// An overview has a line for each workload, with a dot for each implementation at its ratio to the
// base, all on the same axis.
type overview struct {
	Axis template.HTML
	Rows []glance
}

type glance struct {
	Name, Title string
	N           string
	Views       []sight
}

// A sight is the overview of a workload, for CPU or wall time.
type sight struct {
	Class   string // cpu or wall
	Plot    template.HTML
	Best    []best
	Without string // Why there is nothing.
}

// A best is who is the fastest of ours, of those that are sound, or of all, if that is still
// another one.
type best struct{ Kind, Name, Ratio string }

// A clock is one of the two times that the page shows, in turns.
type clock struct {
	class, name string
	metric      suite.Metric
}

var clocks = []clock{{"cpu", "CPU time", suite.CPU}, {"wall", "wall time", suite.Wall}}

const strip = 30 // The height of a line of dots.

func newOverview(groups [][]*suite.Measured, styles map[string]int) (o overview) {
	lo, hi := 1.0, 1.0
	type dots struct {
		m   *suite.Measured
		all [][]bar // For each clock.
	}
	var rows []dots
	for _, g := range groups {
		r := dots{m: common(g)}
		for _, c := range clocks {
			bars := ratios(r.m, c.metric, styles)
			r.all = append(r.all, bars)
			for _, b := range bars {
				lo, hi = min(lo, b.Median), max(hi, b.Median)
			}
		}
		rows = append(rows, r)
	}
	_, mark := formats("×")
	a := logarithmic(lo/1.1, hi*1.1, 6, mark)
	for _, r := range rows {
		row := glance{r.m.Name, r.m.Title, suite.Commas(fmt.Sprint(r.m.N)) + " " + r.m.Unit, nil}
		for i, c := range clocks {
			s := sight{Class: c.class}
			fastest := 0.0
			for _, of := range []struct {
				kind string
				is   func(b bar) bool
			}{
				{"ours", func(b bar) bool { return b.kind == "ours" && !b.unsound }},
				{"sound", func(b bar) bool { return !b.unsound }},
				{"unsound", func(b bar) bool { return true }},
			} {
				var first *bar
				for j, b := range r.all[i] {
					if of.is(b) && b.Median > fastest {
						first, fastest = &r.all[i][j], b.Median
					}
				}
				if first != nil {
					s.Best = append(s.Best, best{of.kind, first.label(), ratio(first.Median)})
				}
			}
			if len(r.all[i]) == 0 {
				s.Without = "no ratios: there is no result of what others are compared with"
			} else {
				s.Plot = dotted(c.class, r.m.Title+": times faster than "+r.m.Cells[0].Implementation+", "+c.name, a, r.all[i])
			}
			row.Views = append(row.Views, s)
		}
		o.Rows = append(o.Rows, row)
	}
	var d drawing
	d.open("axis", "times faster", 0, frame{18, 22, 0, 14, 0})
	d.upright(a, -18)
	o.Axis = d.close()
	return o
}

// common returns the measurement with the largest n for which all implementations have results, or
// simply the one with the largest n.
func common(g []*suite.Measured) *suite.Measured {
	names := map[string]bool{}
	for _, m := range g {
		for _, c := range m.Cells {
			if len(c.Results) > 0 {
				names[c.Implementation] = true
			}
		}
	}
	for _, m := range slices.Backward(g) {
		n := 0
		for name := range names {
			if m.Cell(name) != nil {
				n++
			}
		}
		if n == len(names) {
			return m
		}
	}
	return g[len(g)-1]
}

// ratios returns how many times faster than the base those are that have results, or nothing if the
// base has none.
func ratios(m *suite.Measured, metric suite.Metric, styles map[string]int) (all []bar) {
	if len(m.Cells) == 0 {
		return nil
	}
	base := &m.Cells[0]
	for i := range m.Cells {
		c := &m.Cells[i]
		if s, ok := positive(c.Ratio(base, metric)); ok {
			all = append(all, bar{peer: newPeer(m, c, styles), Spread: s, ok: true})
		}
	}
	return all
}

// positive returns whether the middle of a spread can be shown on a logarithmic scale, and cuts off
// what cannot.
func positive(s suite.Spread) (suite.Spread, bool) {
	if !finite(s.Median) || s.Median <= 0 {
		return s, false
	}
	if !(s.Min > 0) {
		s.Min = s.Median
	}
	if !finite(s.Max) {
		s.Max = s.Median
	}
	return s, true
}

// dotted draws one line of dots: ours over the others.
func dotted(class, label string, a axis, all []bar) template.HTML {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b bar) int { return a.rank() - b.rank() })
	var d drawing
	d.open("dots "+class, label, len(all), frame{0, 22, 0, 14, strip})
	for _, v := range a.marks {
		d.put(`<line class="grid" x1="%.2f%%" x2="%.2f%%" y2="%d"/>`, 100*a.at(v), 100*a.at(v), strip)
	}
	d.put(`<line class="one" x1="%.2f%%" x2="%.2f%%" y2="%d"/>`, 100*a.at(1), 100*a.at(1), strip)
	for _, b := range all {
		d.put(`<use class="mark bar %s" data-i="%s" href="#m0" x="%.2f%%" y="%d"><title>%s</title></use>`, b.class(), b.name,
			100*a.at(b.Median), strip/2, b.name+": "+ratio(b.Median)+", "+between(b.Spread, ratio)+b.meaning())
	}
	return d.close()
}
