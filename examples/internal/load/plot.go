package load

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/arena-go/arena/examples/internal/measure"
)

// A plot is a page of panels, one below the other. Sizes are in pixels.
const (
	plotWidth   = 960
	panelHeight = 330
	left, right = 70, 20 // of a panel's axes
	above       = 60
	below       = 45
	buckets     = 150 // into which the time is cut
)

// plotStyle gives the ways their colours, in light and in dark surroundings.
const plotStyle = `
svg { --back: #fff; --text: #1b1f24; --soft: #59636e; --line: #d1d9e0; --way0: #c2410c; --way1: #0a5ec2; --way2: #7b4fc9; --way3: #4d7c0f; --way4: #be185d; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  svg { --back: #15181c; --text: #e6e9ed; --soft: #9aa4af; --line: #363d45; --way0: #fb923c; --way1: #6cb1ff; --way2: #c4a7ff; --way3: #a3e635; --way4: #f9a8d4; }
}
text { font: 13px system-ui, sans-serif; fill: var(--soft); }
.title { font-size: 15px; font-weight: 600; fill: var(--text); }
.grid { stroke: var(--line); }
.worst { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.usual { fill: none; stroke-width: 1; opacity: .55; }
.way0 { stroke: var(--way0); } .way1 { stroke: var(--way1); } .way2 { stroke: var(--way2); stroke-dasharray: 5 2; } .way3 { stroke: var(--way3); stroke-dasharray: 2 2; } .way4 { stroke: var(--way4); }
text.way0 { stroke: none; fill: var(--way0); } text.way1 { stroke: none; fill: var(--way1); } text.way2 { stroke: none; fill: var(--way2); } text.way3 { stroke: none; fill: var(--way3); } text.way4 { stroke: none; fill: var(--way4); }
`

// mostWays is how many lines a panel has colours for.
const mostWays = 5

// A Panel has a line for each way to answer. Its vertical axis is logarithmic.
type Panel struct {
	Title string
	Runs  map[string]*Run // the time of all of them is the time of the plot
}

// WritePlot writes the latencies of runs over time, in as many panels, as an SVG file. The runs
// took d. A panel has at most five ways; others are left out.
func WritePlot(file string, d time.Duration, ways []string, panels []Panel) error {
	ways = ways[:min(len(ways), mostWays)]
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="Latency over time">`, plotWidth, panelHeight*len(panels))
	fmt.Fprintf(&b, "\n<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"var(--back)\"/>\n", plotStyle)
	for i, p := range panels {
		fmt.Fprintf(&b, "<g transform=\"translate(0 %d)\">\n", i*panelHeight)
		newPanel(ways, d, p.Runs).write(&b, p.Title)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// A panel is a Panel that is drawn: its axis goes from the first to the last of its ticks.
type panel struct {
	ways   []string
	runs   map[string]*Run
	points map[string][]point
	time   time.Duration // at the right end
	ticks  []time.Duration
}

// A point is what the requests that were due in a bucket took.
type point struct {
	at           time.Duration
	usual, worst time.Duration // median and largest
}

func newPanel(ways []string, d time.Duration, runs map[string]*Run) *panel {
	p := &panel{ways: ways, runs: runs, points: map[string][]point{}, time: d}
	low, high := time.Duration(math.MaxInt64), time.Duration(0)
	for _, way := range ways {
		p.points[way] = bucketed(runs[way].Samples, d)
		for _, pt := range p.points[way] {
			low, high = min(low, pt.usual), max(high, pt.worst)
		}
	}
	p.ticks = ticks(low, high)
	return p
}

// ticks returns two or more round numbers, from the last that is not above low, or a microsecond,
// to the first that is above high.
func ticks(low, high time.Duration) (all []time.Duration) {
	for power := time.Microsecond; ; power *= 10 {
		for _, t := range []time.Duration{power, 2 * power, 5 * power} {
			if t <= low {
				all = all[:0]
			}
			if all = append(all, t); t > high && len(all) > 1 {
				return all
			}
		}
	}
}

// bucketed returns a point for each bucket that a request was due in.
func bucketed(samples []Sample, d time.Duration) (points []point) {
	var took [buckets][]time.Duration
	for _, s := range samples {
		i := min(int(int64(s.Due)*buckets/int64(d)), buckets-1)
		took[i] = append(took[i], s.Took)
	}
	for i, all := range took {
		if len(all) > 0 {
			slices.Sort(all)
			at := time.Duration((2*int64(i) + 1) * int64(d) / (2 * buckets))
			points = append(points, point{at, all[(len(all)-1)/2], all[len(all)-1]})
		}
	}
	return points
}

func (p *panel) x(t time.Duration) float64 {
	return left + float64(t)/float64(p.time)*(plotWidth-left-right)
}

func (p *panel) y(t time.Duration) float64 {
	first, last := p.ticks[0], p.ticks[len(p.ticks)-1]
	share := math.Log(float64(max(t, first))/float64(first)) / math.Log(float64(last)/float64(first))
	return panelHeight - below - share*(panelHeight-above-below)
}

func (p *panel) write(b *bytes.Buffer, title string) {
	fmt.Fprintf(b, "<text class=\"title\" x=\"%d\" y=\"24\">%s: latency at %s requests per second</text>\n",
		left, escape(title), measure.Thousands(int64(p.runs[p.ways[0]].Rate)))
	for _, t := range p.ticks {
		y := p.y(t)
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%v</text>\n", left, y, plotWidth-right, left-8, y+4, t)
	}
	const parts = 8
	for i := range parts + 1 {
		t := p.time * time.Duration(i) / parts
		x := p.x(t)
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%.1f %dv5\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3gs</text>\n", x, panelHeight-below, x, panelHeight-below+19, t.Seconds())
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time since the start; bold: the slowest request in each %v, thin: the median one</text>\n",
		(left+plotWidth-right)/2, panelHeight-8, (p.time / buckets).Round(10*time.Microsecond))
	for i, way := range p.ways {
		r := p.runs[way]
		fmt.Fprintf(b, "<text class=\"way%d\" x=\"%d\" y=\"44\">%s: p99 %v</text>\n", i, left+i*(plotWidth-left-right)/max(len(p.ways), 3), escape(way),
			measure.Value(int64(r.P99), "nanoseconds"))
		p.line(b, "usual", i, func(pt point) time.Duration { return pt.usual })
		p.line(b, "worst", i, func(pt point) time.Duration { return pt.worst })
	}
}

// line draws a line for way i.
func (p *panel) line(b *bytes.Buffer, class string, i int, of func(point) time.Duration) {
	fmt.Fprintf(b, `<polyline class="%s way%d" points="`, class, i)
	for _, pt := range p.points[p.ways[i]] {
		fmt.Fprintf(b, "%.1f,%.1f ", p.x(pt.at), p.y(of(pt)))
	}
	fmt.Fprintf(b, "\"><title>%s</title></polyline>\n", escape(p.ways[i]))
}

// escape returns text in the form of XML.
func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder does not fail
	return b.String()
}
