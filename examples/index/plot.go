package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/arena-go/arena/examples/internal/measure"
)

// The plot is a page of two panels. Sizes are in pixels.
const (
	plotWidth   = 960
	panelHeight = 330
	left, right = 70, 30 // of a panel's axes
	above       = 60
	below       = 45
)

// plotStyle gives the ways their colours, in light and in dark surroundings.
const plotStyle = `
svg { --back: #fff; --text: #1b1f24; --soft: #59636e; --line: #d1d9e0; --way0: #c2410c; --way1: #0a5ec2; --way2: #7b4fc9; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  svg { --back: #15181c; --text: #e6e9ed; --soft: #9aa4af; --line: #363d45; --way0: #fb923c; --way1: #6cb1ff; --way2: #c4a7ff; }
}
text { font: 13px system-ui, sans-serif; fill: var(--soft); }
.title { font-size: 15px; font-weight: 600; fill: var(--text); }
.grid { stroke: var(--line); }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.way0 { stroke: var(--way0); } .way1 { stroke: var(--way1); } .way2 { stroke: var(--way2); stroke-dasharray: 6 4; }
circle { stroke-dasharray: none !important; fill: var(--back); stroke-width: 2; }
text.way0 { stroke: none; fill: var(--way0); } text.way1 { stroke: none; fill: var(--way1); } text.way2 { stroke: none; fill: var(--way2); }
`

// A panel shows a time of each way, by the number of places. Both axes are logarithmic.
type panel struct {
	title     string
	of        func(r *run) time.Duration
	points    []map[string]*run
	low, high float64 // powers of ten of the vertical axis, in nanoseconds
}

// writePlot writes a plot of the points, the smallest first.
func writePlot(path string, points []map[string]*run) error {
	panels := []*panel{
		{title: "Time of a collection with the index alive", of: func(r *run) time.Duration { return r.GC }},
		{title: "Time until the first answer, in a new process", of: func(r *run) time.Duration { return r.Ready }},
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="Times by the size of an index">`, plotWidth, panelHeight*len(panels))
	fmt.Fprintf(&b, "\n<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"var(--back)\"/>\n", plotStyle)
	for i, p := range panels {
		p.points = points
		p.fit()
		fmt.Fprintf(&b, "<g transform=\"translate(0 %d)\">\n", i*panelHeight)
		p.write(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// fit chooses the vertical axis.
func (p *panel) fit() {
	p.low, p.high = math.Inf(1), math.Inf(-1)
	for _, point := range p.points {
		for _, r := range point {
			tens := math.Log10(float64(max(p.of(r), 1)))
			p.low, p.high = min(p.low, math.Floor(tens)), max(p.high, math.Ceil(tens))
		}
	}
	p.high = max(p.high, p.low+1)
}

func (p *panel) y(t time.Duration) float64 {
	share := (math.Log10(float64(max(t, 1))) - p.low) / (p.high - p.low)
	return panelHeight - below - share*(panelHeight-above-below)
}

func (p *panel) x(places int) float64 {
	first, last := p.points[0][onHeap].Places, p.points[len(p.points)-1][onHeap].Places
	if first >= last {
		return left
	}
	share := math.Log(float64(places)/float64(first)) / math.Log(float64(last)/float64(first))
	return left + share*(plotWidth-left-right)
}

func (p *panel) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "<text class=\"title\" x=\"%d\" y=\"24\">%s</text>\n", left, p.title)
	for tens := p.low; tens <= p.high; tens++ {
		t := time.Duration(math.Round(math.Pow(10, tens)))
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%v</text>\n", left, p.y(t), plotWidth-right, left-8, p.y(t)+4, t)
	}
	for _, point := range p.points {
		n := point[onHeap].Places
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%.1f %dv5\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", p.x(n), panelHeight-below, p.x(n), panelHeight-below+19, inMillions(n))
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">places in the index, in millions</text>\n", (left+plotWidth-right)/2, panelHeight-8)
	last := p.points[len(p.points)-1]
	for i, way := range ways {
		fmt.Fprintf(b, "<text class=\"way%d\" x=\"%d\" y=\"44\">%s: %s</text>\n", i, left+i*200, way, measure.Value(int64(p.of(last[way])), "nanoseconds"))
		var line, marks bytes.Buffer
		for _, point := range p.points {
			x, y := p.x(point[way].Places), p.y(p.of(point[way]))
			fmt.Fprintf(&line, "%.1f,%.1f ", x, y)
			fmt.Fprintf(&marks, "<circle class=\"way%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", i, x, y)
		}
		fmt.Fprintf(b, "<polyline class=\"way%d\" points=\"%s\"><title>%s</title></polyline>\n%s", i, line.Bytes(), way, marks.Bytes())
	}
}

func inMillions(n int) string { return fmt.Sprintf("%.3g", float64(n)/1e6) }
