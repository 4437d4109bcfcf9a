package fix

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// A spot is a local variable, or a field of one: all that lies behind it counts as the field.
type spot struct {
	v     *types.Var
	field string // empty for the variable as a whole
}

// flows leaves on the heap what is put into a variable that goes where nothing of an arena may: to a goroutine, a channel, an error, a panic or a variable of a
// package. It looks at this function, from the ends of such ways backwards, and does not ask in what order things happen.
func (w *walker) flows() {
	kept := map[spot]string{}        // and why
	parts := map[*types.Var]string{} // why the first spot of a variable is kept
	keep := func(s spot, why string) {
		kept[s] = why
		parts[s.v] = cmp.Or(parts[s.v], why)
	}
	w.each(func(x ast.Expr, s spot) {
		if why := w.keeps(); why != "" && kept[s] == "" && refers(w.info.TypeOf(x)) && !w.copied(w.way) {
			keep(s, why)
		}
	})
	if len(kept) == 0 {
		return
	}
	whyOf := func(x ast.Expr) string {
		s, ok := w.spotOf(x)
		switch {
		case !ok:
			return ""
		case s.field == "":
			return cmp.Or(kept[s], parts[s.v])
		}
		return cmp.Or(kept[spot{s.v, ""}], kept[s])
	}
	// What such a variable is set to is kept, too.
	for more := true; more; {
		more = false
		w.each(func(x ast.Expr, s spot) {
			if kept[s] != "" || !refers(w.info.TypeOf(x)) {
				return
			}
			for _, to := range w.targets(w.way) {
				if why := whyOf(to); why != "" {
					keep(s, why)
					more = true
					return
				}
			}
		})
	}
	for _, s := range w.f.sites {
		for _, to := range w.targets(s.way) {
			if why := whyOf(to); why != "" && s.why == "" {
				s.why = why
			}
		}
	}
	w.f.calls = slices.DeleteFunc(w.f.calls, func(c *call) bool { // the former function does, on the heap
		return slices.ContainsFunc(w.targets(c.way), func(to ast.Expr) bool { return whyOf(to) != "" })
	})
}

// each calls f for each use of a local variable, with its fields, while w.way is the way to it.
func (w *walker) each(f func(x ast.Expr, s spot)) {
	w.way = nil
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		if n == nil {
			w.way = w.way[:len(w.way)-1]
			return true
		}
		w.way = append(w.way, n)
		id, ok := n.(*ast.Ident)
		if !ok || w.info.Uses[id] == nil {
			return true
		}
		x, end := ast.Expr(id), len(w.way)
		if end >= 2 {
			if sel, ok := w.way[end-2].(*ast.SelectorExpr); ok && sel.X == id {
				x = sel
			}
		}
		if s, ok := w.spotOf(x); ok {
			f(x, s)
		}
		return true
	})
}

// spotOf returns the variable, or its field, that an expression leads to.
func (w *walker) spotOf(x ast.Expr) (s spot, ok bool) {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.Ident:
			obj := w.info.Uses[e]
			if obj == nil {
				obj = w.info.Defs[e]
			}
			v, isVar := obj.(*types.Var)
			if !isVar || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
				return s, false
			}
			s.v = v
			return s, true
		case *ast.SelectorExpr:
			if v, ok := w.info.Uses[e.Sel].(*types.Var); ok && v.IsField() {
				s.field = v.Name()
			}
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.UnaryExpr:
			x = e.X
		default:
			return s, false
		}
	}
}

// targets returns what is set to a value, or to what has it in it, which is at the end of way.
func (w *walker) targets(way []ast.Node) (all []ast.Expr) {
	if w.copied(way) {
		return nil
	}
	for i, n := range way[:max(len(way)-1, 0)] {
		inside := way[i+1]
		switch n := n.(type) {
		case *ast.AssignStmt:
			for j, to := range n.Lhs {
				if sets(j, len(n.Lhs), n.Rhs, inside) {
					all = append(all, to)
				}
			}
		case *ast.ValueSpec:
			for j, to := range n.Names {
				if sets(j, len(n.Names), n.Values, inside) {
					all = append(all, to)
				}
			}
		case *ast.RangeStmt:
			if inside == n.X {
				for _, to := range []ast.Expr{n.Key, n.Value} {
					if to != nil {
						all = append(all, to)
					}
				}
			}
		case *ast.FuncLit:
			all = nil // what it sets, it sets when it runs
		}
	}
	return all
}

// copied tells whether the value at the end of way only goes into something new on it, such as a text that it is a part of.
func (w *walker) copied(way []ast.Node) bool {
	for i := len(way) - 2; i >= 0; i-- {
		switch n := way[i].(type) {
		case *ast.FuncLit, ast.Stmt:
			return false
		case *ast.BinaryExpr:
			if n.Op != token.ADD {
				return true // a comparison, or a number
			}
			for _, x := range []ast.Expr{n.X, n.Y} { // text that others are added to may be what it was, if these are empty
				if v := w.info.Types[x].Value; v != nil && v.Kind() == constant.String && constant.StringVal(v) != "" {
					return true
				}
			}
		case *ast.CallExpr:
			if way[i+1] == n.Fun {
				continue // a method may return its receiver
			}
			if tv := w.info.Types[n.Fun]; tv.IsType() {
				if from := w.info.TypeOf(n.Args[0]); isText(tv.Type) != isText(from) {
					return true
				}
				continue
			}
			if !refers(w.info.TypeOf(n)) {
				return true
			}
			f, _ := callee(w.info, n)
			if f == nil || f.Pkg() == nil {
				continue
			}
			if path := f.Pkg().Path(); path == "strconv" || path == "fmt" {
				x, _ := way[i+1].(ast.Expr)
				if _, basic := w.info.TypeOf(x).Underlying().(*types.Basic); basic {
					return true
				}
			}
		}
	}
	return false
}

// sets tells whether n is the value that the variable j is set to, of so many, or the call that sets all of them.
func sets(j, variables int, values []ast.Expr, n ast.Node) bool {
	x, _ := n.(ast.Expr)
	if variables == len(values) {
		return x == values[j]
	}
	return slices.Contains(values, x)
}

// refers tells whether values of type t refer to memory.
func refers(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return refers(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if refers(u.Field(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}
