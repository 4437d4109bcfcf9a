package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// If goroutines may call the roots at the same time, and do not race, then they store under a lock
// in what belongs to a variable of a package. So what only may belong to one does not, if neither
// the function has a lock nor a function that calls it.

// exclusive are the functions of the standard library after which a goroutine may be alone, by the
// names of the package and of the function.
var exclusive = []string{"sync.Lock", "sync.RLock", "sync.TryLock", "sync.TryRLock", "atomic.CompareAndSwap",
	"atomic.CompareAndSwapInt32", "atomic.CompareAndSwapInt64", "atomic.CompareAndSwapUint32", "atomic.CompareAndSwapUint64", "atomic.CompareAndSwapUintptr", "atomic.CompareAndSwapPointer"}

// unlocks are those after which it is so no longer.
var unlocks = []string{"sync.Unlock", "sync.RUnlock"}

// strict tells whether what is stored in x may belong to a variable of a package although x does
// not name one.
func (w *walker) strict(x ast.Expr) bool {
	return !w.p.concurrent || w.p.underLock[w.f] || slices.ContainsFunc(w.once, func(lit *ast.FuncLit) bool { return lit.Pos() <= x.Pos() && x.Pos() < lit.End() })
}

// findLocks computes which functions may run while a lock is held.
func (p *program) findLocks() {
	p.underLock = map[*function]bool{}
	locks := map[*function]bool{} // and do not unlock
	for n := -1; n != len(locks); {
		n = len(locks)
		for _, f := range p.order {
			if f.walker.excludes(locks) {
				p.hold(f)
				if !f.walker.calls(func(name string, _ *function) bool { return slices.Contains(unlocks, name) }) {
					locks[f] = true
				}
			}
		}
	}
	for _, f := range p.order {
		f.walker.findOnce()
	}
}

// excludes tells whether the function may exclude other goroutines: it has a lock, perhaps by one
// of the functions that lock and do not unlock, or uses a channel.
func (w *walker) excludes(locks map[*function]bool) (found bool) {
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt:
			_, ok := w.info.TypeOf(n.X).Underlying().(*types.Chan)
			found = found || ok
		}
		return !found
	})
	return found || w.calls(func(name string, g *function) bool { return slices.Contains(exclusive, name) || locks[g] })
}

// calls tells whether "is" holds of a call in the function. It gets the names of a library's
// package and function, or a function of the program.
func (w *walker) calls(is func(name string, g *function) bool) (found bool) {
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			targets, _ := w.targets(c)
			found = found || is(w.libraryName(c), nil) || slices.ContainsFunc(targets, func(g *function) bool { return is("", g) })
		}
		return !found
	})
	return found
}

// findOnce notes what is called once, while others wait.
func (w *walker) findOnce() {
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || !slices.Contains([]string{"sync.Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues"}, w.libraryName(c)) {
			return true
		}
		for _, x := range c.Args {
			if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
				w.once = append(w.once, lit)
				w.holdCalls(lit)
			} else if g := w.functionOf(x); g != nil {
				w.p.hold(g)
			}
		}
		return true
	})
}

// hold notes that f may run while a lock is held, and so may what it calls.
func (p *program) hold(f *function) {
	if !p.underLock[f] {
		p.underLock[f] = true
		f.walker.holdCalls(f.decl.Body)
	}
}

// holdCalls notes that what is called in a part of the function may run while a lock is held.
func (w *walker) holdCalls(part ast.Node) {
	ast.Inspect(part, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !w.info.Types[c.Fun].IsType() {
			targets, _ := w.targets(c)
			if w.isValue(c.Fun) {
				targets = w.p.mayBeTaken(w.info.TypeOf(c.Fun))
			}
			for _, g := range targets {
				if g.walker != nil {
					w.p.hold(g)
				}
			}
		}
		return true
	})
}

// libraryName returns the names of the package and of the function of a library that a call calls.
func (w *walker) libraryName(c *ast.CallExpr) string {
	f, _ := callee(w.info, c)
	if f == nil { // of an interface, such as sync.Locker
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		if f, ok = w.info.Uses[sel.Sel].(*types.Func); !ok {
			return ""
		}
	}
	if f.Pkg() == nil {
		return ""
	}
	return f.Pkg().Name() + "." + f.Name()
}
