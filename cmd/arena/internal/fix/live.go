package fix

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// A call through an interface may call the methods of each type of the program that implements it.
// But a function that runs below a root only meets values that other such functions have made, or
// that come from outside: a parameter of a root, a variable of a package, a result of a library. So
// a method counts there if its type is live: one of these functions names the type, or a value from
// outside may have it. This is rapid type analysis, which needs no whole program. Functions that
// are given a carrier count as roots, and so do their callers: they may run later.

// A liveness finds the functions that may run with an arena, or with what lies in one.
type liveness struct {
	p         *program
	todo      []func()
	mentioned typeutil.Map       // types that live functions name
	outside   typeutil.Map       // types of values from outside
	entries   map[*function]bool // roots, and what counts as one
	literals  []taken            // all function literals, and what they are in
}

// findLive marks the functions that may run with an arena, and has these forget calls of others.
// The structs that names name are carriers.
func (p *program) findLive(names []string) {
	l := &liveness{p: p, entries: map[*function]bool{}}
	for _, f := range p.order {
		if id := f.given(p.structs); id != nil {
			c := p.structs[named(f.pkg.TypesInfo.Defs[id].Type()).Obj()]
			c.served = append(c.served, f)
		}
		f.builds(p.structs)
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				l.literals = append(l.literals, taken{f, f.pkg.TypesInfo.TypeOf(lit)})
			}
			return true
		})
	}
	for _, f := range p.order {
		if f.root {
			l.enter(f)
		}
	}
	for pkg, syntax := range p.syntax() {
		for _, d := range syntax.Decls { // of which nothing else is known
			if d, ok := d.(*ast.FuncDecl); ok && p.method(pkg.TypesInfo.Defs[d.Name]) == nil {
				l.read(pkg.TypesInfo, d)
			}
		}
	}
	l.run()
	repeated, unkeyed, seen, constructed := p.repeated(), p.unkeyed(), p.seen(), p.constructed()
	for n := -1; n != len(l.entries); {
		n = len(l.entries)
		for obj, c := range p.structs {
			if !c.candidate && (unkeyed[c] || seen[obj] || unsuited(c.typ).stays() || !l.mayCarry(obj, c, names, repeated, constructed)) {
				continue
			}
			c.candidate = true
			for _, f := range c.served {
				l.enter(f)
			}
		}
		for _, f := range p.order {
			if slices.ContainsFunc(slices.Concat(f.calls, f.other, f.formers), func(c *call) bool {
				id := c.to.given(p.structs)
				return id != nil && p.structs[named(c.to.pkg.TypesInfo.Defs[id].Type()).Obj()].candidate
			}) {
				l.enter(f)
			}
		}
		l.run()
	}
	for _, f := range p.order {
		if f.live {
			dead := func(c *call) bool { return c.dispatch != nil && c.dispatch.method != nil && !c.to.live }
			f.calls, f.other = slices.DeleteFunc(f.calls, dead), slices.DeleteFunc(f.other, dead)
		}
	}
}

// mayCarry tells whether a struct may become a carrier: see carriers.
func (l *liveness) mayCarry(obj *types.TypeName, c *carrier, names []string, repeated map[*function]bool, constructed map[*types.TypeName]bool) bool {
	if len(c.served) == 0 {
		return false
	}
	asked := slices.ContainsFunc(names, func(name string) bool { return isNamed(obj.Pkg(), obj.Name(), name) })
	if !constructed[obj] && !asked && l.p.comesToRoot(obj) {
		return false
	}
	c.elsewhere = constructed[obj] || asked
	for _, f := range c.served {
		r := f.obj.Signature().Recv()
		c.elsewhere = c.elsewhere || f.root && r != nil && named(r.Type()).Obj() == obj
	}
	if c.elsewhere {
		return true
	}
	if len(c.served) < fewest {
		return false
	}
	made := false
	for _, b := range c.builds {
		if b.f.live && repeated[b.f] {
			return false
		}
		made = made || b.f.live
	}
	for _, pl := range l.p.pools {
		c.elsewhere = c.elsewhere || pl.typ == obj
	}
	for outer := range l.p.structs {
		for v := range outer.Type().Underlying().(*types.Struct).Fields() {
			c.elsewhere = c.elsewhere || types.Identical(v.Type(), obj.Type()) && l.mentioned.At(outer.Type()) != nil
		}
	}
	return made || c.elsewhere
}

// run reads functions until none is left.
func (l *liveness) run() {
	for len(l.todo) > 0 {
		next := l.todo[len(l.todo)-1]
		l.todo = l.todo[:len(l.todo)-1]
		next()
	}
}

// add has a function be live.
func (l *liveness) add(f *function) {
	if f != nil && !f.live {
		f.live = true
		l.todo = append(l.todo, func() { l.read(f.pkg.TypesInfo, f.decl) })
		for v := range f.obj.Signature().Results().Variables() {
			l.mention(v.Type())
		}
		for _, v := range f.params() {
			l.mention(v.Type())
		}
	}
}

// enter adds a function that is called from outside.
func (l *liveness) enter(f *function) {
	if l.entries[f] {
		return
	}
	l.entries[f] = true
	l.add(f)
	for _, v := range f.params() {
		l.from(v.Type())
	}
}

// read adds what a part of the sources names.
func (l *liveness) read(info *types.Info, part ast.Node) {
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			for t := range info.Instances[n].TypeArgs.Types() {
				l.mention(t)
			}
			switch obj := info.ObjectOf(n).(type) {
			case *types.Func:
				l.add(l.p.method(obj))
			case *types.Var:
				l.mention(obj.Type())
				if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
					l.from(obj.Type())
				}
			}
		case *ast.FuncLit: // which may be one of its own
			for _, t := range l.p.taken {
				if t.f.literal == n {
					l.add(t.f)
				}
			}
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				l.from(info.TypeOf(n.Type))
			}
		case *ast.CaseClause:
			for _, x := range n.List {
				if info.Types[x].IsType() {
					l.from(info.TypeOf(x))
				}
			}
		case *ast.CallExpr:
			l.call(info, n)
		}
		if x, ok := n.(ast.Expr); ok && info.TypeOf(x) != nil {
			l.mention(info.TypeOf(x))
		}
		return true
	})
}

// call adds what a library may return, or store in an argument.
func (l *liveness) call(info *types.Info, c *ast.CallExpr) {
	if info.Types[c.Fun].IsType() {
		if b, ok := info.TypeOf(c.Args[0]).Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
			l.from(info.TypeOf(c))
		}
		return
	}
	f, _ := callee(info, c)
	if f == nil || f.Pkg() == nil || l.p.funcs[f] != nil {
		return
	}
	l.from(info.TypeOf(c))
	for _, x := range c.Args {
		t := info.TypeOf(x)
		if p, ok := t.Underlying().(*types.Pointer); !isStandard(f.Pkg().Path()) || ok && types.IsInterface(p.Elem()) {
			l.from(t)
		}
	}
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && !isStandard(f.Pkg().Path()) && info.Selections[sel] != nil {
		l.from(info.TypeOf(sel.X))
	}
}

// mention adds the methods of the types that a type is made of.
func (l *liveness) mention(t types.Type) {
	if l.mentioned.Set(t, true) != nil {
		return
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		for m := range n.Origin().Methods() {
			l.add(l.p.funcs[m])
		}
		for arg := range n.TypeArgs().Types() {
			l.mention(arg)
		}
	}
	madeOf(t, l.mention)
}

// from adds the types that a value from outside may have, or lead to.
func (l *liveness) from(t types.Type) {
	if t == nil || l.outside.Set(t, true) != nil {
		return
	}
	l.mention(t)
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if u.NumMethods() == 0 { // until it is asserted to be something
			return
		}
		for _, n := range l.p.types() {
			if types.Implements(n, u) || types.Implements(types.NewPointer(n), u) {
				l.from(n)
			}
		}
		for _, n := range l.p.others(u) {
			l.from(n)
		}
	case *types.Signature:
		for _, other := range slices.Concat(l.p.taken, l.literals) {
			if types.Identical(other.t, u) {
				l.enter(other.f)
			}
		}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		for arg := range n.TypeArgs().Types() {
			l.from(arg)
		}
	}
	madeOf(t, l.from)
}

// madeOf calls f for the types that a type is made of. Of a function these are its parameters, too:
// it may store something there.
func madeOf(t types.Type, f func(types.Type)) {
	switch u := t.Underlying().(type) {
	case *types.Map:
		f(u.Key())
		f(u.Elem())
	case *types.Signature:
		f(u.Params())
		f(u.Results())
	case *types.Tuple:
		for v := range u.Variables() {
			f(v.Type())
		}
	case *types.Struct:
		for v := range u.Fields() {
			f(v.Type())
		}
	case interface{ Elem() types.Type }:
		f(u.Elem())
	}
}
