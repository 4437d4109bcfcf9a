package fix

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// newGives returns none, for each result of a function.
func newGives(sig *types.Signature) (all []map[spot]bool) {
	for range sig.Results().Len() {
		all = append(all, map[spot]bool{})
	}
	return all
}

// A gift is what the results of a call have of an operand.
type gift struct {
	results map[int]bool // nil if that is not known
	parts   []string     // fields of the operand; none if it may be all
}

// has tells whether one of the variables, j, that are set to values may have something of that.
func (p gift) has(j, variables int, values []ast.Expr) bool {
	return p.results == nil || variables == len(values) || p.results[j]
}

// passes returns what the results of a call have of the operand inside, which was in what an inner
// call has passed, and tells whether that is anything. The value at the end of the way is what.
func (w *walker) passes(c *ast.CallExpr, inside ast.Node, inner gift, what ast.Node) (p gift, some bool) {
	targets, known := w.targets(c)
	if !known || len(targets) == 0 || inside == c.Fun && w.isValue(c.Fun) {
		return gift{parts: inner.parts}, true
	}
	p.results = map[int]bool{}
	parts, whole := fieldSet{}, inner.results != nil
	for _, o := range w.operands(c) {
		if o.in != inside {
			continue
		}
		x := ast.Unparen(o.x)
		if u, ok := x.(*ast.UnaryExpr); ok {
			x = ast.Unparen(u.X)
		}
		whole = whole || x != what
		for _, g := range targets {
			for i, from := range g.gives {
				for _, s := range spotsOf(from, o.param(g.obj)) {
					p.results[i], parts[s.field] = true, true
				}
			}
		}
	}
	if p.parts = inner.parts; !whole && !parts[""] {
		p.parts = slices.Sorted(maps.Keys(parts))
	}
	return p, len(p.results) > 0
}
