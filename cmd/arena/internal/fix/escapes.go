package fix

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/escape"
)

// escapes are what the compiler says goes to the heap, by place.
type escapes map[place]string

type place struct {
	file         string
	line, column int
}

// ask asks the compiler what goes to the heap in packages, and which functions it inlines at which
// calls: see escape.Lines.
func (l *loaded) ask(dir string, tests bool, patterns []string) error {
	heap, calls, err := escape.Lines(context.Background(), dir, tests, patterns)
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	at := func(l escape.Line) place {
		if !filepath.IsAbs(l.File) {
			l.File = filepath.Join(abs, l.File)
		}
		return place{l.File, l.Line, l.Column}
	}
	l.heap, l.inlined = escapes{}, map[place][]string{}
	for _, h := range heap {
		l.heap[at(h)] = h.Text
	}
	for _, c := range calls {
		l.inlined[at(c)] = append(l.inlined[at(c)], c.Text)
	}
	return nil
}

// placeOf returns where a position is in the file, whatever line directives call it.
func (p *program) placeOf(pos token.Pos) place {
	q := p.fset.PositionFor(pos, false)
	return place{q.Filename, q.Line, q.Column}
}

// at returns what the compiler says goes to the heap at a place of the sources.
func (p *program) at(pos token.Pos) (what string, ok bool) {
	at := p.placeOf(pos)
	if what, ok = p.heap[at]; !ok {
		at = p.placeOf(p.yieldedAt(pos))
		what, ok = p.heap[at]
	}
	if ok {
		p.looked[at] = true
	}
	return what, ok
}

// allocates tells whether something goes to the heap at one of these places. With a profile it may
// be so wherever the compiler has said nothing of a function.
func (p *program) allocates(places ...token.Pos) bool {
	return slices.ContainsFunc(places, func(pos token.Pos) bool { _, ok := p.at(pos); return ok }) || p.profiled && p.isUnseen(places[0])
}

// isUnseen tells whether a place is in a generic function of which nothing goes to the heap, as far
// as the compiler says: it says nothing of one that neither the packages nor their tests
// instantiate.
func (p *program) isUnseen(pos token.Pos) bool {
	return slices.ContainsFunc(p.unseen, func(f *function) bool { return f.contains(pos) })
}

// findUnseen finds the generic functions of which the compiler has said nothing.
func (p *program) findUnseen() {
	p.unseen = nil
	said := map[string][]int{} // lines, by file
	for at := range p.heap {
		said[at.file] = append(said[at.file], at.line)
	}
	for _, f := range p.order {
		sig := f.obj.Signature()
		from, to := p.placeOf(f.decl.Pos()), p.placeOf(f.decl.End())
		within := func(line int) bool { return from.line <= line && line <= to.line }
		if (sig.TypeParams() != nil || sig.RecvTypeParams() != nil) && !slices.ContainsFunc(said[from.file], within) {
			p.unseen = append(p.unseen, f)
		}
	}
}

// yieldedAt returns the position of the innermost loop over a function whose body has pos. If the
// compiler inlines the function, and with it the body, it says of all that escapes in the body that
// it is there.
func (p *program) yieldedAt(pos token.Pos) (found token.Pos) {
	for _, n := range p.yields[p.fset.File(pos)] {
		if n.Body.Pos() <= pos && pos < n.Body.End() {
			found = n.Pos()
		}
	}
	return found
}

// findYields finds the loops over functions.
func (p *program) findYields() {
	p.yields = map[*token.File][]*ast.RangeStmt{}
	for pkg, syntax := range p.syntax() {
		ast.Inspect(syntax, func(n ast.Node) bool {
			if s, ok := n.(*ast.RangeStmt); ok && isFunc(pkg.TypesInfo.TypeOf(s.X)) {
				at := p.fset.File(s.Pos())
				p.yields[at] = append(p.yields[at], s)
			}
			return true
		})
	}
}

// within is at for an expression whose place the compiler takes from its operand: it looks for what
// begins with one of these, on the line.
func (p *program) within(from, to token.Pos, prefixes ...string) bool {
	a, b := p.fset.PositionFor(from, false), p.fset.PositionFor(to, false)
	if a.Line != b.Line {
		return false
	}
	for column := a.Column; column < b.Column; column++ {
		at := place{a.Filename, a.Line, column}
		what, ok := p.heap[at]
		for _, prefix := range prefixes {
			if ok && strings.HasPrefix(what, prefix) {
				p.looked[at] = true
				return true
			}
		}
	}
	return false
}

// rest adds what the compiler puts on the heap in the function and is none of its sites, with the
// reason: it stays there. What others of the program allocate, and is inlined, is theirs.
func (w *walker) rest() {
	w.inside(w.f.decl, func(n ast.Node) {
		x, ok := n.(ast.Expr)
		if !ok || w.info.Types[x].Type == nil { // the name of a function has none
			return
		}
		for _, pos := range placesOf(x) {
			at := w.p.placeOf(pos)
			what, ok := w.p.heap[at]
			if !ok || w.p.looked[at] {
				continue
			}
			w.p.looked[at] = true
			c, isCall := ast.Unparen(x).(*ast.CallExpr)
			tv := w.info.Types[x]
			switch {
			case isCall && tv.Value == nil && !w.info.Types[c.Fun].IsType():
				if g, _ := callee(w.info, c); g != nil && w.p.funcs[g] == nil && g.Pkg() != nil {
					if w.failure(c) {
						w.left(kindLibrary, x, whyError, "")
					} else {
						w.left(kindLibrary, x, whyLibrary, g.Pkg().Path())
					}
				}
			case tv.Value != nil || tv.IsNil() || strings.HasPrefix(what, `"`) || strings.Contains(what, "{} escapes") && isSlice(tv.Type) || isEmpty(tv.Type): // not allocated
			case strings.HasPrefix(what, "moved to heap"):
				w.left(kindVariable, x, whyParameter, "")
			case isMap(tv.Type):
				w.left(kindMap, x, whyMap, "")
			default:
				w.left(kindOther, x, whyOther, what)
			}
		}
	})
}

func (w *walker) left(kind string, n ast.Node, why reason, about string) {
	w.f.sites = append(w.f.sites, &site{kind: kind, node: n, way: slices.Clone(w.way), why: why, about: about})
}

// isEmpty tells whether values of a type are of no bytes.
func isEmpty(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// placesOf returns those which the compiler may take an expression's from.
func placesOf(x ast.Expr) []token.Pos {
	all := []token.Pos{x.Pos()}
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		all = append(all, x.OpPos)
	case *ast.SelectorExpr:
		all = append(all, x.Sel.Pos()-1, x.Sel.Pos())
	case *ast.CallExpr:
		all = append(all, x.Lparen)
	case *ast.IndexExpr:
		all = append(all, x.Lbrack)
	case *ast.SliceExpr:
		all = append(all, x.Lbrack)
	case *ast.CompositeLit:
		all = append(all, x.Lbrace)
	case *ast.TypeAssertExpr:
		all = append(all, x.Lparen-1)
	}
	return all
}
