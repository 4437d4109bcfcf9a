package fix

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/arena-go/arena/cmd/arena/internal/library"
)

// A struct that is older than the call of a root may keep a slice for the next call. The field
// becomes shorter, in front, behind or by a function, and grows again in the memory that it has.
// So that memory stays on the heap. What lies in it moves, unless the field is cut to more than it
// has: then old elements are used again.

// findOlder finds the fields of structs that may be older than the call of a root.
func (p *program) findOlder() {
	p.older = map[*types.Var]bool{}
	seen := map[types.Type]bool{}
	for _, f := range p.order {
		if f.root {
			for _, v := range f.params() {
				p.fieldsOf(v.Type(), seen)
			}
		}
	}
}

// made returns the structs of which there are literals in the roots, and in what these call.
func (p *program) made() map[*types.TypeName]bool {
	all := map[*types.TypeName]bool{}
	below := slices.DeleteFunc(slices.Clone(p.order), func(f *function) bool { return !f.root })
	seen := map[*function]bool{}
	for _, f := range below {
		seen[f] = true
	}
	for i := 0; i < len(below); i++ {
		info := below[i].pkg.TypesInfo
		visit(below[i].decl.Body, func(n ast.Node, _ []ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if t := named(info.TypeOf(n)); t != nil {
					all[t.Obj()] = true
				}
			case *ast.Ident:
				obj, ok := info.Uses[n].(*types.Func)
				if !ok {
					break
				}
				calls := []*function{p.funcs[obj.Origin()]}
				if r := obj.Signature().Recv(); r != nil && types.IsInterface(r.Type()) {
					calls = p.implementations(r.Type(), obj)
				}
				for _, g := range calls {
					if g != nil && !seen[g] {
						seen[g] = true
						below = append(below, g)
					}
				}
			}
			return true
		})
	}
	return all
}

// findReused finds the fields that keep slices for the next call.
func (p *program) findReused() {
	p.reused, p.revived = map[*types.Var]bool{}, map[*types.Var]bool{}
	for _, f := range p.order {
		w := newReuse(f.pkg.TypesInfo, f.decl.Body)
		note := func(all []rest) {
			for _, r := range all {
				if !r.cut || !p.older[r.field] {
					continue
				}
				p.reused[r.field] = true
				if r.more {
					p.revived[r.field] = true
					p.revive(sliceOf(r.field.Type()).Elem())
				}
			}
		}
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SliceExpr:
				if isZero(w.info, n.High) {
					note(w.of(n))
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if _, name := ast.Unparen(to).(*ast.Ident); !name {
						note(w.of(n.Rhs[min(i, len(n.Rhs)-1)]))
					}
				}
			case *ast.CallExpr:
				if f.walker.isBuiltin(n, "append") {
					note(w.of(n.Args[0]))
				}
			}
			return true
		})
	}
}

// fieldsOf adds the fields of all structs that values of a type lead to. Of an interface these are
// the types of the program that implement it.
func (p *program) fieldsOf(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Map:
		p.fieldsOf(u.Key(), seen)
		p.fieldsOf(u.Elem(), seen)
	case interface{ Elem() types.Type }:
		p.fieldsOf(u.Elem(), seen)
	case *types.Struct:
		for v := range u.Fields() {
			p.older[v.Origin()] = true
			p.fieldsOf(v.Type(), seen)
		}
	case *types.Interface:
		if u.NumMethods() == 0 {
			return
		}
		for _, n := range p.types() {
			if types.Implements(n, u) || types.Implements(types.NewPointer(n), u) {
				p.fieldsOf(n, seen)
			}
		}
		for _, n := range p.others(u) {
			p.fieldsOf(n, seen)
		}
	}
}

// revive adds the fields of the elements of a slice, as far as they lie in it.
func (p *program) revive(t types.Type) {
	switch t := t.Underlying().(type) {
	case *types.Array:
		p.revive(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			p.revived[v.Origin()] = true
			p.revive(v.Type())
		}
	}
}

// sourcesOf returns what variables are set to in a part of a function.
func sourcesOf(info *types.Info, part ast.Node) map[types.Object][]ast.Expr {
	all := map[types.Object][]ast.Expr{}
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if id, ok := ast.Unparen(to).(*ast.Ident); ok {
					all[info.ObjectOf(id)] = append(all[info.ObjectOf(id)], n.Rhs[min(i, len(n.Rhs)-1)])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) > 0 {
					all[info.Defs[id]] = append(all[info.Defs[id]], n.Values[min(i, len(n.Values)-1)])
				}
			}
		}
		return true
	})
	return all
}

// A rest is a slice that may be a field, or lie in the memory of one.
type rest struct {
	field *types.Var
	cut   bool // it may be shorter than the field, and have room
	more  bool // or longer
}

// A reuse finds these in a function: what they are a rest of, by variable.
type reuse struct {
	info *types.Info
	vars map[types.Object][]rest
}

// newReuse follows the variables of a function until nothing is new.
func newReuse(info *types.Info, body ast.Node) reuse {
	w := reuse{info, map[types.Object][]rest{}}
	sources := sourcesOf(info, body)
	for more := true; more; {
		more = false
		for v, all := range sources {
			for _, x := range all {
				for _, r := range w.of(x) {
					i := slices.IndexFunc(w.vars[v], func(known rest) bool { return known.field == r.field })
					if i < 0 {
						w.vars[v], i = append(w.vars[v], rest{field: r.field}), len(w.vars[v])
						more = true
					}
					was := w.vars[v][i]
					now := rest{r.field, was.cut || r.cut, was.more || r.more}
					w.vars[v][i], more = now, more || now != was
				}
			}
		}
	}
	return w
}

// of returns what fields x may be a rest of.
func (w reuse) of(x ast.Expr) (all []rest) {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if v, ok := w.info.Uses[x.Sel].(*types.Var); ok && v.IsField() && sliceOf(v.Type()) != nil {
			return []rest{{field: v.Origin()}}
		}
	case *ast.ParenExpr:
		return w.of(x.X)
	case *ast.StarExpr: // of a pointer to a field
		return w.of(x.X)
	case *ast.UnaryExpr:
		return w.of(x.X)
	case *ast.SliceExpr:
		all = w.of(x.X)
		for i := range all {
			all[i].cut = all[i].cut || x.High != nil || x.Low != nil && !isZero(w.info, x.Low)
			all[i].more = all[i].more || x.High != nil && extends(w.info, x.High)
		}
	case *ast.Ident:
		return slices.Clone(w.vars[w.info.ObjectOf(x)])
	case *ast.CallExpr:
		return w.ofCall(x)
	}
	return all
}

// sliceOf returns the slice that values of a type are, or point at, or nil.
func sliceOf(t types.Type) *types.Slice {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, _ := t.Underlying().(*types.Slice)
	return s
}

// ofCall is of for a call. A function may return a part of what it is given, unless it is known to
// make a new slice, or to grow that one.
func (w reuse) ofCall(c *ast.CallExpr) (all []rest) {
	if w.info.Types[c.Fun].IsType() {
		return w.of(c.Args[0])
	}
	grows := w.info.Types[c.Fun].IsBuiltin()
	args := c.Args
	if f, _ := callee(w.info, c); f != nil && slices.Contains(growing, f.FullName()) {
		grows = true
	} else if facts, ok := library.Of(f); f != nil && ok && facts.All {
		args = slices.DeleteFunc(slices.Clone(args), func(x ast.Expr) bool {
			o := operand{index: slices.Index(c.Args, x)}
			return !slices.ContainsFunc(facts.Flows, func(w library.Flow) bool { return w.To == "r" && w.From == o.number(f) })
		})
	}
	if grows {
		args = args[:min(1, len(args))]
	}
	for _, x := range args {
		if isSlice(w.info.TypeOf(x)) && returns(w.info.TypeOf(c), w.info.TypeOf(x)) {
			for _, r := range w.of(x) {
				r.cut = r.cut || !grows
				all = append(all, r)
			}
		}
	}
	return all
}

// growing are functions whose result has all elements of their first argument.
var growing = []string{"slices.Grow", "slices.Insert"}

// returns tells whether a call whose results have the type t has one of another type.
func returns(t, one types.Type) bool {
	if list, ok := t.(*types.Tuple); ok {
		return slices.ContainsFunc(slices.Collect(list.Variables()), func(v *types.Var) bool { return types.Identical(v.Type(), one) })
	}
	return t != nil && types.Identical(t, one)
}

// extends tells whether a length may be more than a slice has had since it grew: a sum, or the
// capacity.
func extends(info *types.Info, high ast.Expr) (found bool) {
	ast.Inspect(high, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			found = found || n.Op == token.ADD
		case *ast.Ident:
			found = found || info.Uses[n] == types.Universe.Lookup("cap")
		}
		return true
	})
	return found
}

func isZero(info *types.Info, x ast.Expr) bool {
	v := info.Types[x].Value
	return v != nil && v.Kind() == constant.Int && constant.Sign(v) == 0
}
