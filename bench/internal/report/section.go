package report

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A section is what was found for a workload.
type section struct {
	Name, Title, About, Unit string
	Unsound                  bool // Of one at least.
	Failed                   []failure
	Lines                    []figure // Time over n.
	Sizes                    []size   // The largest first.
	Table                    table
	Times                    []table
}

type failure struct{ Implementation, N, Text string }

// A figure is a plot with its head, or two of which one is shown.
type figure struct {
	Title, Note string
	Plots       []template.HTML
	Quantiles   bool // It has their marks.
}

// A size has the plots for one n.
type size struct {
	N       string
	Figures []figure
	Times   []figure
}

func newSection(g []*suite.Measured, styles map[string]int) section {
	m := g[len(g)-1]
	s := section{Name: m.Name, Title: cmp.Or(m.Title, m.Name), About: m.About, Unit: cmp.Or(m.Unit, "rounds")}
	for _, m := range g {
		for _, c := range m.Cells {
			s.Unsound = s.Unsound || c.Unsound
			if c.Failed != "" {
				s.Failed = append(s.Failed, failure{c.Implementation, count(m.N), c.Failed})
			}
		}
	}
	if len(g) >= 3 {
		f := figure{Title: "Time by the number of " + s.Unit, Note: "for one of what is made; the scales are logarithmic, bands are least to greatest"}
		for _, c := range clocks {
			f.Plots = append(f.Plots, lines(c.class, c.name+" for one of n "+s.Unit+", over n", series(g, c.metric, styles)))
		}
		s.Lines = append(s.Lines, f)
	}
	for _, m := range slices.Backward(g) {
		s.Sizes = append(s.Sizes, newSize(m, styles))
		s.Times = append(s.Times, newTimes(m)...)
	}
	s.Table = newTable(g)
	return s
}

func count(n int) string { return suite.Commas(fmt.Sprint(n)) }

// series returns a line for each implementation, in the order in which they come.
func series(g []*suite.Measured, metric suite.Metric, styles map[string]int) (all []line) {
	for _, m := range g {
		for i := range m.Cells {
			c := &m.Cells[i]
			k := slices.IndexFunc(all, func(l line) bool { return l.name == c.Implementation })
			if k < 0 {
				k = len(all)
				all = append(all, line{peer: newPeer(m, c, styles)})
			}
			s, ok := positive(c.Spread(func(r *suite.Result) float64 { return metric(r) / r.Made(m.N) }))
			if ok && m.N > 0 {
				all[k].points = append(all[k].points, point{float64(m.N), s})
			}
		}
	}
	return all
}

func newSize(m *suite.Measured, styles map[string]int) size {
	s := size{N: count(m.N)}
	if len(m.Cells) == 0 {
		return s
	}
	base := &m.Cells[0]
	// All plots are in the order of CPU time.
	order := make([]*suite.Cell, len(m.Cells))
	for i := range m.Cells {
		order[i] = &m.Cells[i]
	}
	time := func(c *suite.Cell) float64 {
		if t, ok := positive(c.Spread(suite.CPU)); ok {
			if r, ok := positive(c.Ratio(base, suite.CPU)); ok {
				return 1 / r.Median
			}
			return t.Median
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(order, func(a, b *suite.Cell) int { return cmp.Compare(time(a), time(b)) })

	draw := func(class, label, unit string, of func(c *suite.Cell) (b bar)) template.HTML {
		var all []bar
		for _, c := range order {
			b := of(c)
			b.peer = newPeer(m, c, styles)
			all = append(all, b)
		}
		return bars(class, label+", n = "+s.N, unit, all)
	}
	speed := figure{Title: "Times faster than " + base.Implementation, Note: "in the same rounds; longer is better"}
	for _, c := range clocks {
		speed.Plots = append(speed.Plots, draw(c.class, speed.Title+", "+c.name, "×", func(cell *suite.Cell) bar {
			r, ok := positive(cell.Ratio(base, c.metric))
			return bar{Spread: r, ok: ok}
		}))
	}
	if speed.Plots[0] == "" && speed.Plots[1] == "" {
		speed = figure{Title: "Time for one of n", Note: "not compared: there is no result of " + base.Implementation + "; shorter is better"}
		for _, c := range clocks {
			speed.Plots = append(speed.Plots, draw(c.class, speed.Title+", "+c.name, "s", func(cell *suite.Cell) bar {
				t, ok := positive(cell.Spread(func(r *suite.Result) float64 { return c.metric(r) / r.Made(m.N) }))
				return bar{Spread: t, ok: ok}
			}))
		}
	}
	peak := figure{Title: "Peak memory", Note: "faint: there before the work; shorter is better"}
	peak.Plots = append(peak.Plots, draw("", "Peak memory", "B", func(c *suite.Cell) bar {
		p, ok := positive(c.Spread(suite.Peak))
		return bar{Spread: p, ok: ok, before: c.Spread(func(r *suite.Result) float64 { return float64(r.Before) }).Median}
	}))
	s.Figures = append(s.Figures, speed, peak)
	for _, v := range m.Values {
		f := figure{Title: v.Name, Note: "shorter is better"}
		if v.More {
			f.Note = "longer is better"
		}
		if v.Unit != "s" && v.Unit != "B" && v.Unit != "%" && v.Unit != "" {
			f.Note = v.Unit + "; " + f.Note
		}
		f.Plots = append(f.Plots, draw("", v.Name, v.Unit, func(c *suite.Cell) bar {
			all, ok := values(c, v.Name)
			return bar{Spread: all, ok: ok}
		}))
		s.Figures = append(s.Figures, f)
	}
	s.Figures = slices.DeleteFunc(s.Figures, func(f figure) bool {
		return !slices.ContainsFunc(f.Plots, func(p template.HTML) bool { return p != "" })
	})
	for _, name := range times(m) {
		var all []histogram
		for _, c := range order {
			if h, ok := merge(newPeer(m, c, styles), c, name); ok {
				all = append(all, h)
			}
		}
		f := figure{Title: "How long each " + name + " took", Note: "height: their share, on a logarithmic scale, so that the rare ones are seen", Quantiles: true}
		if p := histograms(f.Title+", n = "+s.N, all); p != "" {
			f.Plots = append(f.Plots, p)
			s.Times = append(s.Times, f)
		}
	}
	return s
}

// values returns the spread of a value over the rounds that have it.
func values(c *suite.Cell, name string) (suite.Spread, bool) {
	var all []float64
	for _, r := range c.Results {
		if v, ok := r.Values[name]; ok && finite(v) {
			all = append(all, v)
		}
	}
	return suite.SpreadOf(all), len(all) > 0
}

// times returns the names of all Times of a workload.
func times(m *suite.Measured) []string {
	names := map[string]bool{}
	for _, c := range m.Cells {
		for _, r := range c.Results {
			for name, t := range r.Times {
				if t != nil {
					names[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
