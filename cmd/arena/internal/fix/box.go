package fix

import (
	"go/ast"
	"go/types"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// boxed is x where it becomes the value of an interface, which the compiler puts on the heap.
func (w *walker) boxed(x ast.Expr) {
	tv := w.info.Types[x]
	if !tv.IsValue() || tv.Value != nil || tv.IsNil() || !boxes(tv.Type) {
		return
	}
	to := w.becomes(x)
	if to == nil || !types.IsInterface(to) || ssas.IsTypeParam(to) || !w.p.allocates(placesOf(x)...) {
		return
	}
	methods := to.Underlying().(*types.Interface).NumMethods() > 0
	why := unsuited(tv.Type)
	switch {
	case why.stays():
	case methods && ssas.IsTypeParam(tv.Type): // it may be an interface, and nil
		why = whyTypeParam
	case methods && !nameable(to, w.f.pkg.Types):
		why = whyNamelessInterface
	}
	f := w.f.file
	w.add(kindBox, x, why, func(ar string) {
		f.before(x.Pos(), f.arena()+".Box("+ar+", ")
		end := ")"
		if methods { // what this asserts holds, and takes no memory
			end += ".(" + f.typ(to) + ")"
		}
		f.after(x.End(), end)
	})
}

// boxes tells whether values of type t need memory in an interface.
func boxes(t types.Type) bool {
	if ssas.IsTypeParam(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Tuple:
		return false
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.Int8, types.Uint8, types.UnsafePointer:
			return false
		}
	case *types.Struct:
		return u.NumFields() > 0
	case *types.Array:
		return u.Len() > 0
	}
	return true
}

// becomes returns the type that the last expression of the way is given, where it stands, or nil if
// it keeps its own.
func (w *walker) becomes(x ast.Expr) types.Type {
	if len(w.way) < 2 {
		return nil
	}
	switch n := w.way[len(w.way)-2].(type) {
	case *ast.CallExpr:
		if n.Fun == x {
			return nil
		}
		tv := w.info.Types[n.Fun]
		if tv.IsType() {
			return tv.Type
		}
		if w.isBuiltin(n, "append") && n.Args[0] != x && !n.Ellipsis.IsValid() {
			if s, ok := w.info.TypeOf(n).Underlying().(*types.Slice); ok {
				return s.Elem()
			}
			return nil // of a type parameter
		}
		if w.isBuiltin(n, "panic") {
			return types.Universe.Lookup("any").Type()
		}
		sig, ok := tv.Type.Underlying().(*types.Signature)
		if !ok || tv.IsBuiltin() {
			return nil
		}
		for i, arg := range n.Args {
			if arg != x {
				continue
			}
			last := sig.Params().Len() - 1
			if !sig.Variadic() || i < last {
				return sig.Params().At(i).Type()
			}
			if n.Ellipsis.IsValid() {
				return nil
			}
			return sig.Params().At(last).Type().(*types.Slice).Elem()
		}
	case *ast.AssignStmt:
		if c, ok := w.way[len(w.way)-3].(*ast.CommClause); ok && c.Comm == n {
			return nil // what a select receives is assigned, and cannot be an argument
		}
		for i, y := range n.Rhs {
			if y == x && len(n.Lhs) == len(n.Rhs) {
				return w.info.TypeOf(n.Lhs[i])
			}
		}
	case *ast.ValueSpec:
		if n.Type != nil {
			return w.info.TypeOf(n.Type)
		}
	case *ast.ReturnStmt:
		sig := w.f.obj.Signature()
		for _, n := range w.way {
			if lit, ok := n.(*ast.FuncLit); ok {
				sig = w.info.TypeOf(lit).(*types.Signature)
			}
		}
		for i, y := range n.Results {
			if y == x && len(n.Results) == sig.Results().Len() {
				return sig.Results().At(i).Type()
			}
		}
	case *ast.CompositeLit:
		return w.element(n, x, nil)
	case *ast.KeyValueExpr:
		if lit, ok := w.way[len(w.way)-3].(*ast.CompositeLit); ok {
			return w.element(lit, x, n)
		}
	}
	return nil
}

// element returns the type of an element of a literal, which kv is in if there is a key.
func (w *walker) element(lit *ast.CompositeLit, x ast.Expr, kv *ast.KeyValueExpr) types.Type {
	t := w.info.TypeOf(lit).Underlying()
	if p, ok := t.(*types.Pointer); ok { // an element of a list that leaves &T out
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Map:
		if kv.Key == x {
			return t.Key()
		}
		return t.Elem()
	case *types.Struct:
		if kv != nil {
			if id, ok := kv.Key.(*ast.Ident); ok && kv.Value == x {
				if v, ok := w.info.Uses[id].(*types.Var); ok {
					return v.Type()
				}
			}
			return nil
		}
		for i, e := range lit.Elts {
			if e == x {
				return t.Field(i).Type()
			}
		}
	}
	return nil
}
