package fix

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// Maps stay maps of Go. The arena empties them when it is reset, and uses them again.

// makesMap is make(M) or make(M, n).
func (w *walker) makesMap(n *ast.CallExpr) {
	f := w.f.file
	w.add(kindMap, n, w.unsuitedMap(w.info.TypeOf(n)), func(ar string) {
		typ := n.Args[0]
		f.replace(n.Pos(), typ.Pos(), f.arena()+".MakeMap[")
		if len(n.Args) == 1 {
			f.replace(typ.End(), n.Rparen+1, "]("+ar+", 0)")
			return
		}
		hint := n.Args[1]
		f.replace(typ.End(), hint.Pos(), "]("+ar+", ")
		if w.info.Types[hint].Value == nil && w.noInt(hint) {
			f.before(hint.Pos(), f.typ(types.Typ[types.Int])+"(")
			f.after(hint.End(), ")")
		}
	})
}

// mapLiteral is M{} or M{k: v}.
func (w *walker) mapLiteral(n *ast.CompositeLit, t types.Type) {
	w.small = !w.p.allocates(n.Lbrace, n.Pos())
	defer func() { w.small = false }()
	why := w.unsuitedMap(t)
	switch {
	case w.small && len(n.Elts) > 0:
		return
	case len(n.Elts) > 0:
		why = whyMap
	case n.Type == nil && !nameable(t, w.f.pkg.Types):
		why = whyNameless
	}
	f := w.f.file
	w.add(kindMap, n, why, func(ar string) {
		if n.Type == nil {
			f.replace(n.Pos(), n.End(), f.arena()+".MakeMap["+f.typ(t)+"]("+ar+", 0)")
			return
		}
		f.before(n.Pos(), f.arena()+".MakeMap[")
		f.replace(n.Lbrace, n.Rbrace+1, "]("+ar+", 0)")
	})
}

// unsuitedMap returns why maps of a type stay on the heap.
func (w *walker) unsuitedMap(t types.Type) reason {
	m, ok := t.Underlying().(*types.Map)
	if !ok { // a type parameter
		return whyMap
	}
	return unsuited(m.Elem())
}

// updates returns the lines on which maps of a type get entries, and so grow. Which of these maps
// that are is not told.
func (p *program) updates(t types.Type) []source {
	if p.updated == nil {
		p.updated = new(typeutil.Map)
		for pkg, syntax := range p.syntax() {
			ast.Inspect(syntax, func(n ast.Node) bool {
				for _, x := range assigned(n) {
					m, ok := ast.Unparen(x).(*ast.IndexExpr)
					if !ok || pkg.TypesInfo.TypeOf(m.X) == nil || !isMap(pkg.TypesInfo.TypeOf(m.X)) {
						continue
					}
					pos := p.fset.Position(m.Lbrack)
					at := sourceOf(pkg.PkgPath, pos.Filename, pos.Line)
					of := pkg.TypesInfo.TypeOf(m.X).Underlying()
					if all, _ := p.updated.At(of).([]source); !slices.Contains(all, at) {
						p.updated.Set(of, append(all, at))
					}
				}
				return true
			})
		}
	}
	all, _ := p.updated.At(t.Underlying()).([]source)
	return all
}

// assigned returns what a statement sets.
func assigned(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		return []ast.Expr{n.Key, n.Value}
	}
	return nil
}
