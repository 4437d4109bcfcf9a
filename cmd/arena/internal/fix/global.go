package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// isLibrarys tells whether x is a function in a variable of a library that the program does not
// set. It is taken to keep no more than the functions of libraries.
func (w *walker) isLibrarys(x ast.Expr) bool {
	v, ok := w.info.Uses[nameOf(x)].(*types.Var)
	return ok && isFunc(v.Type()) && !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() && !w.p.changed[v] && !w.p.declares(v.Pkg())
}

// findBlank finds the variables of packages that refer to nothing, such as the token that means
// "none": only their declaration sets them, to numbers, constant text and nil, and only the program
// can name them.
func (p *program) findBlank() {
	p.blank = map[*types.Var]bool{}
	for pkg, syntax := range p.syntax() {
		for _, decl := range syntax.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				for _, s := range d.Specs {
					p.addBlank(pkg.TypesInfo, s.(*ast.ValueSpec), pkg.Name == "main")
				}
			}
		}
	}
	p.changed = map[*types.Var]bool{}
	for pkg, syntax := range p.syntax() {
		info := pkg.TypesInfo
		changed := func(x ast.Expr) {
			for ; x != nil; x = outer(ast.Unparen(x)) {
				if v, ok := info.Uses[nameOf(x)].(*types.Var); ok {
					p.changed[v] = true
				}
			}
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					changed(x)
				}
			case *ast.RangeStmt:
				changed(n.Key)
				changed(n.Value)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					changed(n.X)
				}
			case *ast.SliceExpr: // of an array
				changed(n.X)
			case *ast.SelectorExpr:
				if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal { // with its address, perhaps
					changed(n.X)
				}
			}
			return true
		})
	}
}

// addBlank adds the variables of a declaration.
func (p *program) addBlank(info *types.Info, s *ast.ValueSpec, main bool) {
	for i, id := range s.Names {
		v, ok := info.Defs[id].(*types.Var)
		if !ok || v.Exported() && !main {
			continue
		}
		if len(s.Values) == 0 || len(s.Values) == len(s.Names) && refersToNothing(info, s.Values[i]) {
			p.blank[v] = true
		}
	}
}

// refersToNothing tells whether a value refers to nothing that a program can change.
func refersToNothing(info *types.Info, x ast.Expr) bool {
	if tv := info.Types[x]; tv.Value != nil || tv.IsNil() {
		return true
	}
	lit, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch info.TypeOf(lit).Underlying().(type) {
	case *types.Struct, *types.Array:
	default:
		return false
	}
	for _, e := range lit.Elts {
		if !refersToNothing(info, valueOf(e)) {
			return false
		}
	}
	return true
}

// isBlank tells whether x is, or is in, a variable of a package that refers to nothing.
func (w *walker) isBlank(x ast.Expr) bool {
	for ; x != nil; x = outer(ast.Unparen(x)) {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok {
			v, _ := w.info.Uses[id].(*types.Var)
			return w.p.blank[v] && !w.p.changed[v]
		}
	}
	return false
}
