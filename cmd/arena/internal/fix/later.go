package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A function literal may be kept and called when the arena has ended, or be called by another
// goroutine while others allocate. So there is no arena in it, unless it is certain that it is
// called, or not, while the function runs that it is in, and by the same goroutine: it is called
// where it stands, is given to a function that does nothing else with it, or belongs to a local
// variable with which nothing else is done.

// calledAtOnce are packages whose functions call what they are given before they return, and not in
// another goroutine, unless they return a function.
var calledAtOnce = []string{"bytes", "go/ast", "io/fs", "maps", "math/rand", "math/rand/v2", "path/filepath", "regexp", "slices", "sort", "strings", "unicode"}

// callsAtOnce tells whether a function is of these, and its parameter i a function. An element of a
// list is none: slices.Insert stores it.
func callsAtOnce(f *types.Func, i int) bool {
	if f == nil || f.Pkg() == nil || !slices.Contains(calledAtOnce, f.Pkg().Path()) {
		return false
	}
	params := f.Signature().Params()
	if i < 0 || i >= params.Len() || !isFunc(params.At(i).Type()) {
		return false
	}
	for v := range f.Signature().Results().Variables() {
		if isFunc(v.Type()) {
			return false // strings.FieldsFuncSeq
		}
	}
	return true
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// isFuncs tells whether values of a type are lists of functions, such as options.
func isFuncs(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isFunc(s.Elem())
}

// What becomes of a function, or of those in a list.
type fate int

const (
	called fate = iota // at once, or not at all
	kept               // in a struct, a list or a variable of a package: the same goroutine calls it, unless that is started with it elsewhere
	gone               // to another goroutine, or where this is not known
)

// findEnding returns the literals of which lives proves that nobody can call them when the roots
// have returned, unless findLater knows that already.
func (p *program) findEnding() map[place]bool {
	ending := map[place]bool{}
	for _, f := range p.order {
		visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok && p.proved[lit] && !p.own[lit] && (p.literals[lit] != called || p.assumed[p.placeOf(lit.Pos())]) && f.uses(lit) {
				ending[p.placeOf(lit.Pos())] = true
			}
			return true
		})
	}
	return ending
}

// uses tells whether an arena would be used in a literal. If there is a profile, lines with less
// than 0.1 % of the bytes do not count.
func (f *function) uses(lit *ast.FuncLit) bool {
	used := func(way []ast.Node) bool {
		at := f.pkg.Fset.Position(way[len(way)-1].Pos())
		return slices.Contains(way, ast.Node(lit)) && (f.walker.p.share == 0 || f.walker.p.below[LineOf(f.pkg.PkgPath, at.Filename, at.Line)] >= 0.001)
	}
	return slices.ContainsFunc(f.sites, func(s *site) bool { return used(s.way) }) ||
		slices.ContainsFunc(f.calls, func(c *call) bool { return used(c.way) })
}

// inLater tells whether way leads into a function literal that may be called later.
func (p *program) inLater(way []ast.Node) bool { return p.leaves(way, token.NoPos) != called }

// findLater finds what becomes of function literals, and of the functions that variables have. All
// are taken to be called at once until one use says that this is not certain; others may depend on
// it.
func (p *program) findLater() {
	p.literals, p.variables = map[*ast.FuncLit]fate{}, map[*types.Var]fate{}
	p.findIterators()
	for more := true; more; {
		more = false
		for _, f := range p.order {
			more = p.findLaterIn(f) || more
		}
	}
}

// findLaterIn looks at one function, and tells whether something is new.
func (p *program) findLaterIn(f *function) (more bool) {
	info := f.pkg.TypesInfo
	returned := func(sig *types.Signature) { // perhaps without a name
		for v := range sig.Results().Variables() {
			p.variables[v] = max(p.variables[v], kept)
		}
	}
	if !f.iterator {
		returned(f.obj.Signature())
	}
	visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			returned(info.TypeOf(n).(*types.Signature))
			if p.assumed[p.placeOf(n.Pos())] {
				break
			}
			if to := p.fateOf(info, way); to > p.literals[n] {
				p.literals[n], more = to, true
			}
		case *ast.CallExpr:
			g, _ := callee(info, n)
			if p.funcs[g] == nil || !p.funcs[g].iterator {
				break
			}
			v := g.Signature().Results().At(0)
			if to := max(p.iterated(info, way), p.leaves(way, token.NoPos)); to > p.variables[v] {
				p.variables[v], more = to, true
			}
		case *ast.Ident:
			v, ok := info.Uses[n].(*types.Var)
			if !ok || v.IsField() || !isFunc(v.Type()) && !isFuncs(v.Type()) {
				break
			}
			if to := max(p.fateOf(info, way), p.leaves(way, v.Pos())); to > p.variables[v] {
				p.variables[v], more = to, true
			}
		}
		return true
	})
	return more
}

// leaves returns the fate of what is called at the end of way, as far as function literals and go
// statements behind pos are on it.
func (p *program) leaves(way []ast.Node, pos token.Pos) (to fate) {
	for _, n := range way {
		if n.Pos() <= pos {
			continue
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			return gone
		case *ast.FuncLit:
			to = max(to, p.literals[n])
		}
	}
	return to
}

// fateOf returns what becomes of the function at the end of way there.
func (p *program) fateOf(info *types.Info, way []ast.Node) fate {
	i := len(way) - 1
	for ; i > 0; i-- {
		if c, ok := way[i-1].(*ast.CallExpr); ok && info.Types[c.Fun].IsType() {
			continue // a conversion
		}
		_, paren := way[i-1].(*ast.ParenExpr)
		_, element := way[i-1].(*ast.IndexExpr)
		_, part := way[i-1].(*ast.SliceExpr)
		if !paren && !((element || part) && outer(way[i-1].(ast.Expr)) == way[i]) {
			break
		}
	}
	x, ok := way[i].(ast.Expr)
	if i == 0 || !ok {
		return gone
	}
	set := func(list, values []ast.Expr) fate { // a variable, or another place
		j := slices.Index(values, x)
		if j < 0 || len(list) != len(values) {
			return kept
		}
		id, ok := ast.Unparen(list[j]).(*ast.Ident)
		if !ok {
			return kept
		}
		v, ok := info.ObjectOf(id).(*types.Var)
		switch {
		case id.Name == "_":
			return called
		case !ok || !isFunc(v.Type()) && !isFuncs(v.Type()) || v.Pkg() == nil || v.Parent() == v.Pkg().Scope():
			return kept
		}
		return p.variables[v]
	}
	switch n := way[i-1].(type) {
	case *ast.CallExpr:
		if i >= 2 {
			if _, ok := way[i-2].(*ast.GoStmt); ok {
				return gone
			}
		}
		if n.Fun == x {
			return called
		}
		if info.Types[n.Fun].IsBuiltin() {
			if !refers(info.TypeOf(n)) && len(n.Args) == 1 { // the length of a list
				return called
			}
			return kept
		}
		return p.giving(info, n, slices.Index(n.Args, x))
	case *ast.BinaryExpr: // with nil
		return called
	case *ast.RangeStmt:
		switch {
		case n.X != x:
		case !isFuncs(info.TypeOf(x)) || n.Value == nil:
			return called
		default:
			return set([]ast.Expr{n.Value}, []ast.Expr{x})
		}
	case *ast.AssignStmt:
		if slices.Contains(n.Lhs, x) {
			return called
		}
		return set(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		var list []ast.Expr
		for _, id := range n.Names {
			list = append(list, id)
		}
		return set(list, n.Values)
	case *ast.SendStmt:
		return gone
	case *ast.ReturnStmt:
		return p.iterated(info, way[:i+1])
	}
	return kept
}

// findIterators finds the functions that return an iterator, and are used in no other way than to
// be called by the program.
func (p *program) findIterators() {
	elsewhere := map[string]bool{} // names of methods of interfaces
	uses := map[*types.Func]int{}
	for pkg, syntax := range p.syntax() {
		for id, obj := range pkg.TypesInfo.Uses {
			if f, ok := obj.(*types.Func); ok && syntax.FileStart <= id.Pos() && id.Pos() < syntax.FileEnd {
				uses[f.Origin()]++
				if r := f.Signature().Recv(); r != nil && types.IsInterface(r.Type()) {
					elsewhere[f.Name()] = true
				}
			}
		}
	}
	for _, f := range p.order { // calls elsewhere, as in the initial value of a variable, count as other uses
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				g, _ := callee(f.pkg.TypesInfo, c)
				uses[g]--
			}
			_, lit := n.(*ast.FuncLit)
			return !lit || !p.own[n.(*ast.FuncLit)]
		})
	}
	for _, f := range p.order {
		sig := f.obj.Signature()
		f.iterator = f.literal == nil && !f.root && !f.obj.Exported() && sig.Results().Len() == 1 && isIterator(sig.Results().At(0).Type()) &&
			uses[f.obj] == 0 && !elsewhere[f.obj.Name()]
	}
}

// isIterator tells whether a loop can range over the values of a type, which are functions.
func isIterator(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 1 && sig.Results().Len() == 0 && isFunc(sig.Params().At(0).Type())
}

// collecting are functions that put what an iterator yields into their result.
var collecting = []string{"slices.Collect", "slices.Sorted", "maps.Collect"}

// iterated returns what becomes of an iterator at the end of way there: a loop ranges over it, or
// it is the result of a function that returns iterators.
func (p *program) iterated(info *types.Info, way []ast.Node) fate {
	at := len(way) - 2
	for ; at > 0; at-- {
		if _, paren := way[at].(*ast.ParenExpr); !paren {
			break
		}
	}
	switch n := way[at].(type) {
	case *ast.RangeStmt:
		if ast.Unparen(n.X) == ast.Unparen(way[at+1].(ast.Expr)) {
			return called
		}
	case *ast.CallExpr:
		if f, _ := callee(info, n); f != nil && slices.Contains(collecting, f.FullName()) {
			return called
		}
	case *ast.AssignStmt: // of a variable over which loops range
		id, ok := n.Lhs[0].(*ast.Ident)
		if !ok || n.Tok != token.DEFINE || len(n.Lhs) != 1 {
			break
		}
		to := called
		visit(way[0], func(use ast.Node, way []ast.Node) bool {
			if other, ok := use.(*ast.Ident); ok && info.Uses[other] == info.Defs[id] {
				loop, ok := way[len(way)-2].(*ast.RangeStmt)
				if !ok || loop.X != other {
					to = kept
				}
				to = max(to, p.leaves(way, id.Pos()))
			}
			return true
		})
		return to
	case *ast.ReturnStmt:
		f := p.bodies[way[0]]
		if f != nil && f.iterator && !slices.ContainsFunc(way, func(n ast.Node) bool { lit, ok := n.(*ast.FuncLit); return ok && lit != way[at+1] }) {
			return p.variables[f.obj.Signature().Results().At(0)]
		}
	}
	return kept
}

// giving returns what a call does with its argument i, which is a function.
func (p *program) giving(info *types.Info, c *ast.CallExpr, i int) fate {
	f, _ := callee(info, c)
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && info.Selections[sel] != nil && info.Selections[sel].Kind() == types.MethodExpr {
		i-- // the first argument is the receiver
	}
	if callsAtOnce(f, i) {
		return called
	}
	if p.funcs[f] == nil || i < 0 {
		if p.foreigners.onlyCalls(f, i) {
			return called
		}
		return gone
	}
	params := f.Signature().Params()
	if f.Signature().Variadic() {
		i = min(i, params.Len()-1)
	}
	if i >= params.Len() || !isFunc(params.At(i).Type()) && !isFuncs(params.At(i).Type()) {
		return gone
	}
	return p.variables[params.At(i)]
}

// shared returns the structs of which a value goes to another goroutine with a function, which
// allocates where that leads: with one that has a method of it, or calls a function with it. Of
// what is kept this is not known, and parsers keep functions in tables.
func (p *program) shared() map[*types.TypeName]bool {
	all := map[*types.TypeName]bool{}
	for _, f := range p.order {
		for _, c := range slices.Concat(f.calls, f.other, f.formers) {
			id := c.to.given(p.structs)
			if !c.later || id == nil {
				continue
			}
			through := c.to.pkg.TypesInfo.Defs[id]
			for _, o := range f.walker.operands(c.expr) {
				if v := f.walker.leader(o.x); v != nil && o.param(c.to.obj) == through && p.leaves(c.way, v.Pos()) == gone {
					all[named(through.Type()).Obj()] = true
				}
			}
		}
		info := f.pkg.TypesInfo
		visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok { // what it uses has no arena: see keeps
				return false
			}
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || info.Selections[sel] == nil || info.Selections[sel].Kind() != types.MethodVal {
				return true
			}
			if g := p.method(info.Selections[sel].Obj()); g != nil && p.fateOf(info, way) == gone {
				if t := named(g.obj.Signature().Recv().Type()); t != nil {
					all[t.Obj()] = true
				}
			}
			return true
		})
	}
	return all
}
