package fix

import (
	"go/ast"
	"go/types"
	"slices"
)

// Builders that several functions have move together: variables of the types strings.Builder and
// bytes.Buffer, and pointers to them, between which values go. Their types become arena.Builder.
// Functions that have them stay unchanged, next to their second form, so without an arena they have
// the builders of the standard library. Fields, results, and parameters of functions that others
// may call, are of no such group, so what goes there stays.

// A group is such variables.
type group struct {
	vars     []*types.Var
	types    map[ast.Expr]*function // where its type is written
	in       map[*function]bool     // functions that have one
	given    map[*function]bool     // of these, those that have one as a parameter
	texts    []*site                // calls of String that make text of it
	uses     []Line                 // lines that write to it
	read     bool                   // String is called
	captured bool                   // function literals have one that are not called at once
	broken   bool                   // a builder of package arena lacks one of its uses
	ours     bool                   // some of its builders get the arena, so all become ours
}

// builderCall returns the name of the method that a use of a builder calls, if ours has it, or "".
func (w *walker) builderCall(u use) string {
	sel, ok := u.parent(1).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	c, ok := u.parent(2).(*ast.CallExpr)
	if !ok || ast.Unparen(c.Fun) != sel || !slices.Contains(builderMethods, sel.Sel.Name) {
		return ""
	}
	return sel.Sel.Name
}

// isWriting tells whether a call only writes to its first argument, which is x.
func (w *walker) isWriting(c *ast.CallExpr, x ast.Expr) bool {
	if len(c.Args) == 0 || ast.Unparen(c.Args[0]) != x {
		return false
	}
	f, _ := callee(w.info, c)
	return f != nil && slices.Contains(writing, f.FullName())
}

// groupOf returns the group of a variable, unless it is broken, or nil.
func (p *program) groupOf(obj types.Object) *group {
	v, _ := obj.(*types.Var)
	if g := p.groups[v]; g != nil && !g.broken {
		return g
	}
	return nil
}

// textOf notes a call of String of a builder in a group: what it returns may not be left.
func (w *walker) textOf(c *ast.CallExpr) {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "String" {
		return
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return
	}
	v := w.info.Uses[id]
	own := slices.ContainsFunc(w.f.sites, func(s *site) bool { return s.builder && s.v == v })
	if g := w.p.groupOf(v); g != nil && !own {
		s := &site{kind: kindText, node: c, way: slices.Clone(w.way), why: moves, group: g, in: w.f, edit: func(string) {}}
		if why := w.stays(); why == whyError || why == whyGoroutine {
			s.why = why
		}
		g.texts = append(g.texts, s)
		w.f.sites = append(w.f.sites, s)
	}
}

// haveBuilders returns the functions that have variables of a group of which some builder moves.
func (p *program) haveBuilders() map[*function]bool {
	moving := map[*group]bool{}
	for _, f := range p.order {
		for _, s := range f.sites {
			if s.group != nil && s.builder && !s.why.stays() {
				moving[s.group] = true
			}
		}
	}
	all := map[*function]bool{}
	for _, f := range p.order {
		for g := range moving {
			all[f] = all[f] || g.in[f]
		}
	}
	return all
}

// shareBuilders decides which groups become ours: some builder has an arena, no text may be left,
// and all calls can be changed.
func (p *program) shareBuilders() {
	for _, f := range p.order {
		for _, s := range f.sites {
			if s.group == nil || !s.builder || s.why.stays() {
				continue
			}
			if _, why := f.where(s.way); why.stays() {
				continue
			}
			if s.group.ours || p.mayShare(s.group) {
				s.group.ours = true
			} else {
				s.why = whyGiven
			}
		}
	}
}

// mayShare tells whether a group can become ours. Only second forms have such builders, so calls
// must be of these.
func (p *program) mayShare(g *group) bool {
	if slices.ContainsFunc(g.texts, func(s *site) bool { return s.why.stays() && (s.why != whyUnseen || s.in.reached) }) {
		return false
	}
	for _, f := range p.order {
		if !g.in[f] {
			continue
		}
		if f.scope != nil || f.reached && !f.apart() {
			return false
		}
		if slices.ContainsFunc(f.sites, func(s *site) bool { return s.group == g && s.builder && p.hides(f, s) }) {
			return false
		}
		for _, c := range f.calls {
			if !f.reached || !g.given[c.to] {
				continue
			}
			_, why := f.where(c.way)
			if c.dropped || c.dispatch != nil || c.to.entry || c.to.carrier == nil && why.stays() {
				return false
			}
		}
	}
	return true
}

// editBuilders makes builders ours that are in a group with others, where these have the arena.
func (p *program) editBuilders() {
	for x, g := range p.makers {
		if f := g.types[x]; g.ours && f.apart() && !f.isMade(x) {
			f.file.replace(x.Pos(), x.End(), f.file.arena()+".Builder")
		}
	}
}

// isMade tells whether a type is written where a builder gets the arena.
func (f *function) isMade(x ast.Expr) bool {
	return slices.ContainsFunc(f.sites, func(s *site) bool {
		if !s.builder || s.why.stays() || !isIn(x.Pos(), s.node) {
			return false
		}
		_, why := f.where(s.way)
		return !why.stays()
	})
}

// isGiven tells whether a function has a parameter of a group.
func (p *program) isGiven(f *function) bool {
	return slices.ContainsFunc(f.params(), func(v *types.Var) bool { return p.groupOf(v) != nil })
}
