package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// A struct that is older than the call of a root may be shared. Goroutines that only read it do not
// race, until something stores an arena there, or they share that. If each call of a method stores
// something there, two goroutines do not call it at the same time.

// alone tells whether goroutines do not call the functions of a struct at the same time: those that
// allocate, and may be called from outside, store something in it in each call, and do so in a
// field that is common to them. Unless idle, calls that allocate nothing do not count.
func (p *program) alone(obj *types.TypeName, idle bool) bool {
	only := map[*types.TypeName]*carrier{obj: p.structs[obj]}
	var common map[string]bool
	for _, f := range p.order {
		id := f.given(only)
		if id == nil || !f.needs || !f.root && !f.obj.Exported() || streams(f.obj) {
			continue
		}
		all := f.always(f.pkg.TypesInfo.Defs[id].(*types.Var), idle)
		if common == nil {
			common = maps.Clone(all)
		}
		maps.DeleteFunc(common, func(field string, _ bool) bool { return !all[field] })
		if len(common) == 0 {
			return false
		}
	}
	return true
}

// streams tells whether a function is the method of an io.Reader or io.Writer. Package io says that
// clients should not assume these to be safe for parallel execution.
func streams(f *types.Func) bool {
	sig := f.Signature()
	if sig.Recv() == nil || f.Name() != "Read" && f.Name() != "Write" || sig.Params().Len() != 1 || sig.Results().Len() != 2 {
		return false
	}
	return types.TypeString(sig.Params().At(0).Type(), nil) == "[]byte" && types.TypeString(sig.Results().At(0).Type(), nil) == "int"
}

// isStream tells whether values of a type are readers or writers: a call that gets one changes it,
// as if it stored something there.
func isStream(t types.Type) bool {
	for _, name := range []string{"Read", "Write"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name); obj != nil {
			if f, ok := obj.(*types.Func); ok && streams(f) {
				return true
			}
		}
	}
	return false
}

// A storedKey is what always is asked about: a parameter, and whether calls that allocate nothing
// count.
type storedKey struct {
	v    *types.Var
	idle bool
}

// always returns the fields of a parameter, as their ways from there, in one of which the function
// stores something in each call that returns. There is none if a call may store nothing.
func (f *function) always(v *types.Var, idle bool) map[string]bool {
	if all, ok := f.stored[storedKey{v, idle}]; ok { // or it calls itself, and nothing is known yet
		return all
	}
	if f.stored == nil {
		f.stored = map[storedKey]map[string]bool{}
	}
	f.stored[storedKey{v, idle}] = nil
	if v == nil || f.decl.Body == nil || len(sourcesOf(f.pkg.TypesInfo, f.decl.Body)[v]) > 0 {
		return nil // it may point at another struct
	}
	if _, ok := types.Unalias(v.Type()).(*types.Pointer); !ok {
		return nil // it is a copy
	}
	g := cfg.New(f.decl.Body, func(c *ast.CallExpr) bool { return !f.walker.isBuiltin(c, "panic") })
	in, all := make([]map[string]bool, len(g.Blocks)), map[string]bool{}
	for i, b := range g.Blocks {
		in[i] = map[string]bool{}
		for _, n := range b.Nodes {
			f.walker.storesAlways(n, v, in[i])
		}
		maps.Copy(all, in[i])
	}
	type state struct {
		b         *cfg.Block
		allocates bool
	}
	seen := map[state]bool{}
	var misses func(s state) bool // tells whether it returns without a store
	misses = func(s state) bool {
		if seen[s] || len(in[s.b.Index]) > 0 {
			return false
		}
		seen[s] = true
		s.allocates = s.allocates || slices.ContainsFunc(s.b.Nodes, f.allocates)
		return s.allocates && s.b.Return() != nil ||
			slices.ContainsFunc(s.b.Succs, func(next *cfg.Block) bool { return misses(state{next, s.allocates}) })
	}
	if misses(state{g.Blocks[0], idle || f.allocates(f.decl.Type)}) {
		return nil
	}
	f.stored[storedKey{v, idle}] = all
	return all
}

// allocates tells whether a site that moves, or a call that allocates, is in a node or around it.
func (f *function) allocates(n ast.Node) bool {
	in := func(other ast.Node) bool { return n.Pos() < other.End() && other.Pos() < n.End() }
	return slices.ContainsFunc(f.sites, func(s *site) bool { return !s.why.stays() && in(s.node) }) ||
		slices.ContainsFunc(f.calls, func(c *call) bool { return c.to.needs && in(c.expr) })
}

// storesAlways adds the fields of v in which a node stores something each time that it runs, and
// those that are readers or writers and which it uses.
func (w *walker) storesAlways(n ast.Node, v *types.Var, to map[string]bool) {
	set := func(x ast.Expr) {
		if way, ok := w.fieldOf(x, v); ok && way != "" {
			to[way] = true
		}
	}
	uses := func(x ast.Expr) {
		if t := w.info.TypeOf(x); t != nil && isStream(t) {
			set(x)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.TypeAssertExpr:
			uses(n.X)
		case *ast.BinaryExpr: // the right side may not run
			w.storesAlways(n.X, v, to)
			return false
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				set(x)
			}
		case *ast.IncDecStmt:
			set(n.X)
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				uses(sel.X)
			}
			for _, x := range n.Args {
				uses(x)
			}
			obj, _ := callee(w.info, n)
			g := w.p.funcs[obj]
			if g == nil {
				break
			}
			for _, o := range w.operands(n) {
				x := ast.Unparen(o.x)
				if and, ok := x.(*ast.UnaryExpr); ok {
					x = and.X
				}
				way, ok := w.fieldOf(x, v)
				if sel, method := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && method && o.index < 0 {
					at := w.info.Selections[sel].Index()
					way, ok = extend(way, w.info.TypeOf(x), at[:len(at)-1])
				}
				if ok {
					for inner := range g.always(o.param(g.obj), true) {
						to[way+inner] = true
					}
				}
			}
		}
		return true
	})
}

// fieldOf returns the way from v to a place, or false if that may be another one in the next call,
// or has a lock.
func (w *walker) fieldOf(x ast.Expr, v *types.Var) (string, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return "", w.info.Uses[x] == v
	case *ast.StarExpr:
		return w.fieldOf(x.X, v)
	case *ast.SelectorExpr:
		if s := w.info.Selections[x]; s != nil && s.Kind() == types.FieldVal {
			if way, ok := w.fieldOf(x.X, v); ok {
				return extend(way, s.Recv(), s.Index())
			}
		}
	}
	return "", false
}

// extend extends a way by the fields of a selection, or returns false if a struct there has a lock.
func extend(way string, t types.Type, index []int) (string, bool) {
	for _, i := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if locks(t) {
			return "", false
		}
		way += fmt.Sprint(".", i)
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return way, true
}
