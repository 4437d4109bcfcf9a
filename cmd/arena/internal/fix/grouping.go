package fix

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// grouping finds the groups in functions.
type grouping struct {
	p    *program
	vars map[*types.Var]*member // that may be in groups
}

// A member is what is known of a variable that may be in a group.
type member struct {
	f      *function  // whose it is
	joined *types.Var // of the same group
	types  map[ast.Expr]*function
	uses   []Line

	broken, read, captured bool // as in a group
}

// findGroups finds the groups of builders.
func (p *program) findGroups() {
	g := &grouping{p, map[*types.Var]*member{}}
	methods, values := p.interfaceMethods(), map[*function]bool{}
	for _, t := range p.taken {
		values[t.f] = true
	}
	for _, f := range p.order {
		name := f.decl.Name.Name
		if f.literal == nil && !f.obj.Exported() && !methods[name] && !p.beside[f.pkg].mentions[name] && !values[f] {
			for v := range f.obj.Signature().Params().Variables() {
				g.frees(f, v)
			}
		}
		w := &walker{p: p, f: f, info: f.pkg.TypesInfo}
		w.inside(f.decl.Body, func(n ast.Node) {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := f.pkg.TypesInfo.Defs[id].(*types.Var); ok && v.Kind() == types.LocalVar {
					g.frees(f, v)
				}
			}
		})
	}
	for _, f := range p.order {
		g.follow(f)
	}
	for pkg, syntax := range p.syntax() { // calls in other places are of other builders
		ast.Inspect(syntax, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, _ := callee(pkg.TypesInfo, c)
			if f == nil || p.funcs[f] == nil {
				return true
			}
			for i := range f.Signature().Params().Len() {
				v := f.Signature().Params().At(i)
				switch {
				case g.vars[v] == nil:
				case len(c.Args) == f.Signature().Params().Len() && pkg.TypesInfo.Types[c.Args[i]].IsNil():
					g.mayBeNil(v)
				case len(c.Args) != f.Signature().Params().Len() || !g.isOne(pkg.TypesInfo, c.Args[i]):
					g.vars[v].broken = true
				}
			}
			return true
		})
	}
	p.groups, p.makers = map[*types.Var]*group{}, map[ast.Expr]*group{}
	by := map[*types.Var]*group{}
	for _, v := range slices.SortedFunc(maps.Keys(g.vars), func(a, b *types.Var) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
		m, first := g.vars[v], g.first(v)
		if by[first] == nil {
			by[first] = &group{types: map[ast.Expr]*function{}, in: map[*function]bool{}, given: map[*function]bool{}}
		}
		gr := by[first]
		gr.vars = append(gr.vars, v)
		gr.uses = append(gr.uses, m.uses...)
		gr.broken, gr.read, gr.captured = gr.broken || m.broken, gr.read || m.read, gr.captured || m.captured
		gr.in[m.f] = true
		if v.Kind() == types.ParamVar {
			gr.given[m.f] = true
		}
		p.groups[v] = gr
		maps.Copy(gr.types, m.types)
		for x := range m.types {
			p.makers[x] = gr
		}
	}
}

// frees notes a variable that may be in a group.
func (g *grouping) frees(f *function, v *types.Var) {
	if v.Name() != "" && isBuilder(pointee(v.Type())) {
		g.vars[v] = &member{f: f, types: map[ast.Expr]*function{}}
	}
}

// interfaceMethods returns the names of the methods of all interfaces in the packages.
func (p *program) interfaceMethods() map[string]bool {
	all := map[string]bool{}
	for _, syntax := range p.syntax() {
		ast.Inspect(syntax, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					for _, id := range m.Names {
						all[id.Name] = true
					}
				}
			}
			return true
		})
	}
	return all
}

// isBuilder tells whether a type is strings.Builder or bytes.Buffer.
func isBuilder(t types.Type) bool {
	name := types.TypeString(t, nil)
	return name == "strings.Builder" || name == "bytes.Buffer"
}

// pointee returns the type that a pointer points at. It returns any other type unchanged.
func pointee(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// made returns the type that an expression writes which makes an empty builder: T{}, &T{} or
// new(T).
func made(info *types.Info, x ast.Expr) ast.Expr {
	if x == nil || info.TypeOf(x) == nil || !isBuilder(pointee(info.TypeOf(x))) {
		return nil
	}
	if lit := literalOf(x); lit != nil && len(lit.Elts) == 0 {
		return lit.Type
	}
	if c, ok := ast.Unparen(x).(*ast.CallExpr); ok && len(c.Args) == 1 && info.Types[c.Args[0]].IsType() {
		if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok && id.Name == "new" {
			return c.Args[0]
		}
	}
	return nil
}

// first returns the variable that stands for all that a variable is joined with.
func (g *grouping) first(v *types.Var) *types.Var {
	for g.vars[v].joined != nil {
		v = g.vars[v].joined
	}
	return v
}

func (g *grouping) join(v, o *types.Var) {
	if v, o = g.first(v), g.first(o); v != o {
		g.vars[v].joined = o
	}
}

// of returns the variable of a group that an expression is, or is the address of, or nil.
func (g *grouping) of(info *types.Info, x ast.Expr) *types.Var {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := info.ObjectOf(id).(*types.Var)
	if g.vars[v] == nil {
		return nil
	}
	return v
}

// isOne tells whether an expression is a pointer to a builder of a group, or makes one.
func (g *grouping) isOne(info *types.Info, x ast.Expr) bool {
	return g.of(info, x) != nil || made(info, x) != nil
}

// mayBeNil notes that a variable may be a nil pointer. A nil *bytes.Buffer has a text.
func (g *grouping) mayBeNil(v *types.Var) {
	if p, ok := types.Unalias(v.Type()).(*types.Pointer); ok && types.TypeString(p.Elem(), nil) == "bytes.Buffer" {
		g.vars[v].broken = true
	}
}

// sets is for a variable that gets the value of an expression, if there is one.
func (g *grouping) sets(f *function, id *ast.Ident, x ast.Expr) {
	info := f.pkg.TypesInfo
	v, _ := info.ObjectOf(id).(*types.Var)
	if g.vars[v] == nil || x == nil {
		return
	}
	_, pointer := v.Type().Underlying().(*types.Pointer)
	switch o := g.of(info, x); {
	case made(info, x) != nil:
		g.writes(f, v, made(info, x))
	case o != nil && pointer:
		g.join(v, o)
	case info.Types[x].IsNil():
		g.mayBeNil(v)
	default:
		g.vars[v].broken = true
	}
}

// writes notes where the type of a variable is written. A name that is declared for it stays.
func (g *grouping) writes(f *function, v *types.Var, x ast.Expr) {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Builder" && sel.Sel.Name != "Buffer" {
		g.vars[v].broken = true
	}
	g.vars[v].types[x] = f
}

// declares is for variables that are declared together, with a type.
func (g *grouping) declares(f *function, names []*ast.Ident, typ ast.Expr) {
	var first *types.Var
	for _, id := range names {
		if v, _ := f.pkg.TypesInfo.Defs[id].(*types.Var); g.vars[v] != nil {
			if first == nil {
				first = v
				typ = ast.Unparen(typ)
				if star, ok := typ.(*ast.StarExpr); ok {
					typ = ast.Unparen(star.X)
				}
				g.writes(f, v, typ)
			}
			g.join(v, first)
		}
	}
	if first != nil && slices.ContainsFunc(names, func(id *ast.Ident) bool { v, _ := f.pkg.TypesInfo.Defs[id].(*types.Var); return g.vars[v] == nil }) {
		g.vars[first].broken = true
	}
}

// follow joins what a function gives from one variable to another, and notes what a builder of
// package arena cannot do.
func (g *grouping) follow(f *function) {
	w := &walker{p: g.p, f: f, info: f.pkg.TypesInfo}
	for _, field := range f.decl.Type.Params.List {
		g.declares(f, field.Names, field.Type)
	}
	w.inside(f.decl.Body, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if n.Type != nil {
				g.declares(f, n.Names, n.Type)
			}
			for _, id := range n.Names {
				if v, _ := w.info.Defs[id].(*types.Var); g.vars[v] != nil && len(n.Values) == 0 {
					g.mayBeNil(v)
				}
			}
			for i, x := range n.Values {
				if len(n.Values) == len(n.Names) {
					g.sets(f, n.Names[i], x)
				}
			}
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := ast.Unparen(x).(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					g.sets(f, id, n.Rhs[i])
				}
			}
		case *ast.CallExpr:
			to, _ := callee(w.info, n)
			if to == nil || to.Signature().Params().Len() != len(n.Args) {
				break
			}
			for i, x := range n.Args {
				if v := to.Signature().Params().At(i); g.vars[v] != nil && made(w.info, x) != nil {
					g.writes(f, v, made(w.info, x))
				}
			}
		case *ast.Ident:
			v, _ := w.info.ObjectOf(n).(*types.Var)
			if g.vars[v] == nil {
				break
			}
			at := g.p.fset.Position(n.Pos())
			g.vars[v].uses = append(g.vars[v].uses, LineOf(f.pkg.PkgPath, at.Filename, at.Line))
			u := use{n, slices.Clone(w.way)}
			if started(u.way, v.Pos()) || slices.ContainsFunc(u.way, isGo) || !g.suits(w, v, u) {
				g.vars[v].broken = true
			}
			g.vars[v].captured = g.vars[v].captured || w.captured([]use{u}, v.Pos())
		}
	})
}

// suits tells whether a builder of package arena has a use of a builder. It joins the variable with
// another one that gets the builder there.
func (g *grouping) suits(w *walker, v *types.Var, u use) bool {
	_, pointer := v.Type().Underlying().(*types.Pointer)
	x, levels := ast.Expr(u.id), 1
	if a, ok := u.parent(1).(*ast.UnaryExpr); ok && !pointer && a.Op == token.AND {
		x, levels, pointer = a, 2, true
	}
	switch p := u.parent(levels).(type) {
	case *ast.SelectorExpr:
		method := w.builderCall(u)
		g.vars[v].read = g.vars[v].read || method == "String"
		return levels == 1 && method != ""
	case *ast.ValueSpec:
		if levels == 1 && slices.Contains(p.Names, u.id) {
			return len(p.Values) == 0 || len(p.Names) == len(p.Values)
		}
		return pointer && len(p.Names) == len(p.Values) && g.into(w, v, p.Names[index(p.Values, x)])
	case *ast.AssignStmt:
		if i := index(p.Lhs, x); i >= 0 && levels == 1 {
			return len(p.Lhs) == len(p.Rhs) && (p.Tok == token.ASSIGN || p.Tok == token.DEFINE)
		}
		i := index(p.Rhs, x)
		return pointer && len(p.Lhs) == len(p.Rhs) && g.into(w, v, p.Lhs[i])
	case *ast.BinaryExpr:
		other := p.X
		if ast.Unparen(p.X) == x {
			other = p.Y
		}
		return pointer && (p.Op == token.EQL || p.Op == token.NEQ) && (g.isOne(w.info, other) || w.info.Types[other].IsNil())
	case *ast.CallExpr:
		if w.isWriting(p, x) {
			return pointer
		}
		i := index(p.Args, x)
		f, _ := callee(w.info, p)
		if f == nil || i < 0 || f.Signature().Params().Len() != len(p.Args) || g.vars[f.Signature().Params().At(i)] == nil {
			return false
		}
		g.join(v, f.Signature().Params().At(i))
		return pointer
	}
	return false
}

// into joins a variable with another one, which is an expression. It tells whether both may be in a
// group.
func (g *grouping) into(w *walker, v *types.Var, x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	o, _ := w.info.ObjectOf(id).(*types.Var)
	if g.vars[o] == nil {
		return false
	}
	g.join(v, o)
	return true
}

// index returns where an expression is in a list, or -1.
func index(list []ast.Expr, x ast.Expr) int {
	return slices.IndexFunc(list, func(y ast.Expr) bool { return ast.Unparen(y) == x })
}
