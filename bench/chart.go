package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// The chart of the front page is an image in two files, for readers with light and with dark pages. An image does not take the style of the page that
// shows it. So each file has its own background, and can be read anywhere.

// A chart is one of the files.
type chart struct {
	file  string
	theme theme
}

// A theme is the colours of a chart.
type theme struct{ page, ink, faint, line, heap, other, unsound, ours string }

var charts = []chart{
	{"../docs/images/chart-light.svg", theme{"#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#818b98", "#b6c0ca", "#d6b88a", "#0969da"}},
	{"../docs/images/chart-dark.svg", theme{"#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#818b98", "#545d68", "#85673c", "#4493f8"}},
}

// Sizes in pixels.
const (
	chartWidth  = 800
	chartMargin = 16
	chartRow    = 19
	chartHead   = 72 // Above the first group.
	chartGroup  = 34 // The name of a group, and the room above it.
	chartFoot   = 72
	chartNames  = 206 // Where names of implementations end.
	chartBar    = 190 // The longest.
)

// Where the bars of a panel begin, and what they are of.
var panels = []struct {
	x     int
	title string
	of    func(n int) suite.Metric
	text  func(v float64) string
}{
	{chartNames + 8, "CPU time for one object", perUnit, func(v float64) string { return quantity(v, "s") }},
	{chartNames + 8 + 306, "Collections per million objects", func(n int) suite.Metric {
		return func(r *suite.Result) float64 { return 1e6 * float64(r.Collections) / float64(r.Rounds) / r.Made(n) }
	}, func(v float64) string {
		switch {
		case v == 0:
			return "none"
		case v < 0.1:
			return "less than 0.1"
		}
		return fmt.Sprintf("%.1f", v)
	}},
}

// What the chart shows.
var (
	chartWork = []struct {
		title, workload string
		n               int
	}{
		{"Binary trees of depth 16", "trees", 16},
		{"A batch that is decoded into 100,000 objects", "batch", 100_000},
		{"1,000,000 structs with three strings each", "person", 1_000_000},
	}
	chartRows = []named{
		{"Go heap", "heap"}, {"Go heap, GOGC=400", "heap-gogc400"}, {"sync.Pool", "sync.Pool"}, {"GOEXPERIMENT=arenas", "std"}, {"slices by hand", "node-slice"},
		{"wundergraph/go-arena", "wundergraph"}, {"a new arena each time", "arena-free"}, {"an arena that is reset", "arena-reset"},
	}
)

// A drawing is the text of an image. The strings that its methods are given are escaped.
type drawing struct{ strings.Builder }

func (d *drawing) text(x, y float64, class, anchor, s string) {
	fmt.Fprintf(d, `<text x="%g" y="%g" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, html.EscapeString(s))
}

func (d *drawing) bar(x, y, width float64, class string) {
	fmt.Fprintf(d, `<rect x="%g" y="%g" width="%.1f" height="%d" rx="2" class="%s"/>`+"\n", x, y, max(width, 1), chartRow-6, class)
}

// draw returns the image of a run.
func (c *chart) draw(r *suite.Run) (string, error) {
	height := chartHead + chartFoot
	var summary strings.Builder
	for _, w := range chartWork {
		m := r.Find(w.workload, w.n)
		if m.Cell("heap") == nil {
			return "", fmt.Errorf("the run has no %s with n = %d on the heap, which the chart shows", w.workload, w.n)
		}
		height += chartGroup
		fmt.Fprintf(&summary, " %s:", w.title)
		separator := " "
		for _, i := range chartRows {
			if cell := m.Cell(i.name); cell != nil {
				height += chartRow
				fmt.Fprintf(&summary, "%s%s %s and %s", separator, i.title, panels[0].text(cell.Spread(panels[0].of(w.n)).Median), panels[1].text(cell.Spread(panels[1].of(w.n)).Median))
				separator = ", "
			}
		}
		summary.WriteString(".")
	}

	t, d := c.theme, new(drawing)
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc">
<title id="title">What arenas save: CPU time and garbage collections</title>
<desc id="desc">CPU time for one object, and collections for a million of them.%s</desc>
<style>
text { font: 12px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: %s; }
.title { font-weight: 600; font-size: 13px; }
.head { font-weight: 600; font-size: 16px; }
.faint { fill: %s; font-size: 11px; }
.strong { font-weight: 600; }
.page { fill: %s; }
.line { stroke: %s; }
.heap { fill: %s; }
.other { fill: %s; }
.unsound { fill: %s; }
.ours { fill: %s; }
</style>
<rect width="%d" height="%d" class="page"/>
`, chartWidth, height, chartWidth, height, html.EscapeString(summary.String()), t.ink, t.faint, t.page, t.line, t.heap, t.other, t.unsound, t.ours, chartWidth, height)
	d.text(chartMargin, 28, "head", "start", "What arenas save")
	whole := make([]float64, len(panels)) // what the longest bars stand for
	for j, p := range panels {
		d.text(float64(p.x), 60, "title", "start", p.title)
		whole[j] = longest(r, p.of)
	}
	y := float64(chartHead)
	for _, w := range chartWork {
		m := r.Find(w.workload, w.n)
		fmt.Fprintf(d, `<line x1="%d" x2="%d" y1="%g" y2="%g" class="line"/>`+"\n", chartMargin, chartWidth-chartMargin, y, y)
		d.text(chartMargin, y+22, "title", "start", w.title)
		y += chartGroup
		for _, i := range chartRows {
			cell := m.Cell(i.name)
			if cell == nil {
				continue
			}
			class, letters, title := "other", "", i.title
			switch {
			case strings.HasPrefix(i.name, "heap"):
				class = "heap"
			case strings.HasPrefix(i.name, "arena"):
				class, letters = "ours", "strong"
			case cell.Unsound:
				class, title = "unsound", title+" *"
			}
			d.text(chartNames, y+10, letters, "end", title)
			for j, p := range panels {
				of, x := p.of(w.n), float64(p.x)
				v := cell.Spread(of).Median
				if heap := m.Cell("heap").Spread(of).Median; heap > 0 {
					width := chartBar * v / heap / whole[j]
					d.bar(x, y, width, class)
					x = x + max(width, 1) + 6
				}
				d.text(x, y+10, letters, "start", p.text(v))
			}
			y += chartRow
		}
	}
	y += 24
	d.text(chartMargin, y, "faint", "start", "Bars are relative to the Go heap; shorter is better. CPU time includes that of the garbage collector.")
	d.text(chartMargin, y+17, "faint", "start", "* is unsound: it loses what its values refer to on the Go heap.")
	d.text(chartMargin, y+34, "faint", "start", fmt.Sprintf("%s, %s, %s, medians of %d rounds", r.Go, r.Machine, r.Date, r.Count))
	d.WriteString("</svg>\n")
	return d.String(), nil
}

// longest returns the largest value in the chart, as a multiple of the Go heap's.
func longest(r *suite.Run, of func(n int) suite.Metric) float64 {
	most := 1.0
	for _, w := range chartWork {
		m := r.Find(w.workload, w.n)
		for _, i := range chartRows {
			if c, heap := m.Cell(i.name), m.Cell("heap").Spread(of(w.n)).Median; c != nil && heap > 0 {
				most = max(most, c.Spread(of(w.n)).Median/heap)
			}
		}
	}
	return most
}
