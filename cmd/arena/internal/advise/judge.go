package advise

import (
	"cmp"
	"fmt"
	"maps"
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
				r = reason{"the stacks are cut off", "GODEBUG=profstackdepth=1024"}
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
		case x.mover == port:
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

// Total returns what all scopes save together.
func (a *Advice) Total() Range { return a.sum(func(s *Scope) Range { return s.Reset }) }

// Adapted returns what they save with the adapters for the libraries that allocate in them, and which these are: none where they would
// move less than a third of the bytes.
func (a *Advice) Adapted() (Range, string) {
	return a.sum(func(s *Scope) Range { return s.Adapted }), a.adapters()
}

// AsIs returns what they save without.
func (a *Advice) AsIs() Range { return a.sum(func(s *Scope) Range { return s.AsIs }) }

func (a *Advice) sum(of func(s *Scope) Range) (r Range) {
	for _, s := range a.Scopes {
		r.Low += of(s).Low
		r.High += of(s).High
	}
	return r
}

// Memory returns the part of the CPU time that goes into handing out memory, and getting it back.
func (a *Advice) Memory() float64 {
	return a.share[malloc] + a.share[zeroing] + a.share[barrier] + a.share[gc]
}

// judge says whether an arena pays, and why not.
func (a *Advice) judge() {
	total := a.Total()
	memory := a.Memory()
	switch {
	case memory < worthIt:
		a.Why = fmt.Sprintf("malloc and the collector take %s of the CPU time: there is nothing to save.", percent(memory))
	case total.High < worthIt:
		a.Why = fmt.Sprintf("An arena would save at most %s of the CPU time.", percent(total.High))
		if len(a.Left) > 0 && a.Left[0].Bytes > 0.3 {
			l := a.Left[0]
			a.Why += fmt.Sprintf(" %s of the bytes would not move: %s", percent(l.Bytes), l.Why)
			if l.Hint != "" {
				a.Why += " (" + l.Hint + ")"
			}
			a.Why += "."
		}
	case 3*a.GOGC.mid() > 2*max(total.mid(), worthIt):
		a.Why = fmt.Sprintf("GOGC=400 saves %s of the CPU time without a change of the code, an arena %s.", a.GOGC, total)
	case total.Low < worthIt && a.adapters() != "":
		with, names := a.Adapted()
		a.Why = fmt.Sprintf("As it is an arena would save %s of the CPU time. With %s, for what libraries allocate now, it would save %s: then it pays.", a.AsIs(), names, with)
		if with.Low < worthIt {
			a.Why = strings.TrimSuffix(a.Why, ": then it pays.") + "."
		}
	case total.Low < worthIt:
		a.Why = fmt.Sprintf("An arena would save %s of the CPU time, and it is not certain that it would save anything: the values may live long, or lie in maps, and for built text an arena takes longer than malloc.", total)
	default:
		a.Pays = true
		gogc := ""
		if a.GOGC.High > 0 {
			gogc = fmt.Sprintf(", GOGC=400 %s", a.GOGC)
		}
		a.Why = fmt.Sprintf("An arena that is reset would save %s of the CPU time%s.", total, gogc)
	}
}

// adapters returns those which would move a third of the bytes or more, together.
func (a *Advice) adapters() string {
	names := map[string]bool{}
	sum := int64(0)
	for _, s := range a.Scopes {
		for _, x := range s.samples {
			if x.mover == adapter {
				names[x.hint] = true
				sum += x.bytes
			}
		}
	}
	if 3*sum < a.bytes {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func percent(x float64) string {
	if x > 0 && x < 0.01 {
		return "less than 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// String returns the range in percent, as "31 to 43 %".
func (r Range) String() string {
	low, high := fmt.Sprintf("%.0f", 100*r.Low), fmt.Sprintf("%.0f", 100*r.High)
	if low == "-0" {
		low = "0"
	}
	if high == "-0" {
		high = "0"
	}
	if low == high {
		return low + " %"
	}
	return low + " to " + high + " %"
}
