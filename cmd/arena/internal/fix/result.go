package fix

import (
	"go/ast"
	"go/types"
	"slices"
)

// literalResult returns where the result of a literal goes that is called at once. It goes where
// the calls are, and where a function puts it that is given the literal. The results of other
// literals go where these go.
func (w *walker) literalResult(way []ast.Node, inside ast.Node) (all []goal) {
	at := len(way) - 1
	for at > 0 && !is[*ast.FuncLit](way[at]) {
		at--
	}
	lit, ok := way[at].(*ast.FuncLit)
	if !ok || w.p.literals[lit] != called || w.answering[lit] {
		return nil
	}
	if x, ok := inside.(ast.Expr); ok {
		if t := w.info.TypeOf(x); !refers(t) || isError(t) {
			return nil
		}
	}
	w.answering[lit] = true
	defer delete(w.answering, lit)
	for _, use := range w.usesOf(lit) {
		c := use[len(use)-2].(*ast.CallExpr)
		all = append(all, w.goals(use[:len(use)-1])...)
		targets, _ := w.targets(c)
		for _, o := range w.operands(c) {
			if o.in != use[len(use)-1] {
				if c.Fun != use[len(use)-1] && w.builtinOf(c) == "" && len(targets) > 0 && holds(w.info.TypeOf(o.x)) {
					all = append(all, w.stored(o.x, "", true)...)
				}
				continue
			}
			for _, g := range targets {
				if why := g.gets[o.param(g.obj)]; why.stays() {
					all = append(all, goal{why: why, result: every})
				}
			}
		}
	}
	return all
}

// usesOf returns the ways to the calls of a literal, and to those that it is given to.
func (w *walker) usesOf(lit *ast.FuncLit) (all [][]ast.Node) {
	if all, ok := w.literalUses[lit]; ok {
		return all
	}
	visit(w.f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || n != lit && (is[*ast.ParenExpr](n) || !slices.Contains(w.closures(x), lit)) {
			return true
		}
		i := len(way) - 1
		for i > 0 && is[*ast.ParenExpr](way[i-1]) {
			i--
		}
		if i > 0 && is[*ast.CallExpr](way[i-1]) {
			all = append(all, slices.Clone(way[:i+1]))
		}
		return true
	})
	w.literalUses[lit] = all
	return all
}

// gets notes the parameters that are functions, and why what they return stays on the heap. It
// tells whether something is new.
func (w *walker) gets(whyOf func([]goal) reason) (changed bool) {
	f := w.f
	note := func(v *types.Var, why reason) {
		if why.crosses() && f.gets[v].or(why) != f.gets[v] {
			f.gets[v], changed = f.gets[v].or(why), true
		}
	}
	params := f.params()
	visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if s, ok := w.spotOf(c.Fun); ok && w.isValue(c.Fun) && slices.Contains(params, s.v) && refers(w.info.TypeOf(c)) {
			w.way = way
			note(s.v, w.keeps(nil).or(whyOf(w.goals(way))))
		}
		targets, _ := w.targets(c)
		for _, o := range w.operands(c) {
			if s, ok := w.spotOf(o.x); ok && slices.Contains(params, s.v) && isFunc(w.info.TypeOf(o.x)) {
				for _, g := range targets {
					note(s.v, g.gets[o.param(g.obj)])
				}
			}
		}
		return true
	})
	return changed
}
