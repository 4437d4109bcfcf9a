package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"unicode"
)

// The plots are drawn here and not by one of the plotting libraries of Go, whose colours and sizes
// are fixed: these take their colours from the page, light or dark, and become narrower with it
// while their text keeps its size. So a plot has no viewBox: its data are in per cent of its width,
// and all else in pixels, in its padding.

// A drawing is the text of a plot.
type drawing struct{ strings.Builder }

// put appends to the drawing; strings among the arguments are escaped.
func (d *drawing) put(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = html.EscapeString(s)
		}
	}
	fmt.Fprintf(d, format, args...)
}

// A frame is how many pixels a plot has around its data, and for them.
type frame struct{ top, right, bottom, left, height float64 }

// open begins a plot with a number of marks.
func (d *drawing) open(class, label string, marks int, f frame) {
	d.put(`<svg class="plot %s" role="img" aria-label="%s" data-count="%d" width="100%%" height="%g" style="padding:%gpx %gpx %gpx %gpx">`,
		class, label, marks, f.top+f.height+f.bottom, f.top, f.right, f.bottom, f.left)
}

// close ends it.
func (d *drawing) close() template.HTML {
	d.put(`</svg>`)
	return template.HTML(d.String())
}

// upright draws lines from top to bottom for the marks of an axis, and their names below.
func (d *drawing) upright(a axis, height float64) {
	for _, v := range a.marks {
		d.put(`<line class="grid" x1="%.2f%%" x2="%.2f%%" y2="%g"/><text class="tick" x="%.2f%%" y="%g" text-anchor="middle">%s</text>`,
			100*a.at(v), 100*a.at(v), height, 100*a.at(v), height+15, a.format(v))
	}
}

// level does the same from left to right.
func (d *drawing) level(a axis, height float64) {
	for _, v := range a.marks {
		y := height * (1 - a.at(v))
		d.put(`<line class="grid" x2="100%%" y1="%.1f" y2="%.1f"/><text class="tick" x="-6" y="%.1f" text-anchor="end">%s</text>`, y, y, y+4, a.format(v))
	}
}

const (
	narrow  = 336 // Pixels for a plot on the narrowest page that it is made for.
	pitch   = 22  // From one bar to the next.
	spacing = 16  // From one line of text to the next.
)

// width returns how many pixels a text takes, in bold letters of a font that is wide.
func width(s string) (w float64) {
	for _, r := range s {
		switch {
		case strings.ContainsRune("mwMW@%⚠…", r):
			w += 12.6
		case unicode.IsUpper(r):
			w += 9.3
		case strings.ContainsRune("ijlI.,:;|'!-() \u00a0", r):
			w += 5.3
		case r < 0x500:
			w += 8.4
		default:
			w += 12.6
		}
	}
	return math.Ceil(w)
}

// cut leaves out the middle of a text that is wider than the given pixels.
func cut(s string, pixels float64) string {
	r := []rune(s)
	for n := len(r); width(s) > pixels && n > 0; n-- {
		s = string(r[:n/2]) + "…" + string(r[len(r)-(n-1)/2:])
	}
	return s
}

// spread moves positions in ascending order, as little as it can, until there is a distance between
// each and the next, and all are between lo and hi.
func spread(at []float64, distance, lo, hi float64) {
	least := lo
	for i := range at {
		at[i] = max(at[i], least)
		least = at[i] + distance
	}
	for i := range at {
		at[i] = min(at[i], hi-distance*float64(len(at)-1-i))
	}
}

// An axis is a scale with marks.
type axis struct {
	lo, hi float64
	log    bool
	marks  []float64
	format func(float64) string
}

// at returns where a number is, from 0 to 1.
func (a axis) at(v float64) float64 {
	lo, hi := a.lo, a.hi
	if a.log {
		v, lo, hi = math.Log(max(v, a.lo)), math.Log(lo), math.Log(hi)
	}
	return min(max((v-lo)/(hi-lo), 0), 1)
}

// logarithmic returns an axis for positive numbers from lo to hi, with the given number of marks at
// most.
func logarithmic(lo, hi float64, most int, format func(float64) string) axis {
	most = max(most, 1)
	a := axis{lo: lo / 1.08, hi: hi * 1.08, log: true, format: format}
	least, greatest := int(math.Floor(math.Log10(a.lo))), int(math.Ceil(math.Log10(a.hi)))
	try := func(every int, digits ...float64) bool {
		a.marks = nil
		for e := least; e <= greatest; e++ {
			for _, d := range digits {
				if v := d * math.Pow10(e); v >= a.lo && v <= a.hi && e%every == 0 {
					a.marks = append(a.marks, v)
				}
			}
		}
		return len(a.marks) <= most
	}
	ok := try(1, 1, 1.5, 2, 3, 5, 7) || try(1, 1, 2, 5) || try(1, 1, 3) || try(1, 1)
	for every := 2; !ok; every++ {
		ok = try(every, 1)
	}
	return a
}

// linear returns an axis from 0, or lo if that is less, to hi, with the given number of marks at
// most besides 0.
func linear(lo, hi float64, most int, format func(float64) string) axis {
	most = max(most, 1)
	a := axis{lo: min(lo, 0), hi: max(hi, 0), format: format}
	if a.lo == a.hi {
		a.hi = 1
	}
	step := math.Pow10(int(math.Floor(math.Log10((a.hi - a.lo) / float64(most)))))
	for _, f := range []float64{1, 2, 4, 5, 10} {
		if math.Floor((a.hi-a.lo)/(step*f)) <= float64(most) {
			step *= f
			break
		}
	}
	for i := math.Ceil(a.lo / step); i*step <= a.hi; i++ {
		a.marks = append(a.marks, i*step)
	}
	return a
}
