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

	why   reason                     // what lies in it belongs to the variable of a package, as without all this
	lent  map[*function][]*types.Var // parameters of functions that are stored in its values
	keeps map[*function]bool         // the functions that keep theirs for it
	with  *carrier                   // of its values
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
						p.pools[v] = &pool{v: v, typ: t, ptr: ptr, empty: empty, file: file, lent: map[*function][]*types.Var{}, keeps: map[*function]bool{}}
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

// pooled computes which local variables are set to nothing else than values of one pool.
func (w *walker) pooled() {
	w.fromPool = map[*types.Var]*pool{}
	if len(w.p.pools) == 0 {
		return
	}
	params := w.f.params()
	for more := true; more; {
		more = false
		not, is := map[*types.Var]bool{}, map[*types.Var]*pool{}
		w.assignments(func(to goal, x ast.Expr) {
			if to.s.v == nil || to.s.field != "" {
				return
			}
			pl := w.poolOf(x)
			if pl == nil || slices.Contains(params, to.s.v) || is[to.s.v] != nil && is[to.s.v] != pl {
				not[to.s.v] = true
				return
			}
			is[to.s.v] = pl
		})
		for v, pl := range is {
			if !not[v] && w.fromPool[v] == nil && !w.addressed(v) {
				w.fromPool[v], more = pl, true
			}
		}
	}
	if pl := w.poolOfResults(); pl != w.f.returnsPool {
		w.f.returnsPool = pl
		w.p.again(w.f)
	}
}

// addressed tells whether there is &v.
func (w *walker) addressed(v *types.Var) bool {
	return some(w.f.decl.Body, func(n ast.Node) bool {
		u, ok := n.(*ast.UnaryExpr)
		if !ok || u.Op != token.AND {
			return false
		}
		id, ok := ast.Unparen(u.X).(*ast.Ident)
		return ok && w.info.Uses[id] == v
	})
}

// poolOf returns the pool that the value of x is from for certain, or nil.
func (w *walker) poolOf(x ast.Expr) *pool {
	switch x := ast.Unparen(x).(type) {
	case *ast.TypeAssertExpr:
		return w.poolOf(x.X)
	case *ast.Ident:
		v, _ := w.info.Uses[x].(*types.Var)
		return w.fromPool[v].ok()
	case *ast.CallExpr:
		if pl, name := w.p.poolCall(w.info, x); pl != nil && name == "Get" {
			return pl.ok()
		}
		if obj, _ := callee(w.info, x); obj != nil && w.p.funcs[obj] != nil {
			w.p.reads(w.p.funcs[obj])
			return w.p.funcs[obj].returnsPool.ok()
		}
	}
	return nil
}

// ok returns the pool unless it keeps what it has.
func (pl *pool) ok() *pool {
	if pl == nil || pl.why.stays() {
		return nil
	}
	return pl
}

// poolOfResults returns the pool that all results of the function are from.
func (w *walker) poolOfResults() (found *pool) {
	if w.f.obj.Signature().Results().Len() != 1 {
		return nil
	}
	all := true
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) != 1 {
				all = false
				break
			}
			pl := w.poolOf(n.Results[0])
			all = all && pl != nil && (found == nil || found == pl)
			found = pl
		}
		return true
	})
	if !all {
		return nil
	}
	return found
}

// isPut tells whether a call gives a value to a pool that may be cleared before.
func (w *walker) isPut(c *ast.CallExpr) bool {
	pl, name := w.p.poolCall(w.info, c)
	return pl.ok() != nil && name == "Put" && len(c.Args) == 1
}

// lends finds the parameters that are stored in a value of a pool. The value may go back as it is
// where the function is called without an arena, and a caller may have made in one what it gives.
// So such a parameter is kept, unless safe tells that this cannot be.
func (w *walker) lends(keep func(s spot)) {
	if len(w.fromPool) == 0 {
		return
	}
	lent := map[spot]*pool{}
	params := w.f.params()
	for more := true; more; {
		more = false
		w.each(func(x ast.Expr, s spot) {
			if lent[s] != nil || w.fromPool[s.v] != nil || !refers(w.info.TypeOf(x)) {
				return
			}
			for _, g := range w.goals(w.way) {
				pl := w.fromPool[g.s.v]
				if pl == nil {
					pl = lent[spot{g.s.v, ""}]
				}
				if pl == nil {
					pl = lent[g.s]
				}
				if pl != nil {
					lent[s], more = pl, true
				}
			}
		})
	}
	for s, pl := range lent {
		switch {
		case !slices.Contains(params, s.v):
		case pl.keeps[w.f]:
			keep(s)
		case !slices.Contains(pl.lent[w.f], s.v):
			pl.lent[w.f] = append(pl.lent[w.f], s.v)
		}
	}
}

// checkPools finds the pools that have to keep what they have: nothing of an arena would be in a
// value that does not know it. It tells whether there is one.
func (p *program) checkPools() (found bool) {
	for _, pl := range p.pools {
		if pl.why.stays() {
			continue
		}
		for f, params := range pl.lent {
			if f.reached && !pl.keeps[f] && !p.lends(f, params) {
				pl.keeps[f], found = true, true
			}
		}
		if !p.safe(pl) {
			pl.why, found = whyPackage, true
		}
	}
	if found {
		p.again(nil)
	}
	return found
}

// lends tells whether a function has an arena wherever these parameters may have something of one:
// they lead to it, or all calls are of the second form.
func (p *program) lends(f *function, params []*types.Var) bool {
	if f.carrier != nil {
		return !f.carrier.bare && len(params) == 1 && f.pkg.TypesInfo.Defs[f.through] == params[0]
	}
	if !f.variant() || slices.ContainsFunc(p.taken, func(t taken) bool { return t.f == f }) {
		return false
	}
	for _, g := range p.order {
		if g.reached && slices.ContainsFunc(g.formerCalls(), func(c *call) bool { return c.to == f }) {
			return false
		}
	}
	return true
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

func (p *program) safe(pl *pool) bool {
	if pl.with == nil {
		return false
	}
	for _, s := range pl.gets {
		if s.in.reached {
			if _, why := s.in.where(s.way); why.stays() {
				return false
			}
		}
	}
	for _, f := range p.order {
		if !f.reached {
			continue
		}
		for _, c := range f.calls {
			for _, o := range f.walker.operands(c.expr) {
				// Another carrier may have an arena where the value has none.
				if f.walker.poolOf(o.x) == pl && c.to.carrier != nil && o.param(c.to.obj) != c.to.pkg.TypesInfo.Defs[c.to.through] && len(c.to.storesIn(o)) > 0 && !f.shares(c) {
					return false
				}
			}
		}
		if slices.ContainsFunc(f.formerCalls(), func(c *call) bool { return c.to.returnsPool == pl }) {
			return false
		}
	}
	return true
}

// shares reports whether the function passes its own carrier to a function that it calls, as the
// carrier that holds the callee's arena. What the callee gets from a pool has the same arena.
func (f *function) shares(c *call) bool {
	return f.carrier != nil && f.carrier == c.to.carrier && slices.ContainsFunc(f.walker.operands(c.expr), func(o operand) bool {
		id, ok := ast.Unparen(o.x).(*ast.Ident)
		return ok && o.param(c.to.obj) == c.to.pkg.TypesInfo.Defs[c.to.through] && f.pkg.TypesInfo.Uses[id] == f.pkg.TypesInfo.Defs[f.through] &&
			!f.walker.shared(f.pkg.TypesInfo.Defs[f.through].(*types.Var)) && !f.walker.assigned(f.pkg.TypesInfo.Defs[f.through])
	})
}

// assigned tells whether a statement of the function sets a variable.
func (w *walker) assigned(v types.Object) (found bool) {
	w.assignments(func(to goal, _ ast.Expr) { found = found || to.s.v == v && to.s.field == "" })
	return found
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
	return slices.ContainsFunc(f.sites, func(s *site) bool { return s.pool.ok() != nil })
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
