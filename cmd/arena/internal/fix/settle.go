package fix

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// flows computes what functions do with their parameters until nothing changes any more, and then
// what has to stay.
func (p *program) flows() {
	for more := true; more; {
		more = false
		for _, f := range p.order {
			if f.settled {
				continue
			}
			f.settled, p.now, more = true, f, true
			if f.walker.flow() {
				f.settled = false
				p.again(f)
			}
		}
	}
}

// reads notes that the function that is looked at has read what others know of their parameters and
// results: when that changes, it is looked at again.
func (p *program) reads(others ...*function) {
	for _, g := range others {
		if g != nil && p.now != nil {
			g.readers[p.now] = true
		}
	}
}

// again has all look again that have read what a function knows, or everybody if that is nil.
func (p *program) again(f *function) {
	if f == nil {
		for _, f := range p.order {
			f.settled = false
		}
		return
	}
	for g := range f.readers {
		g.settled = false
	}
}

// settle keeps on the heap what callers keep: they cannot choose the former function where the
// arena comes in a carrier.
func (p *program) settle() {
	for more := true; more; {
		p.flows()
		more = false
		for _, f := range p.order {
			for _, d := range f.drops {
				given := d.to.carrier != nil && d.to.carrier.given()
				if !d.why.crosses() || !f.reached && !given || d.to.carrier == nil && !d.to.heeds && !d.onlyTexts() {
					continue // f has no arena, and calls it without; or it calls the former function
				}
				if d.in.v != nil {
					if was := d.to.keepIn[d.in]; was.or(d.why) != was {
						d.to.keepIn[d.in], d.to.settled, more = was.or(d.why), false, true
						if !d.to.from[d.in].IsValid() {
							d.to.from[d.in] = d.at
						}
					}
					continue
				}
				for i := range d.to.results() {
					if d.of.result != i && d.of.result != every {
						continue
					}
					of := part{i, d.of.field}
					if was := d.to.keepResult[of]; was.why.or(d.why) != was.why {
						d.to.keepResult[of] = keeping{was.why.or(d.why), cmp.Or(was.at, d.at)}
						d.to.settled, more = false, true
					}
				}
			}
		}
	}
}

// heed finds the functions that are only called by callers who keep something of them, and tells
// whether there are any. They leave that on the heap for all callers, so the rest may move.
func (p *program) heed() (found bool) {
	lost := map[*function]bool{}
	eachCall := func(do func(f *function, c *call)) {
		for _, f := range p.order {
			for _, c := range f.calls {
				if f.reached && !c.to.root && c.to.carrier == nil && !c.to.heeds {
					do(f, c)
				}
			}
		}
	}
	eachCall(func(_ *function, c *call) { lost[c.to] = true })
	for more := true; more; {
		more = false
		eachCall(func(f *function, c *call) {
			if lost[c.to] && (!c.lost || slices.ContainsFunc(f.calls, func(other *call) bool {
				return other.expr == c.expr && !lost[other.to] && !other.to.heeds
			})) {
				lost[c.to], more = false, true
			}
		})
	}
	eachCall(func(_ *function, c *call) {
		if lost[c.to] {
			c.dropped, c.lost, found = false, false, true
		}
	})
	for f, is := range lost {
		f.heeds = is
	}
	if found {
		p.again(nil)
	}
	return found
}

// heeded tells whether all that a call may call heeds what its callers keep.
func heeded(f *function, expr *ast.CallExpr) bool {
	return !slices.ContainsFunc(f.calls, func(c *call) bool { return c.expr == expr && !c.to.heeds })
}

// fromOf returns where the reason arises that keeps a spot, or a part of it.
func (f *function) fromOf(s spot) token.Pos {
	if at := cmp.Or(f.from[s], f.from[spot{s.v, ""}]); at.IsValid() {
		return at
	}
	first := token.NoPos
	for other, at := range f.from {
		if other.v == s.v && (!first.IsValid() || at < first) {
			first = at
		}
	}
	return first
}

// A drop is a call of the former function, which makes what it makes on the heap, because of a
// result or of what it stores in a parameter.
type drop struct {
	to  *function
	in  spot // none for a result
	of  part // whose result is perhaps every
	why reason
	at  token.Pos // where it arises
}

// onlyTexts tells whether only texts are lost, which may be few of what the function makes. It
// leaves them on the heap for all callers.
func (d drop) onlyTexts() bool {
	return !d.to.root && d.why.crosses() && (d.in.isTexts() || strings.HasSuffix(d.of.field, inTexts))
}

// A part is a result, or a field of it.
type part struct {
	result int
	field  string
}

// A keeping is why something stays on the heap, and where that arises.
type keeping struct {
	why reason
	at  token.Pos
}

// keptParts returns the parts of results that callers keep.
func (f *function) keptParts() []part {
	return slices.SortedFunc(maps.Keys(f.keepResult), func(a, b part) int {
		return cmp.Or(cmp.Compare(a.result, b.result), cmp.Compare(a.field, b.field))
	})
}
