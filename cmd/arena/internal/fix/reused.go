package fix

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// A struct that is older than the call of a root may keep a slice for the next call. The field is
// cut, and grows again in the memory that it has. So that memory stays on the heap. What lies in it
// moves, unless the field is cut to more than it has: then old elements are used again.

// findOlder finds the fields of structs that may be older than the call of a root. A struct with a
// lock serves several goroutines, and may be a cache. So it is like a variable of a package, unless
// what a root calls makes such a struct.
func (p *program) findOlder() {
	p.older, p.guarded = map[*types.Var]bool{}, map[*types.Var]bool{}
	seen, made := map[types.Type]bool{}, p.made()
	for _, f := range p.order {
		if f.root {
			for _, v := range f.params() {
				p.fieldsOf(v.Type(), seen, made)
			}
		}
	}
}

// made returns the structs of which there are literals in the roots, and in what these call.
func (p *program) made() map[*types.TypeName]bool {
	all := map[*types.TypeName]bool{}
	below := slices.DeleteFunc(slices.Clone(p.order), func(f *function) bool { return !f.root })
	seen := map[*function]bool{}
	for _, f := range below {
		seen[f] = true
	}
	for i := 0; i < len(below); i++ {
		info := below[i].pkg.TypesInfo
		visit(below[i].decl.Body, func(n ast.Node, _ []ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if t := named(info.TypeOf(n)); t != nil {
					all[t.Obj()] = true
				}
			case *ast.Ident:
				obj, ok := info.Uses[n].(*types.Func)
				if !ok {
					break
				}
				calls := []*function{p.funcs[obj.Origin()]}
				if r := obj.Signature().Recv(); r != nil && types.IsInterface(r.Type()) {
					calls = p.implementations(r.Type(), obj)
				}
				for _, g := range calls {
					if g != nil && !seen[g] {
						seen[g] = true
						below = append(below, g)
					}
				}
			}
			return true
		})
	}
	return all
}

// findReused finds the fields that keep slices for the next call.
func (p *program) findReused() {
	p.reused, p.revived = map[*types.Var]bool{}, map[*types.Var]bool{}
	for _, f := range p.order {
		info := f.pkg.TypesInfo
		sources := sourcesOf(info, f.decl.Body)
		visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
			cut, ok := n.(*ast.SliceExpr)
			if !ok || cut.High == nil || cut.Low != nil && !isZero(info, cut.Low) || !isSlice(info.TypeOf(cut.X)) || !(isZero(info, cut.High) || f.grows(way)) {
				return true
			}
			for _, field := range fieldsIn(info, cut.X, sources, map[types.Object]bool{}) {
				if !p.older[field] {
					continue
				}
				p.reused[field] = true
				if extends(info, cut.High) {
					p.revived[field] = true
					p.revive(field.Type().Underlying().(*types.Slice).Elem())
				}
			}
			return true
		})
	}
}

// grows tells whether a slice that is cut at the end of way grows again. It is set to a field, or
// to a variable that is appended to or goes there. Other cuts are read.
func (f *function) grows(way []ast.Node) bool {
	at := len(way) - 1
	for at > 1 {
		if _, ok := way[at-1].(*ast.ParenExpr); !ok {
			break
		}
		at--
	}
	if at < 1 {
		return false
	}
	if n, ok := way[at-1].(*ast.AssignStmt); ok {
		i := slices.Index(n.Rhs, way[at].(ast.Expr))
		if i < 0 || len(n.Lhs) != len(n.Rhs) {
			return false
		}
		id, ok := ast.Unparen(n.Lhs[i]).(*ast.Ident)
		if !ok {
			return true
		}
		found := false
		visit(f.decl.Body, func(use ast.Node, way []ast.Node) bool {
			other, ok := use.(*ast.Ident)
			if ok && f.pkg.TypesInfo.Uses[other] == f.pkg.TypesInfo.ObjectOf(id) && other != id {
				switch n := way[len(way)-2].(type) {
				case *ast.CallExpr:
					found = found || f.walker.isBuiltin(n, "append") && n.Args[0] == other
				case *ast.AssignStmt:
					found = found || slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { _, name := ast.Unparen(x).(*ast.Ident); return !name })
				}
			}
			return true
		})
		return found
	}
	return false
}

// fieldsOf adds the fields of all structs that values of a type lead to. Of an interface these are
// the types of the program that implement it.
func (p *program) fieldsOf(t types.Type, seen map[types.Type]bool, made map[*types.TypeName]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Map:
		p.fieldsOf(u.Key(), seen, made)
		p.fieldsOf(u.Elem(), seen, made)
	case interface{ Elem() types.Type }:
		p.fieldsOf(u.Elem(), seen, made)
	case *types.Struct:
		n := named(t)
		guarded := locks(t) && (n == nil || !made[n.Obj()])
		for v := range u.Fields() {
			p.older[v.Origin()] = true
			p.guarded[v.Origin()] = guarded
			p.fieldsOf(v.Type(), seen, made)
		}
	case *types.Interface:
		if u.NumMethods() == 0 {
			return
		}
		for _, n := range p.types() {
			if types.Implements(n, u) || types.Implements(types.NewPointer(n), u) {
				p.fieldsOf(n, seen, made)
			}
		}
		for _, n := range p.others(u) {
			p.fieldsOf(n, seen, made)
		}
	}
}

// revive adds the fields of the elements of a slice, as far as they lie in it.
func (p *program) revive(t types.Type) {
	switch t := t.Underlying().(type) {
	case *types.Array:
		p.revive(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			p.revived[v.Origin()] = true
			p.revive(v.Type())
		}
	}
}

// sourcesOf returns what variables are set to in a part of a function.
func sourcesOf(info *types.Info, part ast.Node) map[types.Object][]ast.Expr {
	all := map[types.Object][]ast.Expr{}
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if id, ok := ast.Unparen(to).(*ast.Ident); ok {
					all[info.ObjectOf(id)] = append(all[info.ObjectOf(id)], n.Rhs[min(i, len(n.Rhs)-1)])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) > 0 {
					all[info.Defs[id]] = append(all[info.Defs[id]], n.Values[min(i, len(n.Values)-1)])
				}
			}
		}
		return true
	})
	return all
}

// fieldsIn returns the fields that a slice may be, or may be cut from.
func fieldsIn(info *types.Info, x ast.Expr, sources map[types.Object][]ast.Expr, seen map[types.Object]bool) (all []*types.Var) {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if v, ok := info.Uses[x.Sel].(*types.Var); ok && v.IsField() {
			return []*types.Var{v.Origin()}
		}
	case *ast.ParenExpr:
		return fieldsIn(info, x.X, sources, seen)
	case *ast.SliceExpr:
		return fieldsIn(info, x.X, sources, seen)
	case *ast.StarExpr: // of a pointer to a field
		return fieldsIn(info, x.X, sources, seen)
	case *ast.UnaryExpr:
		return fieldsIn(info, x.X, sources, seen)
	case *ast.Ident:
		v := info.ObjectOf(x)
		if seen[v] {
			return nil
		}
		seen[v] = true
		for _, from := range sources[v] {
			all = append(all, fieldsIn(info, from, sources, seen)...)
		}
	}
	return all
}

// extends tells whether a length may be more than a slice has had since it grew: a sum, or the
// capacity.
func extends(info *types.Info, high ast.Expr) (found bool) {
	ast.Inspect(high, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			found = found || n.Op == token.ADD
		case *ast.Ident:
			found = found || info.Uses[n] == types.Universe.Lookup("cap")
		}
		return true
	})
	return found
}

func isZero(info *types.Info, x ast.Expr) bool {
	v := info.Types[x].Value
	return v != nil && v.Kind() == constant.Int && constant.Sign(v) == 0
}

// keepsPlace returns why what the place x is set to stays, because the place is a field of an older
// struct.
func (w *walker) keepsPlace(x ast.Expr) reason {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		return w.keepsField(x.Sel)
	case *ast.IndexExpr:
		if w.keepsPlace(x.X) == whyRevived {
			return whyRevived
		}
	case *ast.StarExpr:
		return w.keepsPlace(x.X)
	}
	return moves
}

// keepsField is keepsPlace for the field that id names.
func (w *walker) keepsField(id *ast.Ident) reason {
	v, ok := w.info.Uses[id].(*types.Var)
	switch {
	case !ok || !v.IsField():
	case w.p.revived[v.Origin()]:
		return whyRevived
	case w.p.reused[v.Origin()]:
		return whyReused
	}
	return moves
}

// covers tells whether what goes to g may ignore a reason. It may if it lies in a slice that stays,
// or if it comes from a field that stays by itself.
func (g goal) covers(why reason) bool {
	return why == whyReused && (g.inner || g.own.stays()) || why == whyRevived && g.own == whyRevived
}
