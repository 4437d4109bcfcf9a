package lives

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An operand is what a function is given.
type operand struct {
	t   types.Type
	get func(leaf) *set
}

func (a *analysis) operand(in *instance, v ssa.Value) operand {
	return operand{v.Type(), func(l leaf) *set { return a.value(in, v, 0, l) }}
}

// all returns all that an operand refers to.
func (a *analysis) all(o operand) *set {
	s := &set{}
	for _, l := range a.types.of(o.t) {
		s.UnionWith(o.get(l))
	}
	return s
}

func (a *analysis) oldOperand(t types.Type) operand {
	return operand{t, func(leaf) *set { return &a.justOld }}
}

// start is for a go statement: what the goroutine has may be kept for as long as it likes.
func (a *analysis) start(in *instance, g *ssa.Go) {
	const why = "it is given to a goroutine"
	for _, v := range append(slices.Clone(g.Call.Args), g.Call.Value) {
		a.escape(a.all(a.operand(in, v)), g, why)
	}
}

// call is for a call, also a deferred one.
func (a *analysis) call(in *instance, c ssa.CallInstruction) {
	com := c.Common()
	inside := in.inside || in == a.top && slices.Contains(a.q.Calls, c.Pos())
	var args []operand
	for _, v := range com.Args {
		args = append(args, a.operand(in, v))
	}
	if b, ok := com.Value.(*ssa.Builtin); ok {
		a.builtin(in, c, b.Name())
		return
	}
	if !com.IsInvoke() {
		a.callValue(in, c, a.value(in, com.Value, 0, leafFunc), args, inside)
		return
	}
	each(a.value(in, com.Value, 0, a.types.one(com.Value.Type())), func(id int) {
		o := a.objects[id]
		if a.outside.Has(id) {
			recv := a.oldOperand(com.Value.Type())
			if !a.closed {
				a.unknown(in, c, com.Method, append([]operand{recv}, args...))
				if inside { // the rewriting gives those of the program the arena
					for _, m := range a.q.Methods(com.Value.Type(), com.Method) {
						if fn := a.prog.FuncValue(m); fn != nil {
							a.invoke(in, c, fn, append([]operand{recv}, args...), nil, inside)
						}
					}
				}
				return
			}
			for _, fn := range a.calls[in.fn][c] {
				a.invoke(in, c, fn, append([]operand{recv}, args...), nil, inside)
			}
			return
		}
		if o.box && types.Implements(o.typ, com.Value.Type().Underlying().(*types.Interface)) {
			if fn := a.prog.LookupMethod(o.typ, com.Method.Pkg(), com.Method.Name()); fn != nil {
				a.invoke(in, c, fn, append([]operand{a.contents(id)}, args...), nil, inside)
			}
		}
	})
}

// contents is the value of a box.
func (a *analysis) contents(id int) operand {
	o := a.objects[id]
	return operand{o.typ, func(l leaf) *set { return cell(o.cells, l) }}
}

// callValue is for a call of a function that a value may be.
func (a *analysis) callValue(in *instance, c ssa.CallInstruction, fns *set, args []operand, inside bool) {
	each(fns, func(id int) {
		o := a.objects[id]
		switch {
		case o.fn != nil && (o.binds == nil || !a.outside.Has(id)):
			a.invoke(in, c, o.fn, args, o.binds, inside)
		case !a.closed:
			a.unknown(in, c, nil, args)
		default:
			for _, fn := range a.calls[in.fn][c] {
				var binds []map[leaf]*set
				for _, v := range fn.FreeVars {
					bind := map[leaf]*set{}
					for _, l := range a.types.of(v.Type()) {
						bind[l] = &a.justOld
					}
					binds = append(binds, bind)
				}
				a.invoke(in, c, fn, args, binds, inside)
			}
		}
	})
}

// olds has the results of a call refer to the old object.
func (a *analysis) olds(in *instance, c ssa.CallInstruction) {
	v := c.Value()
	if v == nil {
		return
	}
	list := c.Common().Signature().Results()
	for n := range list.Len() {
		for _, l := range a.types.of(list.At(n).Type()) {
			a.add(a.value(in, v, n, l), old)
		}
	}
}

// unknown is for a call of which nothing is known. Writers keep nothing of what they are given: the contract of io.Writer says so.
func (a *analysis) unknown(in *instance, c ssa.CallInstruction, m *types.Func, args []operand) {
	a.olds(in, c)
	if m != nil && writes(m) {
		return
	}
	what := "a function that is not known"
	if m != nil {
		what = m.Name() + ", a method that is not known"
	}
	for _, o := range args {
		a.escape(a.all(o), c, "it is given to "+what)
	}
}

// writes tells whether a method is that of io.Writer.
func writes(m *types.Func) bool {
	sig := m.Signature()
	return m.Name() == "Write" && sig.Params().Len() == 1 && types.Identical(sig.Params().At(0).Type(), types.NewSlice(types.Typ[types.Byte]))
}

// invoke is for a call of this function, with what it has captured.
func (a *analysis) invoke(in *instance, c ssa.CallInstruction, fn *ssa.Function, args []operand, binds []map[leaf]*set, inside bool) {
	pkg := packageOf(fn)
	mine := a.mine(fn)
	standard := pkg != nil && isStandard(pkg)
	if standard && a.library(in, c, fn, args, inside) {
		return
	}
	if standard && len(fn.Blocks) > 4 && a.onlyOld(args, binds) { // nothing that it is given can be of the arena
		a.olds(in, c)
		return
	}
	if pkg != nil && (pkg.Path() == corePath || strings.HasPrefix(pkg.Path(), corePath+"/")) {
		a.olds(in, c)
		for _, o := range args {
			a.escape(a.all(o), c, "it is given to package "+pkg.Path())
		}
		return
	}
	if len(fn.Blocks) == 0 {
		a.bodyless(in, c, fn, args)
		return
	}
	if inside && !mine && a.onlyOld(args, binds) { // it has no arena
		inside = false
	}
	callee := a.enter(fn, inside, c)
	for n, param := range fn.Params {
		if n >= len(args) {
			break
		}
		list := a.types.of(param.Type())
		for _, l := range list {
			a.union(a.value(callee, param, 0, l), args[n].get(l))
			if len(list) == 1 {
				a.union(a.value(callee, param, 0, l), a.all(args[n]))
			}
		}
	}
	for n, v := range fn.FreeVars {
		for _, l := range a.types.of(v.Type()) {
			if n < len(binds) {
				a.union(a.value(callee, v, 0, l), cell(binds[n], l))
			}
		}
	}
	v := c.Value()
	if v == nil {
		return
	}
	list := c.Common().Signature().Results()
	for n := range list.Len() {
		for _, l := range a.types.of(list.At(n).Type()) {
			a.union(a.value(in, v, n, l), cell(callee.results[n], l))
		}
	}
	a.made(in, c)
}

// made is for the result of a call that the rewriting may replace by one that makes it in the arena.
func (a *analysis) made(in *instance, c ssa.CallInstruction) {
	v := c.Value()
	if v == nil || !in.inside || !a.q.Moved(c) {
		return
	}
	list := c.Common().Signature().Results()
	for n := range list.Len() {
		id, _ := a.object(in, c, 1+n, nil)
		for _, l := range a.types.of(list.At(n).Type()) {
			if !types.IsInterface(list.At(n).Type()) {
				a.add(a.value(in, v, n, l), id)
			}
		}
	}
}

// onlyOld tells whether nothing that a function is given was made since the caller in question was called.
func (a *analysis) onlyOld(args []operand, binds []map[leaf]*set) bool {
	ok := true
	look := func(s *set) {
		each(s, func(id int) { ok = ok && (a.outside.Has(id) || a.objects[id].fn != nil && a.objects[id].binds == nil) })
	}
	for _, o := range args {
		look(a.all(o))
	}
	for _, b := range binds {
		for _, s := range b {
			look(s)
		}
	}
	return ok
}

// bodyless is for a function that is not written in Go. Those of the standard library that look at text and numbers keep nothing.
func (a *analysis) bodyless(in *instance, c ssa.CallInstruction, fn *ssa.Function, args []operand) {
	a.olds(in, c)
	pkg := packageOf(fn)
	if pkg != nil && isStandard(pkg) {
		plain := true
		for _, o := range args {
			plain = plain && isPlain(o.t)
		}
		if plain {
			return
		}
	}
	for _, o := range args {
		a.escape(a.all(o), c, "it is given to "+fn.String()+", which is not written in Go")
	}
}

// isPlain tells whether values of a type are numbers and text, or refer to these only.
func isPlain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Kind() != types.Uintptr
	case *types.Slice:
		_, ok := u.Elem().Underlying().(*types.Basic)
		return ok && isPlain(u.Elem()) && !isText(u.Elem())
	case *types.Pointer:
		_, ok := u.Elem().Underlying().(*types.Basic)
		return ok && isPlain(u.Elem()) && !isText(u.Elem())
	}
	return false
}

// builtin does what a built-in function does.
func (a *analysis) builtin(in *instance, c ssa.CallInstruction, name string) {
	args, v := c.Common().Args, c.Value()
	switch name {
	case "append":
		if v == nil {
			return
		}
		a.copy(in, v, args[0])
		id, _ := a.object(in, c, 0, elem(v.Type()))
		l := a.types.of(v.Type())[0]
		a.add(a.value(in, v, 0, l), id)
		if isText(args[1].Type()) {
			return
		}
		for _, e := range a.types.of(elem(v.Type())) {
			what := &set{}
			for _, x := range args {
				for _, m := range a.types.of(x.Type()) {
					a.look(what, a.value(in, x, 0, m), e)
				}
			}
			a.store(a.value(in, v, 0, l), e, what, c)
		}
	case "copy":
		if isText(args[1].Type()) {
			return
		}
		for _, e := range a.types.of(elem(args[0].Type())) {
			what := &set{}
			for _, m := range a.types.of(args[1].Type()) {
				a.look(what, a.value(in, args[1], 0, m), e)
			}
			for _, m := range a.types.of(args[0].Type()) {
				a.store(a.value(in, args[0], 0, m), e, what, c)
			}
		}
	case "recover":
		if v != nil {
			a.add(a.value(in, v, 0, leafAny), old)
			a.union(a.value(in, v, 0, leafAny), &a.panics)
		}
	case "len", "cap", "delete", "clear", "close", "print", "println", "real", "imag", "complex":
	default: // of package unsafe, min, max, ssa:wrapnilchk
		if v == nil {
			return
		}
		for _, x := range args {
			a.copy(in, v, x)
		}
	}
}

const corePath = "github.com/arena-go/arena"

func isStandard(pkg *types.Package) bool {
	first, _, _ := strings.Cut(pkg.Path(), "/")
	return !strings.Contains(first, ".")
}
