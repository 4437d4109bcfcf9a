package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// literalsWith returns the indices in w.way of literals that use the variable, which is declared
// around them. They have its address.
func (w *walker) literalsWith(v *types.Var) (all []int) {
	for i, n := range w.way {
		if lit, ok := n.(*ast.FuncLit); ok && !within(v, lit) {
			all = append(all, i)
		}
	}
	return all
}

// usesItself tells whether x, which is at w.way, is used by the address of something that lies in
// the memory of the variable. It is a variable, or a field of one.
func (w *walker) usesItself(x ast.Expr) bool {
	if t := w.info.TypeOf(x); isPlace(t) && refers(t) {
		return true
	}
	memory := ast.Expr(nil) // in which it lies
	if id := w.way[len(w.way)-1].(*ast.Ident); isPlace(w.info.TypeOf(id)) || !shares(w.info.TypeOf(id)) && !pointsAway(w.info.TypeOf(id)) {
		memory = id
	}
	for i := len(w.way) - 1; i > 0; i-- {
		inside := w.way[i].(ast.Expr)
		switch n := w.way[i-1].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.UnaryExpr:
			return n.Op == token.AND
		case *ast.SliceExpr:
			_, array := w.info.TypeOf(inside).Underlying().(*types.Array)
			return n.X == inside && memory != nil && array
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
			if outer(n.(ast.Expr)) != inside {
				return false
			}
			if memory != nil && pointsAway(w.info.TypeOf(inside)) {
				return false
			}
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if s := w.info.Selections[sel]; s == nil || s.Kind() != types.FieldVal {
					return s != nil && memory != nil && takesAddress(s)
				}
			}
			memory = inside
		default:
			return false
		}
	}
	return false
}

// takesAddress tells whether a method is selected that is called with the address of a value.
func takesAddress(s *types.Selection) bool {
	f, ok := s.Obj().(*types.Func)
	if !ok || types.IsInterface(s.Recv()) {
		return false
	}
	_, have := s.Recv().Underlying().(*types.Pointer)
	_, want := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	return want && !have
}

// pointsAway tells whether what a value of a type has lies elsewhere.
func pointsAway(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	}
	return false
}

// leadsAway tells whether a part of what x makes is a value that leads elsewhere: who keeps that
// does not keep what x makes.
func leadsAway(info *types.Info, x ast.Node, part string) bool {
	e, ok := x.(ast.Expr)
	if !ok || part == "" || part == itself {
		return false
	}
	t := info.TypeOf(e)
	if part == elements {
		list, ok := t.Underlying().(*types.Slice)
		return ok && !isPlace(list.Elem())
	}
	if st := structOf(t); st != nil {
		for v := range st.Fields() {
			if v.Name() == part {
				return !isPlace(v.Type())
			}
		}
	}
	return false
}

// elsewhere tells whether the value is in a field of a literal, and another field is kept.
func (g goal) elsewhere() bool { return g.key != "" && g.part != itself && g.key != g.part }

// isPlace tells whether values of a type lie in the memory of what has them.
func isPlace(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}
