package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strconv"
	"strings"
)

// A site is an expression that allocates.
type site struct {
	kind string // what it makes: values, slices, text ...
	node ast.Node
	way  []ast.Node // what it is in, the function first, and itself last
	why  reason     // it is left on the heap; empty if it moves
	at   token.Pos  // where that arises, if it is elsewhere
	edit func(ar string)

	v        types.Object // the variable, if it is one
	builder  bool         // it is a builder of text
	about    string       // what the reason is about: a package, or what the compiler says
	seldom   bool         // it mostly is what it is made of
	small    bool         // it is on the stack unless it is large
	captured bool         // function literals use the variable, which are not called at once
	uses     []use        // of a builder of text, where it grows
	group    *group       // of a builder that others have, too
	pool     *pool        // it is a call of its Get, in the function in
	in       *function
	was      *site   // of a carrier: the site for the same value
	bytes    float64 // its share of those in a profile that are allocated below the roots
	size     int64   // of what it makes, or 0 if that differs
}

// makes tells whether a site is an expression that makes something, or its address.
func (s *site) makes(n ast.Node) bool {
	x, ok := s.node.(*ast.UnaryExpr)
	return s.node == n || ok && ast.Unparen(x.X) == n
}

// Kinds of sites.
const (
	kindValue    = "a value"
	kindSlice    = "a slice"
	kindAppend   = "append"
	kindText     = "text"
	kindVariable = "a variable"
	kindCarrier  = "a carrier" // a struct that gets the arena as a field
	kindMap      = "a map"
	kindChannel  = "a channel"
	kindClosure  = "a closure"
	kindBox      = "a value in an interface"
	kindLibrary  = "what a library allocates"
	kindOther    = "another value"
)

// A walker collects the sites and calls of a function.
type walker struct {
	p    *program
	f    *function
	info *types.Info
	way  []ast.Node
	seen map[ast.Node]bool // parts of something that is one site

	small bool // what is added is on the stack unless it is large

	others map[*types.Var]bool // local variables that others than the function's statements may set; nil if that is not known yet
}

// walk collects what is in the body of f.
func (p *program) walk(f *function) {
	w := &walker{p: p, f: f, info: f.pkg.TypesInfo, seen: map[ast.Node]bool{}}
	f.walker = w
	w.inside(f.decl.Body, func(n ast.Node) {
		if !w.seen[n] {
			w.visit(n)
		}
	})
	for _, list := range []*ast.FieldList{f.decl.Recv, f.decl.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				w.way = []ast.Node{f.decl.Body}
				w.movedAt(id, f.decl.Body)
			}
		}
	}
	w.rest()
}

// inside calls f for each node of a part of the function, while w.way is the way to it.
func (w *walker) inside(part ast.Node, f func(n ast.Node)) {
	visit(part, func(n ast.Node, way []ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && w.p.own[lit] {
			return false
		}
		w.way = way
		f(n)
		return true
	})
	w.way = nil
}

// add adds a site, which moves unless why says what keeps it, or where it goes does.
func (w *walker) add(kind string, n ast.Node, why reason, edit func(ar string)) *site {
	if !why.stays() {
		why = w.stays()
	}
	if x, ok := n.(ast.Expr); ok && !why.stays() && w.early(x) {
		why = whyOrder
	}
	s := &site{kind: kind, node: n, way: slices.Clone(w.way), why: why, edit: edit, small: w.small}
	w.f.sites = append(w.f.sites, s)
	return s
}

// parent returns what the innermost node is in, or nil.
func (w *walker) parent() ast.Node {
	for i := len(w.way) - 2; i >= 0; i-- {
		if _, ok := w.way[i].(*ast.ParenExpr); !ok {
			return w.way[i]
		}
	}
	return nil
}

// keepSeldom keeps on the heap the texts that are seldom made, and which a function only looks at:
// it would ask for the arena each time.
func (p *program) keepSeldom() {
	for _, f := range p.order {
		if slices.ContainsFunc(f.results(), func(v *types.Var) bool { return refers(v.Type()) }) {
			continue
		}
		for _, s := range f.sites {
			if s.seldom && !s.why.stays() {
				s.why = whySeldom
			}
		}
	}
}

// stays returns why there is no arena here, or what is made outlives it, as far as the function
// shows.
func (w *walker) stays() reason {
	switch {
	case slices.ContainsFunc(w.way, isGo):
		return whyGoroutine
	case w.inFailure(w.way):
		return whyError
	case w.p.inLater(w.way):
		return whyLater
	}
	return moves
}

func isGo(n ast.Node) bool { _, ok := n.(*ast.GoStmt); return ok }

// global tells whether an expression is, or is in, a variable of a package.
func (w *walker) global(x ast.Expr) bool {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.Ident:
			v, ok := w.info.Uses[e].(*types.Var)
			return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
		case *ast.SelectorExpr:
			if v, ok := w.info.Uses[e.Sel].(*types.Var); ok && !v.IsField() {
				return true // of another package
			}
		}
		if x = outer(ast.Unparen(x)); x == nil {
			return false
		}
	}
}

func (w *walker) visit(n ast.Node) {
	if x, ok := n.(ast.Expr); ok {
		w.boxed(x)
	}
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND && !w.madeBuilder(n) {
			w.address(n, lit)
		}
	case *ast.CompositeLit:
		w.literal(n)
	case *ast.CallExpr:
		if !w.madeBuilder(n) {
			w.call(n)
		}
	case *ast.BinaryExpr:
		w.concat(n)
	case *ast.AssignStmt:
		w.concatAssign(n)
		if !w.local(n) {
			w.moved(n)
		}
	case *ast.DeclStmt:
		if !w.local(n) {
			w.movedVar(n)
		}
	case *ast.RangeStmt:
		for _, x := range []ast.Expr{n.Key, n.Value} {
			if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
				if s := w.movedAt(id, n.Body); s != nil && !s.why.stays() && w.oldLoops() {
					s.why = whyOldLoop
				}
			}
		}
	case *ast.FuncLit:
		if w.p.allocates(n.Pos()) {
			w.add(kindClosure, n, whyClosure, nil)
		}
	}
}

// unsuited returns why values of type t stay on the heap, whatever happens to them.
func unsuited(t types.Type) reason {
	errorType := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	if types.Implements(t, errorType) || types.Implements(types.NewPointer(t), errorType) {
		return whyError
	}
	return moves
}

// address is &T{...}.
func (w *walker) address(n *ast.UnaryExpr, lit *ast.CompositeLit) {
	if !w.p.allocates(n.Pos()) {
		return
	}
	t := w.info.TypeOf(lit)
	why := unsuited(t)
	if lit.Type == nil {
		why = whyNoType
	}
	f := w.f.file
	ret, set := w.stands(n)
	define, made := set != nil && set.Tok == token.DEFINE, "made"
	if set != nil && !define {
		w.f.made++
		made += strconv.Itoa(w.f.made)
	}
	w.add(kindValue, n, why, func(ar string) {
		if len(lit.Elts) == 0 {
			f.replace(n.Pos(), lit.Type.Pos(), f.arena()+".New[")
			f.replace(lit.Lbrace, lit.Rbrace+1, "]("+ar+")")
			return
		}
		fresh := f.arena() + ".New[" + f.text(lit.Type.Pos(), lit.Type.End()) + "](" + ar + ")\n"
		switch name := w.f.unused(made); {
		// p := &T{...} becomes two statements, so that the value is built in place, unless it has
		// another p in it.
		case define && !names(lit, set.Lhs[0].(*ast.Ident).Name) && !w.f.carriedBy(set.Lhs[0]):
			w.build(lit, n.Pos(), set.Lhs[0].(*ast.Ident).Name, fresh)
		// So do return &T{...} and x = &T{...}. Until the value is whole, x is as it was.
		case ret != nil && !hasGoto(w.f.decl.Body):
			w.build(lit, ret.Pos(), name, name+" := "+fresh)
			f.after(n.End(), "\nreturn "+name)
		case set != nil && !define && !hasGoto(w.f.decl.Body):
			w.build(lit, set.Pos(), name, name+" := "+fresh)
			f.after(n.End(), "\n"+f.text(set.Lhs[0].Pos(), set.Lhs[0].End())+" = "+name)
		default:
			f.replace(n.Pos(), lit.Pos(), f.arena()+".Ptr("+ar+", ")
			f.after(n.End(), ")")
		}
	})
}

// stands returns the statement of a list that returns x first, or sets one variable or field to x,
// if x can be computed in front of it.
func (w *walker) stands(x ast.Expr) (*ast.ReturnStmt, *ast.AssignStmt) {
	switch s := w.way[len(w.way)-2].(type) {
	case *ast.ReturnStmt:
		if s.Results[0] == x && !w.acts(s, x.End()) && inBlock(w.way, s) {
			return s, nil
		}
	case *ast.AssignStmt:
		if s.Rhs[0] == x && len(s.Lhs) == 1 && inBlock(w.way, s) && (s.Tok == token.DEFINE || w.pure(s.Lhs[0]) && !w.hasMoved(s.Lhs[0])) {
			return nil, s
		}
	}
	return nil, nil
}

// carriedBy tells whether x has the name of the variable that leads to the arena.
func (f *function) carriedBy(x ast.Expr) bool {
	return f.carrier != nil && f.through.Name == x.(*ast.Ident).Name
}

// names tells whether there is an identifier of that name in n, which is none of a field or a
// method.
func names(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			found = found || names(sel.X, name)
			return false
		}
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// inBlock tells whether a statement is one of a list, so that another can stand in front of it.
func inBlock(way []ast.Node, s ast.Stmt) bool {
	i := slices.Index(way, ast.Node(s))
	if i < 1 {
		return false
	}
	switch parent := way[i-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	case *ast.CommClause:
		return parent.Comm != s
	}
	return false
}

// literal is T{...}, of a slice or a map.
func (w *walker) literal(n *ast.CompositeLit) {
	t := w.info.TypeOf(n)
	if isMap(t) {
		w.mapLiteral(n, t)
		return
	}
	if _, elided := t.Underlying().(*types.Pointer); len(n.Elts) == 0 && !elided {
		return
	}
	if !w.p.allocates(n.Lbrace, n.Pos()) {
		return
	}
	f := w.f.file
	switch u := t.Underlying().(type) {
	case *types.Pointer: // an element that leaves &T out
		why := unsuited(u.Elem())
		if !nameable(u.Elem(), w.f.pkg.Types) {
			why = whyNameless
		}
		w.add(kindValue, n, why, func(ar string) {
			if len(n.Elts) == 0 {
				f.replace(n.Pos(), n.End(), f.arena()+".New["+f.typ(u.Elem())+"]("+ar+")")
				return
			}
			f.before(n.Pos(), f.arena()+".Ptr("+ar+", "+f.typ(u.Elem()))
			f.after(n.End(), ")")
		})
	case *types.Slice:
		why := unsuited(u.Elem())
		at, ok := n.Type.(*ast.ArrayType)
		if !ok && !nameable(t, w.f.pkg.Types) {
			why = whyNamelessLiteral
		}
		if !ok && !nameable(u.Elem(), w.f.pkg.Types) {
			why = whyNamelessElements
		}
		for _, e := range n.Elts {
			if _, ok := e.(*ast.KeyValueExpr); ok {
				why = whyIndices
			}
		}
		and := w.pointed()
		w.add(kindSlice, n, why, func(ar string) {
			w.refer(and)
			end := ")"
			switch {
			case at != nil:
				f.replace(n.Pos(), at.Elt.Pos(), f.arena()+".SliceOf[")
				f.replace(n.Lbrace, n.Lbrace+1, "]("+ar+", ")
			default:
				head := f.arena() + ".SliceOf[" + f.typ(u.Elem()) + "](" + ar + ", "
				if _, ok := types.Unalias(t).(*types.Named); ok {
					head, end = f.typ(t)+"("+head, "))"
				}
				f.replace(n.Pos(), n.Lbrace+1, head)
			}
			for _, e := range n.Elts {
				w.nameElided(e, u.Elem())
			}
			f.replace(n.Rbrace, n.Rbrace+1, end)
		})
	}
}

// pointed returns the & in front of the literal that the walker is at, or nil.
func (w *walker) pointed() *ast.UnaryExpr {
	if n, ok := w.parent().(*ast.UnaryExpr); ok && n.Op == token.AND {
		return n
	}
	return nil
}

// refer has a pointer to a literal be one to the result of a call.
func (w *walker) refer(and *ast.UnaryExpr) {
	if and == nil || w.f.moves(and) {
		return
	}
	f := w.f.file
	f.replace(and.Pos(), and.X.Pos(), w.p.written(f, "arenaRef")+"(")
	f.after(and.X.End(), ")")
}

// nameElided writes the type of an element that leaves it out, unless an edit of its own does.
func (w *walker) nameElided(e ast.Expr, t types.Type) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || lit.Type != nil || w.f.moves(lit) {
		return
	}
	name := w.f.file.typ(t)
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		name = "&" + w.f.file.typ(p.Elem())
	}
	w.f.file.before(lit.Pos(), name)
}

// moves tells whether there is a site for what n makes, which moves.
func (f *function) moves(n ast.Node) bool {
	return slices.ContainsFunc(f.sites, func(s *site) bool { return s.node == n && !s.why.stays() && s.kind != kindBox && s.kind != kindCarrier })
}

func (w *walker) call(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	if tv := w.info.Types[fun]; tv.IsType() {
		w.conversion(n, tv.Type)
		return
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := w.info.Uses[id].(*types.Builtin); ok {
			w.builtin(n, b.Name())
			return
		}
	}
	obj, id := callee(w.info, n)
	if obj == nil {
		w.dynamicCall(n)
		return
	}
	if obj.Pkg() == nil {
		return
	}
	if to := w.p.funcs[obj]; to != nil {
		if s, ok := fun.(*ast.SelectorExpr); ok && w.info.Selections[s] != nil && w.info.Selections[s].Kind() == types.MethodExpr {
			return // whose first argument is the receiver
		}
		w.addCall(n, to, id, nil)
		return
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if ok && w.bufioCall(n, sel, obj) {
		return
	}
	if !ok || obj.Signature().Recv() != nil {
		w.textOf(n)
		w.taken(n)
		return
	}
	w.libraryCall(n, sel, obj)
}

// addCall notes a call of a function of the program.
func (w *walker) addCall(n *ast.CallExpr, to *function, name *ast.Ident, d *dispatch) {
	if slices.ContainsFunc(w.way, isGo) { // a carrier that goes there has no arena
		return
	}
	c := &call{expr: n, to: to, name: name, way: slices.Clone(w.way), dispatch: d, later: w.p.inLater(w.way)}
	c.dropped = c.later || len(n.Args) == 1 && isTuple(w.info.TypeOf(n.Args[0])) // f(g()) has no place for another argument
	if d != nil && d.iface == nil && d.table == nil {
		w.f.other = append(w.f.other, c)
		return
	}
	w.f.calls = append(w.f.calls, c)
}

// first makes ar the first argument of a call.
func (w *walker) first(n *ast.CallExpr, ar string) {
	if len(n.Args) > 0 {
		ar += ", "
	}
	w.f.file.replace(n.Lparen, n.Lparen+1, "("+ar)
}

// conversion is string(b), []byte(s), or the same with runes.
func (w *walker) conversion(n *ast.CallExpr, to types.Type) {
	if len(n.Args) != 1 || w.info.Types[n].Value != nil || w.info.Types[n.Args[0]].Value != nil {
		return
	}
	x := n.Args[0]
	from := w.info.TypeOf(x)
	f := w.f.file
	name, written := "", ""
	switch {
	case isText(to) && (isBytes(from) || isInteger(from)):
		name = "String"
	case isBytes(to) && isText(from):
		name = "Bytes"
	case isText(to) && isRunes(from):
		written = "arenaText"
	case isRunes(to) && isText(from):
		written = "arenaRunes"
	default:
		return
	}
	as := types.ExprString(n.Fun)
	w.small = !w.p.within(n.Pos(), n.End(), "("+as+")(", as+"(", as[strings.LastIndexByte(as, '.')+1:]+"(")
	defer func() { w.small = false }()
	if w.small && (!w.p.profiled || w.isLookedAt(n)) {
		return
	}
	w.add(kindText, n, moves, func(ar string) {
		call := f.arena() + "." + name
		if written != "" {
			call = w.p.written(f, written)
		}
		call += "(" + ar + ", "
		_, named := types.Unalias(to).(*types.Named)
		switch {
		case isInteger(from) && !named: // what the conversion makes is on the stack then
			f.before(n.Pos(), call)
			f.after(n.End(), ")")
		case isInteger(from):
			f.before(x.Pos(), call+f.typ(types.Typ[types.String])+"(")
			f.after(x.End(), "))")
		case !named:
			f.replace(n.Pos(), n.Lparen+1, call)
		default:
			f.before(x.Pos(), call)
			f.after(x.End(), ")")
		}
	})
}

// isLookedAt tells whether the compiler only looks at what is converted, and copies nothing.
func (w *walker) isLookedAt(n *ast.CallExpr) bool {
	switch p := w.parent().(type) {
	case *ast.BinaryExpr, *ast.SwitchStmt, *ast.RangeStmt, *ast.IndexExpr:
		return true
	case *ast.CallExpr:
		return p.Ellipsis.IsValid() || w.isBuiltin(p, "copy") || w.isBuiltin(p, "len")
	}
	return false
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isBytes(t types.Type) bool { return isSliceOf(t, types.Byte) }

func isRunes(t types.Type) bool { return isSliceOf(t, types.Rune) }

func isSliceOf(t types.Type, elem types.BasicKind) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[elem])
}

func (w *walker) builtin(n *ast.CallExpr, name string) {
	small := !w.p.allocates(n.Lparen, n.Pos())
	if small && (name != "make" || !w.varies(n)) && (name != "append" || !w.p.profiled) {
		return
	}
	w.small = small
	defer func() { w.small = false }()
	f := w.f.file
	switch name {
	case "new":
		t := w.info.TypeOf(n).Underlying().(*types.Pointer).Elem()
		w.add(kindValue, n, unsuited(t), func(ar string) {
			if w.info.Types[n.Args[0]].IsType() {
				f.replace(n.Pos(), n.Args[0].Pos(), f.arena()+".New[")
				f.replace(n.Rparen, n.Rparen+1, "]("+ar+")")
			} else {
				f.replace(n.Pos(), n.Args[0].Pos(), f.arena()+".Ptr["+f.typ(t)+"]("+ar+", ")
			}
		})
	case "make":
		w.makes(n)
	case "append":
		w.appends(n)
	}
}

// lengths are the kinds of integers that int has, or for which it has a negative one: then make
// panics, and so does MakeSlice. On 32 bits, int cuts off the others.
var lengths = []types.BasicKind{types.Int, types.UntypedInt, types.Int8, types.Int16, types.Int32, types.Uint, types.Uint8, types.Uint16, types.Uint32, types.Uintptr}

func (w *walker) makes(n *ast.CallExpr) {
	t := w.info.TypeOf(n.Args[0])
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		if _, ok := t.Underlying().(*types.Chan); ok {
			w.add(kindChannel, n, whyChannel, nil)
		} else {
			w.makesMap(n)
		}
		return
	}
	why, whole := unsuited(s.Elem()), true
	for _, x := range n.Args[1:] {
		if b, ok := w.info.TypeOf(x).Underlying().(*types.Basic); !ok || !slices.Contains(lengths, b.Kind()) {
			whole = false
		}
	}
	once := len(n.Args) == 2 && (!whole || !w.pure(n.Args[1]) || w.hasMoved(n.Args[1]))
	if !whole && !once {
		why = whyLength
	}
	f := w.f.file
	w.add(kindSlice, n, why, func(ar string) {
		make := f.arena() + ".MakeSlice"
		if once {
			make = w.p.written(f, "arenaMake")
		}
		f.replace(n.Pos(), n.Args[1].Pos(), make+"["+f.typ(s.Elem())+"]("+ar+", ")
		if _, ok := types.Unalias(t).(*types.Named); ok {
			f.before(n.Pos(), f.typ(t)+"(")
			f.after(n.End(), ")")
		}
		if once {
			return
		}
		if len(n.Args) == 2 {
			length := f.text(n.Args[1].Pos(), n.Args[1].End())
			if w.noInt(n.Args[1]) {
				length = f.typ(types.Typ[types.Int]) + "(" + length + ")"
			}
			f.after(n.Args[1].End(), ", "+length)
		}
		for _, x := range n.Args[1:] {
			if w.noInt(x) {
				f.before(x.Pos(), f.typ(types.Typ[types.Int])+"(")
				f.after(x.End(), ")")
			}
		}
	})
}

// noInt tells whether an integer is of another type than int.
func (w *walker) noInt(x ast.Expr) bool {
	t, basic := types.Unalias(w.info.TypeOf(x)).(*types.Basic)
	return !basic || t.Kind() != types.Int && t.Kind() != types.UntypedInt
}

// pure tells whether an expression can be computed twice: it is made of names, fields, constants,
// len and arithmetic.
func (w *walker) pure(x ast.Expr) bool {
	if w.info.Types[x].Value != nil {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return w.pure(x.X)
	case *ast.BinaryExpr:
		return w.pure(x.X) && w.pure(x.Y)
	case *ast.CallExpr:
		if tv := w.info.Types[x.Fun]; tv.IsType() {
			_, basic := tv.Type.Underlying().(*types.Basic)
			return basic && w.pure(x.Args[0])
		}
		id, ok := ast.Unparen(x.Fun).(*ast.Ident)
		if !ok || len(x.Args) != 1 {
			return false
		}
		b, ok := w.info.Uses[id].(*types.Builtin)
		return ok && (b.Name() == "len" || b.Name() == "cap") && w.pure(x.Args[0])
	}
	return false
}

func (w *walker) appends(n *ast.CallExpr) {
	t := w.info.TypeOf(n)
	s, ok := t.Underlying().(*types.Slice)
	if !ok || len(n.Args) < 2 {
		return
	}
	why := unsuited(s.Elem())
	explicit, text := false, false
	last := n.Args[len(n.Args)-1]
	switch {
	case n.Ellipsis.IsValid() && isText(w.info.TypeOf(last)):
		text = true
	case w.info.Types[n.Args[0]].IsNil():
		why = whyAppendNil
	case w.global(n.Args[0]):
		why = whyPackage
	case !n.Ellipsis.IsValid():
		for _, x := range n.Args[1:] {
			if !types.Identical(w.info.TypeOf(x), s.Elem()) {
				explicit = true
			}
		}
	}
	f := w.f.file
	twice := w.looksUpOnce(n)
	w.add(kindAppend, n, why, func(ar string) {
		if twice != nil && !w.f.apart() {
			f.before(twice.Pos(), "if "+ar+" == nil {\n"+f.text(twice.Pos(), twice.End())+"\n} else {\n")
			f.after(twice.End(), "\n}")
		}
		var name string
		switch {
		case text:
			name = w.p.written(f, "arenaAppendText")
			f.replace(n.Ellipsis, n.Ellipsis+token.Pos(len("...")), "")
		case len(n.Args) == 2 && !n.Ellipsis.IsValid():
			name = w.p.written(f, "arenaPush")
		default:
			name = w.p.written(f, "arenaAppend")
		}
		if explicit {
			name += "[" + f.typ(s.Elem()) + "]"
		}
		f.replace(n.Pos(), n.Args[0].Pos(), name+"("+ar+", ")
	})
}

// looksUpOnce returns the statement m[k] = append(m[k], x) that n is in, or nil. The compiler looks
// k up once there. With an arena it is looked up twice, so without one the statement stays
// unchanged.
func (w *walker) looksUpOnce(n *ast.CallExpr) *ast.AssignStmt {
	s, ok := w.parent().(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || !inBlock(w.way, s) || w.hasMoved(s) {
		return nil
	}
	x, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr)
	if !ok || w.f.file.text(x.Pos(), x.End()) != w.f.file.text(n.Args[0].Pos(), n.Args[0].End()) {
		return nil
	}
	switch x.X.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return nil
	}
	if _, ok := w.info.TypeOf(x.X).Underlying().(*types.Map); !ok || contains[*ast.FuncLit](s) { // whose sites would be there twice
		return nil
	}
	return s
}

// concat is a + b of text.
func (w *walker) concat(n *ast.BinaryExpr) {
	tv := w.info.Types[n]
	if n.Op != token.ADD || tv.Value != nil || !isText(tv.Type) {
		return
	}
	w.small = !w.p.allocates(n.OpPos, n.Pos())
	defer func() { w.small = false }()
	if w.small && !w.p.profiled {
		return
	}
	var ops []*ast.BinaryExpr
	for x := ast.Expr(n); ; {
		b, ok := x.(*ast.BinaryExpr)
		if !ok || b.Op != token.ADD || w.info.Types[b].Value != nil {
			break
		}
		ops = append(ops, b)
		w.seen[b] = true
		x = b.X
	}
	_, named := types.Unalias(tv.Type).(*types.Named)
	why := moves
	if named && !nameable(tv.Type, w.f.pkg.Types) {
		why = whyNameless
	}
	f := w.f.file
	w.add(kindText, n, why, func(ar string) {
		first, next, end := f.arena()+".Concat("+ar+", ", ",", ")"
		if named {
			text := f.typ(types.Typ[types.String]) + "("
			first, next, end = f.typ(tv.Type)+"("+first+text, "), "+text, ")))"
		}
		f.before(n.Pos(), first)
		for _, b := range ops {
			f.replace(b.OpPos, b.OpPos+1, next)
		}
		f.after(n.End(), end)
	})
}

// concatAssign is s += t of text, which the compiler does not mention: it allocates.
func (w *walker) concatAssign(n *ast.AssignStmt) {
	if n.Tok != token.ADD_ASSIGN || !isText(w.info.TypeOf(n.Lhs[0])) {
		return
	}
	t := w.info.TypeOf(n.Lhs[0])
	_, named := types.Unalias(t).(*types.Named)
	why := moves
	switch {
	case named && !nameable(t, w.f.pkg.Types):
		why = whyNameless
	case !w.pure(n.Lhs[0]) || w.hasMoved(n.Lhs[0]):
		why = whyPlaceOnce
	case w.global(n.Lhs[0]):
		why = whyPackage
	}
	f := w.f.file
	w.add(kindText, n, why, func(ar string) {
		first, next, end := f.arena()+".Concat("+ar+", ", ", ", ")"
		if named {
			text := f.typ(types.Typ[types.String]) + "("
			first, next, end = f.typ(t)+"("+first+text, "), "+text, ")))"
		}
		f.replace(n.TokPos, n.Rhs[0].Pos(), "= "+first+f.text(n.Lhs[0].Pos(), n.Lhs[0].End())+next)
		f.after(n.End(), end)
	})
}

// moved is x := v of a variable that the compiler moves to the heap.
func (w *walker) moved(n *ast.AssignStmt) {
	if n.Tok != token.DEFINE {
		return
	}
	for _, x := range n.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok || w.info.Defs[id] == nil || !w.isMoved(id) {
			continue
		}
		why := moves
		if !inBlock(w.way, n) {
			why = whyLoop
		}
		v := w.info.Defs[id]
		if w.redefined(v) {
			why = whyRedeclared
		}
		f := w.f.file
		w.add(kindVariable, n, why, func(ar string) {
			if len(n.Lhs) != 1 || len(n.Rhs) != 1 { // the pointer is declared behind the statement
				name := w.f.unused(id.Name + "_")
				f.replace(id.Pos(), id.End(), name)
				f.after(n.End(), "\n"+id.Name+" := "+f.arena()+".Ptr("+ar+", "+name+")")
				w.f.dereference(v, id.Name)
				return
			}
			w.f.pointTo(id, n.Rhs[0], ar)
			w.f.dereference(v, id.Name)
		}).v = v
	}
}

// movedVar is var x T, or var x = v, of such variables.
func (w *walker) movedVar(n *ast.DeclStmt) {
	g := n.Decl.(*ast.GenDecl)
	if g.Tok != token.VAR {
		return
	}
	for _, spec := range g.Specs {
		spec := spec.(*ast.ValueSpec)
		for _, id := range spec.Names {
			if w.info.Defs[id] == nil || !w.isMoved(id) {
				continue
			}
			why := moves
			if len(spec.Names) > 1 && len(spec.Values) > 0 {
				why = whySeveral
			}
			v := w.info.Defs[id]
			if w.redefined(v) {
				why = whyRedeclared
			}
			w.add(kindVariable, spec, why, func(ar string) {
				w.f.separate(g, v, ar)
				w.f.dereference(v, id.Name)
			}).v = v
		}
	}
}

// separate makes a declaration of each variable that a declaration has, with those that move as
// pointers. It does so when the first of these is written, or when only that is tried.
func (f *function) separate(g *ast.GenDecl, v types.Object, ar string) {
	moved := map[types.Object]bool{}
	var first types.Object
	for _, s := range f.sites {
		if s.kind == kindVariable && s.v != nil && !s.why.stays() && g.Pos() <= s.v.Pos() && s.v.Pos() < g.End() {
			moved[s.v] = true
			if first == nil {
				first = s.v
			}
		}
	}
	if v != first && !f.file.at.IsValid() {
		return
	}
	file := f.file
	if g.Lparen.IsValid() {
		file.replace(g.Pos(), g.Lparen+1, "")
		file.replace(g.Rparen, g.Rparen+1, "")
	} else {
		file.replace(g.Pos(), g.Specs[0].Pos(), "")
	}
	for _, spec := range g.Specs {
		spec := spec.(*ast.ValueSpec)
		var pointers, others []string
		for _, id := range spec.Names {
			if moved[f.pkg.TypesInfo.Defs[id]] {
				pointers = append(pointers, id.Name)
			} else {
				others = append(others, id.Name)
			}
		}
		switch {
		case len(pointers) == 0:
			file.before(spec.Pos(), "var ")
		case len(spec.Values) > 0:
			file.replace(spec.Pos(), spec.Values[0].Pos(), pointers[0]+" := ")
			f.pointTo(spec.Names[0], spec.Values[0], ar)
		default:
			first := ""
			for _, name := range pointers[1:] {
				first += name + " := " + file.arena() + ".New[" + file.text(spec.Type.Pos(), spec.Type.End()) + "](" + ar + ")\n"
			}
			first += pointers[0] + " := " + file.arena() + ".New["
			end := "](" + ar + ")"
			if len(others) > 0 {
				first += file.text(spec.Type.Pos(), spec.Type.End()) + end + "\nvar " + strings.Join(others, ", ") + " "
				end = ""
			}
			file.replace(spec.Pos(), spec.Type.Pos(), first)
			file.after(spec.Type.End(), end)
		}
	}
}

// pointTo has the variable that a value follows be a pointer to it.
func (f *function) pointTo(id *ast.Ident, value ast.Expr, ar string) {
	t := f.file.typ(f.pkg.TypesInfo.Defs[id].Type())
	if names(value, id.Name) || f.carriedBy(id) {
		f.file.before(value.Pos(), f.file.arena()+".Ptr["+t+"]("+ar+", ")
		f.file.after(value.End(), ")")
	} else {
		f.file.before(value.Pos(), f.file.arena()+".New["+t+"]("+ar+")\n*"+id.Name+" = ")
	}
}

// movedAt is a parameter, or a variable of a loop over a range, that the compiler moves to the
// heap: at the beginning of the body a pointer to a copy is declared, which has another name.
func (w *walker) movedAt(id *ast.Ident, body *ast.BlockStmt) *site {
	v := w.info.Defs[id]
	if v == nil || !w.isMoved(id) {
		return nil
	}
	why := moves
	if w.redefined(v) {
		why = whyRedeclared
	}
	f := w.f.file
	s := w.add(kindVariable, id, why, func(ar string) {
		name := w.f.unused(id.Name + "_")
		f.replace(body.Lbrace+1, body.Lbrace+1, "\n"+name+" := "+f.arena()+".Ptr("+ar+", "+id.Name+")\n")
		w.f.dereference(v, name)
	})
	s.v = v
	return s
}

// oldLoops tells whether the file says that it is of a Go before 1.22, so that all turns of a loop
// have the same variables. What go.mod says becomes 1.26.
func (w *walker) oldLoops() bool { return w.before("go1.22") }

// before tells whether the file says that it is of a Go before a version.
func (w *walker) before(of string) bool {
	v := w.f.file.syntax.GoVersion
	return v != "" && version.Compare(v, of) < 0
}

// redefined tells whether a variable is set by := with others that this declares: what stands there
// is a name, and no place.
func (w *walker) redefined(v types.Object) bool {
	return some(w.f.decl.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		return ok && s.Tok == token.DEFINE && slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool {
			id, ok := x.(*ast.Ident)
			return ok && w.info.Uses[id] == v
		})
	})
}

// hasMoved tells whether an expression or a statement has a variable in it that the compiler moves
// to the heap, or a builder that may become ours: its text may not be what it will be.
func (w *walker) hasMoved(x ast.Node) bool {
	return some(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || w.info.Uses[id] == nil {
			return false
		}
		v, isVar := w.info.Uses[id].(*types.Var)
		return strings.HasPrefix(w.p.heap[w.p.placeOf(w.info.Uses[id].Pos())], "moved to heap") || isVar && !v.IsField() && isBuilder(pointee(v.Type()))
	})
}

func (w *walker) isMoved(id *ast.Ident) bool {
	what, ok := w.p.at(id.Pos())
	return ok && strings.HasPrefix(what, "moved to heap")
}

// dereference replaces the uses of a variable with uses of what the pointer with a name points at.
func (f *function) dereference(v types.Object, name string) {
	visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || f.pkg.TypesInfo.Uses[id] != v {
			return true
		}
		use := "*" + name
		switch parent := way[len(way)-2].(type) {
		case *ast.UnaryExpr:
			if parent.Op == token.AND {
				f.file.replace(parent.Pos(), parent.Pos()+1, "")
				use = name
			}
		case *ast.SelectorExpr:
			// A pointer has the fields and methods of what it points at, unless that is also a
			// pointer.
			use = name
			if _, ok := v.Type().Underlying().(*types.Struct); !ok {
				use = "(*" + name + ")"
			}
		case *ast.CallExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr, *ast.IncDecStmt, *ast.StarExpr, *ast.ParenExpr, *ast.BinaryExpr:
			use = "(*" + name + ")"
		}
		f.file.replace(id.Pos(), id.End(), use)
		return true
	})
}
