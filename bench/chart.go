package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// The chart of the front page is an image in two files, one for light and one for dark pages. An
// image does not inherit the style of its page, so each file has its own background. The width is a
// phone's, so that no text shrinks there.

// A chart is one of the files.
type chart struct {
	file  string
	theme theme
}

// A theme is the colours of a chart.
type theme struct{ page, ink, faint, heap, more, ours string }

var charts = []chart{
	{"../docs/images/chart-light.svg", theme{"#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#818b98", "#0969da"}},
	{"../docs/images/chart-dark.svg", theme{"#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#818b98", "#4493f8"}},
}

// Sizes in pixels.
const (
	chartWidth  = 400
	chartMargin = 10
	chartHead   = 88 // above the first workload
	chartRow    = 40
	chartThick  = 14 // a bar
	chartBar    = 230
	chartCPU    = 290 // where the figures of a column end
	chartMemory = chartWidth - chartMargin
	chartFoot   = 44
)

// A drawing is the text of an image. Its methods escape the strings that they are given.
type drawing struct{ strings.Builder }

func (d *drawing) text(x, y float64, class, anchor, s string) {
	fmt.Fprintf(d, `<text x="%g" y="%g" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, html.EscapeString(s))
}

func (d *drawing) bar(x, y, width, height float64, class string) {
	fmt.Fprintf(d, `<rect x="%g" y="%g" width="%.1f" height="%g" rx="2" class="%s"/>`+"\n", x, y, max(width, 1), height, class)
}

// draw returns the image of a run.
func (c *chart) draw(r *suite.Run) (string, error) {
	rows := frontRows(r)
	height := chartHead + chartRow*len(rows) + chartFoot
	var summary strings.Builder
	longest := 1.0
	for _, row := range rows {
		if row.m == nil {
			return "", fmt.Errorf("the run has no %q, which the chart shows", row.title)
		}
		longest = max(longest, 1/row.ratio(row.ours, row.of))
		fmt.Fprintf(&summary, " %s: GOGC=400 %s, this package %s; memory %s.", row.title,
			fold(row.ratio(row.more(), row.of)), fold(row.ratio(row.ours, row.of)), fold(row.ratio(row.ours, suite.Peak)))
	}
	t, d := c.theme, new(drawing)
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc">
<title id="title">CPU time and memory of this package, compared with the Go heap</title>
<desc id="desc">How many times less CPU time than the Go heap, and how many times less memory.%s</desc>
<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: %s; }
.head { font-weight: 600; font-size: 15px; }
.faint { fill: %s; font-size: 12px; }
.strong { font-weight: 600; }
.page { fill: %s; }
.heap { fill: %s; }
.more { fill: %s; }
.ours { fill: %s; }
</style>
<rect width="%d" height="%d" class="page"/>
`, chartWidth, height, chartWidth, height, html.EscapeString(summary.String()), t.ink, t.faint, t.page, t.heap, t.more, t.ours, chartWidth, height)
	d.text(chartMargin, 24, "head", "start", "CPU time, garbage collection included")
	x := float64(chartMargin)
	for _, l := range []struct {
		class, title string
		room         float64
	}{{"heap", "Go heap", 84}, {"more", "GOGC=400", 104}, {"ours", "this package", 0}} {
		d.bar(x, 38, 12, 12, l.class)
		d.text(x+18, 49, "", "start", l.title)
		x += l.room
	}
	d.text(chartCPU, 76, "faint", "end", "CPU")
	d.text(chartMemory, 76, "faint", "end", "peak memory")
	y := float64(chartHead)
	for _, row := range rows {
		d.text(chartMargin, y+12, "", "start", row.title)
		of := func(implementation string) float64 { return chartBar / longest / row.ratio(implementation, row.of) }
		d.bar(chartMargin, y+18, chartBar/longest, chartThick, "heap")
		d.bar(chartMargin, y+18, of(row.more()), chartThick, "more")
		d.bar(chartMargin, y+18+3, of(row.ours), chartThick-6, "ours")
		d.text(chartCPU, y+30, "strong", "end", fold(row.ratio(row.ours, row.of)))
		d.text(chartMemory, y+30, "", "end", fold(row.ratio(row.ours, suite.Peak)))
		y += chartRow
	}
	d.text(chartMargin, y+16, "faint", "start", "× = times less than the Go heap. Shorter bars are better.")
	d.text(chartMargin, y+34, "faint", "start", fmt.Sprintf("%s, %s, medians of %d rounds", r.Go, r.Date, r.Count))
	d.WriteString("</svg>\n")
	return d.String(), nil
}

// fold formats a ratio as the chart shows it.
func fold(ratio float64) string { return times(ratio, 1) + "×" }
