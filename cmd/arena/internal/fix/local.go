package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A local map, strings.Builder or bytes.Buffer moves if the function has all its uses, and each is
// one that ours has, too. Nobody else has it then, and it may be as long as it likes.

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
	if id == nil {
		return false
	}
	v := w.info.Defs[id]
	switch t := v.Type().Underlying().(type) {
	case *types.Map:
		return value != nil && w.localMap(n, id, t, value)
	case *types.Struct:
		return isBuilder(v.Type()) && w.localBuilder(n, id, typ, value)
	}
	return false
}

// localMap is m := make(map[K]V), or an empty literal.
func (w *walker) localMap(n ast.Stmt, id *ast.Ident, t *types.Map, value ast.Expr) bool {
	f := w.f.file
	var hint, typ ast.Expr
	switch x := value.(type) {
	case *ast.CallExpr:
		if !w.isBuiltin(x, "make") {
			return false
		}
		typ = x.Args[0]
		if len(x.Args) > 1 {
			hint = x.Args[1]
			if b, ok := w.info.TypeOf(hint).(*types.Basic); !ok || b.Kind() != types.Int && b.Kind() != types.UntypedInt {
				return false
			}
			if !w.pure(hint) || w.hasMoved(hint) {
				return false
			}
		}
	case *ast.CompositeLit:
		if len(x.Elts) > 0 {
			return false
		}
		typ = x.Type
	default:
		return false
	}
	var params string
	switch m := typ.(type) {
	case *ast.MapType:
		params = f.text(m.Key.Pos(), m.Key.End()) + ", " + f.text(m.Value.Pos(), m.Value.End())
	default:
		if !nameable(t.Key(), w.f.pkg.Types) || !nameable(t.Elem(), w.f.pkg.Types) {
			return false
		}
		params = f.typ(t.Key()) + ", " + f.typ(t.Elem())
	}
	v := w.info.Defs[id]
	uses, ok := w.uses(v)
	captured := w.captured(uses, v.Pos())
	w.shares = captured
	if !ok || len(uses) == 0 || w.isMoved(id) || mixed(uses, v.Pos()) || captured && w.interrupted(uses) || slices.ContainsFunc(uses, func(u use) bool { return !w.mapUse(u, nil) }) {
		return false
	}
	w.seen[value] = true
	s := w.add(kindMap, n, moves, func(ar string) {
		size := "0"
		switch {
		case hint == nil:
		case w.info.Types[hint].Value != nil:
			size = f.text(hint.Pos(), hint.End())
		case !f.taken("max"):
			size = "max(" + f.text(hint.Pos(), hint.End()) + ", 0)" // make takes less as none
		}
		f.replace(n.Pos(), n.End(), id.Name+" := "+f.arena()+".NewMap["+params+"]("+ar+", "+size+")")
		for _, u := range uses {
			w.mapUse(u, f)
		}
	})
	s.local, s.uses, s.captured = true, uses, captured
	return true
}

// mixed tells whether one statement has uses both inside and outside of a function literal in it.
// Which of them comes first is not the same for a map and for a Map. The variable is declared at
// pos.
func mixed(uses []use, pos token.Pos) bool {
	for _, u := range uses {
		var s ast.Node // the last statement on the way
		for _, n := range u.way {
			switch n := n.(type) {
			case ast.Stmt:
				s = n
			case *ast.FuncLit:
				if n.Pos() > pos && slices.ContainsFunc(uses, func(other use) bool { return slices.Contains(other.way, s) && !slices.Contains(other.way, ast.Node(n)) }) {
					return true
				}
			}
		}
	}
	return false
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

// interrupted tells whether something is called between the parts of a statement with a use. If
// function literals have the variable, the call may change the map there.
func (w *walker) interrupted(uses []use) bool {
	return slices.ContainsFunc(uses, func(u use) bool {
		i := len(u.way) - 1
		for !is[ast.Stmt](u.way[i]) {
			i--
		}
		part := u.way[i]
		switch part.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.DeclStmt:
		default:
			part = u.way[i+1]
		}
		return some(part, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			return ok && !w.info.Types[c.Fun].IsType() && w.builtinOf(c) == "" && !slices.Contains(u.way, n)
		})
	})
}

// mapUse tells whether a Map has this use of a map, and rewrites it if there is a file.
func (w *walker) mapUse(u use, f *file) bool {
	edit := f != nil
	switch p := u.parent(1).(type) {
	case *ast.CallExpr:
		if len(p.Args) == 0 || ast.Unparen(p.Args[0]) != u.id {
			return false
		}
		for builtin, method := range map[string]string{"len": "Len", "delete": "Delete", "clear": "Clear"} {
			if !w.isBuiltin(p, builtin) {
				continue
			}
			if edit {
				end := p.Rparen
				if len(p.Args) > 1 {
					end = p.Args[1].Pos()
				}
				f.replace(p.Pos(), end, u.id.Name+"."+method+"(")
			}
			return true
		}
	case *ast.RangeStmt:
		if p.X != u.id || hasGoto(p.Body) || w.before("go1.23") {
			return false
		}
		if edit {
			method := ".All()"
			if p.Value == nil {
				method = ".Keys()"
			}
			f.after(p.X.End(), method)
		}
		return true
	case *ast.IndexExpr:
		if p.X != u.id {
			return false
		}
		return w.mapIndex(u, p, f)
	}
	return false
}

// earlyKey tells whether m[k] would have another key if it was looked up before what is called
// behind it.
func (w *walker) earlyKey(u use, x *ast.IndexExpr) bool {
	way := w.way
	defer func() { w.way = way }()
	w.way = u.way[:slices.Index(u.way, ast.Node(x))+1]
	return w.actsBehind() && !w.settled(x.Index)
}

// hasGoto tells whether there is a goto, which may not jump over the declaration of a variable.
func hasGoto(n ast.Node) bool {
	return some(n, func(n ast.Node) bool { b, ok := n.(*ast.BranchStmt); return ok && b.Tok == token.GOTO })
}

// mapIndex is mapUse of m[k].
func (w *walker) mapIndex(u use, x *ast.IndexExpr, f *file) bool {
	call := func(method string) {
		f.replace(x.Lbrack, x.Lbrack+1, "."+method+"(")
		f.replace(x.Rbrack, x.Rbrack+1, ")")
	}
	if f == nil && w.earlyKey(u, x) {
		return false
	}
	is := func(list []ast.Expr) bool {
		return slices.ContainsFunc(list, func(y ast.Expr) bool { return ast.Unparen(y) == x })
	}
	switch p := u.parent(2).(type) {
	case *ast.AssignStmt:
		switch {
		case is(p.Lhs):
			if len(p.Lhs) != 1 || p.Lhs[0] != x {
				return false
			}
			if c, ok := u.parent(3).(*ast.CommClause); ok && c.Comm == p {
				return false // what a select receives is assigned, and cannot be an argument
			}
			if p.Tok != token.ASSIGN && contains[*ast.CallExpr](p.Rhs[0]) {
				return false // which may change the map
			}
			if p.Tok != token.ASSIGN && w.mayPanic(p) {
				return false // and the map would have an entry more
			}
			if f == nil {
				return true
			}
			if p.Tok == token.ASSIGN {
				f.replace(x.Lbrack, x.Lbrack+1, ".Set(")
				f.replace(x.Rbrack, p.Rhs[0].Pos(), ", ")
				f.after(p.Rhs[0].End(), ")")
			} else {
				f.before(x.Pos(), "*")
				call("Entry")
			}
			return true
		case len(p.Lhs) == 2 && len(p.Rhs) == 1 && is(p.Rhs):
			if f != nil {
				call("Get")
			}
			return true
		}
	case *ast.ValueSpec:
		if len(p.Names) == 2 && len(p.Values) == 1 && is(p.Values) {
			if f != nil {
				call("Get")
			}
			return true
		}
	case *ast.IncDecStmt:
		if p.X != x {
			return false
		}
		if f != nil {
			f.before(x.Pos(), "(*")
			call("Entry")
			f.after(x.End(), ")")
		}
		return true
	case *ast.RangeStmt:
		if p.Key != nil && ast.Unparen(p.Key) == x || p.Value != nil && ast.Unparen(p.Value) == x {
			return false
		}
	}
	if f != nil {
		f.before(x.Pos(), w.p.written(f, "arenaGet")+"(")
		f.replace(x.Lbrack, x.Lbrack+1, ", ")
		f.replace(x.Rbrack, x.Rbrack+1, ")")
	}
	return true
}

// mayPanic tells whether m[k] op= x may panic, and something may look at the map afterwards: the
// function recovers, or function literals have the map.
func (w *walker) mayPanic(s *ast.AssignStmt) bool {
	if !w.shares && !mentions(w.f.decl.Body, "recover") {
		return false
	}
	if s.Tok == token.QUO_ASSIGN || s.Tok == token.REM_ASSIGN || s.Tok == token.SHL_ASSIGN || s.Tok == token.SHR_ASSIGN {
		return w.info.Types[s.Rhs[0]].Value == nil
	}
	return some(s.Rhs[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			return true
		case *ast.SelectorExpr:
			sel := w.info.Selections[n]
			return sel != nil && sel.Indirect()
		case *ast.BinaryExpr:
			return n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR
		}
		return false
	})
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
