package arenavet

import (
	"cmp"
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

// generic reports whether a function has type parameters, also of a function around it.
func generic(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if fn.TypeParams().Len() > 0 {
			return true
		}
	}
	return false
}
