package fix

import (
	"go/ast"
	"go/types"
)

// puts notes which parameters may be put into which others, and tells whether something is new.
func (w *walker) puts() (changed bool) {
	f := w.f
	if len(f.stores) == 0 {
		return false
	}
	to := map[*types.Var]map[*types.Var]bool{} // where the values of variables go
	add := func(from *types.Var, goals []goal) {
		for _, g := range goals {
			if g.s.v != nil && g.s.v != from {
				if to[from] == nil {
					to[from] = map[*types.Var]bool{}
				}
				to[from][g.s.v] = true
			}
		}
	}
	w.functions(func(s spot, x ast.Expr) { add(s.v, w.handed(x, "", nil, []types.Type{w.info.TypeOf(x)})) })
	w.each(func(x ast.Expr, s spot) {
		if refers(w.info.TypeOf(x)) || w.usesItself(x) {
			add(s.v, w.goals(w.way))
		}
		for _, i := range w.literalsWith(s.v) {
			add(s.v, w.goals(w.way[:i+1]))
		}
	})
	params := f.params()
	for _, v := range params {
		seen, todo := map[*types.Var]bool{v: true}, []*types.Var{v}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for next := range to[at] {
				if !seen[next] {
					seen[next], todo = true, append(todo, next)
				}
			}
			for o := range w.ownersIn(spot{at, ""}, true) {
				if key := [2]*types.Var{v, o.v}; o.v != nil && !f.puts[key] {
					f.puts[key], changed = true, true
				}
			}
		}
	}
	return changed
}

// mayPut tells whether the function may put an operand into something of a parameter.
func (f *function) mayPut(o operand, in spot) bool {
	return f.puts == nil || f.puts[[2]*types.Var{o.param(f.obj), in.v}]
}
