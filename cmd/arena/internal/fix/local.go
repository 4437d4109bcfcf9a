package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A local strings.Builder or bytes.Buffer moves if the function has all its uses, and each is one
// that ours has, too. Nobody else has it then, and it may be as long as it likes.

// A use is where a variable stands.
type use struct {
	id  *ast.Ident
	way []ast.Node // to it
}

// parent returns the node that contains the use, the given number of levels up, not counting
// parentheses.
func (u use) parent(levels int) ast.Node {
	for i := len(u.way) - 2; i >= 0; i-- {
		if _, ok := u.way[i].(*ast.ParenExpr); ok {
			continue
		}
		if levels--; levels == 0 {
			return u.way[i]
		}
	}
	return nil
}

// isReceiver tells whether a use is the receiver of a call with its parenthesis at pos.
func (u use) isReceiver(pos token.Pos) bool {
	_, ok := u.parent(1).(*ast.SelectorExpr)
	c, isCall := u.parent(2).(*ast.CallExpr)
	return ok && isCall && c.Lparen == pos
}

// uses returns the uses of a variable. It returns false if one is in a function literal which
// another goroutine or a defer statement calls.
func (w *walker) uses(v types.Object) (all []use, ok bool) {
	ok = true
	visit(w.f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		if id, isIdent := n.(*ast.Ident); isIdent && w.info.Uses[id] == v {
			all = append(all, use{id, slices.Clone(way)})
			ok = ok && !started(way, v.Pos())
		}
		return true
	})
	return all, ok
}

// started tells whether way leads into a go or a defer statement that begins behind pos. Whether
// other function literals may be called when the arena has ended, lives finds out.
func started(way []ast.Node, pos token.Pos) bool {
	return slices.ContainsFunc(way, func(n ast.Node) bool {
		_, deferred := n.(*ast.DeferStmt)
		return n.Pos() > pos && (isGo(n) || deferred && contains[*ast.FuncLit](n))
	})
}

// declared returns the variable that a statement declares, alone, and what it is set to or else its
// type.
func (w *walker) declared(n ast.Stmt) (id *ast.Ident, value, typ ast.Expr) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
			id, _ = n.Lhs[0].(*ast.Ident)
			value = n.Rhs[0]
		}
	case *ast.DeclStmt:
		if g := n.Decl.(*ast.GenDecl); g.Tok == token.VAR && len(g.Specs) == 1 && !g.Lparen.IsValid() {
			if s := g.Specs[0].(*ast.ValueSpec); len(s.Names) == 1 {
				id, typ = s.Names[0], s.Type
				if len(s.Values) > 0 {
					value = s.Values[0]
				}
			}
		}
	}
	if id == nil || w.info.Defs[id] == nil || !inBlock(w.way, n) {
		return nil, nil, nil
	}
	return id, value, typ
}

// local is a statement that declares a variable. It tells whether that is a site.
func (w *walker) local(n ast.Stmt) bool {
	id, value, typ := w.declared(n)
	return id != nil && isBuilder(w.info.Defs[id].Type()) && w.localBuilder(n, id, typ, value)
}

// captured tells whether function literals that are not called at once use a variable, which is
// declared at pos.
func (w *walker) captured(uses []use, pos token.Pos) bool {
	return slices.ContainsFunc(uses, func(u use) bool {
		for i, n := range u.way {
			if lit, ok := n.(*ast.FuncLit); ok && lit.Pos() > pos {
				c, ok := u.way[i-1].(*ast.CallExpr)
				if !ok {
					return true
				}
				if f, _ := callee(w.info, c); ast.Unparen(c.Fun) != n && !callsAtOnce(f, index(c.Args, lit)) {
					return true
				}
			}
		}
		return false
	})
}

// hasGoto tells whether there is a goto, which may not jump over the declaration of a variable.
func hasGoto(n ast.Node) bool {
	return some(n, func(n ast.Node) bool { b, ok := n.(*ast.BranchStmt); return ok && b.Tok == token.GOTO })
}

// builderMethods are the methods of strings.Builder and bytes.Buffer that a Builder also has, with
// the same meaning.
var builderMethods = []string{"Write", "WriteByte", "WriteRune", "WriteString", "String", "Len", "Reset", "Grow"}

// writing are functions that write to their first argument, and do not keep it.
var writing = []string{"fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "io.WriteString"}

// localBuilder is var b strings.Builder, or b := strings.Builder{}.
func (w *walker) localBuilder(n ast.Stmt, id *ast.Ident, typ, value ast.Expr) bool {
	if lit, ok := value.(*ast.CompositeLit); value != nil && (!ok || len(lit.Elts) > 0) || value == nil && typ == nil {
		return false
	}
	uses, ok := w.uses(w.info.Defs[id])
	if !ok || len(uses) == 0 {
		return false
	}
	g := w.p.groupOf(w.info.Defs[id])
	if g == nil || !g.read {
		return false
	}
	var taken []*ast.UnaryExpr
	for _, u := range uses {
		switch p := u.parent(1).(type) {
		case *ast.UnaryExpr:
			taken = append(taken, p)
		case *ast.AssignStmt: // the builder becomes a pointer
			return false
		}
	}
	// What is inlined at the uses, and the variable itself, allocate no more: what the compiler
	// says of them is looked at, so that it does not count as what no site covers.
	for _, u := range uses {
		for level := range 2 {
			if x, ok := u.parent(level + 1).(ast.Expr); ok {
				w.p.allocates(placesOf(x)...)
			}
		}
	}
	w.isMoved(id)
	f := w.f.file
	s := w.add(kindText, n, moves, func(ar string) {
		f.replace(n.Pos(), n.End(), id.Name+" := "+f.arena()+".NewBuilder("+ar+")")
		for _, p := range taken {
			f.replace(p.Pos(), p.Pos()+1, "")
		}
	})
	s.uses, s.builder, s.v, s.captured = uses, true, w.info.Defs[id], g.captured
	if len(g.vars) > 1 {
		s.group = g
	}
	return true
}

// madeBuilder is &strings.Builder{}, or new(strings.Builder), for a variable of a group. It tells
// whether that is a site.
func (w *walker) madeBuilder(n ast.Expr) bool {
	typ := made(w.info, n)
	g := w.p.makers[typ]
	if typ == nil || g == nil || g.broken || !g.read {
		return false
	}
	if _, pointer := w.info.TypeOf(n).(*types.Pointer); !pointer {
		return false
	}
	w.p.allocates(placesOf(n)...)
	f := w.f.file
	s := w.add(kindText, n, moves, func(ar string) {
		f.replace(n.Pos(), n.End(), f.arena()+".NewBuilder("+ar+")")
	})
	s.builder, s.group, s.captured = true, g, g.captured
	return true
}
