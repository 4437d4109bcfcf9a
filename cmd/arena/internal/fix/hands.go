package fix

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"github.com/arena-go/arena/cmd/arena/internal/library"
)

// What a function is called with goes where the function puts it. What a literal uses of the
// function around it goes where the literal goes. A function notes the parameters that it calls:
// callers know what they have given.

// captures returns the variables around a function literal that it uses.
func (w *walker) captures(lit *ast.FuncLit) map[*types.Var]bool {
	all := map[*types.Var]bool{}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if s, ok := w.spotOf(id); ok && !within(s.v, lit) {
				all[s.v] = true
			}
		}
		return true
	})
	return all
}

// handsIn returns what of an operand the function calls with something.
func (f *function) handsIn(o operand) []spot { return spotsOf(f.hands, o.param(f.obj)) }

// hand notes that functions of some types to which x leads are called, and tells whether that is
// new. A nil type is any.
func (w *walker) hand(x ast.Expr, field string, as []types.Type) (changed bool) {
	for s := range w.holders(x, field) {
		list := w.f.hands[s]
		for _, t := range as {
			changed = w.p.leadsTo(s.v.Type(), t) && addLeaf(&list, t) || changed
		}
		if len(list) > 0 {
			w.f.hands[s] = list
		}
	}
	return changed
}

// handed returns where a value of type t goes if a function is called with it. The function is x,
// or lies in the field of x, and has one of some types. A nil type is any.
func (w *walker) handed(x ast.Expr, field string, t types.Type, as []types.Type) (all []goal) {
	if lits := w.closures(x); len(lits) > 0 {
		for _, lit := range lits {
			for v := range w.info.TypeOf(lit).(*types.Signature).Params().Variables() {
				if refers(v.Type()) && (t == nil || slices.ContainsFunc(leafTypes(v.Type()), func(leaf types.Type) bool { return w.p.fits(t, leaf, true) })) {
					all = append(all, goal{s: spot{v, ""}, result: every})
				}
			}
		}
		return all
	}
	if id := nameOf(x); id != nil {
		if f, ok := w.info.Uses[id].(*types.Func); ok {
			if g := w.p.funcs[f.Origin()]; g != nil {
				w.p.reads(g)
				all = g.keeping()
				if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && g.obj.Signature().Recv() != nil && len(g.stores) > 0 {
					all = append(all, w.stored(sel.X, "", true)...)
				}
			}
			return all
		}
	}
	all = w.captured(x, field)
	if !w.ofPackage(x) || w.isLibrarys(x) {
		return all
	}
	for _, a := range as {
		targets := w.p.mayBeTaken(a)
		// If the program has no such function, the functions of others are taken to keep nothing.
		if len(targets) == 0 && (w.global(x) || w.p.hasFunction(a)) {
			all = append(all, goal{why: whyPackage, result: every})
		}
		for _, g := range targets {
			all = append(all, g.keeping()...)
		}
	}
	return all
}

// hasFunction tells whether the program uses a function of a type as a value.
func (p *program) hasFunction(t types.Type) bool {
	if t == nil {
		return true
	}
	if has, ok := p.uses.At(t.Underlying()).(bool); ok {
		return has
	}
	has := slices.ContainsFunc(slices.Concat(p.taken, p.closures), func(v taken) bool { return types.Identical(v.t, t.Underlying()) })
	p.uses.Set(t.Underlying(), has)
	return has
}

// nameOf returns the name that x is, or that it selects, or nil.
func nameOf(x ast.Expr) *ast.Ident {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

// keeping returns where values go with which the function is called, if it keeps any of them.
func (f *function) keeping() (all []goal) {
	for s, why := range f.kept {
		if why.full() && s.v != f.obj.Signature().Recv() {
			all = append(all, goal{why: why, result: every})
		}
	}
	return all
}

// captured returns where a value goes with which a function is called that x is, or that lies in
// the field of x. It may store it in what it was made of.
func (w *walker) captured(x ast.Expr, field string) (all []goal) {
	if s, ok := w.spotOf(x); ok {
		return []goal{{s: spot{s.v, cmp.Or(s.field, field, elements)}, result: every, stored: true, lent: true}}
	}
	if c, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		for _, o := range w.operands(c) {
			if holds(w.info.TypeOf(o.x)) {
				all = append(all, w.stored(o.x, "", true)...)
			}
		}
	}
	return all
}

// functions calls f for each variable that is set to a function literal, to the name of a function,
// or to something that is made with one.
func (w *walker) functions(f func(s spot, x ast.Expr)) {
	w.assignments(func(to goal, x ast.Expr) {
		if to.s.v == nil {
			return
		}
		ast.Inspect(x, func(n ast.Node) bool {
			inside, ok := n.(ast.Expr)
			if ok && w.isFunction(inside) && (inside == x || !w.isCalled(x, inside)) {
				f(spot{to.s.v, ""}, inside)
			}
			_, lit := n.(*ast.FuncLit)
			return !lit
		})
	})
}

// isCalled tells whether a part of x is what a call in x calls.
func (w *walker) isCalled(x, part ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			_, id := callee(w.info, c)
			found = found || ast.Unparen(c.Fun) == part || id != nil && id == part
		}
		return !found
	})
	return found
}

// isFunction tells whether x is a function literal, or names a function.
func (w *walker) isFunction(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.FuncLit:
		return true
	case *ast.Ident:
		_, ok := w.info.Uses[x].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := w.info.Uses[x.Sel].(*types.Func)
		return ok
	}
	return false
}

// foreign returns the parameters of function literals that are not called at once: they may be
// called with something that lives longer than what is stored in it.
func (w *walker) foreign() map[*types.Var]bool {
	all := map[*types.Var]bool{}
	w.eachLiteral(func(lit *ast.FuncLit, _ []ast.Node) {
		for v := range w.info.TypeOf(lit).(*types.Signature).Params().Variables() {
			all[v] = w.p.literals[lit] != called && holds(v.Type())
		}
	})
	return all
}

// lent returns the parameters of function literals, and why something stays with which a literal
// calls a function that it has there: whoever calls the literal may keep that. What an iterator
// yields is the result of the function that returns the iterator.
func (w *walker) lent() map[spot]reason {
	all := map[spot]reason{}
	w.eachLiteral(func(lit *ast.FuncLit, way []ast.Node) {
		why := whyLater
		if _, returned := way[len(way)-2].(*ast.ReturnStmt); returned && w.f.iterator && w.p.literals[lit] == called && !w.inClosure(way[:len(way)-1]) {
			why = w.f.keepResult[part{}].why
		}
		for v := range w.info.TypeOf(lit).(*types.Signature).Params().Variables() {
			all[spot{v, ""}] = why
		}
	})
	for n := -1; n != len(all); { // and variables that are set to them
		n = len(all)
		w.assignments(func(to goal, x ast.Expr) {
			if s, ok := w.spotOf(x); ok && to.s.v != nil && holds(w.info.TypeOf(x)) {
				if why := all[s].or(all[spot{s.v, ""}]); why.stays() {
					all[to.s] = why
				}
			}
		})
	}
	return all
}

// eachLiteral calls f for each function literal that is not one of its own, with the way to it.
func (w *walker) eachLiteral(f func(lit *ast.FuncLit, way []ast.Node)) {
	visit(w.f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && !w.p.own[lit] {
			f(lit, way)
		}
		return true
	})
}

// noteShown notes that functions to which x leads are called with what belongs to a variable of a
// package, and tells whether that is new.
func (w *walker) noteShown(x ast.Expr) (changed bool) {
	for s := range w.holders(x, "") {
		if s.v != nil && !w.f.shows[s.v] {
			w.f.shows[s.v], changed = true, true
		}
	}
	return changed
}

// show notes parameters that are called with what belongs to a variable of a package. If c calls a
// function that does so, show marks the parameters of the literals in c.
func (w *walker) show(c *ast.CallExpr, mark func(s spot)) (changed bool) {
	list := w.operands(c)
	if w.isValue(c.Fun) && slices.ContainsFunc(list, func(o operand) bool { return w.ofPackage(o.x) }) {
		changed = w.noteShown(c.Fun)
	}
	targets, _ := w.targets(c)
	for _, o := range list {
		for _, g := range targets {
			if !g.shows[o.param(g.obj)] {
				continue
			}
			changed = w.noteShown(o.x) || changed
			for _, lit := range w.closures(o.x) {
				for v := range w.info.TypeOf(lit).(*types.Signature).Params().Variables() {
					if holds(v.Type()) {
						mark(spot{v, ""})
					}
				}
			}
		}
	}
	return changed
}

// returnsPart tells whether a function of a library may return a part of an operand.
func (w *walker) returnsPart(c *ast.CallExpr, o operand) bool {
	f, _ := callee(w.info, c)
	if f == nil || isQuiet(f) {
		return false
	}
	facts, ok := library.Of(f)
	return !ok || !facts.All || slices.ContainsFunc(facts.Flows, func(w library.Flow) bool { return w.To == "r" && w.From == o.number(f) })
}

// doneNow tells whether a node is a call that calls its argument at once or never. A call of
// sync.Once.Do is one. So is a call through an interface: types elsewhere that implement it are
// taken to do no more than the program's types do.
func (w *walker) doneNow(n ast.Node) bool {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, _ := callee(w.info, c)
	if f == nil {
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		return ok && w.info.Selections[sel] != nil && w.info.Selections[sel].Kind() == types.MethodVal
	}
	return f.FullName() == "(*sync.Once).Do"
}

// keptByLibrary tells whether a function of a library stores an operand in a variable of a package.
func (w *walker) keptByLibrary(c *ast.CallExpr, o operand) bool {
	f, _ := callee(w.info, c)
	if f == nil || f.Pkg() == nil || w.p.funcs[f] != nil || f.Pkg().Path() == "reflect" { // whose variables are of types
		return false
	}
	facts, _ := library.Of(f)
	return slices.ContainsFunc(facts.Flows, func(w library.Flow) bool { return w.To == "g" && w.From == o.number(f) })
}

// showsYield tells whether the function may return an iterator over what belongs to a variable of a
// package: a literal that calls its own parameter with that.
func (w *walker) showsYield() (found bool) {
	if !slices.ContainsFunc(w.f.results(), func(v *types.Var) bool { return isFunc(v.Type()) }) {
		return false
	}
	visit(w.f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || !w.isValue(c.Fun) || !w.inClosure(way) {
			return true
		}
		_, known := w.spotOf(c.Fun)
		found = found || known && slices.ContainsFunc(w.operands(c), func(o operand) bool { return w.ofPackage(o.x) })
		return true
	})
	return found
}
