package fix

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
)

// puts notes which parameters may be put into which others, and which results may have something of
// them. It tells whether something is new.
func (w *walker) puts() (changed bool) {
	f := w.f
	results := f.results()
	to := map[*types.Var][]alias{} // where the values of variables, or of their fields, go
	has := map[alias]bool{}
	add := func(a alias) {
		if !has[a] {
			has[a] = true
			to[a.from.v] = append(to[a.from.v], a)
		}
	}
	goes := func(from spot, goals []goal) {
		for _, g := range goals {
			from := spot{from.v, cmp.Or(from.field, g.part)}
			if g.out {
				g.s.v = results[g.result]
			}
			if s := (spot{g.s.v, cmp.Or(g.s.field, g.key)}); s.v != nil && s != from {
				add(alias{from: from, to: s, text: g.text})
			}
		}
	}
	for _, a := range w.aliases {
		if a.self {
			add(a)
		}
	}
	w.functions(func(s spot, x ast.Expr) { goes(s, w.handed(x, "", nil, []types.Type{w.info.TypeOf(x)})) })
	w.each(func(x ast.Expr, s spot) {
		if refers(w.info.TypeOf(x)) || w.usesItself(x) {
			goes(s, w.goals(w.way))
		}
		for _, i := range w.literalsWith(s.v) {
			goes(s, w.goals(w.way[:i+1]))
		}
	})
	for _, v := range f.params() {
		if !refers(v.Type()) {
			continue
		}
		starts := []spot{{v, ""}}
		for _, a := range to[v] {
			if !slices.Contains(starts, a.from) {
				starts = append(starts, a.from)
			}
		}
		var from []put
		for _, start := range starts {
			from = append(from, put{start, v.Type()})
			for at := range spread(to, start, put{s: start}) {
				if i := slices.Index(results, at.s.v); i >= 0 && !f.gives[i][start] {
					f.gives[i][start], changed = true, true
				}
			}
		}
		for at := range spread(to, starts[0], from...) {
			for o := range w.ownersIn(at.s, false) {
				if key := [2]*types.Var{v, o.v}; o.v != nil {
					list := f.puts[key]
					changed = addLeaf(&list, at.t) || changed
					f.puts[key] = list
				}
			}
		}
	}
	return changed
}

// spread returns where something goes that is at some places. If one of these is start, what lies
// in the fields of start does not count. Types are followed if the places have some.
func spread(to map[*types.Var][]alias, start spot, todo ...put) map[put]bool {
	seen := map[put]bool{}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		for _, field := range at.s.others() {
			todo = append(todo, put{spot{at.s.v, field}, at.t})
		}
		for _, a := range to[at.s.v] {
			if at.s.field == a.from.field || a.from.field == "" || at.s.field == "" && at.s != start {
				next := put{s: a.to}
				switch {
				case at.t == nil:
				case a.text || isText(at.t):
					next.t = types.Typ[types.String]
				default:
					next.t = typeOfSpot(a.from)
				}
				todo = append(todo, next)
			}
		}
	}
	return seen
}

// A put is where something goes, and the type that it has last, or that it is part of.
type put struct {
	s spot
	t types.Type
}

// typeOfSpot returns the type of a spot, or of what it is part of.
func typeOfSpot(s spot) types.Type {
	if t := fieldType(s.v.Type(), s.field); t != nil {
		return t
	}
	return s.v.Type()
}

// mayPut tells whether the function may put an operand of type t into a place of the type leaf in
// something of a parameter. Texts count only if they are asked for.
func (p *program) mayPut(f *function, o operand, in spot, t, leaf types.Type, text bool) bool {
	return p.mayHave(leaf, t, text) && (f.puts == nil || slices.ContainsFunc(f.puts[[2]*types.Var{o.param(f.obj), in.v}], func(last types.Type) bool { return p.mayHave(leaf, last, text) }))
}
