package report

import (
	"cmp"
	"html/template"
	"math"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A bar is one line of a plot of bars.
type bar struct {
	peer
	suite.Spread
	ok     bool    // There is a number.
	before float64 // Part of the bar that was there before.
}

// bars draws numbers beside each other. Ratios get a logarithmic scale if they are far apart, and a
// line for 1.
func bars(class, label, unit string, all []bar) template.HTML {
	figure, mark := formats(unit)
	lo, hi := math.Inf(1), math.Inf(-1)
	count := 0
	left, right := 40.0, 0.0
	for _, b := range all {
		left = max(left, width(b.label())+8)
		right = max(right, width(b.bad())+8)
		if b.ok {
			lo, hi = min(lo, b.Min), max(hi, b.Max)
			right = max(right, width(figure(b.Median))+8)
			count++
		}
	}
	if count == 0 {
		return ""
	}
	left = min(left, 150)
	most := int((narrow - left - right) / 62)
	a := axis{}
	from := 0.0
	if unit == "×" {
		lo, hi = min(lo, 1), max(hi, 1)
		if lo > 0 && hi/lo > 12 {
			a, from = logarithmic(lo, hi, most+1, mark), 1
		}
	}
	if !a.log {
		a = linear(lo, hi, most, mark)
	}
	height := float64(pitch * len(all))
	var d drawing
	d.open("bars "+class, label, count, frame{0, right, 22, left, height})
	d.upright(a, height)
	for i, b := range all {
		y := float64(pitch * i)
		d.put(`<text class="%s" data-i="%s" x="%g" y="%g"><title>%s</title>%s</text>`, b.kind+" name", b.name, -left, y+15, b.name, cut(b.name, left-8-width(b.warning()))+b.warning())
		if !b.ok {
			d.put(`<text class="%s" data-i="%s" x="100%%" dx="%g" y="%g" text-anchor="end"><title>%s</title>%s</text>`,
				cmp.Or(b.bad(), "tick"), b.name, right, y+15, cmp.Or(b.failed, "not measured"), cmp.Or(b.bad(), "–"))
			continue
		}
		x0, x1 := a.at(min(from, b.Median)), a.at(max(from, b.Median))
		d.put(`<text class="%s" data-i="%s" x="100%%" dx="%g" y="%g" text-anchor="end">%s</text>`, b.kind+" figure", b.name, right, y+15, figure(b.Median))
		d.put(`<g data-i="%s"><title>%s</title><rect class="whole" y="%g" width="100%%" height="%d"/>`, b.name, b.name+": "+figure(b.Median)+", "+between(b.Spread, figure)+b.meaning(), y, pitch)
		d.put(`<rect class="mark bar %s" x="%.2f%%" y="%g" width="%.2f%%" height="14"/>`, b.class(), 100*x0, y+4, 100*(x1-x0))
		if b.before > 0 {
			d.put(`<rect class="before" y="%g" width="%.2f%%" height="14"/>`, y+4, 100*a.at(min(b.before, b.Median)))
		}
		if b.Min < b.Max {
			d.put(`<line class="whisker" x1="%.2f%%" x2="%.2f%%" y1="%g" y2="%g"/>`, 100*a.at(b.Min), 100*a.at(b.Max), y+11, y+11)
			for _, v := range []float64{b.Min, b.Max} {
				d.put(`<line class="whisker" x1="%.2f%%" x2="%.2f%%" y1="%g" y2="%g"/>`, 100*a.at(v), 100*a.at(v), y+8, y+14)
			}
		}
		d.put(`</g>`)
	}
	if unit == "×" {
		d.put(`<line class="one" x1="%.2f%%" x2="%.2f%%" y2="%g"/>`, 100*a.at(1), 100*a.at(1), height)
	}
	return d.close()
}
