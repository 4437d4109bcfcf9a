package fix

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/arena-go/arena/cmd/arena/internal/library"
)

// An alias is a second name for the same memory: what is stored behind to is stored behind from as
// well. If from is kept, that stays on the heap.
type alias struct {
	to, from spot
	whole    bool // to is set to from, and not to something that has it
	near     bool // to is set, and not something behind it
	text     bool // nothing but a text goes there
	self     bool // a function that is called moves it there: what is kept of to is kept of from
}

// findAliases returns the aliases in the function.
func (w *walker) findAliases() []alias {
	all := map[alias]bool{}
	add := func(a alias) {
		if a.to != a.from {
			all[a] = true
		}
	}
	w.assignments(func(to goal, x ast.Expr) {
		if to.s.v != nil && (to.s.field != "" || holds(to.s.v.Type())) {
			w.loads(x, to.result, func(from spot, field string) {
				add(alias{to: spot{to.s.v, cmp.Or(to.s.field, field)}, from: from, near: to.hops < 2, whole: field == ""})
			})
			w.eachMade(x, to.result, func(_ int, a alias) {
				add(alias{to: spot{to.s.v, cmp.Or(to.s.field, a.to.field)}, from: spot{to.s.v, cmp.Or(to.s.field, a.from.field)}})
			})
		}
	})
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		targets, known := w.targets(c)
		list := w.operands(c)
		for i, to := range list {
			s, ok := w.spotOf(to.x)
			if !ok {
				continue
			}
			for j, from := range list {
				stores := func(field, part string) {
					w.loads(from.x, every, func(other spot, _ string) {
						add(alias{to: spot{s.v, cmp.Or(s.field, field)}, from: spot{other.v, cmp.Or(other.field, part)}, self: i == j})
					})
				}
				if i != j && !known && !w.copies(c, from) && w.mayStore(c, to, &from) {
					stores(elements, "")
				}
				for _, g := range targets {
					for a := range g.aliases {
						if a.from.v == from.param(g.obj) && a.to.v == to.param(g.obj) {
							stores(a.to.field, a.from.field)
						}
					}
				}
			}
		}
		return true
	})
	return slices.SortedFunc(maps.Keys(all), func(a, b alias) int {
		return cmp.Or(bySpot(a.to, b.to), bySpot(a.from, b.from))
	})
}

// tellAliases notes the aliases that callers have to know of, and tells whether some are new.
func (w *walker) tellAliases() (changed bool) {
	results := w.f.results()
	note := func(to, from spot) {
		if a := (alias{to: to, from: from}); to != from && !w.f.aliases[a] {
			w.f.aliases[a], changed = true, true
		}
	}
	add := func(result int, a alias) {
		v := results[result]
		note(spot{v, a.to.field}, spot{v, a.from.field})
	}
	visit(w.f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		ret, ok := n.(*ast.ReturnStmt)
		if !ok {
			return !is[*ast.FuncLit](n)
		}
		for i, x := range ret.Results {
			if s, ok := w.sourceOf(x); ok && s.field == "" {
				for _, a := range w.aliases {
					if a.to.v == s.v && a.from.v == s.v {
						add(i, a)
					}
				}
			}
			w.eachMade(x, every, func(result int, a alias) {
				if len(ret.Results) == len(results) {
					result = i
				}
				add(result, a)
			})
		}
		return true
	})
	for _, a := range w.aliases {
		if i := slices.Index(results, a.to.v); i >= 0 && a.from.v == a.to.v {
			add(i, a)
		}
		if a.to.field == "" {
			continue
		}
		into := a.to
		if a.near {
			into.field = ""
		}
		for to := range w.ownersIn(into, false) {
			to.field = cmp.Or(to.field, a.to.field)
			for from := range w.ownersIn(a.from, true) {
				if to.v != nil && from.v != nil {
					note(to, from)
				}
			}
		}
	}
	return changed
}

// eachMade calls f for the aliases in a result of the call x.
func (w *walker) eachMade(x ast.Expr, result int, f func(result int, a alias)) {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return
	}
	targets, _ := w.targets(c)
	for _, g := range targets {
		for a := range g.aliases {
			if i := slices.Index(g.results(), a.to.v); i >= 0 && (result == every || i == result) {
				f(i, a)
			}
		}
	}
}

// loads calls f for each variable, or field of one, that x may be read out of, or have in it: in
// that field, or as a whole if it is "". Something can be stored in what is read.
func (w *walker) loads(x ast.Expr, result int, f func(from spot, field string)) {
	x = ast.Unparen(x)
	if a, ok := x.(*ast.TypeAssertExpr); ok && a.Type == nil { // of a type switch
		x = a.X
	}
	if s, ok := w.sourceOf(x); ok {
		if holds(w.info.TypeOf(x)) {
			f(s, "")
		}
		return
	}
	part := func(x ast.Expr, field string) {
		w.loads(x, every, func(from spot, in string) { f(from, cmp.Or(field, in)) })
	}
	if lit := literalOf(x); lit != nil {
		for i, e := range lit.Elts {
			part(valueOf(e), fieldOf(w.info, lit, i))
		}
		return
	}
	c, ok := x.(*ast.CallExpr)
	switch in := outer(x); {
	case is[*ast.SelectorExpr](x) || is[*ast.IndexExpr](x): // something that lies in it
		w.loads(in, every, func(from spot, _ string) { f(from, "") })
	case in != nil:
		part(in, "")
	case !ok:
	case w.info.Types[c.Fun].IsType():
		part(c.Args[0], "")
	case w.isBuiltin(c, "append"):
		part(c.Args[0], "")
		for _, x := range c.Args[1:] {
			if c.Ellipsis.IsValid() {
				part(x, "")
			} else {
				part(x, elements)
			}
		}
	case w.builtinOf(c) == "":
		for _, lit := range w.closures(c.Fun) {
			if !w.answering[lit] {
				w.answering[lit] = true
				w.eachResult(lit, result, func(x ast.Expr, result int) { w.loads(x, result, f) })
				delete(w.answering, lit)
			}
		}
		if w.isValue(c.Fun) && !w.isLiteral(c.Fun) {
			part(c.Fun, "")
		}
		targets, known := w.targets(c)
		for _, o := range w.operands(c) {
			if !known && w.mayReturn(c, o) {
				part(o.x, "")
			}
			for _, g := range targets {
				direct := ofResult(g.directs, result)
				for r := range g.returned(result) {
					if r.v == nil || r.v != o.param(g.obj) {
						continue
					}
					in := elements
					if direct[r] {
						in = ""
					}
					w.loads(o.x, every, func(from spot, field string) {
						f(spot{from.v, cmp.Or(from.field, r.field)}, cmp.Or(field, in))
					})
				}
			}
		}
	}
}

// sourceOf is spotOf for what is copied: of *p that is p as a whole.
func (w *walker) sourceOf(x ast.Expr) (spot, bool) {
	if star, ok := ast.Unparen(x).(*ast.StarExpr); ok && is[*ast.Ident](ast.Unparen(star.X)) {
		x = star.X
	}
	return w.spotOf(x)
}

// mayReturn tells whether a function of a library may return a part of an operand.
func (w *walker) mayReturn(c *ast.CallExpr, o operand) bool {
	f, _ := callee(w.info, c)
	if f == nil {
		return true
	}
	facts, ok := library.Of(f)
	return !ok || !facts.All || slices.ContainsFunc(facts.Flows, func(l library.Flow) bool { return l.To == "r" && l.From == o.number(f) })
}

// hops returns how many pointers lead from the variable at the start of x to the place x.
func (w *walker) hops(x ast.Expr) (n int) {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.SelectorExpr:
			if s := w.info.Selections[e]; s != nil && s.Indirect() {
				n++
			}
		case *ast.IndexExpr:
			if _, ok := w.info.TypeOf(e.X).Underlying().(*types.Array); !ok {
				n++
			}
		case *ast.StarExpr:
			n++
		case *ast.UnaryExpr:
			if e.Op == token.AND {
				n--
			}
		}
		if x = outer(ast.Unparen(x)); x == nil {
			return n
		}
	}
}

// keepAliases calls set for what is kept because a part of a copy of it is, or of another pointer
// to it.
func (w *walker) keepAliases(kept map[spot]reason, set func(s spot, why reason)) {
	fields := map[*types.Var][]spot{}
	for _, s := range slices.SortedFunc(maps.Keys(kept), bySpot) {
		if s.field != "" {
			fields[s.v] = append(fields[s.v], s)
		}
	}
	w.assignments(func(to goal, x ast.Expr) {
		from, ok := w.sourceOf(x)
		if !ok || to.s.v == nil || to.s.v == from.v || to.s.field != "" || len(fields[to.s.v])+len(fields[from.v]) == 0 {
			return
		}
		t, whole := to.s.v.Type(), from.field == ""
		for _, s := range slices.Concat(fields[from.v], fields[to.s.v]) {
			other := from
			switch copied := isPlace(t); {
			case !kept[s].crosses():
				continue
			case whole && shares(t) && s.v == from.v:
				other = spot{to.s.v, s.field}
			case s.v != to.s.v || copied && s.field == itself:
				continue
			case whole && (shares(t) || copied && structOf(from.v.Type()) != nil):
				other.field = s.field
			case !copied:
				continue
			case s.isTexts():
				other = other.ofTexts()
			}
			set(other, kept[s])
		}
	})
	for _, a := range w.aliases {
		if a.self && kept[a.to].crosses() {
			set(a.from, kept[a.to])
		}
	}
}

// share notes the aliases of what is kept: what is stored behind these is kept, too. It tells
// whether something is new.
func (w *walker) share(kept, shared map[spot]reason) (changed bool) {
	add := func(s spot, why reason) {
		if why != whyReused && shared[s].or(why) != shared[s] {
			shared[s], changed = shared[s].or(why), true
			for _, field := range s.others() {
				other := spot{s.v, field}
				shared[other] = shared[other].or(why)
			}
		}
	}
	fields := map[*types.Var][]spot{} // in which something can be stored
	for s := range maps.Keys(kept) {
		if t := fieldType(s.v.Type(), s.field); s.field != itself && !s.isTexts() && (t == nil || holds(t)) {
			fields[s.v] = append(fields[s.v], s)
		}
	}
	for s := range maps.Keys(shared) {
		fields[s.v] = append(fields[s.v], s)
	}
	for _, a := range w.aliases {
		all := spot{v: a.from.v}
		add(a.to, kept[a.from].or(kept[all]).or(kept[spot{a.from.v, itself}]).or(shared[a.from]).or(shared[all]))
		if a.from.field != "" {
			continue
		}
		slices.SortFunc(fields[a.from.v], bySpot)
		for _, s := range fields[a.from.v] {
			field := s.field
			if field == elements && !types.Identical(a.to.v.Type(), a.from.v.Type()) { // of one of them
				field = ""
			}
			add(spot{a.to.v, cmp.Or(a.to.field, field)}, kept[s].or(shared[s]))
		}
	}
	return changed
}

// fieldType returns the type of a field of what a value of type t is, or points at, or nil.
func fieldType(t types.Type, field string) types.Type {
	st := structOf(t)
	if st == nil {
		return nil
	}
	for v := range st.Fields() {
		if v.Name() == field {
			return v.Type()
		}
	}
	return nil
}

// eachResult calls f for each expression that a literal returns as a result, and for its result if
// it is a call.
func (w *walker) eachResult(lit *ast.FuncLit, result int, f func(x ast.Expr, result int)) {
	var names []ast.Expr
	if lit.Type.Results != nil {
		for _, list := range lit.Type.Results.List {
			for _, id := range list.Names {
				names = append(names, id)
			}
		}
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if n, ok := n.(*ast.ReturnStmt); ok {
			list := n.Results
			if len(list) == 0 {
				list = names
			}
			for i, x := range list {
				switch {
				case len(list) == 1:
					f(x, result)
				case i == result || result == every:
					f(x, every)
				}
			}
		}
		return !is[*ast.FuncLit](n)
	})
}
