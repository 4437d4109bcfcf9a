package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// The language says in which order a statement calls functions, and leaves to the compiler when it
// reads variables. The compiler calls all functions first, from left to right. Some builtins,
// receiving, slicing, && and || have their turn among them. Then it reads variables, and makes
// text, literals and the values of interfaces (cmd/compile/internal/walk/order.go, the same in Go
// 1.26 and 1.27). In an arena a function makes these. It is called in its turn, so it would read
// variables before a function behind it has changed them. Such a site stays on the heap.

// early tells whether an expression, at the end of the way, would be another if it was computed
// before the calls that stand behind it.
func (w *walker) early(x ast.Expr) bool { return w.actsBehind() && !w.settled(x) }

// actsBehind tells whether something is called behind the end of the way, and before the expression
// or statement around it is computed.
func (w *walker) actsBehind() bool {
	for i := len(w.way) - 2; i >= 0; i-- {
		child := w.way[i+1]
		switch parent := w.way[i].(type) {
		case *ast.BinaryExpr:
			if parent.Op == token.LAND || parent.Op == token.LOR {
				return false
			}
			if w.acts(parent, child.End()) {
				return true
			}
		case *ast.CallExpr:
			if w.acts(parent, child.End()) {
				return true
			}
			if !w.info.Types[parent.Fun].IsType() {
				return false // it is called before what stands behind it
			}
		case *ast.AssignStmt:
			if c := w.appended(parent); c != nil && child == parent.Lhs[0] {
				return w.acts(c, c.Args[0].End())
			}
			return w.acts(parent, child.End())
		case *ast.ReturnStmt, *ast.SendStmt, *ast.ValueSpec, *ast.CaseClause:
			return w.acts(parent, child.End())
		case ast.Expr:
			if w.acts(parent, child.End()) {
				return true
			}
		default: // another statement: it computes one expression, and has bodies behind it
			return false
		}
	}
	return false
}

// appended returns the append of m[k] = append(m[k], x) if what it writes, numbers that are no
// bytes or pointers, cannot be what k is made of: fields and variables, and no elements.
func (w *walker) appended(s *ast.AssignStmt) *ast.CallExpr {
	x, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr)
	if !ok || len(s.Lhs) != 1 || s.Tok != token.ASSIGN || contains[*ast.IndexExpr](x.Index) || contains[*ast.StarExpr](x.Index) {
		return nil
	}
	c, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if !ok || !w.isBuiltin(c, "append") || w.f.file.text(x.Pos(), x.End()) != w.f.file.text(c.Args[0].Pos(), c.Args[0].End()) {
		return nil
	}
	list, ok := w.info.TypeOf(c).Underlying().(*types.Slice)
	if !ok { // it is of a type parameter
		return nil
	}
	switch t := list.Elem().Underlying().(type) {
	case *types.Pointer:
		return c
	case *types.Basic:
		if t.Info()&types.IsNumeric != 0 && t.Kind() != types.Byte {
			return c
		}
	}
	return nil
}

// acts tells whether something is called in n behind pos that may change variables, or something is
// received. Function literals that are not called do nothing. The bodies of a case do not count.
func (w *walker) acts(n ast.Node, pos token.Pos) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil || found || n.End() <= pos {
			return false
		}
		if s, ok := n.(ast.Stmt); ok && s.Pos() >= pos {
			return false
		}
		behind := n.Pos() >= pos
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || behind && n.Op == token.ARROW
		case *ast.CallExpr:
			if !behind || w.info.Types[n.Fun].IsType() {
				return true
			}
			switch w.builtinOf(n) {
			case "len", "cap", "make", "new", "min", "max", "complex", "real", "imag":
			default:
				found = true
			}
		}
		return !found
	})
	return found
}

// late are the builtins that the compiler does not compute in their turn. What new has is late if
// it is a value, and no type.
var late = []string{"new", "Add", "Slice", "SliceData", "String", "StringData"}

// settled tells whether x has the same value, and panics in the same cases, when the calls behind
// it come first: it is made of constants, of local variables that nobody else has, and of what the
// compiler computes in its turn.
func (w *walker) settled(x ast.Expr) bool {
	tv := w.info.Types[x]
	if tv.Value != nil || tv.IsNil() || tv.IsType() || tv.IsBuiltin() {
		return true
	}
	switch x := x.(type) {
	case *ast.FuncLit, *ast.SliceExpr:
		return true
	case *ast.ParenExpr:
		return w.settled(x.X)
	case *ast.Ident:
		return w.settledName(x)
	case *ast.SelectorExpr:
		s := w.info.Selections[x]
		if s == nil {
			return w.settledName(x.Sel)
		}
		return s.Kind() == types.FieldVal && !s.Indirect() && w.settled(x.X)
	case *ast.IndexExpr:
		if tv := w.info.Types[x.X]; tv.Type != nil {
			if _, ok := tv.Type.Underlying().(*types.Signature); ok { // of type parameters
				return w.settled(x.X)
			}
		}
		_, ok := w.info.TypeOf(x.X).Underlying().(*types.Array)
		return ok && w.info.Types[x.Index].Value != nil && w.settled(x.X)
	case *ast.IndexListExpr:
		return w.settled(x.X)
	case *ast.CompositeLit:
		if isMap(w.info.TypeOf(x)) {
			return true
		}
		for _, e := range x.Elts {
			if !w.settled(valueOf(e)) {
				return false
			}
		}
		return true
	case *ast.UnaryExpr:
		switch x.Op {
		case token.ARROW:
			return true
		case token.AND:
			switch of := ast.Unparen(x.X).(type) {
			case *ast.CompositeLit:
				return w.settled(of)
			case *ast.Ident:
				return true
			}
			return false
		}
		return w.settled(x.X)
	case *ast.BinaryExpr:
		return w.settledBinary(x)
	case *ast.CallExpr:
		switch to := w.info.Types[x.Fun]; {
		case to.IsType():
			return w.settledConversion(x.Args[0], to.Type)
		case to.IsBuiltin() && slices.Contains(late, w.builtinOf(x)):
			return !slices.ContainsFunc(x.Args, func(arg ast.Expr) bool { return !w.settled(arg) })
		}
		return true
	}
	return false
}

// settledName is settled of what an identifier names.
func (w *walker) settledName(id *ast.Ident) bool {
	switch obj := w.info.ObjectOf(id).(type) {
	case *types.Var:
		if obj.Pkg() == nil || obj.Parent() == nil || obj.Parent() == obj.Pkg().Scope() {
			return false
		}
		return !w.shared(obj)
	case *types.Func, *types.Const, *types.Nil, *types.TypeName, *types.Builtin:
		return true
	}
	return false
}

// settledBinary is settled of an expression that does not panic by itself.
func (w *walker) settledBinary(x *ast.BinaryExpr) bool {
	basic := func(y ast.Expr) *types.Basic {
		b, _ := w.info.TypeOf(y).Underlying().(*types.Basic)
		return b
	}
	switch x.Op {
	case token.LAND, token.LOR:
		return true
	case token.QUO, token.REM:
		if b := basic(x.X); b == nil || b.Info()&types.IsInteger != 0 && w.info.Types[x.Y].Value == nil {
			return false
		}
	case token.SHL, token.SHR:
		if b := basic(x.Y); b == nil || b.Info()&types.IsUnsigned == 0 && w.info.Types[x.Y].Value == nil {
			return false
		}
	case token.EQL, token.NEQ:
		if basic(x.X) == nil || basic(x.Y) == nil { // interfaces, perhaps
			return false
		}
	}
	return w.settled(x.X) && w.settled(x.Y)
}

// settledConversion is settled of a conversion: the bytes of which text is made may change.
func (w *walker) settledConversion(x ast.Expr, to types.Type) bool {
	from := w.info.TypeOf(x)
	switch {
	case ssas.IsTypeParam(to) || ssas.IsTypeParam(from):
		return false
	case isSlice(from):
		return isSlice(to) && w.settled(x)
	case isSlice(to): // of text
		return true
	}
	return w.settled(x)
}

// shared tells whether others than the statements of the function may set a local variable: what
// has its address, and function literals.
func (w *walker) shared(v *types.Var) bool {
	if w.others == nil {
		w.findShared()
	}
	return w.others[v]
}

// findShared notes the variables of the function that others may set.
func (w *walker) findShared() {
	w.others = map[*types.Var]bool{}
	captured, set := map[*types.Var]bool{}, map[*types.Var]bool{}
	visit(w.f.decl, func(n ast.Node, way []ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			v, ok := w.info.Uses[n].(*types.Var)
			captured[v] = captured[v] || ok && slices.ContainsFunc(way, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok && v.Pos() < n.Pos() })
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				w.others[w.variableOf(n.X)] = true
			}
		case *ast.SliceExpr:
			if _, ok := w.info.TypeOf(n.X).Underlying().(*types.Array); ok {
				w.others[w.variableOf(n.X)] = true
			}
		case *ast.SelectorExpr: // a method of a pointer has the address of what it is called of
			s := w.info.Selections[n]
			if s == nil || s.Kind() != types.MethodVal {
				break
			}
			_, pointer := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
			if _, ok := s.Recv().Underlying().(*types.Pointer); pointer && !ok {
				w.others[w.variableOf(n.X)] = true
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				set[w.variableOf(x)] = true
			}
		case *ast.IncDecStmt:
			set[w.variableOf(n.X)] = true
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if x != nil {
						set[w.variableOf(x)] = true
					}
				}
			}
		}
		return true
	})
	for v := range set {
		if captured[v] {
			w.others[v] = true
		}
	}
}

// variableOf returns the variable that a place lies in, or nil.
func (w *walker) variableOf(x ast.Expr) *types.Var {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, _ := w.info.Uses[x].(*types.Var)
		return v
	case *ast.SelectorExpr:
		if s := w.info.Selections[x]; s != nil && !s.Indirect() {
			return w.variableOf(x.X)
		}
	case *ast.IndexExpr:
		if _, ok := w.info.TypeOf(x.X).Underlying().(*types.Array); ok {
			return w.variableOf(x.X)
		}
	}
	return nil
}
