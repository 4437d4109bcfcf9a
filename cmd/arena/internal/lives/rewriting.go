package lives

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A Rewriting asks what may be left of what some functions make, if they make all that they can in
// an arena. Whoever calls a root has the arena. So it may have the results, and what the root
// stores in its parameters or gives to their functions and methods: these are not left.
type Rewriting struct {
	Roots   []*types.Func
	Callers []*types.Func // functions without the arena that call others which have it from a parameter

	// Mine tells whether functions of a package are rewritten.
	Mine func(*types.Package) bool
	// Makes tells whether a call of a library is replaced by one that makes its results in the
	// arena.
	Makes func(ssa.Instruction) bool
	// Methods returns the methods that a call by an interface may call with the arena.
	Methods func(recv types.Type, m *types.Func) []*types.Func
	// Pooled returns the type of what a call takes from a sync.Pool or returns to it, if that is as
	// new, or nil.
	Pooled func(ssa.CallInstruction) types.Type
	// Carried tells whether a function has the arena wherever it is called from.
	Carried func(*ssa.Function) bool
	// Former tells whether a call is of the former function, which has no arena.
	Former func(ssa.CallInstruction) bool
	// Guarded tells whether structs of a type that parameters lead to serve several goroutines.
	// They are like variables of packages.
	Guarded func(types.Type) bool
	// Reused tells whether a field of what parameters lead to keeps a slice for the next call, and
	// whether it keeps the elements.
	Reused func(*types.Var) (slice, elements bool)
}

// A Made is an instruction that makes something, in a function as it is called from one place.
type Made struct {
	At   ssa.Instruction
	In   ssa.CallInstruction // the call of the function; nil for any other, or for all
	Left bool                // what it makes may be left
	Why  Why
	Of   ssa.Instruction // where that happens
}

// foreign is the object of errors of the standard library: they are old, and of no type of the
// rewriting.
const foreign = 1

// Follow returns what the functions of a rewriting make, as far as they can be called from a root.
// It returns false if the program is too large to follow.
func (p *Program) Follow(r Rewriting) ([]Made, bool) {
	q := Question{Moved: r.Makes, Carries: func(types.Type) bool { return false }, Methods: r.Methods, Mine: r.Mine}
	a := newAnalysis(p, q)
	a.rewriting, a.heap = &r, map[int]note{}
	a.oldValues, a.entered, a.closures = map[*ssa.Function]bool{}, map[*ssa.Function][]*instance{}, map[*ssa.Function][]int{}
	a.objects, a.givens = append(a.objects, &object{}), map[leaf]int{}
	a.outside.Insert(foreign)
	a.objects[foreign].out = true
	a.justForeign.Insert(foreign)
	for _, obj := range r.Roots {
		a.from(obj, true)
	}
	for _, obj := range r.Callers {
		a.from(obj, false)
	}
	if !a.solve() {
		return nil, false
	}
	var all []Made
	for id, o := range a.objects {
		if o.in == nil || o.in.run != nil || !o.in.inside || !a.mine(o.in.fn) {
			continue
		}
		m := Made{At: o.at, In: o.in.site}
		if n, ok := a.heap[id]; ok {
			m.Left, m.Why, m.Of = true, n.why, n.at
		}
		if o.out {
			n := a.notes[a.origin(id)]
			m.Left, m.Why, m.Of = true, n.why, n.at
		}
		all = append(all, m)
	}
	return all, true
}

// from has a function be called from outside.
func (a *analysis) from(obj *types.Func, inside bool) {
	fn := a.prog.FuncValue(obj)
	if fn == nil || len(fn.Blocks) == 0 {
		return
	}
	for _, fn := range instances(fn, a.prog) {
		in := a.enter(fn, inside, nil)
		for _, v := range fn.Params {
			for _, l := range a.types.of(v.Type()) {
				a.add(a.value(in, v, 0, l), a.outer(l))
			}
		}
	}
}

// instances returns the function, or its instances if it is generic.
func instances(fn *ssa.Function, prog *ssa.Program) (all []*ssa.Function) {
	if fn.TypeParams().Len() > 0 || fn.Signature.Recv() != nil && fn.Signature.RecvTypeParams().Len() > 0 {
		for other := range ssautil.AllFunctions(prog) {
			if other.Origin() == fn {
				all = append(all, other)
			}
		}
	}
	if all == nil {
		all = []*ssa.Function{fn}
	}
	return all
}

// outer returns the object that a place of parameters refers to: one for each type of places. Texts
// are old, as nothing can be stored in them.
func (a *analysis) outer(l leaf) int {
	if l == leafText {
		return old
	}
	if l >= leafFirst {
		if e := elem(a.types.typed[l-leafFirst]); e != nil && a.rewriting.Guarded(e) {
			return old
		}
	}
	id, ok := a.givens[l]
	if !ok {
		id = len(a.objects)
		a.objects = append(a.objects, &object{cells: map[leaf]*set{}, given: true})
		a.givens[l] = id
	}
	return id
}

// isGiven tells whether an object is one of the parameters.
func (a *analysis) isGiven(id int) bool { return a.objects[id].given }

// loses tells whether an object of the parameters becomes old by what the rewritten functions do
// with it: what others keep of the caller's, these functions do not find there.
func (a *analysis) loses(id int, n note) bool {
	return n.at == nil && a.isGiven(n.from) || n.at != nil && a.mine(n.at.Parent()) && (n.why.Reason == Stored || n.why.Reason == StoredIn || n.why.Reason == Goroutine)
}

// again notes that a field of what parameters lead to keeps a slice for the next call.
func (a *analysis) again(what *set, at ssa.Instruction) {
	s, ok := at.(*ssa.Store)
	if !ok {
		return
	}
	addr, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	t, ok := elem(addr.X.Type()).Underlying().(*types.Struct)
	if !ok {
		return
	}
	slice, elements := a.rewriting.Reused(t.Field(addr.Field).Origin())
	each(what, func(id int) {
		switch {
		case id == old || a.isGiven(id):
		case elements:
			a.leak(id, note{at: at, why: Why{Reason: Again}, from: -1})
		case slice:
			a.heap[id] = note{at: at, why: Why{Reason: Again}}
		}
	})
}

// outerCall is for a call of a function or a method of the caller of a root. It may have what it is
// given, as the caller has the results.
func (a *analysis) outerCall(u use, args []operand) {
	for n := range u.results.Len() {
		for _, l := range a.types.of(u.results.At(n).Type()) {
			a.add(u.set(n, l), a.outer(l))
			for _, o := range args {
				for _, m := range a.types.of(o.t) {
					if m == l || l == leafAny {
						a.union(u.set(n, l), o.get(m))
					}
				}
			}
		}
	}
}

// takenAs returns the functions of the rewriting that are used as values of a type.
func (a *analysis) takenAs(sig *types.Signature) []*ssa.Function {
	list, ok := a.takenBy.At(sig).([]*ssa.Function)
	if !ok {
		a.lookAround()
		for _, fn := range a.taken {
			if fn.Signature.Recv() == nil && types.Identical(withoutReceiver(fn.Signature), sig) {
				list = append(list, fn)
			}
		}
		a.takenBy.Set(sig, list)
	}
	return list
}

func withoutReceiver(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// callTaken is for a call of an old function value. If there are functions of the rewriting that it
// may be, then it is one of these. It returns false if there are none.
func (a *analysis) callTaken(u use, t types.Type, args []operand) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || u.back {
		return false
	}
	sig = withoutReceiver(sig)
	list := a.takenAs(sig)
	if len(list) == 0 {
		return false
	}
	if a.otherFuncs.At(sig) != nil { // such as sync.OnceValue makes
		a.unknown(u, nil, args)
	}
	a.hubOf(nil, sig, u, typesOf(sig.Params()), sig.Results(), func(h *hub) {
		for _, fn := range list {
			if a.mayBeOld(fn) {
				h.invoke(a, fn, a.oldBinds(fn))
			}
		}
	}).call(a, u, args)
	return true
}

// mayBeOld tells whether a function may be an old value. It may if it has become old, if a function
// that is not followed has it as a value, or if a followed function returns it to such a one.
func (a *analysis) mayBeOld(fn *ssa.Function) bool {
	if !a.oldValues[fn] {
		a.oldValues[fn] = a.becomesOld(fn)
	}
	return a.oldValues[fn]
}

func (a *analysis) becomesOld(fn *ssa.Function) bool {
	ids := a.closures[fn]
	if id, ok := a.functions[fn]; ok {
		ids = append(slices.Clip(ids), id)
	}
	if slices.ContainsFunc(ids, func(id int) bool { return a.objects[id].out }) {
		return true
	}
	return slices.ContainsFunc(a.takenIn[fn], func(in *ssa.Function) bool {
		if a.entered[in] == nil {
			return true
		}
		for in.Parent() != nil {
			in = in.Parent()
		}
		return (ast.IsExported(in.Name()) || len(a.takenIn[in]) > 0 || slices.ContainsFunc(a.callers[in], func(c *ssa.Function) bool { return a.entered[c] == nil })) && a.returns(in, ids)
	})
}

// returns tells whether a function returns one of some objects, or what leads to one.
func (a *analysis) returns(fn *ssa.Function, ids []int) bool {
	if len(ids) == 0 {
		return false
	}
	for _, in := range a.entered[fn] {
		all := &set{}
		for _, r := range in.results {
			for _, s := range r {
				all.UnionWith(s)
			}
		}
		all = a.reach(all)
		if slices.ContainsFunc(ids, func(id int) bool { return all.Has(id) }) {
			return true
		}
	}
	return false
}

func typesOf(list *types.Tuple) (all []types.Type) {
	for v := range list.Variables() {
		all = append(all, v.Type())
	}
	return all
}

// callMine is for a call of a method of old values, or of values that parameters lead to.
func (a *analysis) callMine(u use, t types.Type, recv *set, m *types.Func, args []operand) {
	var outer, older bool
	from := &set{}
	each(recv, func(id int) {
		switch {
		case a.isForeign(id):
			a.olds(u)
		case a.objects[id].out:
			older = true
			from.Insert(old)
		case a.isGiven(id):
			outer = true
			from.Insert(id)
		}
	})
	if !outer && !older {
		return
	}
	if outer {
		a.outerCall(u, args)
	}
	list := a.q.Methods(t, m)
	switch {
	case !older || len(list) > 0:
	case isRead(m):
		a.oldsOf(u, nil)
	default:
		a.unknown(u, m, args)
	}
	if len(list) == 0 {
		return
	}
	a.hubOf(m, t, u, append([]types.Type{t}, typesOf(m.Signature().Params())...), m.Signature().Results(), func(h *hub) {
		for _, m := range list {
			if fn := a.prog.FuncValue(m); fn != nil {
				h.invoke(a, fn, nil)
			}
		}
	}).call(a, u, append([]operand{{t, func(leaf) *set { return from }}}, args...))
}

// isSend tells whether an instruction sends something on a channel.
func isSend(at ssa.Instruction) bool {
	switch at.(type) {
	case *ssa.Send, *ssa.Select:
		return true
	}
	return false
}

// pooled is for a call of Get or Put of a sync.Pool whose values are as new.
func (a *analysis) pooled(u use) bool {
	if u.back || !u.in.inside || !a.mine(u.in.fn) {
		return false
	}
	t := a.rewriting.Pooled(u.at)
	if t == nil {
		return false
	}
	if u.results.Len() == 0 {
		return true
	}
	id, o := a.object(u.in, u.at, -50, t)
	o.box = true
	value, _ := a.object(u.in, u.at, -51, elem(t))
	for _, l := range a.types.of(t) {
		a.add(o.cell(l), value)
	}
	a.results(u, single(id))
	return true
}

// isForeign tells whether an object is the one of foreign errors.
func (a *analysis) isForeign(id int) bool { return a.rewriting != nil && id == foreign }

// older returns what an old object leads to.
func (a *analysis) older(id int) int {
	if a.isForeign(id) {
		return foreign
	}
	return old
}

// isMine tells whether a type, or what it points at, is one of the rewriting.
func (a *analysis) isMine(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && a.q.Mine(n.Obj().Pkg())
}

// oldsOf has the results of a call of the standard library refer to the old object, and errors to
// foreign ones, unless an argument may be one.
func (a *analysis) oldsOf(u use, args []operand) {
	any := func(o operand) (found bool) {
		if types.IsInterface(o.t) {
			each(a.all(o), func(id int) { found = found || id != foreign })
		}
		return found || isList(o.t)
	}
	if a.rewriting == nil || slices.ContainsFunc(args, any) {
		a.olds(u)
		return
	}
	for n := range u.results.Len() {
		t := u.results.At(n).Type()
		s := &a.justOld
		if types.Identical(t, errorType) {
			s = &a.justForeign
		}
		for _, l := range a.types.of(t) {
			a.union(u.set(n, l), s)
		}
	}
}

// isList tells whether a type is a list of interfaces.
func isList(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.IsInterface(s.Elem())
}

// reflection is for a call of package reflect: it returns what it is given, or parts of that.
func (a *analysis) reflection(u use, obj *types.Func, args []operand) {
	name := names.Local(obj)
	switch name {
	case "Value.Call", "Value.CallSlice", "Value.Method", "Value.MethodByName", "MakeFunc", "Value.Send", "Value.TrySend", "Select", "Value.Seq", "Value.Seq2":
		a.unknown(u, obj, args)
		return
	}
	puts := strings.HasPrefix(name, "Value.Set") || name == "Copy" || name == "Append" || name == "AppendSlice"
	if u.results.Len() == 0 && !puts {
		return
	}
	parts := &set{} // what the values have in them
	for n, arg := range args {
		if name := types.TypeString(arg.t, nil); !(puts && n > 0) && name != "reflect.Value" && name != "[]reflect.Value" && name != "any" {
			continue // a type, a name or a number
		}
		of := a.reflected(arg)
		if n > 0 && puts {
			to := a.reflected(args[0])
			each(to, func(id int) {
				if !a.isGiven(id) {
					a.mix(id)
				}
			})
			a.store(to, leafUnsafe, of, u.at)
		}
		parts.UnionWith(of)
	}
	if u.results.Len() == 0 {
		return
	}
	id, o := a.object(u.in, u.at, -60, nil)
	o.mixed = true
	a.reflects.Insert(id)
	to := o.cell(leafUnsafe)
	a.union(to, parts)
	each(parts, func(in int) {
		if in != old && in != foreign {
			a.inside(in, func(s *set) { a.union(to, s) })
		}
		if a.isGiven(in) {
			for _, other := range a.givens {
				a.add(to, other)
			}
		}
	})
	for n := range u.results.Len() {
		t := u.results.At(n).Type()
		s := to
		switch types.TypeString(t, nil) {
		case "reflect.Value":
			s = single(id)
		case "reflect.Type":
			s = &a.justOld
		}
		for _, l := range a.types.of(t) {
			a.union(u.set(n, l), s)
		}
	}
}

// reflected returns what a reflect.Value is of, or what else an operand refers to.
func (a *analysis) reflected(x operand) *set {
	parts := a.all(x)
	if parts.Intersects(&a.reflects.Sparse) {
		of := &set{}
		of.Intersection(&parts.Sparse, &a.reflects.Sparse)
		parts.DifferenceWith(&a.reflects.Sparse)
		each(of, func(id int) {
			o := a.objects[id]
			o.watch.add(a.current)
			parts.UnionWith(o.cell(leafUnsafe))
		})
	}
	return parts
}

// lookAround finds the functions of the rewriting that are used as values, and the variables of
// errors that have others than the standard library's.
func (a *analysis) lookAround() {
	if a.written != nil {
		return
	}
	a.written, a.errorsOnly = map[*ssa.Global]bool{}, map[*ssa.Global]bool{}
	a.takenIn, a.callers = map[*ssa.Function][]*ssa.Function{}, map[*ssa.Function][]*ssa.Function{}
	var look func(fn *ssa.Function)
	look = func(fn *ssa.Function) {
		taken := func(f *ssa.Function) {
			if a.takenIn[f] == nil {
				a.taken = append(a.taken, f)
			}
			a.takenIn[f] = append(a.takenIn[f], fn)
		}
		for i := range ssas.Instrs(fn) {
			var called *ssa.Value
			switch i := i.(type) {
			case *ssa.DebugRef:
				continue
			case *ssa.MakeClosure:
				taken(i.Fn.(*ssa.Function))
				continue
			case ssa.CallInstruction:
				if !i.Common().IsInvoke() {
					called = &i.Common().Value
				}
				if f := ssas.Callee(i.Common()); f != nil && f.Pkg() != nil && !a.q.Mine(f.Pkg()) {
					for v := range i.Common().Signature().Results().Variables() {
						a.otherFuncs.Set(v.Type().Underlying(), true)
					}
				}
			}
			for _, op := range i.Operands(nil) {
				switch v := (*op).(type) {
				case *ssa.Function:
					if op != called {
						taken(v)
					} else {
						a.callers[v] = append(a.callers[v], fn)
					}
				case *ssa.Global:
					if s, ok := i.(*ssa.Store); ok && s.Addr == v && makesError(s.Val) {
						a.errorsOnly[v] = a.errorsOnly[v] || !a.written[v]
					} else if !onlyLoads(i) {
						delete(a.errorsOnly, v)
						a.written[v] = true
					}
				}
			}
		}
		for _, lit := range fn.AnonFuncs {
			look(lit)
		}
	}
	pkgs := slices.DeleteFunc(a.prog.AllPackages(), func(pkg *ssa.Package) bool { return !a.q.Mine(pkg.Pkg) })
	slices.SortFunc(pkgs, func(x, y *ssa.Package) int { return strings.Compare(x.Pkg.Path(), y.Pkg.Path()) })
	for _, pkg := range pkgs {
		for _, name := range slices.Sorted(maps.Keys(pkg.Members)) {
			switch m := pkg.Members[name].(type) {
			case *ssa.Function:
				look(m)
			case *ssa.Type:
				if n, ok := types.Unalias(m.Type()).(*types.Named); ok {
					for m := range n.Methods() {
						if fn := a.prog.FuncValue(m); fn != nil {
							look(fn)
						}
					}
				}
			}
		}
	}
}

// makesError tells whether a value is an error of the standard library.
func makesError(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	f := ssas.Callee(&c.Call)
	return f != nil && (f.FullName() == "errors.New" || f.FullName() == "fmt.Errorf")
}

// isForeignError tells whether a variable has nothing but errors of the standard library.
func (a *analysis) isForeignError(g *ssa.Global) bool {
	if g.Pkg == nil || !types.Identical(elem(g.Type()), errorType) {
		return false
	}
	if a.isStandard(g.Pkg.Pkg) {
		return true
	}
	a.lookAround()
	return a.errorsOnly[g]
}

// isBlank tells whether a variable of the rewriting is never set.
func (a *analysis) isBlank(g *ssa.Global) bool {
	if g.Pkg == nil || !a.q.Mine(g.Pkg.Pkg) || ast.IsExported(g.Name()) {
		return false
	}
	a.lookAround()
	return !a.written[g] && !a.errorsOnly[g]
}

// onlyLoads tells whether an instruction reads a variable, or a field of it, or sets that to a
// constant.
func onlyLoads(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return true
	case *ssa.FieldAddr:
		return !slices.ContainsFunc(*i.Referrers(), func(r ssa.Instruction) bool { return !onlyLoads(r) })
	case *ssa.Store:
		_, ok := i.Val.(*ssa.Const)
		return ok
	case *ssa.DebugRef:
		return true
	}
	return false
}

// print is for a call that formats its operands, and calls their methods for that.
func (a *analysis) print(u use, args []operand) {
	if a.printed == nil {
		a.printed = a.hubOf(nil, types.Typ[types.Invalid], u, []types.Type{types.Typ[types.UnsafePointer]}, types.NewTuple(), func(h *hub) {
			a.methods(h.use, printing, h.operands(), nil)
		})
	}
	for _, o := range args {
		for _, l := range a.types.of(o.t) {
			a.union(cell(a.printed.args[0], leafUnsafe, &a.printed.in.own), o.get(l))
		}
	}
}

// isError tells whether a type, or a pointer to it, is one of errors.
func isError(t types.Type) bool {
	e := errorType.Underlying().(*types.Interface)
	if n, ok := types.Unalias(t).(*types.Named); !ok || types.IsInterface(n) {
		return false
	}
	return types.Implements(t, e) || types.Implements(types.NewPointer(t), e)
}

// inError has a text that goes into an error stay on the heap, and what else the function makes for
// the error, itself or by a call that is for nothing else: errors outlive the arena.
func (a *analysis) inError(what *set, l leaf, at ssa.Instruction) {
	keep := func(id int) {
		if _, ok := a.heap[id]; !ok {
			a.heap[id] = note{at: at, why: Why{Reason: InError}}
		}
	}
	if l == leafText {
		each(what, keep)
	}
	seen := map[int]bool{}
	var follow func(s *set)
	follow = func(s *set) {
		each(s, func(id int) {
			o := a.objects[id]
			if !seen[id] && o.in != nil && (o.in == a.current || a.current != nil && isOnlyUse(o.in.site, at)) {
				seen[id] = true
				keep(id)
				a.inside(id, follow)
			}
		})
	}
	follow(what)
}

// isOnlyUse tells whether an instruction is the only one that uses the result of a call.
func isOnlyUse(c ssa.CallInstruction, at ssa.Instruction) bool {
	call, ok := c.(*ssa.Call)
	if !ok || call.Parent() != at.Parent() {
		return false
	}
	for _, i := range *call.Referrers() {
		if _, debug := i.(*ssa.DebugRef); !debug && i != at {
			return false
		}
	}
	return true
}
