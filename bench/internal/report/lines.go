package report

import (
	"cmp"
	"html/template"
	"math"
	"slices"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A line is what was found for an implementation, for several n.
type line struct {
	peer
	points []point // In the order of n.
}

type point struct {
	n float64
	suite.Spread
}

// lines draws seconds over n, both logarithmic, with bands between the least and the greatest.
func lines(class, label string, all []line) template.HTML {
	all = slices.DeleteFunc(slices.Clone(all), func(l line) bool { return len(l.points) == 0 })
	if len(all) == 0 {
		return ""
	}
	lo, hi, least, greatest := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	count, right := 0, 0.0
	for _, l := range all {
		for _, p := range l.points {
			lo, hi, least, greatest = min(lo, p.Min), max(hi, p.Max), min(least, p.n), max(greatest, p.n)
			count++
		}
		right = max(right, width(l.label())+32)
	}
	right = min(right, 170)
	height := max(240, pitch*float64(len(all)))
	_, mark := formats("s")
	x := logarithmic(least, greatest, 4, brief)
	y := logarithmic(lo, hi, 8, mark)
	// Ours are drawn last, over the others; the names are in the order of the ends of their lines.
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.rank(), b.rank()) })
	end := func(l line) float64 { return height * (1 - y.at(l.points[len(l.points)-1].Median)) }
	named := slices.SortedStableFunc(slices.Values(all), func(a, b line) int { return cmp.Compare(end(a), end(b)) })
	at := make([]float64, len(named))
	for i, l := range named {
		at[i] = end(l)
	}
	spread(at, spacing, 4, height-4)

	var d drawing
	d.open("lines "+class, label, count, frame{10, right, 24, 58, height})
	d.put(`<svg class="names" x="100%%">`) // Its origin is the right edge.
	for i, l := range named {
		d.put(`<g data-i="%s"><title>%s</title><path class="leader" d="M%g %.1fL%g %.1f"/>`, l.name, l.name+l.meaning(), 4.0, end(l), 14.0, at[i])
		d.put(`<use class="%s" href="#m%d" x="%g" y="%.1f"/>`, l.class(), l.style%markers, 20.0, at[i])
		d.put(`<text class="%s" x="%g" y="%.1f">%s</text></g>`, l.kind+" name", 28.0, at[i]+4, cut(l.name, right-30-width(l.warning()))+l.warning())
	}
	d.put(`</svg>`)
	d.upright(x, height)
	d.level(y, height)
	// What is inside is stretched to the width of the area; the strokes are not.
	d.put(`<svg width="100%%" height="%g" viewBox="0 0 1000 %g" preserveAspectRatio="none">`, height, height)
	for _, l := range all {
		var band, path drawing
		for _, p := range l.points {
			path.put(" %.1f,%.1f", 1000*x.at(p.n), height*(1-y.at(p.Median)))
			band.put(" %.1f,%.1f", 1000*x.at(p.n), height*(1-y.at(p.Max)))
		}
		for _, p := range slices.Backward(l.points) {
			band.put(" %.1f,%.1f", 1000*x.at(p.n), height*(1-y.at(p.Min)))
		}
		d.put(`<g class="%s" data-i="%s"><title>%s</title><polygon class="band" points="%s"/><polyline class="line d%d" points="%s"/></g>`,
			l.class(), l.name, l.name+l.meaning(), band.String()[1:], l.style%dashes, path.String()[1:])
	}
	d.put(`</svg>`)
	for _, l := range all {
		d.put(`<g data-i="%s">`, l.name)
		last := l.points[len(l.points)-1]
		d.put(`<line class="leader" x1="%.2f%%" x2="100%%" y1="%.1f" y2="%.1f"/>`, 100*x.at(last.n), end(l), end(l))
		for _, p := range l.points {
			d.put(`<use class="mark %s" href="#m%d" x="%.2f%%" y="%.1f"><title>%s</title></use>`, l.class(), l.style%markers, 100*x.at(p.n), height*(1-y.at(p.Median)),
				l.name+", n = "+suite.Commas(number(p.n))+": "+seconds(p.Median)+", "+between(p.Spread, seconds)+l.meaning())
		}
		d.put(`</g>`)
	}
	return d.close()
}
