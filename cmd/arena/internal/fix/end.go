package fix

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	byname "github.com/arena-go/arena/cmd/arena/internal/names"
)

// An End is a call at which the way from a root ends: the called function stays unchanged, whatever
// it allocates.
type End struct {
	File  string
	Line  int
	What  string   // is called
	Try   []string // roots behind it
	Flags string   // with which the way goes on
	depth int      // of calls, from a root
	part  float64  // of the bytes that the roots allocate in the profile, allocated below the line
	kept  bool     // what is called makes is kept, so it makes that on the heap
}

// known returns how much is known to be behind it: something if it is more than 0.
func (e End) known() int {
	if e.kept {
		return 2
	}
	return min(len(e.Try)+len(e.Flags), 1)
}

func (e End) String() string {
	s := fmt.Sprintf("%s:%d, which calls %s", filepath.Base(e.File), e.Line, e.What)
	if e.Flags != "" {
		s += "; try " + e.Flags
	}
	if len(e.Try) > 0 {
		const most = 3
		names := e.Try[:min(len(e.Try), most)]
		s += "; try -root " + strings.Join(names, " or -root ")
		if len(e.Try) > most {
			s += fmt.Sprintf(", or another one of %d", len(e.Try))
		}
	}
	return s
}

// ends returns where the ways from the roots end, those first behind which something is known to
// be, and of these those below which most is allocated.
func (p *program) ends() (all []End) {
	depth := map[*function]int{}
	var todo []*function
	for _, f := range p.order {
		if f.root {
			todo = append(todo, f)
		}
	}
	for len(todo) > 0 {
		f := todo[0]
		todo = todo[1:]
		all = append(all, p.endsOf(f, depth[f])...)
		for _, c := range append(slices.Clip(f.calls), f.formers...) {
			if _, seen := depth[c.to]; !seen && !c.to.root {
				depth[c.to] = depth[f] + 1
				todo = append(todo, c.to)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b End) int {
		return cmp.Or(cmp.Compare(b.known(), a.known()), cmp.Compare(b.part, a.part), cmp.Compare(a.depth, b.depth))
	})
	return all
}

// endsOf returns the calls in f that are not followed.
func (p *program) endsOf(f *function, depth int) (all []End) {
	info := f.pkg.TypesInfo
	followed := map[*ast.CallExpr]bool{}
	for _, c := range append(slices.Clip(f.calls), f.formers...) {
		followed[c.expr] = followed[c.expr] || !c.dropped
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || followed[c] || info.Types[c.Fun].IsType() || info.Types[c.Fun].IsBuiltin() {
			return true
		}
		at := p.fset.Position(c.Pos())
		e := End{File: at.Filename, Line: at.Line, depth: depth, part: p.below[LineOf(f.pkg.PkgPath, at.Filename, at.Line)]}
		if p.ending(&e, f, c) {
			e.Try = slices.DeleteFunc(e.Try, func(name string) bool {
				return slices.ContainsFunc(p.order, func(f *function) bool { return f.root && f.name() == name })
			})
			all = append(all, e)
		}
		return true
	})
	return all
}

// ending says what a call calls, and reports false if that allocates nothing that could move.
func (p *program) ending(e *End, f *function, c *ast.CallExpr) bool {
	info := f.pkg.TypesInfo
	if g, _ := callee(info, c); g != nil {
		switch {
		case g.Pkg() == nil || p.funcs[g] != nil || isStandard(g.Pkg().Path()):
			return false
		case slices.Contains(p.fixed, p.fset.PositionFor(g.Pos(), false).Filename):
			e.What, e.Flags = byname.Path(g)+", which a program has made", "-generated"
		case p.declares(g.Pkg()):
			e.What = byname.Path(g) + ", which other systems or build tags declare otherwise"
		default:
			e.What = byname.Path(g) + ", which is in another package"
			e.Flags = "that package, with -copy"
			if m := f.pkg.Module; m != nil && strings.HasPrefix(g.Pkg().Path()+"/", m.Path+"/") {
				e.Flags = "naming ." + strings.TrimPrefix(g.Pkg().Path(), m.Path) + " as well"
			}
			e.Try = []string{byname.Path(g)}
		}
		return true
	}
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		if s := info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			m := s.Obj().(*types.Func)
			impls := p.implementations(s.Recv(), m)
			if len(impls) == 0 || m.Pkg() == nil {
				return false
			}
			many := "1 implementation"
			if len(impls) > 1 {
				many = fmt.Sprintf("%d implementations", len(impls))
			}
			e.What = fmt.Sprintf("%s of %s, an interface with %s here", m.Name(), types.TypeString(s.Recv(), types.RelativeTo(f.pkg.Types)), many)
			for _, g := range impls {
				e.Try = append(e.Try, g.name())
			}
			return true
		}
	}
	if _, ok := ast.Unparen(c.Fun).(*ast.FuncLit); ok {
		return false
	}
	e.What = "a function value"
	for _, t := range p.taken {
		if name := t.f.name(); t.f.literal == nil && types.Identical(t.t, info.TypeOf(c.Fun).Underlying()) && !slices.Contains(e.Try, name) {
			e.Try = append(e.Try, name)
		}
	}
	return true
}

// isStandard tells whether a package is one of the standard library, which arena fix has forms of
// its own for.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
