package fix

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
)

// An original function that calls its second form adds one frame to the stack. A function that
// looks at the stack stays unchanged, and so do its callers, as far as it counts frames above
// itself.

// keepWhole keeps the functions unchanged to which one more frame makes a difference. If a root is
// one, or twice is set, all original functions stay instead, next to their second form, and call no
// second form: then it returns true.
func (p *program) keepWhole(twice bool) (bool, error) {
	levels := map[*function]int{} // of frames that are counted: 1 is the function alone
	for _, f := range p.order {
		levels[f] = f.frames()
	}
	for more := true; more; {
		more = false
		for _, f := range p.order {
			for _, c := range f.calls {
				if n := levels[c.to] - 1; n > levels[f] {
					levels[f], more = n, true
				}
			}
		}
	}
	twice = twice || slices.ContainsFunc(p.order, func(f *function) bool { return f.root && levels[f] > 0 })
	for _, f := range p.order {
		var why reason
		switch {
		case f.recovers():
			why = whyRecovers
		case levels[f] > 0 && !twice:
			why = whyFrames
		default:
			continue
		}
		if f.root {
			return false, fmt.Errorf("arena fix: -root %s: what it makes is %s; name a function that it calls", f.name(), why)
		}
		for _, s := range f.sites {
			s.why = cmp.Or(s.why, why)
		}
		f.calls, f.formers = nil, f.calls
	}
	return twice, nil
}

// frames returns how many frames of the program the function looks at, its own included.
func (f *function) frames() (n int) {
	info := f.pkg.TypesInfo
	ast.Inspect(f.decl.Body, func(node ast.Node) bool {
		c, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		g, _ := callee(info, c)
		over := 0 // by how much the number of frames exceeds the frames of the program
		switch {
		case g == nil && isHelper(info, c): // of testing.TB
			n = max(n, 1)
			return true
		case g == nil || g.Pkg() == nil:
			return true
		case g.FullName() == "runtime.Caller":
		case g.FullName() == "runtime.Callers", g.FullName() == "log.Output", g.FullName() == "(*log.Logger).Output":
			over = 1
		case g.Pkg().Path() == "testing" && g.Name() == "Helper":
			n = max(n, 1)
			return true
		default:
			return true
		}
		n = max(n, 1)
		if v := info.Types[c.Args[0]].Value; v != nil {
			if frames, ok := constant.Int64Val(constant.ToInt(v)); ok && frames < 100 {
				n = max(n, int(frames)-over)
			}
		}
		return true
	})
	return n
}

// isHelper tells whether a call is of the method Helper of an interface, such as testing.TB.
func isHelper(info *types.Info, c *ast.CallExpr) bool {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Helper" && len(c.Args) == 0 && info.Selections[sel] != nil
}
