package lives

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
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

func (a *analysis) oldOperand(t types.Type) operand { return operand{t, a.justOlds} }

func (a *analysis) justOlds(leaf) *set { return &a.justOld }

// assign has a place of type t refer to what an operand does. Types that differ in the tags of
// their fields have other leafs: then all of the operand counts, and what it leads to is used under
// other types.
func (a *analysis) assign(t types.Type, to func(leaf) *set, from operand) {
	list, have := a.types.of(t), a.types.of(from.t)
	for _, l := range list {
		a.union(to(l), from.get(l))
		other := !slices.Contains(have, l)
		if other || len(list) == 1 {
			for _, m := range have {
				a.union(to(l), from.get(m))
			}
		}
		if other {
			each(a.all(from), a.mix)
		}
	}
}

// A use is a call as it is looked at: one of the program, or one that a function of the standard
// library makes of what it is given.
type use struct {
	in      *instance
	at      ssa.CallInstruction
	inside  bool
	back    bool // the library makes it
	results *types.Tuple
	set     func(n int, l leaf) *set // of result n; nil if there are no results
}

// start is for a go statement: what the goroutine has may be kept for as long as it likes.
func (a *analysis) start(in *instance, g *ssa.Go) {
	for _, v := range append(slices.Clone(g.Call.Args), g.Call.Value) {
		a.escape(a.all(a.operand(in, v)), g, Why{Reason: Goroutine})
	}
}

// call is for a call, also a deferred one.
func (a *analysis) call(in *instance, c ssa.CallInstruction) {
	com := c.Common()
	u := use{in: in, at: c, inside: in.inside || in == a.top && slices.Contains(a.q.Calls, c.Pos()), results: types.NewTuple()}
	if v := c.Value(); v != nil {
		u.results = com.Signature().Results()
		u.set = func(n int, l leaf) *set { return a.value(in, v, n, l) }
	}
	var args []operand
	for _, v := range com.Args {
		args = append(args, a.operand(in, v))
	}
	if b, ok := com.Value.(*ssa.Builtin); ok {
		a.builtin(in, c, b.Name())
		return
	}
	if com.IsInvoke() {
		a.callMethod(u, a.operand(in, com.Value), com.Method, args)
		return
	}
	a.callValue(u, a.value(in, com.Value, 0, leafFunc), args)
}

// callMethod is for a call of a method of an interface.
func (a *analysis) callMethod(u use, recv operand, m *types.Func, args []operand) {
	u.inside = u.inside && a.dispatched(u)
	whole := a.all(recv)
	if a.rewriting != nil {
		a.callMine(u, recv.t, whole, m, args)
	}
	each(a.notPlain(whole), func(id int) {
		o := a.objects[id]
		switch {
		case o.out || a.isGiven(id):
			if a.rewriting == nil {
				a.callOld(u, recv.t, m, args)
			}
		case a.reflects.Has(id) || a.isBare(id):
		case a.rewriting != nil && !o.box && o.typ != nil && !o.deep: // package reflect has made it
			a.methodsOf(u, []string{m.Name()}, id, a.contents(id), args, map[types.Type]bool{})
		case !o.box || o.typ == nil || o.deep: // package unsafe has made it
			with := operand{recv.t, func(leaf) *set { return single(id) }}
			a.unknown(u, m, append([]operand{with}, args...))
			a.escape(single(id), u.at, Why{Reason: UnsafeMethod})
		default:
			if fn := a.methodOf(o.typ, recv.t, m); fn != nil {
				a.invoke(u, fn, append([]operand{a.contents(id)}, args...), nil)
			}
		}
	})
	for _, list := range a.boxesIn(whole) {
		fn := a.methodOf(list.typ, recv.t, m)
		if fn == nil {
			continue
		}
		of := a.among(whole, list.typ)
		each(of, func(id int) { a.objects[id].watch.add(a.current) })
		value := operand{list.typ, func(l leaf) *set {
			s := &set{}
			each(of, func(id int) {
				if o := a.objects[id]; o.out {
					s.Insert(old)
				} else if c := o.cells[l]; c != nil {
					s.UnionWith(c)
				}
			})
			return s
		}}
		a.invoke(u, fn, append([]operand{value}, args...), nil)
	}
}

// dispatched tells whether a call gives the arena to what it calls. A call by an interface, or of a
// function value, does so if the rewriting changes it.
func (a *analysis) dispatched(u use) bool {
	return a.rewriting == nil || !u.back && (u.at.Common().StaticCallee() != nil || a.rewriting.Dispatched(u.at))
}

// A methodKey is a method of an interface, for values of a type.
type methodKey struct {
	t, iface types.Type
	m        *types.Func
}

// methodOf returns the method of a type that a call by an interface has, or nil if the interface
// does not hold values of the type.
func (a *analysis) methodOf(t, iface types.Type, m *types.Func) *ssa.Function {
	key := methodKey{t, iface, m}
	fn, ok := a.methodsIn[key]
	if !ok {
		if types.Implements(t, iface.Underlying().(*types.Interface)) {
			fn = a.prog.LookupMethod(t, m.Pkg(), m.Name())
		}
		a.methodsIn[key] = fn
	}
	return fn
}

// callOld is for a call of a method of an old value in an interface.
func (a *analysis) callOld(u use, t types.Type, m *types.Func, args []operand) {
	args = append([]operand{a.oldOperand(t)}, args...)
	if a.closed && !u.back && a.calls[u.in.fn] != nil {
		for _, fn := range a.calls[u.in.fn][u.at] {
			a.invoke(u, fn, args, nil)
		}
		return
	}
	a.unknown(u, m, args)
	if u.inside { // the rewriting gives functions of the program the arena
		for _, m := range a.q.Methods(t, m) {
			if fn := a.prog.FuncValue(m); fn != nil {
				a.invoke(u, fn, args, nil)
			}
		}
	}
}

// contents is the value of a box.
func (a *analysis) contents(id int) operand {
	o := a.objects[id]
	o.watch.add(a.current)
	return operand{o.typ, func(l leaf) *set {
		if !o.mixed {
			return o.cell(l)
		}
		all := &set{}
		a.inside(id, func(s *set) { all.UnionWith(s) })
		return all
	}}
}

// callValue is for a call of a function that a value may be.
func (a *analysis) callValue(u use, fns *set, args []operand) {
	u.inside = u.inside && a.dispatched(u)
	each(fns, func(id int) {
		o := a.objects[id]
		if id != old {
			o.watch.add(a.current)
		}
		switch {
		case o.native != nil:
			o.native(u, args)
		case o.fn != nil && !fits(u, o.fn, args): // a place may have functions of several types
		case o.fn != nil && (a.rewriting != nil || (o.binds == nil || !o.out) && !o.mixed):
			u := u
			if a.rewriting != nil && o.in != nil { // a literal has the arena of the function around it
				u.inside = o.in.inside
			} else if a.rewriting != nil && o.fn.Parent() != nil {
				u.inside = u.inside || slices.ContainsFunc(a.entered[o.fn.Parent()], func(in *instance) bool { return in.inside })
			}
			a.invoke(u, o.fn, args, o.binds)
		case a.isGiven(id) && !o.out:
			a.outerCall(u, args)
			a.callTaken(u, u.at.Common().Value.Type(), args, true)
		case a.rewriting != nil && o.out:
			if id == hooked {
				a.outerCall(u, args)
			}
			if !a.callTaken(u, u.at.Common().Value.Type(), args, false) && id != hooked {
				a.unknown(u, nil, args)
			}
		case a.rewriting != nil && o.typ != nil: // a place that is used under several types has it
		case !a.closed || u.back || a.calls[u.in.fn] == nil || !o.out:
			a.unknown(u, nil, args)
			a.escape(single(id), u.at, Why{Reason: UnknownValue})
		default:
			for _, fn := range a.calls[u.in.fn][u.at] {
				a.invoke(u, fn, args, a.binds(fn, a.justOlds))
			}
		}
	})
}

// fits tells whether a function can have these arguments. Those that a library gives it may be of
// other types here.
func fits(u use, fn *ssa.Function, args []operand) bool {
	params := fn.Signature.Params()
	if recv := fn.Signature.Recv(); recv != nil {
		if len(args) == 0 || !u.back && !types.IdenticalIgnoreTags(args[0].t, recv.Type()) {
			return false
		}
		args = args[1:]
	}
	if params.Len() != len(args) {
		return false
	}
	for n, x := range args {
		if !u.back && !types.IdenticalIgnoreTags(x.t, params.At(n).Type()) {
			return false
		}
	}
	return true
}

// binds returns what a function has captured, if a place refers to what get returns.
func (a *analysis) binds(fn *ssa.Function, get func(leaf) *set) (binds []map[leaf]*set) {
	for _, v := range fn.FreeVars {
		bind := map[leaf]*set{}
		for _, l := range a.types.of(v.Type()) {
			bind[l] = get(l)
		}
		binds = append(binds, bind)
	}
	return binds
}

// olds has the results of a call refer to the old object.
func (a *analysis) olds(u use) { a.results(u, &a.justOld) }

// unknown is for a call of which nothing is known. Writers keep nothing of what they are given: the
// contract of io.Writer says so.
func (a *analysis) unknown(u use, m *types.Func, args []operand) {
	a.olds(u)
	if m != nil && isWrite(m) {
		return
	}
	why := Why{Reason: UnknownFunc}
	if m != nil {
		why = Why{Reason: UnknownMethod, Name: cmp.Or(names.Path(m), m.Name())}
	}
	for _, o := range args {
		a.escape(a.all(o), u.at, why)
	}
}

// isWrite reports whether a method is io.Writer's Write, or net.PacketConn's WriteTo, and isRead
// whether it is io.Reader's Read: none keeps anything of the buffer.
func isWrite(m *types.Func) bool {
	return usesBuffer(m, "Write") || m.Name() == "WriteTo" && m.Pkg() != nil && m.Pkg().Path() == "net"
}

func isRead(m *types.Func) bool { return usesBuffer(m, "Read") }

// usesBuffer reports whether a method has a name, and takes bytes and returns two results.
func usesBuffer(m *types.Func, name string) bool {
	sig := m.Signature()
	return m.Name() == name && sig.Params().Len() == 1 && types.Identical(sig.Params().At(0).Type(), types.NewSlice(types.Typ[types.Byte])) &&
		sig.Results().Len() == 2
}

// invoke is for a call of this function, with what it has captured.
func (a *analysis) invoke(u use, fn *ssa.Function, args []operand, binds []map[leaf]*set) {
	pkg := packageOf(fn)
	mine := a.mine(fn)
	standard := a.isStandard(pkg)
	if a.rewriting != nil && a.pooled(u) {
		return
	}
	if a.ends != nil && (a.model(u, fn, args) || a.onlyOlder(u, fn, args, binds)) {
		return
	}
	if standard && a.library(u, fn, args) {
		return
	}
	build(fn)
	if standard && len(fn.Blocks) > 4 && !a.ends.needs(fn) && a.onlyOld(args, binds) { // nothing that it is given can be of the arena
		a.oldsOf(u, args)
		a.made(u)
		return
	}
	if a.ends == nil && pkg != nil && (pkg.Path() == corePath || strings.HasPrefix(pkg.Path(), corePath+"/")) {
		a.olds(u)
		for _, o := range args {
			a.escape(a.all(o), u.at, Why{Reason: ArenaPackage, Name: pkg.Path()})
		}
		return
	}
	if len(fn.Blocks) == 0 {
		a.bodyless(u, fn, args)
		return
	}
	if u.inside && !mine && a.onlyOld(args, binds) { // it has no arena
		u.inside = false
	}
	if a.rewriting != nil && mine && !u.back && a.rewriting.Former(u.at) {
		u.inside = false
	}
	callee := a.enter(fn, u.inside, u.back, u.at)
	callee.callers.add(a.current)
	a.ends.called(callee, u)
	for n, param := range fn.Params {
		if n < len(args) {
			a.assign(param.Type(), func(l leaf) *set { return a.value(callee, param, 0, l) }, args[n])
		}
	}
	for n, v := range fn.FreeVars {
		for _, l := range a.types.of(v.Type()) {
			if n < len(binds) {
				a.union(a.value(callee, v, 0, l), cell(binds[n], l, nil))
			}
		}
	}
	list := fn.Signature.Results()
	for n := range u.results.Len() {
		if n < list.Len() {
			from := operand{list.At(n).Type(), func(l leaf) *set { return cell(callee.results[n], l, &callee.callers) }}
			a.assign(u.results.At(n).Type(), func(l leaf) *set { return u.set(n, l) }, from)
		}
	}
	a.made(u)
}

// made is for the result of a call that the rewriting may replace by one that makes it in the
// arena.
func (a *analysis) made(u use) {
	if u.back || !u.in.inside || u.results.Len() == 0 || !a.q.Moved(u.at) {
		return
	}
	for n := range u.results.Len() {
		t := u.results.At(n).Type()
		id, _ := a.object(u.in, u.at, 1+n, nil)
		for _, l := range a.types.of(t) {
			if !types.IsInterface(t) {
				a.add(u.set(n, l), id)
			}
		}
	}
}

// onlyOld tells whether nothing that a function is given was made since the caller in question was
// called.
func (a *analysis) onlyOld(args []operand, binds []map[leaf]*set) bool {
	ok := true
	look := func(s *set) {
		each(s, func(id int) {
			o := a.objects[id]
			ok = ok && (o.out || o.fn != nil && o.binds == nil && (a.rewriting == nil || !a.mine(o.fn)))
		})
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

// bodyless is for a function that is not written in Go. In the standard library, such functions
// that look at numbers or compare text keep nothing. Neither do those that their authors call
// noescape, as the compiler has it. But what they are given may come to be in each other, or a part
// of a result.
func (a *analysis) bodyless(u use, fn *ssa.Function, args []operand) {
	a.olds(u)
	pkg := packageOf(fn)
	if a.isStandard(pkg) && computes(pkg.Path()) {
		return
	}
	if a.isStandard(pkg) && !slices.ContainsFunc(args, func(o operand) bool {
		return !isPlain(o.t) && !(ssas.IsString(o.t) && pkg.Path() == "internal/bytealg")
	}) {
		return
	}
	if a.isNoescape(fn) {
		given := &set{}
		for _, o := range args {
			if !isPlain(o.t) {
				given.UnionWith(a.reach(a.all(o)))
			}
		}
		a.put(given, given, u)
		a.results(u, given)
		return
	}
	for _, o := range args {
		a.escape(a.all(o), u.at, Why{Reason: NotGo, Name: fn.String()})
	}
}

// computes tells whether the functions of a package of the standard library that are not written in
// Go only compute something of what they are given.
func computes(path string) bool {
	root, _, _ := strings.Cut(strings.TrimPrefix(path, "vendor/golang.org/x/"), "/")
	return root == "crypto" || root == "hash" || root == "math"
}

// isPlain tells whether values of a type are numbers, or refer to these only.
func isPlain(t types.Type) bool {
	number := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0 && b.Kind() != types.Uintptr
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return number(u.Elem())
	case *types.Pointer:
		return number(u.Elem())
	}
	return number(t)
}

const corePath = names.Core
