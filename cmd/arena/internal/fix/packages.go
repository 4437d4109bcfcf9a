package fix

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// What a function stores in something that belongs to a variable of a package stays on the heap. So
// a function notes which of its variables may lead there, or which of their fields, and tells
// callers: which results do, and in which parameters it stores what does.

// A fieldSet has the fields of a value that may lead to what belongs to variables of packages, and
// in which something can be stored: "" is the value itself, and elements anything inside it.
type fieldSet map[string]bool

// newFieldSets returns none, for each result of a function.
func newFieldSets(sig *types.Signature) (all []fieldSet) {
	for range sig.Results().Len() {
		all = append(all, fieldSet{})
	}
	return all
}

// add adds other, and tells whether that was new.
func (p fieldSet) add(other fieldSet) bool {
	n := len(p)
	maps.Copy(p, other)
	return len(p) != n
}

// of returns the parts of a field of the value, or of its elements.
func (p fieldSet) of(field string) fieldSet {
	switch {
	case p[""] || p[field] || p[elements]:
		return fieldSet{"": true}
	case p[field+elements]:
		return fieldSet{elements: true}
	}
	return nil
}

// with returns the spot of what lies in the field of what s refers to.
func (s spot) with(field string) spot {
	switch s.field {
	case "":
		s.field = field
	case elements:
	default:
		s.field += elements
	}
	return s
}

// packaged computes what of the local variables may belong to variables of packages, and what
// callers have to know of that. It tells whether the latter is new.
func (w *walker) packaged() (changed bool) {
	f := w.f
	more := true
	mark := func(s spot) {
		if s.v != nil && !w.ofPackages[s] {
			w.ofPackages[s], more = true, true
		}
	}
	lends := func(x ast.Expr) { // what a literal, or the variable x, is called with
		for _, lit := range w.closures(x) {
			for v := range w.info.TypeOf(lit).(*types.Signature).Params().Variables() {
				if holds(v.Type()) {
					mark(spot{v, ""})
				}
			}
		}
	}
	inside := func(x ast.Expr) { // what is stored in the value of x lies behind a variable there
		ast.Inspect(x, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok && holds(w.info.TypeOf(x)) {
				if s, ok := w.spotOf(x); ok {
					mark(s.with(elements))
					mark(s)
					return false
				}
			}
			return true
		})
	}
	for more {
		more = false
		w.assignments(func(to goal, x ast.Expr) {
			if to.s.v == nil {
				return
			}
			whole := to.s.field == ""
			if from, ok := w.spotOf(x); ok && whole && shares(to.s.v.Type()) && w.hasPackage(to.s.v) {
				mark(spot{from.v, cmp.Or(from.field, elements)})
			}
			p := w.partsOf(x, to.result)
			switch {
			case len(p) == 0:
			case whole:
				for field := range p {
					mark(spot{to.s.v, field})
				}
			case to.inside || !p[""]:
				mark(to.s.with(elements))
			default:
				mark(to.s)
			}
		})
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				sig := w.info.TypeOf(n).(*types.Signature)
				if w.packagedIn[n] == nil {
					w.packagedIn[n] = newFieldSets(sig)
				}
				for i, p := range w.packagedIn[n] {
					more = p.add(w.returned(n.Body, sig, i)) || more
				}
			case *ast.RangeStmt:
				if len(w.partsOf(n.X, every).of(elements)) == 0 && !w.yields(n.X) {
					break
				}
				for _, to := range []ast.Expr{n.Key, n.Value} {
					if to != nil && refers(w.info.TypeOf(to)) {
						to, _ := w.spotOf(to)
						mark(to)
					}
				}
			case *ast.SelectorExpr: // a method value, which may be called
				if g := w.functionOf(n); g != nil && w.info.Selections[n] != nil {
					if s, ok := w.spotOf(n.X); ok {
						for _, in := range spotsOf(g.fills, g.obj.Signature().Recv()) {
							mark(s.with(in.field))
						}
					}
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					_, ok := w.spotOf(to)
					if x := n.Rhs[min(i, len(n.Rhs)-1)]; !ok && !w.global(to) && len(w.partsOf(x, resultOf(i, len(n.Lhs), n.Rhs))) > 0 {
						inside(to)
					}
				}
			case *ast.SendStmt:
				if s, ok := w.spotOf(n.Chan); ok && len(w.partsOf(n.Value, every)) > 0 {
					mark(s)
				}
			case *ast.CallExpr:
				more = w.show(n, mark) || more
				if w.info.Types[n.Fun].IsType() {
					break
				}
				if w.isBuiltin(n, "panic") && len(w.partsOf(n.Args[0], every)) > 0 && !w.p.panics {
					w.p.panics, changed = true, true
					w.p.again(nil)
				}
				list := w.operands(n)
				var with []operand // that have parts
				for _, o := range list {
					if len(w.partsOf(o.x, every)) > 0 {
						with = append(with, o)
					}
				}
				if len(with) > 0 {
					for _, x := range n.Args { // a literal may be called with other arguments
						lends(x)
					}
				}
				for _, o := range list {
					if !nestsHolder(w.info.TypeOf(o.x)) {
						continue
					}
					p := w.filled(n, o, with)
					s, ok := w.spotOf(o.x)
					if !ok && len(p) > 0 {
						inside(o.x)
					}
					for field := range p {
						if mark(s.with(field)); field == elements && isAddress(o.x) {
							mark(s)
						}
					}
				}
			}
			return true
		})
	}
	changed = w.tell(f, f.decl.Body) || changed
	for lit, g := range w.kept {
		if w.tell(g, lit.Body) {
			changed = true
			w.p.again(g)
		}
	}
	if len(f.packaged) > 0 && w.showsYield() {
		changed = f.packaged[0].add(fieldSet{"": true}) || changed
	}
	return changed
}

// nestsHolder tells whether something lies in what values of a type refer to in which something can
// be stored. Copies of text do not make a list a part of another one.
func nestsHolder(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return holds(u.Key()) || holds(u.Elem())
	case *types.Slice:
		return holds(u.Elem())
	case *types.Pointer:
		return holds(u.Elem())
	case *types.Array:
		return nestsHolder(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if nestsHolder(v.Type()) {
				return true
			}
		}
		return false
	}
	return holds(t)
}

// tell notes what callers have to know of the function, or of a literal in it, whose body that is.
// It tells whether something is new.
func (w *walker) tell(f *function, body *ast.BlockStmt) (changed bool) {
	for i := range f.packaged {
		changed = f.packaged[i].add(w.returned(body, f.obj.Signature(), i)) || changed
	}
	for _, v := range f.params() {
		for s := range w.ofPackages {
			if s.v == v && s.field != "" && !f.fills[s] {
				f.fills[s], changed = true, true
			}
		}
	}
	return changed
}

// returned returns the parts of a result of a function, or of a literal in it, whose body and
// signature these are.
func (w *walker) returned(body *ast.BlockStmt, sig *types.Signature, result int) fieldSet {
	all := fieldSet{}
	if v := sig.Results().At(result); v.Name() != "" {
		all.add(w.partsIn(v))
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if n := n.Results; len(n) == sig.Results().Len() {
				all.add(w.partsOf(n[result], every))
			} else if len(n) > 0 {
				all.add(w.partsOf(n[0], result))
			}
		}
		return true
	})
	return all
}

// filled returns the parts that a call stores in an operand, if those in list are the operands that
// have some.
func (w *walker) filled(c *ast.CallExpr, o operand, list []operand) fieldSet {
	all := fieldSet{}
	targets, known := w.targets(c)
	if w.isValue(c.Fun) {
		targets, known = slices.Clone(w.p.mayBeTaken(w.info.TypeOf(c.Fun))), true
		for _, v := range w.p.called {
			if types.Identical(v.t, w.info.TypeOf(c.Fun).Underlying()) {
				w.p.reads(v.f)
				targets = append(targets, v.f)
			}
		}
	}
	for _, g := range targets {
		for _, in := range spotsOf(g.fills, o.param(g.obj)) {
			all[in.field] = true
		}
		for _, in := range g.storesIn(o) {
			for _, other := range list {
				t := w.info.TypeOf(other.x)
				if r := g.obj.Signature().Recv(); r != nil && other.index < 0 {
					t = r.Type()
				}
				if other.x == o.x || !w.p.holds(t) {
					continue
				}
				for _, leaf := range g.stores[in] {
					if (leaf == nil || w.p.holds(leaf)) && w.p.mayPut(g, other, in, t, leaf, false) {
						all.add(placed(in, leaf, g.deep[in]))
					}
				}
			}
		}
	}
	for _, other := range list {
		if other.x != o.x && slices.ContainsFunc(targets, func(g *function) bool { return w.p.mayGive(g.handedTo(other)...) }) {
			all[elements] = true
		}
		if other.x != o.x && (!known || w.isOfErrors(c)) && !w.isPut(c) && !w.copies(c, other) && w.mayStore(c, o, &other) {
			all[elements] = true
		}
	}
	return all
}

// placed returns the fields in which something may lie that is stored in a place of the type leaf,
// in a parameter or in its field.
func placed(in spot, leaf types.Type, deep bool) fieldSet {
	all := fieldSet{}
	if s := structOf(in.v.Type()); s != nil && in.field == "" && !deep {
		for v := range s.Fields() {
			if leaf == nil || slices.ContainsFunc(leafTypes(v.Type()), func(t types.Type) bool { return t == nil || types.Identical(t, leaf) }) {
				all[v.Name()] = true
			}
		}
	}
	if len(all) == 0 {
		all[cmp.Or(in.field, elements)] = true
	}
	return all
}

// placedIn returns the fields in which something may lie that the function stores in a parameter,
// or in its field.
func (f *function) placedIn(in spot) fieldSet {
	all := fieldSet{}
	for _, leaf := range f.stores[in] {
		all.add(placed(in, leaf, f.deep[in]))
	}
	return all
}

// shares tells whether a copy of a value of type t refers to the same memory by itself.
func shares(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array, *types.Tuple:
		return false
	}
	return holds(t)
}

// hasPackage tells whether something that may belong to a variable of a package is stored in what a
// local variable refers to.
func (w *walker) hasPackage(v *types.Var) bool {
	for s := range w.ofPackages {
		if s.v == v && s.field != "" {
			return true
		}
	}
	return false
}

// ofPackage tells whether the value of x may refer to what belongs to a variable of a package, and
// in which something can be stored.
func (w *walker) ofPackage(x ast.Expr) bool { return w.partsOf(x, every)[""] }

// partsIn returns the parts of a local variable.
func (w *walker) partsIn(v *types.Var) fieldSet {
	all := fieldSet{}
	for s := range w.ofPackages {
		if s.v == v {
			all[s.field] = true
		}
	}
	return all
}

// partsOf returns the parts of x, or of one of its results if it is a call.
func (w *walker) partsOf(x ast.Expr, result int) fieldSet {
	x = ast.Unparen(x)
	if a, ok := x.(*ast.TypeAssertExpr); ok && a.Type == nil { // of a type switch
		return w.partsOf(a.X, every)
	}
	t := w.info.TypeOf(x)
	if list, ok := t.(*types.Tuple); ok && 0 <= result && result < list.Len() {
		t = list.At(result).Type()
	}
	if !w.p.holds(t) { // text, of which nothing can become a part
		return nil
	}
	if w.global(x) {
		if w.isBlank(x) {
			return nil
		}
		return fieldSet{"": true}
	}
	if f := w.functionOf(x); f != nil {
		if _, ok := x.(*ast.SelectorExpr); !ok || w.info.Selections[x.(*ast.SelectorExpr)] == nil {
			return f.anyPart()
		}
	}
	all := fieldSet{}
	if lit := literalOf(x); lit != nil {
		isStruct := ofStruct(w.info, lit)
		for i, e := range lit.Elts {
			field := fieldOf(w.info, lit, i)
			if p := w.partsOf(valueOf(e), every); len(p) > 0 {
				if isStruct && !p[""] {
					field += elements
				}
				all[field] = true
			}
		}
		return all
	}
	switch x := x.(type) {
	case *ast.FuncLit:
		for _, p := range w.packagedIn[x] {
			if len(p) > 0 {
				all[""] = true
			}
		}
	case *ast.Ident:
		if v, ok := w.info.Uses[x].(*types.Var); ok {
			return w.partsIn(v)
		}
	case *ast.SelectorExpr:
		p := promoted(w.partsOf(x.X, every), w.info.Selections[x])
		if v, ok := w.info.Uses[x.Sel].(*types.Var); ok && v.IsField() {
			if v.Embedded() && len(p) > 0 && len(p.of(v.Name())) == 0 { // p may have the names of its fields
				return fieldSet{elements: true}
			}
			return p.of(v.Name())
		}
		return p // a method
	case *ast.IndexExpr:
		return w.partsOf(x.X, every).of(elements)
	case *ast.CallExpr:
		w.partsOfCall(x, t, result, all)
	default:
		if in := outer(x); in != nil {
			return w.partsOf(in, every)
		}
	}
	return all
}

// promoted adds to what p has what it has in the embedded fields that a selection goes through.
func promoted(p fieldSet, s *types.Selection) fieldSet {
	if s == nil || len(s.Index()) < 2 || len(p) == 0 {
		return p
	}
	in, t := p, s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		v := structOf(t).Field(i)
		in, t = in.of(v.Name()), v.Type()
	}
	all := maps.Clone(p)
	all.add(in)
	return all
}

// functionOf returns the function of the program that x names, or nil.
func (w *walker) functionOf(x ast.Expr) *function {
	switch e := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.IndexListExpr:
		x = e.X
	}
	if f, ok := w.info.Uses[nameOf(x)].(*types.Func); ok {
		g := w.p.funcs[f.Origin()]
		w.p.reads(g)
		return g
	}
	return nil
}

// anyPart returns the parts of a value that is the function.
func (f *function) anyPart() fieldSet {
	for _, p := range f.packaged {
		if len(p) > 0 {
			return fieldSet{"": true}
		}
	}
	return nil
}

// partsOfCall adds the parts of the result, of type t, of a call.
func (w *walker) partsOfCall(c *ast.CallExpr, t types.Type, result int, all fieldSet) {
	switch name := w.builtinOf(c); {
	case w.info.Types[c.Fun].IsType():
		all.add(w.partsOf(c.Args[0], every))
		return
	case name == "append":
		all.add(w.partsOf(c.Args[0], every))
		for _, x := range c.Args[1:] {
			if len(w.partsOf(x, every)) > 0 {
				all[elements] = true
			}
		}
		return
	case name == "recover":
		if w.p.panics {
			all[""] = true
		}
		return
	}
	if w.poolOf(c) != nil {
		return
	}
	for _, lit := range w.closures(c.Fun) {
		for i, p := range w.packagedIn[lit] {
			if result == every || i == result {
				all.add(p)
			}
		}
	}
	if w.isValue(c.Fun) && len(w.partsOf(c.Fun, every)) > 0 {
		list := w.p.mayBeTaken(w.info.TypeOf(c.Fun))
		if len(list) == 0 || w.p.isMade(w.info, c.Fun) || slices.ContainsFunc(list, func(g *function) bool { return len(g.anyPart()) > 0 }) {
			all[""] = true
		}
	}
	targets, known := w.targets(c)
	for _, g := range targets {
		for i, p := range g.packaged {
			if result == every || i == result {
				all.add(p)
			}
		}
	}
	for _, o := range w.operands(c) {
		sub := w.partsOfOperand(c, o)
		if len(sub) == 0 {
			continue
		}
		from := w.info.TypeOf(o.x)
		switch {
		case !known && o.index < 0, // of a Pool, or a Map
			len(targets) == 0 && o.index >= 0 && (w.returnsPart(c, o) || w.isOfErrors(c)),
			w.isValue(c.Fun) && w.p.leads(from, t),
			slices.ContainsFunc(targets, func(g *function) bool { return w.p.mayGive(g.handedTo(o)...) }):
			all[""] = true
			continue
		}
		for _, g := range targets {
			from := from
			if _, ok := from.(*types.Tuple); ok || o.index < 0 && types.IsInterface(from) {
				from = o.param(g.obj).Type()
			}
			direct := ofResult(g.directs, result)
			for r := range g.returned(result) {
				switch {
				case r.v == nil || r.v != o.param(g.obj):
				case !direct[r]:
					all[elements] = true
				case !w.p.leads(from, t):
				case r.field != "":
					all.add(sub.of(r.field))
				case sub[""] || types.AssignableTo(from, t) || types.AssignableTo(t, from):
					all.add(sub)
				case slices.ContainsFunc(slices.Collect(maps.Keys(sub)), func(field string) bool { return w.p.fieldLeads(from, field, t) }):
					all[""] = true
				}
			}
		}
	}
}

// partsOfOperand returns the parts of an operand of a call. A receiver may be an embedded field.
func (w *walker) partsOfOperand(c *ast.CallExpr, o operand) fieldSet {
	p := w.partsOf(o.x, every)
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && o.index < 0 {
		return promoted(p, w.info.Selections[sel])
	}
	return p
}

// isAddress tells whether x is &v.
func isAddress(x ast.Expr) bool {
	u, ok := ast.Unparen(x).(*ast.UnaryExpr)
	return ok && u.Op == token.AND
}

// isOfErrors tells whether a call is one of package errors, which takes errors out of others.
func (w *walker) isOfErrors(c *ast.CallExpr) bool {
	f, _ := callee(w.info, c)
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "errors"
}

// yields tells whether x is a function that calls another with what belongs to a variable of a
// package.
func (w *walker) yields(x ast.Expr) bool {
	if f := w.functionOf(x); f != nil && len(f.shows) > 0 {
		return true
	}
	found := false
	for _, lit := range w.closures(x) {
		ast.Inspect(lit.Body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && w.isValue(c.Fun) {
				found = found || slices.ContainsFunc(c.Args, func(x ast.Expr) bool { return len(w.partsOf(x, every)) > 0 })
			}
			return !found
		})
	}
	return found
}

// mayGive tells whether a function of one of these types may return what belongs to a variable of a
// package, or store that in what it is called with.
func (p *program) mayGive(any ...types.Type) bool {
	return slices.ContainsFunc(any, func(t types.Type) bool {
		all := p.mayBeTaken(t)
		return len(all) == 0 || slices.ContainsFunc(all, func(g *function) bool { return g.captures || len(g.fills) > 0 || len(g.anyPart()) > 0 })
	})
}

// handedTo returns the types of the functions that g calls and that an operand leads to.
func (f *function) handedTo(o operand) (all []types.Type) {
	for _, in := range f.handsIn(o) {
		all = append(all, f.hands[in]...)
	}
	return all
}

// isMade tells whether a function is in a variable of a package that is set to a call's result.
func (p *program) isMade(info *types.Info, fun ast.Expr) bool {
	v, ok := info.Uses[nameOf(fun)].(*types.Var)
	if !ok {
		return false
	}
	for _, pkg := range p.pkgs {
		for _, init := range pkg.TypesInfo.InitOrder {
			if _, ok := ast.Unparen(init.Rhs).(*ast.CallExpr); ok && slices.Contains(init.Lhs, v) {
				return true
			}
		}
	}
	return false
}

// holds tells what the function of that name tells, but errors hold nothing: programs do not store
// in them, unless a variable of a package has one that they could.
func (p *program) holds(t types.Type) bool {
	if !holds(t) || isError(t) && !p.errors {
		return false
	}
	n := named(t)
	return n == nil || n.Obj().Pkg() == nil || !slices.Contains(quietTypes, n.Obj().Pkg().Path()+"."+n.Obj().Name())
}

// findErrors tells whether a variable of a package is made with an error in which the program could
// store something.
func (p *program) findErrors() {
	for _, pkg := range p.pkgs {
		for _, init := range pkg.TypesInfo.InitOrder {
			if init.Lhs[0].Name() == "_" {
				continue
			}
			ast.Inspect(init.Rhs, func(n ast.Node) bool {
				if x, ok := n.(ast.Expr); ok {
					if t := pkg.TypesInfo.TypeOf(x); t != nil && isError(t) && holds(t) && !types.IsInterface(t) {
						p.errors = true
					}
				}
				_, lit := n.(*ast.FuncLit)
				return !lit
			})
		}
	}
}

// fieldLeads tells whether the field of a struct may lead to a value of a type.
func (p *program) fieldLeads(from types.Type, field string, to types.Type) bool {
	if s := structOf(from); s != nil {
		for v := range s.Fields() {
			if v.Name() == strings.TrimSuffix(field, elements) {
				return p.leads(v.Type(), to)
			}
		}
	}
	return true
}

// leads tells whether what values of a type refer to may have a value of another type in it, or
// what that points at.
func (p *program) leads(from, to types.Type) bool {
	if ptr, ok := to.Underlying().(*types.Pointer); ok {
		to = ptr.Elem()
	}
	if isFunc(to) { // such as an iterator
		return true
	}
	seen := map[types.Type]bool{}
	var look func(t types.Type) bool
	look = func(t types.Type) bool {
		if types.Identical(t, to) {
			return true
		}
		if seen[t] {
			return false
		}
		seen[t] = true
		switch t := t.Underlying().(type) {
		case *types.Interface:
			return types.AssignableTo(to, t) || types.AssignableTo(types.NewPointer(to), t) || types.IsInterface(to)
		case *types.Signature:
			return p.mayGive(t) && slices.ContainsFunc(slices.Collect(t.Results().Variables()), func(v *types.Var) bool { return look(v.Type()) })
		case *types.Chan: // what is in it belongs to whoever receives it
		case *types.Map:
			return look(t.Elem()) || look(t.Key())
		case interface{ Elem() types.Type }:
			return look(t.Elem())
		case *types.Struct:
			for v := range t.Fields() {
				if look(v.Type()) {
					return true
				}
			}
		}
		return false
	}
	return types.TypeString(from, nil) == "context.Context" || look(from)
}

// embedded tells whether a place is a field of what is embedded by a pointer in a local variable,
// and may belong to a variable of a package.
func (w *walker) embedded(x ast.Expr) bool {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s := w.info.Selections[sel]
	from, ok := w.spotOf(sel.X)
	if s == nil || !ok || len(s.Index()) < 2 {
		return false
	}
	first := structOf(s.Recv()).Field(s.Index()[0])
	return refers(first.Type()) && w.ofPackages[spot{from.v, cmp.Or(from.field, first.Name())}]
}
