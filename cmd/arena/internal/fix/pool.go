package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A parser that comes from a sync.Pool outlives the arena, and so does what is stored in it. It can
// be a carrier all the same, if the Pool makes it by &T{}: a Pool may forget what it has, so one
// that had an arena is cleared when it is taken again, and is what the Pool would have made. Not
// before: somebody may read it when it has gone back.

// A pool is a variable of a package that is a sync.Pool.
type pool struct {
	v     *types.Var
	typ   *types.TypeName // what it makes by &T{}
	ptr   bool            // the variable is a pointer
	empty bool            // what it makes is &T{}
	file  *file
	gets  []*site
	all   []taking // the calls of Get

	why  reason   // what lies in it belongs to the variable of a package, as without all this
	with *carrier // of its values
}

type taking struct {
	file *file
	call *ast.CallExpr
}

// findPools finds the variables that are Pools of a struct of their package, and are used in no
// other way than by Get and Put.
func (p *program) findPools() {
	p.pools = map[*types.Var]*pool{}
	for pkg, syntax := range p.syntax() {
		file := p.files[syntax]
		for _, d := range syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || file.fixed {
				continue
			}
			for _, s := range g.Specs {
				s := s.(*ast.ValueSpec)
				for i, x := range s.Values {
					v, _ := pkg.TypesInfo.Defs[s.Names[i]].(*types.Var)
					if v == nil || v.Exported() || len(s.Names) != len(s.Values) || types.TypeString(named2(v.Type()), nil) != "sync.Pool" {
						continue
					}
					if t, empty := p.madeBy(pkg.TypesInfo, x); t != nil && t.Pkg() == pkg.Types && t.Parent() == pkg.Types.Scope() {
						_, ptr := v.Type().(*types.Pointer)
						p.pools[v] = &pool{v: v, typ: t, ptr: ptr, empty: empty, file: file}
					}
				}
			}
		}
	}
	if len(p.pools) == 0 {
		return
	}
	for _, syntax := range p.syntax() {
		p.usePools(p.files[syntax])
	}
}

func named2(t types.Type) types.Type {
	if n := named(t); n != nil {
		return n
	}
	return t
}

// madeBy returns the struct T of a literal sync.Pool{New: func() any { return &T{…} }}, or of its
// address, or nil, and whether that is &T{}. New may also call a function that does nothing else
// than to return such a literal.
func (p *program) madeBy(info *types.Info, x ast.Expr) (t *types.TypeName, empty bool) {
	lit := literalOf(x)
	if lit == nil || len(lit.Elts) != 1 {
		return nil, false
	}
	kv, ok := lit.Elts[0].(*ast.KeyValueExpr)
	if !ok {
		return nil, false
	}
	fn, ok := ast.Unparen(kv.Value).(*ast.FuncLit)
	if !ok {
		return nil, false
	}
	made := returnedBy(fn.Body)
	if c, ok := made.(*ast.CallExpr); ok && len(c.Args) == 0 {
		if obj, _ := callee(info, c); obj != nil && p.funcs[obj] != nil {
			made, info = returnedBy(p.funcs[obj].decl.Body), p.funcs[obj].pkg.TypesInfo
		}
	}
	switch x := made.(type) {
	case *ast.UnaryExpr:
		lit := literalOf(x)
		if x.Op != token.AND || lit == nil {
			return nil, false
		}
		empty = len(lit.Elts) == 0
	case *ast.CallExpr:
		id, ok := ast.Unparen(x.Fun).(*ast.Ident)
		if !ok || info.Uses[id] != types.Universe.Lookup("new") || !info.Types[x.Args[0]].IsType() {
			return nil, false
		}
		empty = true
	default:
		return nil, false
	}
	ptr, ok := types.Unalias(info.TypeOf(made)).(*types.Pointer)
	if !ok {
		return nil, false
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok || n.TypeArgs() != nil {
		return nil, false
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil, false
	}
	return n.Obj(), empty
}

// returnedBy returns what a function returns that does nothing else, or nil.
func returnedBy(body *ast.BlockStmt) ast.Expr {
	if len(body.List) != 1 {
		return nil
	}
	ret, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	return ast.Unparen(ret.Results[0])
}

// usePools notes the calls of Get in a file. What is used in another way, or overwritten as a whole
// before somebody stores something in it, is no pool.
func (p *program) usePools(file *file) {
	info := file.pkg.TypesInfo
	known := map[*ast.Ident]bool{}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			pl, name := p.poolCall(info, n)
			if pl == nil {
				break
			}
			known[ast.Unparen(ast.Unparen(n.Fun).(*ast.SelectorExpr).X).(*ast.Ident)] = true
			if file.fixed {
				pl.why = whyPackage
			}
			if name == "Get" {
				pl.all = append(pl.all, taking{file, n})
			} else if t := named(info.TypeOf(n.Args[0])); t == nil || t.Obj() != pl.typ {
				pl.why = whyPackage
			}
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && p.pools[v] != nil && !known[n] {
				p.pools[v].why = whyPackage
			}
		case *ast.BlockStmt:
			for i, s := range n.List {
				set, ok := s.(*ast.AssignStmt)
				if !ok {
					continue
				}
				for j, to := range set.Lhs {
					star, ok := ast.Unparen(to).(*ast.StarExpr)
					if !ok || len(set.Lhs) == len(set.Rhs) && literalOf(set.Rhs[j]) != nil || p.putNext(info, n.List[i+1:], star.X) {
						continue
					}
					for _, pl := range p.pools {
						if t := named(info.TypeOf(to)); t != nil && t.Obj() == pl.typ {
							pl.why = whyPackage // it has no arena then, and may get what lies in one
						}
					}
				}
			}
		}
		return true
	})
}

// putNext tells whether the first statement of a list gives the variable x to a pool.
func (p *program) putNext(info *types.Info, list []ast.Stmt, x ast.Expr) bool {
	if len(list) == 0 {
		return false
	}
	s, ok := list[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	pl, name := p.poolCall(info, c)
	id, isName := ast.Unparen(x).(*ast.Ident)
	if pl == nil || name != "Put" || !isName || len(c.Args) != 1 {
		return false
	}
	arg, ok := ast.Unparen(c.Args[0]).(*ast.Ident)
	return ok && info.Uses[arg] == info.Uses[id]
}

// poolCall returns the pool of which a call is Get or Put, also when that keeps what it has, and
// the name of the method.
func (p *program) poolCall(info *types.Info, c *ast.CallExpr) (*pool, string) {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Get" && sel.Sel.Name != "Put" {
		return nil, ""
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return nil, ""
	}
	v, _ := info.Uses[id].(*types.Var)
	return p.pools[v], sel.Sel.Name
}

// taken notes a call of Get.
func (w *walker) taken(n *ast.CallExpr) {
	pl, name := w.p.poolCall(w.info, n)
	if pl == nil || name != "Get" {
		return
	}
	f := w.f.file
	s := &site{kind: kindCarrier, node: n, way: slices.Clone(w.way), why: w.stays(), pool: pl, edit: func(ar string) {
		f.replace(n.Pos(), n.End(), pl.helper()+"("+ar+", "+pl.address()+")")
	}}
	if s.why.stays() { // what it takes would have the arena of another one
		pl.why = whyPackage
	}
	w.f.sites = append(w.f.sites, s)
	pl.gets = append(pl.gets, s)
	s.in = w.f
}

// helper returns the name of the function that takes a value from the pool.
func (pl *pool) helper() string {
	name := "arena" + upper(pl.v.Name())
	for pl.file.pkg.Types.Scope().Lookup(name) != nil {
		name += "_"
	}
	return name
}

func (pl *pool) address() string {
	if pl.ptr {
		return pl.v.Name()
	}
	return "&" + pl.v.Name()
}

// formerCalls returns the calls that are of the former function, or may be.
func (f *function) formerCalls() (all []*call) {
	for _, c := range f.calls {
		if _, why := f.where(c.way); c.dropped || c.dispatch != nil || why.stays() {
			all = append(all, c)
		}
	}
	return slices.Concat(all, f.other, f.formers)
}

// editPools rewrites the calls of Get, and writes the functions for that.
func (p *program) editPools() {
	for _, syntax := range p.syntax() {
		for _, pl := range p.pools {
			if pl.file == p.files[syntax] && !pl.why.stays() && slices.ContainsFunc(pl.gets, func(s *site) bool { return s.in.reached && !s.why.stays() }) {
				pl.edit()
			}
		}
	}
}

func (pl *pool) edit() {
	for _, g := range pl.all {
		if !slices.ContainsFunc(pl.gets, func(s *site) bool { return s.node == g.call && s.in.reached }) {
			g.file.replace(g.call.Pos(), g.call.End(), pl.helper()+"(nil, "+pl.address()+")")
		}
	}
	var set string
	for _, statement := range pl.with.sets("x", pl.file.pkg.Types) {
		set += statement + "\n"
	}
	clear, cleared := "*x = "+pl.typ.Name()+"{}", "cleared"
	if !pl.empty {
		clear, cleared = "x = pool.New().(*"+pl.typ.Name()+")\nv = x", "dropped"
	}
	pl.file.tail = append(pl.file.tail, fmt.Sprintf(`
// %[1]s is pool.Get. What it returns allocates in ar; nil is the heap. One that had an arena is %[8]s: it is what the pool would have made.
func %[1]s(ar *%[2]s.Arena, pool *%[3]s.Pool) any {
	v := pool.Get()
	if x, ok := v.(*%[4]s); ok && x != nil {
		if x.%[5]s != nil {
			%[7]s
		}
		%[6]s}
	return v
}
`, pl.helper(), pl.file.arena(), pl.file.use("sync", "sync"), pl.typ.Name(), pl.with.field, set, clear, cleared))
}

// takes tells whether the function takes something from a pool whose values lead to arenas. Its
// former form must not do that as before.
func (f *function) takes() bool {
	return slices.ContainsFunc(f.sites, func(s *site) bool { return s.pool != nil && !s.pool.why.stays() })
}

// sets returns statements that have x allocate in ar, and the carriers that are values in it, as
// far as a package can name them.
func (c *carrier) sets(x string, pkg *types.Package) []string {
	all := []string{x + "." + c.field + " = ar"}
	if c.typ.Obj().Pkg() != pkg {
		all[0] = x + "." + c.setter() + "(ar)"
	}
	for v := range c.typ.Underlying().(*types.Struct).Fields() {
		n, ok := types.Unalias(v.Type()).(*types.Named)
		if !ok || c.chosen[n.Obj()] == nil || v.Pkg() != pkg && !v.Exported() || v.Name() == "_" {
			continue
		}
		all = append(all, c.chosen[n.Obj()].sets(x+"."+v.Name(), pkg)...)
	}
	return all
}

// checkPools finds the pools of which a value may have no arena, or another one, where it is given
// what lies in an arena. It tells whether there is one.
func (p *program) checkPools() (found bool) {
	former := p.formers()
	for _, pl := range p.pools {
		if !pl.why.stays() && (pl.with == nil || slices.ContainsFunc(pl.gets, func(s *site) bool {
			_, why := s.in.where(s.way)
			return s.in.reached && (why.stays() || s.why.stays() || former[s.in])
		})) {
			pl.why, found = whyPackage, true
		}
	}
	for _, pl := range p.pools {
		for _, s := range pl.gets {
			if pl.why.stays() && !s.why.stays() {
				s.why = pl.why
			}
		}
	}
	return found
}

// formers returns the functions whose former form is called by one that has an arena, and what
// these call.
func (p *program) formers() map[*function]bool {
	all := map[*function]bool{}
	var todo []*function
	add := func(f *function) {
		if !all[f] && f.carrier == nil {
			all[f] = true
			todo = append(todo, f)
		}
	}
	for _, t := range p.taken {
		add(t.f)
	}
	for _, f := range p.order {
		if f.reached {
			for _, c := range f.formerCalls() {
				add(c.to)
			}
		}
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range slices.Concat(f.calls, f.other, f.formers) {
			add(c.to)
		}
	}
	return all
}
