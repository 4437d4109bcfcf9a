package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/lives"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// What may be left when the arena ends stays on the heap. Package lives finds it out: it follows
// what the functions below the roots make through the whole program, libraries included.

// findLeft leaves on the heap what may be left when the arena ends, and what is made in no function
// that a root is seen to call.
func (p *program) findLeft() error {
	if p.lives == nil {
		p.lives = lives.New(p.pkgs, false)
	}
	p.sitesBy = map[ssa.Instruction][]*site{} // there may be more of them
	r := lives.Rewriting{Mine: p.declares, Makes: p.makes, Methods: p.liveMethods, Pooled: p.pooled, Carried: p.isCarried}
	r.Reused = func(v *types.Var) (slice, elements bool) { return p.reused[v], p.revived[v] }
	own := map[*types.Var]bool{} // of structs that have the arena for as long as they live
	for obj := range p.constructed() {
		for v := range obj.Type().Underlying().(*types.Struct).Fields() {
			own[v] = true
		}
	}
	r.Older = func(v *types.Var) bool { return p.older[v] && !own[v] }
	former, dispatched := map[token.Pos]bool{}, map[token.Pos]bool{}
	for _, f := range p.order {
		for _, c := range f.calls {
			former[c.expr.Lparen] = former[c.expr.Lparen] || c.dropped
			dispatched[c.expr.Lparen] = dispatched[c.expr.Lparen] || c.dispatch != nil
		}
	}
	r.Former = func(c ssa.CallInstruction) bool { return former[c.Common().Pos()] }
	r.Dispatched = func(c ssa.CallInstruction) bool { return dispatched[c.Common().Pos()] && !r.Former(c) }
	made := p.made()
	r.Guarded = func(t types.Type) bool {
		n := named(t)
		return locks(t) && (n == nil || !made[n.Obj()])
	}
	if p.followed == "" && p.finds {
		p.dropUnmade(r)
	}
	r.Roots, r.Callers = p.entries(p.finds)
	state := func() string { return fmt.Sprint(p.chosen, r.Roots, r.Callers, keepingPools(p.pools), former) }
	if state() == p.followed {
		return nil
	}
	all, ok := p.lives.Follow(r)
	if ok && (p.keepFormers(all.Made, former) || p.keepDispatches(all.Made, former)) {
		all, ok = p.lives.Follow(r)
	}
	p.followed = state()
	if !ok {
		return errors.New("arena fix: what the roots call is too large to follow; name a function below them by -root")
	}
	p.proved = all.Ending
	found, shown := map[*site]lives.Made{}, map[*site]bool{}
	for _, m := range all.Made {
		for _, s := range p.sitesOf(m.At) {
			shown[s] = shown[s] || m.Shown
			if was, ok := found[s]; !ok || !was.Left {
				found[s] = m
			}
		}
	}
	for _, f := range p.order {
		for _, s := range f.sites {
			if s.why == whyLeft || s.why == whyUnseen {
				s.why, s.about, s.at = moves, "", token.NoPos
			}
			m, ok := found[s]
			switch {
			case s.why.stays():
			case !ok && s.kind != kindCarrier:
				s.why = whyUnseen
			case s.captured && shown[s]:
				s.why, s.about = whyLeft, "used by a function that the caller may call"
			case m.Left:
				s.why, s.about, s.at = whyLeft, strings.TrimPrefix(m.Why.String(), "it is "), ssas.PosOf(m.Of)
			}
		}
	}
	for _, f := range p.order {
		if f.carrier == nil || f.carrier.reached() {
			continue
		}
		for _, s := range f.sites { // there is no arena in its carrier
			if !s.why.stays() && s.kind != kindCarrier {
				s.why = whyUnseen
			}
		}
	}
	return nil
}

// dropUnmade has structs be no carriers that nothing below a root makes, or only what may be left:
// there would be no arena in them.
func (p *program) dropUnmade(r lives.Rewriting) {
	if !p.hasCandidates() {
		return
	}
	r.Roots, _ = p.entries(false)
	all, ok := p.lives.Follow(r)
	if !ok {
		return
	}
	called := map[*function]bool{}
	for _, fn := range all.Called {
		called[p.functionIn(fn)] = true
	}
	left, moves := map[*site]bool{}, map[*site]bool{}
	for _, m := range all.Made {
		for _, s := range p.sitesOf(m.At) {
			left[s], moves[s] = left[s] || m.Left, moves[s] || !m.Left
		}
	}
	stays := func(b build) bool {
		return slices.ContainsFunc(b.f.sites, func(s *site) bool { return s.makes(b.node) && left[s] && !moves[s] })
	}
	for _, c := range p.structs {
		for i, b := range c.builds {
			c.builds[i].left = stays(b)
		}
		c.candidate = c.candidate && (c.elsewhere || slices.ContainsFunc(c.builds, func(b build) bool { return called[b.f] && !b.left }))
	}
}

// hasCandidates tells whether any struct may become a carrier.
func (p *program) hasCandidates() bool {
	for _, c := range p.structs {
		if c.candidate {
			return true
		}
	}
	return false
}

// keepingPools returns which pools keep what they have.
func keepingPools(pools map[*types.Var]*pool) map[*types.Var]bool {
	all := map[*types.Var]bool{}
	for v, pl := range pools {
		all[v] = pl.why.stays()
	}
	return all
}

// keepFormers has a call be of the former function if all that it makes is left, and the same is
// not left where others call the function. It tells whether there are such calls.
func (p *program) keepFormers(all []lives.Made, former map[token.Pos]bool) (found bool) {
	moves := map[ssa.Instruction]bool{}
	most := map[ssa.CallInstruction]bool{} // something moves there
	for _, m := range all {
		if !m.Left {
			moves[m.At], most[m.In] = true, true
		}
	}
	lost := map[token.Pos]bool{}
	for _, m := range all {
		if m.Left && m.In != nil && moves[m.At] && !most[m.In] && len(p.sitesOf(m.At)) > 0 {
			lost[m.In.Common().Pos()] = true
		}
	}
	for _, f := range p.order {
		for _, c := range f.calls {
			if lost[c.expr.Lparen] && !c.dropped && c.dispatch == nil && c.to.carrier == nil {
				c.dropped, former[c.expr.Lparen], found = true, true, true
			}
		}
	}
	return found
}

// mostLeft is how many times as much has to be left as moves for a call to give no arena.
const mostLeft = 4

// keepDispatches has calls through interfaces and of function values give no arena if nearly all
// that is made below them is left: the same functions may make for others what is not. It tells
// whether there are such calls.
func (p *program) keepDispatches(all []lives.Made, former map[token.Pos]bool) bool {
	groups := map[implKey][]*call{} // by the function or the table that is written for them
	for _, f := range p.order {
		for _, c := range f.calls {
			if c.dispatch != nil && !c.dropped {
				key := c.dispatch.key()
				groups[key] = append(groups[key], c)
			}
		}
	}
	all = slices.DeleteFunc(slices.Clone(all), func(m lives.Made) bool { return len(p.sitesOf(m.At)) == 0 })
	var lost []*call
	for _, calls := range groups {
		below, at := map[*function]bool{}, map[token.Pos]bool{}
		for _, c := range calls {
			at[c.expr.Lparen] = true
			c.to.below(below)
		}
		left, moves := 0, 0
		for _, m := range all {
			if below[p.functionIn(m.At.Parent())] && (m.In == nil || at[m.In.Common().Pos()] || below[p.functionIn(m.In.Parent())]) {
				if m.Left {
					left++
				} else {
					moves++
				}
			}
		}
		if left > mostLeft*moves {
			lost = append(lost, calls...)
		}
	}
	for _, c := range lost {
		c.dropped, former[c.expr.Lparen] = true, true
	}
	return len(lost) > 0
}

// below adds a function to all, and the functions that it calls with an arena, as far as calls are
// known.
func (f *function) below(all map[*function]bool) {
	if all[f] {
		return
	}
	all[f] = true
	for _, c := range f.calls {
		if !c.dropped {
			c.to.below(all)
		}
	}
}

// entries returns the functions that others may call with an arena. These are the roots, and the
// functions of a struct with the arena that comes to the callers of a root. It also returns the
// callers of such functions, which have no arena themselves. With finds, structs may still become
// carriers.
func (p *program) entries(finds bool) (roots, callers []*types.Func) {
	outer := map[types.Type]bool{}
	for _, f := range p.order {
		if f.root {
			for _, v := range append(f.params(), f.results()...) {
				p.leadsTo(v.Type(), outer)
			}
		}
	}
	carried := func(f *function) bool {
		id := f.given(p.structs)
		if id == nil || !f.live {
			return false
		}
		t := named(f.pkg.TypesInfo.Defs[id].Type())
		if p.chosen == nil { // it may become one
			return finds && p.structs[t.Obj()].candidate && outer[t]
		}
		return f.carrier != nil && f.reached && outer[t]
	}
	for _, f := range p.order {
		switch {
		case f.literal != nil:
		case f.root || carried(f):
			roots = append(roots, f.obj)
		case slices.ContainsFunc(f.calls, func(c *call) bool { return carried(c.to) }):
			callers = append(callers, f.obj)
		}
	}
	return roots, callers
}

// leadsTo adds the types that values of a type lead to.
func (p *program) leadsTo(t types.Type, all map[types.Type]bool) {
	t = types.Unalias(t)
	if all[t] {
		return
	}
	all[t] = true
	if u, ok := t.Underlying().(*types.Interface); ok && u.NumMethods() > 0 {
		for _, n := range p.types() {
			if types.Implements(n, u) || types.Implements(types.NewPointer(n), u) {
				p.leadsTo(n, all)
			}
		}
		for _, n := range p.others(u) {
			p.leadsTo(n, all)
		}
	}
	madeOf(t, func(t types.Type) { p.leadsTo(t, all) })
}

// liveMethods returns the methods of the program that a call by an interface may call.
func (p *program) liveMethods(recv types.Type, m *types.Func) (all []*types.Func) {
	for _, f := range p.implementations(recv, m) {
		if f.live {
			all = append(all, f.obj)
		}
	}
	return all
}

// pooled returns the type of what a call takes from a pool whose values are as new, or returns to
// it, or nil.
func (p *program) pooled(c ssa.CallInstruction) types.Type {
	if f := ssas.Callee(c.Common()); f == nil || f.FullName() != "(*sync.Pool).Get" && f.FullName() != "(*sync.Pool).Put" {
		return nil
	}
	x := c.Common().Args[0]
	if load, ok := x.(*ssa.UnOp); ok { // of a variable that is a pointer
		x = load.X
	}
	g, ok := x.(*ssa.Global)
	if !ok {
		return nil
	}
	v, _ := g.Object().(*types.Var)
	if pl := p.pools[v]; pl != nil && !pl.why.stays() {
		return types.NewPointer(pl.typ.Type())
	}
	return nil
}

// isCarried tells whether a function finds the arena in a struct, whoever calls it, or will if that
// becomes a carrier.
func (p *program) isCarried(fn *ssa.Function) bool {
	f := p.functionIn(fn)
	if f == nil || f.carrier != nil {
		return f != nil
	}
	id := f.given(p.structs)
	return id != nil && p.structs[named(f.pkg.TypesInfo.Defs[id].Type()).Obj()].candidate
}

// functionIn returns the function that one of the SSA form is, or is in, or nil.
func (p *program) functionIn(fn *ssa.Function) *function {
	for ; fn != nil; fn = fn.Parent() {
		if lit, ok := fn.Syntax().(*ast.FuncLit); ok && p.bodies[lit.Body] != nil {
			return p.bodies[lit.Body]
		}
		if fn.Parent() == nil {
			return p.funcs[ssas.Declared(fn)]
		}
	}
	return nil
}

// makes tells whether a call is a site.
func (p *program) makes(at ssa.Instruction) bool {
	c, ok := at.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(p.sitesOf(at), func(s *site) bool {
		n, ok := s.node.(*ast.CallExpr)
		return s.builder || ok && n.Lparen == c.Common().Pos()
	})
}

// sitesOf returns the sites at which an instruction makes something.
func (p *program) sitesOf(at ssa.Instruction) []*site {
	all, ok := p.sitesBy[at]
	if !ok {
		if f := p.functionIn(at.Parent()); f != nil {
			all = f.sitesOf(at)
		}
		p.sitesBy[at] = all
	}
	return all
}

// sitesOf returns the sites of the innermost expression that has the place of an instruction in it.
func (f *function) sitesOf(at ssa.Instruction) (all []*site) {
	pos := ssas.PosOf(at)
	if c, ok := at.(ssa.CallInstruction); ok && !c.Common().IsInvoke() && c.Common().Signature().Recv() != nil {
		for _, s := range f.sites {
			if s.builder && slices.ContainsFunc(s.uses, func(u use) bool { return u.isReceiver(pos) }) {
				all = append(all, s)
			}
		}
		if all != nil {
			return all
		}
	}
	if x := ssas.Boxed(at); x != nil {
		return f.boxesOf(x, at.Parent())
	}
	_, variable := at.(*ssa.Alloc)
	var best *site
	for _, s := range f.sites {
		switch {
		case s.kind == kindVariable && s.v != nil:
			if variable && s.v.Pos() == pos {
				return []*site{s}
			}
		case s.kind != kindBox && isIn(pos, s.node) && (best == nil || isIn(s.node.Pos(), best.node) && s.node.End() <= best.node.End()):
			best = s
		}
	}
	for _, s := range f.sites { // a carrier is a site of the same expression
		if best != nil && (s == best || s.kind == kindCarrier && isIn(s.node.Pos(), best.node) && s.node.End() == best.node.End()) {
			all = append(all, s)
		}
	}
	return all
}

// boxesOf returns the sites at which a value comes into an interface: the sites of its expressions,
// or any if these are not known.
func (f *function) boxesOf(x ssa.Value, in *ssa.Function) (all []*site) {
	exprs := map[ast.Node]bool{}
	if refs := x.Referrers(); refs != nil {
		for _, i := range *refs {
			if d, ok := i.(*ssa.DebugRef); ok && i.Parent() == in {
				exprs[d.Expr] = true
			}
		}
	}
	any := func(s *site) bool { return s.kind == kindBox }
	of := func(s *site) bool {
		x, ok := s.node.(ast.Expr)
		return any(s) && ok && exprs[ast.Unparen(x)]
	}
	if !slices.ContainsFunc(f.sites, of) {
		of = any
	}
	for _, s := range f.sites {
		if of(s) {
			all = append(all, s)
		}
	}
	return all
}

func isIn(pos token.Pos, n ast.Node) bool { return n != nil && n.Pos() <= pos && pos < n.End() }
