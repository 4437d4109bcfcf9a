package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

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

// mostEntries is how many entries a literal may have that moves: each becomes a call.
const mostEntries = 20

// mapLiteral is M{} or M{k: v}. Calls put the entries into the map, each around the one before.
func (w *walker) mapLiteral(n *ast.CompositeLit, t types.Type) {
	w.small = !w.p.allocates(n.Lbrace, n.Pos())
	defer func() { w.small = false }()
	why, here := w.unsuitedMap(t), w.f.pkg.Types
	m, _ := t.Underlying().(*types.Map)
	switch {
	case w.small && len(n.Elts) > 0:
		return
	case why.stays():
	case len(n.Elts) > mostEntries:
		why = whyMap
	case n.Type == nil && !nameable(t, here) || len(n.Elts) > 0 && !(nameable(m.Key(), here) && nameable(m.Elem(), here)):
		why = whyNameless
	}
	f, and := w.f.file, w.pointed()
	w.add(kindMap, n, why, func(ar string) {
		w.refer(and)
		put := ""
		if len(n.Elts) > 0 {
			put = fmt.Sprintf("%s[%s, %s](", w.p.written(f, "arenaPut"), f.typ(m.Key()), f.typ(m.Elem()))
		}
		head, tail := strings.Repeat(put, len(n.Elts))+f.arena()+".MakeMap[", fmt.Sprintf("](%s, %d)", ar, len(n.Elts))
		if n.Type == nil {
			head += f.typ(t)
		}
		f.before(n.Pos(), head)
		if len(n.Elts) == 0 {
			f.replace(n.Lbrace, n.Rbrace+1, tail)
			return
		}
		f.replace(n.Lbrace, n.Lbrace+1, tail+", ")
		for i, e := range n.Elts {
			e := e.(*ast.KeyValueExpr)
			w.nameElided(e.Key, m.Key())
			w.nameElided(e.Value, m.Elem())
			f.replace(e.Colon, e.Colon+1, ",")
			if i+1 < len(n.Elts) {
				f.after(e.Value.End(), ")")
			}
		}
		f.replace(n.Rbrace, n.Rbrace+1, ")")
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

// A growth is where maps get entries, by their type, and where scanners scan: there they grow.
// Which maps and scanners these are is not known.
type growth struct {
	maps  typeutil.Map
	scans []Line
}

// growths returns where maps and scanners of the packages grow.
func (p *program) growths() *growth {
	if p.grows != nil {
		return p.grows
	}
	p.grows = &growth{}
	for pkg, syntax := range p.syntax() {
		add := func(all []Line, pos token.Pos) []Line {
			where := p.fset.Position(pos)
			at := LineOf(pkg.PkgPath, where.Filename, where.Line)
			if slices.Contains(all, at) {
				return all
			}
			return append(all, at)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			for _, x := range assigned(n) {
				if m, ok := ast.Unparen(x).(*ast.IndexExpr); ok && isMap(pkg.TypesInfo.TypeOf(m.X)) {
					of := pkg.TypesInfo.TypeOf(m.X).Underlying()
					all, _ := p.grows.maps.At(of).([]Line)
					p.grows.maps.Set(of, add(all, m.Lbrack))
				}
			}
			if c, ok := n.(*ast.CallExpr); ok {
				if f, _ := callee(pkg.TypesInfo, c); f != nil && f.FullName() == "(*bufio.Scanner).Scan" {
					p.grows.scans = add(p.grows.scans, c.Lparen)
				}
			}
			return true
		})
	}
	return p.grows
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
