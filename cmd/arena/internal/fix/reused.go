package fix

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// A struct that is older than the call of a root, such as its receiver, may keep a slice for the
// next call: the field is cut, and grows again in the memory that it has. So that memory stays on
// the heap. What lies in it moves, unless the field may be cut to more than it has: then elements
// of the call before are used again, with all that they lead to.

// findReused finds the fields that keep slices for the next call.
func (p *program) findReused() {
	older := map[*types.Var]bool{}
	seen := map[types.Type]bool{}
	for _, f := range p.order {
		if f.root {
			for _, v := range f.params() {
				p.fieldsOf(v.Type(), seen, older)
			}
		}
	}
	p.reused, p.revived = map[*types.Var]bool{}, map[*types.Var]bool{}
	for _, f := range p.order {
		info := f.pkg.TypesInfo
		sources := sourcesOf(info, f.decl.Body)
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			cut, ok := n.(*ast.SliceExpr)
			if !ok || cut.High == nil || cut.Low != nil && !isZero(info, cut.Low) || !isSlice(info.TypeOf(cut.X)) {
				return true
			}
			fields := fieldsIn(info, cut.X, sources, map[types.Object]bool{})
			isLen := func(c *ast.CallExpr) bool {
				id, ok := ast.Unparen(c.Fun).(*ast.Ident)
				return ok && info.Uses[id] == types.Universe.Lookup("len") && slices.Equal(fields, fieldsIn(info, c.Args[0], sources, map[types.Object]bool{}))
			}
			for _, field := range fields {
				if !older[field] {
					continue
				}
				p.reused[field] = true
				if !shrinks(info, cut.High, sources, isLen, map[types.Object]bool{}) {
					p.revived[field] = true
					p.revive(field.Type().Underlying().(*types.Slice).Elem())
				}
			}
			return true
		})
	}
}

// fieldsOf adds the fields of all structs that values of a type lead to. Of an interface these are
// the types of the program that implement it.
func (p *program) fieldsOf(t types.Type, seen map[types.Type]bool, to map[*types.Var]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Map:
		p.fieldsOf(u.Key(), seen, to)
		p.fieldsOf(u.Elem(), seen, to)
	case interface{ Elem() types.Type }:
		p.fieldsOf(u.Elem(), seen, to)
	case *types.Struct:
		for v := range u.Fields() {
			to[v.Origin()] = true
			p.fieldsOf(v.Type(), seen, to)
		}
	case *types.Interface:
		if u.NumMethods() == 0 {
			return
		}
		for _, n := range p.types() {
			if types.Implements(n, u) || types.Implements(types.NewPointer(n), u) {
				p.fieldsOf(n, seen, to)
			}
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

// sourcesOf returns what variables are set to in a part of a function. One that may be set to
// something else has nil, too.
func sourcesOf(info *types.Info, part ast.Node) map[types.Object][]ast.Expr {
	all := map[types.Object][]ast.Expr{}
	set := func(to, x ast.Expr) {
		id, ok := ast.Unparen(to).(*ast.Ident)
		if !ok {
			return
		}
		v := info.ObjectOf(id)
		if all[v] == nil && v != nil && !(part.Pos() <= v.Pos() && v.Pos() < part.End()) {
			all[v] = []ast.Expr{nil}
		}
		all[v] = append(all[v], x)
	}
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				set(to, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) > 0 {
					set(id, n.Values[min(i, len(n.Values)-1)])
				}
			}
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if to != nil {
					set(to, nil)
				}
			}
		case *ast.IncDecStmt:
			set(n.X, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				set(n.X, nil)
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

// shrinks tells whether the length that something is cut to is one that it has had since it grew:
// none, or what len has returned, less something.
func shrinks(info *types.Info, x ast.Expr, sources map[types.Object][]ast.Expr, isLen func(c *ast.CallExpr) bool, seen map[types.Object]bool) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return shrinks(info, x.X, sources, isLen, seen)
	case *ast.CallExpr:
		return isLen(x)
	case *ast.BinaryExpr:
		return x.Op == token.SUB && shrinks(info, x.X, sources, isLen, seen)
	case *ast.Ident:
		v := info.ObjectOf(x)
		if seen[v] {
			return true
		}
		seen[v] = true
		list := sources[v]
		return len(list) > 0 && !slices.ContainsFunc(list, func(from ast.Expr) bool { return !shrinks(info, from, sources, isLen, seen) })
	}
	return x != nil && isZero(info, x)
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

// keepsField is the same of the name of a field.
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

// covers tells whether a reason is none for what goes to g: it lies in a slice that stays, or comes
// from a field that stays by itself.
func (g goal) covers(why reason) bool {
	return why == whyReused && (g.inner || g.own.stays()) || why == whyRevived && g.own == whyRevived
}
