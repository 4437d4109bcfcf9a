package fix

import (
	"go/ast"
	"slices"
	"strings"
)

// What an inlined function makes may be on the stack of its caller, where an arena would cost more
// than nothing. Such a call stays, and so does the function, next to its second form: that may be
// too large to be inlined.

// keepStacked has calls stay of which the compiler says that all is on the stack that they make.
func (p *program) keepStacked() {
	makes := p.making()
	for _, f := range p.order {
		for _, c := range f.calls {
			at := p.placeOf(c.expr.Lparen)
			if _, heap := p.heap[at]; heap || c.dispatch != nil || c.dropped || !makes[c.to] {
				continue
			}
			if all := map[*function]bool{}; p.isStacked(c.to, makes, p.inlined[at], all) {
				c.dropped, c.stacked = true, true
				for g := range all {
					g.stacked = true
				}
			}
		}
	}
}

// making returns the functions that make what may move, and their callers.
func (p *program) making() map[*function]bool {
	makes := map[*function]bool{}
	for more := true; more; {
		more = false
		for _, f := range p.order {
			if !makes[f] && (slices.ContainsFunc(f.sites, func(s *site) bool { return !s.why.stays() }) ||
				slices.ContainsFunc(slices.Concat(f.calls, f.other), func(c *call) bool { return makes[c.to] })) {
				makes[f], more = true, true
			}
		}
	}
	return makes
}

// isStacked tells whether a function is among those that are inlined at a call, with all that it
// calls to make something, if nothing escapes there. It adds these functions to all.
func (p *program) isStacked(f *function, makes map[*function]bool, inlined []string, all map[*function]bool) bool {
	if all[f] {
		return true
	}
	all[f] = true
	if !slices.ContainsFunc(inlined, func(name string) bool {
		name, _, _ = strings.Cut(name, "[")
		return name[strings.LastIndex(name, ".")+1:] == f.decl.Name.Name
	}) || len(f.other) > 0 {
		return false
	}
	for _, s := range f.sites {
		if !s.why.stays() && (s.kind != kindValue && s.kind != kindVariable && s.kind != kindBox || inLiteral(s.way)) {
			return false // the compiler does not say that it escapes, or elsewhere
		}
	}
	return !slices.ContainsFunc(f.calls, func(c *call) bool {
		return makes[c.to] && (c.dispatch != nil || inLiteral(c.way) || !p.isStacked(c.to, makes, inlined, all))
	})
}

// inLiteral tells whether way leads into a function literal.
func inLiteral(way []ast.Node) bool { return slices.ContainsFunc(way, is[*ast.FuncLit]) }
