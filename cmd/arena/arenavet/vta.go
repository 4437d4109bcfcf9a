package arenavet

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// callees returns the functions of the package that a call of a function value may call, by the
// types of what flows to it.
func (c *checker) callees(call ssa.CallInstruction) []*ssa.Function {
	if c.dynamic == nil {
		c.dynamic = map[ssa.CallInstruction][]*ssa.Function{}
		all := map[*ssa.Function]bool{}
		for _, fn := range c.functions() {
			if generic(fn) {
				continue
			}
			all[fn] = true
			for i := range ssas.Instrs(fn) {
				if c, ok := i.(*ssa.MakeClosure); ok {
					all[c.Fn.(*ssa.Function)] = true // also of a method value
				}
			}
		}
		if init := c.ssa.Func("init"); init != nil {
			all[init] = true
		}
		for _, node := range vta.CallGraph(all, nil).Nodes {
			for _, e := range node.Out {
				if e.Site.Common().StaticCallee() == nil {
					c.dynamic[e.Site] = append(c.dynamic[e.Site], e.Callee.Func)
				}
			}
		}
		for _, fns := range c.dynamic {
			slices.SortFunc(fns, func(a, b *ssa.Function) int {
				return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), strings.Compare(a.String(), b.String()))
			})
		}
	}
	if all := c.dynamic[call]; len(all) <= maxTargets {
		return all
	}
	return nil
}

// keptByEach is for a call of a function that is one of several, or that lies in something that was
// there before. The package gives each of those that VTA finds to some caller, so what one of them
// keeps is kept.
func (f *flow) keptByEach(s *state, call ssa.CallInstruction, v av, args []av, at ssa.Instruction) {
	byCaller := v.given() && !strings.Contains(v.tags[0].life.path, ".") // who knows which one it is
	if f.c.pools || byCaller || f.nest != "" || !slices.ContainsFunc(args, av.tagged) && len(s.mem.roots) == 0 {
		return
	}
	for _, fn := range f.c.callees(call) {
		sum := f.c.summaryOf(fn)
		if sum == nil {
			continue
		}
		params := args
		if call.Common().IsInvoke() {
			params = append([]av{f.receiver(s, call.Common().Value, fn)}, args[1:]...)
		}
		params = append(params[:len(params):len(params)], f.boundElsewhere(fn)...)
		keeps, clears := sum.kept()
		f.apply(s, clears, params, at, loc{}, nil, true)
		f.apply(s, keeps, params, at, loc{}, nil, false)
	}
}

// kept returns what of the summary has to do with what stays: what is stored that the function was
// given, and what is taken away.
func (s *summary) kept() (keeps, clears *summary) {
	keeps, clears = &summary{Params: s.Params, Bound: s.Bound}, &summary{Params: s.Params, Bound: s.Bound, Clears: s.Clears}
	for _, st := range s.Stores {
		switch {
		case len(st.Value.Tags) > 0 || st.Value.hasTags():
			keeps.Stores = append(keeps.Stores, st)
		case !st.Weak:
			clears.Stores = append(clears.Stores, st)
		}
	}
	return keeps, clears
}

// receiver returns what is known of the receiver of a method that is one of several. If the
// function has made one value of the type for an interface, it is that.
func (f *flow) receiver(s *state, of ssa.Value, fn *ssa.Function) av {
	v, recv := s.get(of), fn.Signature.Recv()
	if v.ptr != (loc{of, ""}) || recv == nil {
		return v
	}
	var only ssa.Value
	for i := range ssas.Instrs(f.fn) {
		if m, ok := i.(*ssa.MakeInterface); ok && types.Identical(m.X.Type(), recv.Type()) && m.X != only {
			if only != nil {
				return v
			}
			only = m.X
		}
	}
	if only == nil {
		return v
	}
	return s.get(only)
}

// generic reports whether a function has type parameters, also of a function around it.
func generic(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if fn.TypeParams().Len() > 0 {
			return true
		}
	}
	return false
}
