package report

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A histogram is how long something took for an implementation, in all rounds together.
type histogram struct {
	peer
	counts              map[int]int
	total               int
	p50, p99, p999, max float64
}

// merge combines the times of all rounds. Of the quantiles it takes the medians, and the longest
// time of all.
func merge(p peer, c *suite.Cell, name string) (h histogram, ok bool) {
	h = histogram{peer: p, counts: map[int]int{}}
	var p50, p99, p999 []float64
	for _, r := range c.Results {
		t := r.Times[name]
		if t == nil {
			continue
		}
		for b, n := range t.Counts {
			if n > 0 {
				h.counts[b] += n
				h.total += n
			}
		}
		p50, p99, p999 = append(p50, t.P50), append(p99, t.P99), append(p999, t.P999)
		h.max = max(h.max, t.Max)
	}
	h.p50, h.p99, h.p999 = suite.SpreadOf(p50).Median, suite.SpreadOf(p99).Median, suite.SpreadOf(p999).Median
	return h, h.total > 0
}

// bucket returns the seconds at which a bucket of Times begins.
func bucket(b int) float64 { return math.Exp2(float64(b)/8) * 1e-9 }

// histograms draws one below the other. Both scales are logarithmic: those that take long are few,
// and are what it is about.
func histograms(label string, all []histogram) template.HTML {
	if len(all) == 0 {
		return ""
	}
	const (
		row   = 56.0
		high  = 34.0 // Of a histogram in its row.
		right = 26.0
	)
	least, greatest, most, left := math.MaxInt, math.MinInt, 0, 60.0
	for _, h := range all {
		for b := range h.counts {
			least, greatest = min(least, b), max(greatest, b)
		}
		most = max(most, h.total)
		left = max(left, width(h.label())+10, width("max "+seconds(h.max))+10)
	}
	left = min(left, 150)
	_, mark := formats("s")
	x := logarithmic(bucket(least), bucket(greatest+1), 4, mark)
	floor := math.Pow10(-int(math.Ceil(math.Log10(float64(max(most, 10)))))) / 2 // Less than one of all.
	share := axis{lo: floor, hi: 1, log: true}
	height := row * float64(len(all))

	var d drawing
	d.open("histograms", label, len(all), frame{0, right, 22, left, height})
	d.upright(x, height)
	for i, h := range all {
		y := row*float64(i) + 6
		d.put(`<text class="%s" data-i="%s" x="%g" y="%g"><title>%s</title>%s</text>`, h.kind+" name", h.name, -left, y+14, h.name, cut(h.name, left-10-width(h.warning()))+h.warning())
		d.put(`<text class="tick" x="%g" y="%g">max %s</text>`, -left, y+30, seconds(h.max))
		var path strings.Builder
		for _, b := range slices.Sorted(maps.Keys(h.counts)) {
			x0, x1 := 1000*x.at(bucket(b)), 1000*x.at(bucket(b+1))
			fmt.Fprintf(&path, "M%.1f %gV%.1fH%.1fV%gZ", x0, high, high*(1-share.at(float64(h.counts[b])/float64(h.total))), x1, high)
		}
		tip := fmt.Sprintf("%s: median %s, 99%% %s, 99.9%% %s, longest %s of %s%s", h.name, seconds(h.p50), seconds(h.p99), seconds(h.p999),
			seconds(h.max), suite.Commas(fmt.Sprint(h.total)), h.meaning())
		d.put(`<g data-i="%s"><title>%s</title><rect class="whole" y="%g" width="100%%" height="%g"/>`, h.name, tip, y, row-6)
		d.put(`<line class="floor" x2="100%%" y1="%g" y2="%g"/>`, y+high, y+high)
		d.put(`<svg y="%g" width="100%%" height="%g" viewBox="0 0 1000 %g" preserveAspectRatio="none"><path class="mark bar %s" d="%s"/></svg>`, y, high, high, h.class(), path.String())
		for j, q := range []float64{h.p50, h.p99, h.p999, h.max} {
			d.put(`<use class="quantile" href="#q%d" x="%.2f%%" y="%g"/>`, j, 100*x.at(q), y+high+6)
		}
		d.put(`</g>`)
	}
	return d.close()
}
