package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// params returns the receiver and the parameters.
func (f *function) params() (all []*types.Var) {
	sig := f.obj.Signature()
	if r := sig.Recv(); r != nil {
		all = append(all, r)
	}
	return slices.AppendSeq(all, sig.Params().Variables())
}

// results returns the results, which may have no names.
func (f *function) results() []*types.Var {
	return slices.Collect(f.obj.Signature().Results().Variables())
}

func (w *walker) isBuiltin(c *ast.CallExpr, name string) bool { return w.builtinOf(c) == name }

// builtinOf returns the name of the builtin that a call calls, or "".
func (w *walker) builtinOf(c *ast.CallExpr) string {
	var id *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr: // of package unsafe
		id = fun.Sel
	default:
		return ""
	}
	b, ok := w.info.Uses[id].(*types.Builtin)
	if !ok {
		return ""
	}
	return b.Name()
}

// outer returns the expression that leads to x: of a field its struct, of an element its list, of
// *p the pointer p, of &v the variable v. It returns nil for other expressions.
func outer(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	case *ast.UnaryExpr:
		return x.X
	case *ast.TypeAssertExpr:
		return x.X
	}
	return nil
}

// literalOf returns the literal that x is, or is the address of, or nil.
func literalOf(x ast.Expr) *ast.CompositeLit {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	lit, _ := x.(*ast.CompositeLit)
	return lit
}

// An operand is an argument of a call, or its receiver.
type operand struct {
	x     ast.Expr
	in    ast.Node // the child of the call that has it
	index int      // of the parameter; -1 is the receiver
}

// param returns the parameter of a function that has the operand, or nil.
func (o operand) param(f *types.Func) *types.Var {
	sig := f.Signature()
	switch n := sig.Params().Len(); {
	case o.index < 0:
		return sig.Recv()
	case n > 0:
		return sig.Params().At(min(o.index, n-1))
	}
	return nil
}

// number returns the number of the operand for package library: the receiver is the first one.
func (o operand) number(f *types.Func) int {
	n := o.index
	if f.Signature().Recv() != nil {
		n++
	}
	return n
}

// operands returns the receiver and the arguments of a call. What is called with all results of
// another call gets these in each parameter.
func (w *walker) operands(c *ast.CallExpr) (all []operand) {
	first := 0
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		if s := w.info.Selections[sel]; s != nil {
			switch s.Kind() {
			case types.MethodVal:
				all = append(all, operand{sel.X, c.Fun, -1})
			case types.MethodExpr:
				first = 1
			}
		}
	}
	for i, x := range c.Args {
		n := 1
		if t, ok := w.info.TypeOf(x).(*types.Tuple); ok {
			n = t.Len()
		}
		for j := range n {
			all = append(all, operand{x, x, i + j - first})
		}
	}
	return all
}

// isTuple tells whether a type is what a call with several results has.
func isTuple(t types.Type) bool { _, ok := t.(*types.Tuple); return ok }

// isMap tells whether a type is one of maps.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// refers tells whether values of type t refer to memory.
func refers(t types.Type) bool {
	if t == nil {
		return false
	}
	if n := named(t); n != nil && n.Obj().Pkg() != nil && slices.Contains(inert, n.Obj().Pkg().Path()+"."+n.Obj().Name()) {
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

// inert are types of the standard library whose values refer to nothing that a program allocates.
var inert = []string{"reflect.Type", "unicode.RangeTable"}

// leader returns the local variable that leads to what an expression is, or nil.
func (w *walker) leader(x ast.Expr) *types.Var {
	for ; x != nil; x = outer(ast.Unparen(x)) {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok {
			v, ok := w.info.ObjectOf(id).(*types.Var)
			if !ok || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
				return nil
			}
			return v
		}
	}
	return nil
}
