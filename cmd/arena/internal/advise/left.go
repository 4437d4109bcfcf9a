package advise

import (
	"cmp"
	"slices"
	"strings"
)

// leave notes what would not move, and why.
func (a *Advice) leave(sites map[siteKey]*siteInfo) {
	type reason struct{ why, hint string }
	sums := map[reason]int64{}
	inside := map[*allocSample]bool{}
	for _, s := range a.Scopes {
		for _, x := range s.samples {
			inside[x] = true
		}
	}
	for _, x := range a.allocs {
		if !inside[x] && x.moving() > 0 {
			r := reason{"no function found where an arena could end and save 1 % of the CPU time", ""}
			if x.lost {
				r = reason{"the stacks are cut off", "GODEBUG=" + deepest}
			}
			sums[r] += x.moving()
		}
		info := sites[x.site]
		stays := x.bytes - x.moving()
		if stays == 0 {
			continue
		}
		r := reason{hint: x.hint}
		switch {
		case x.mover == adapter:
			r.why = "a library that allocates no arena's memory"
		case x.mover == foreign:
			r.why = "another module's code"
		case x.mover == fixed:
			r.why = "cannot be moved"
		case x.high > 0 || info.kind() == concurrency:
			r = reason{"goroutines and channels", ""}
		case info != nil && info.fixed.asked && !info.fixed.moves:
			r = reason{"arena fix leaves it: " + info.fixed.why, ""}
		case x.gets == none:
			r = reason{"arena fix leaves it: no arena gets there on this way", ""}
		default:
			r = reason{"lives long: it belongs to the heap", ""}
		}
		sums[r] += stays
	}
	for r, n := range sums {
		a.Left = append(a.Left, Left{Why: r.why, Hint: r.hint, Bytes: float64(n) / float64(a.bytes)})
	}
	slices.SortFunc(a.Left, func(x, y Left) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), strings.Compare(x.Hint, y.Hint), strings.Compare(x.Why, y.Why))
	})
}
