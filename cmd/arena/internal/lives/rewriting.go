package lives

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

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
	// Dispatched tells whether a call by an interface or of a function value gives the arena to
	// what it calls.
	Dispatched func(ssa.CallInstruction) bool
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
	// Older tells whether a field is one of what parameters of roots lead to.
	Older func(*types.Var) bool
}

// A Made is an instruction that makes something, in a function as it is called from one place.
type Made struct {
	At   ssa.Instruction
	In   ssa.CallInstruction // the call of the function; nil for any other, or for all
	Left bool                // what it makes may be left
	Why  Why
	Of   ssa.Instruction // where that happens

	Shown bool // the caller of a root may get what it makes
}

// Objects of a Rewriting that are old as the first one is.
const (
	foreign = 1 // errors of the standard library, of no type of the rewriting
	guarded = 2 // what a caller has in structs that serve several goroutines
	hooked  = 3 // functions there, and values in interfaces of the caller
)

// Followed is what is known of a rewriting.
type Followed struct {
	Made   []Made                // what its functions make, as far as they can be called from a root
	Called []*ssa.Function       // all functions that can be
	Ending map[*ast.FuncLit]bool // which function literals nobody can call when the roots have returned
}

// Follow follows a rewriting. It returns false if the program is too large. What the functions of r
// return must not change meanwhile.
func (p *Program) Follow(r Rewriting) (Followed, bool) {
	for _, f := range p.answers {
		if f.is(&r) {
			return f.result, f.ok
		}
	}
	f := &answered{}
	f.result, f.ok = p.answer(f.noted(r))
	p.answers = append(p.answers, f)
	return f.result, f.ok
}

// answer is Follow for a rewriting that was not followed before.
func (p *Program) answer(r Rewriting) (Followed, bool) {
	q := Question{Moved: r.Makes, Carries: func(types.Type) bool { return false }, Methods: r.Methods, Mine: r.Mine}
	a := newAnalysis(p, q)
	a.rewriting, a.heap = &r, map[int]note{}
	a.isRoot = map[*ssa.Function]bool{}
	a.oldValues, a.entered, a.closures = map[*ssa.Function]bool{}, map[*ssa.Function][]*instance{}, map[*ssa.Function][]int{}
	a.givens = map[leaf]int{}
	for id := foreign; id <= hooked; id++ {
		a.objects = append(a.objects, &object{out: true})
		a.outside.Insert(id)
	}
	a.justForeign.Insert(foreign)
	for _, obj := range r.Roots {
		a.from(obj, true)
	}
	for _, obj := range r.Callers {
		a.from(obj, false)
	}
	ok := a.solve()
	p.followed += a.steps
	if !ok {
		return Followed{}, false
	}
	a.keepErrors()
	shown := a.reach(a.given())
	var all Followed
	for _, in := range a.instances {
		if in.run == nil {
			all.Called = append(all.Called, in.fn)
		}
	}
	for id, o := range a.objects {
		if o.in == nil || o.in.run != nil || !o.in.inside || !a.mine(o.in.fn) {
			continue
		}
		m := Made{At: o.at, In: o.in.site, Shown: shown.Has(id)}
		if n, ok := a.heap[id]; ok {
			m.Left, m.Why, m.Of = true, n.why, n.at
		}
		if o.out {
			n := a.notes[a.origin(id)]
			m.Left, m.Why, m.Of = true, n.why, n.at
		}
		all.Made = append(all.Made, m)
	}
	all.Ending = a.ending(shown)
	return all, true
}

// Steps returns how many instructions were looked at to follow rewritings.
func (p *Program) Steps() int { return p.followed }

// ending returns which function literals below the roots end with them. Nothing leads to these that
// is older than the calls of the roots, or that their callers or another goroutine get.
func (a *analysis) ending(shown *set) map[*ast.FuncLit]bool {
	made := maps.Clone(a.closures)
	for fn, id := range a.functions {
		if fn.Parent() != nil {
			made[fn] = append(slices.Clip(made[fn]), id)
		}
	}
	ends := map[*ast.FuncLit]bool{} // or not, in some instance of a generic function
	for fn, ids := range made {
		lit, ok := fn.Syntax().(*ast.FuncLit)
		if !ok || !slices.ContainsFunc(a.entered[fn.Parent()], func(in *instance) bool { return in.inside }) {
			continue
		}
		before, known := ends[lit]
		ends[lit] = (before || !known) && !slices.ContainsFunc(ids, func(id int) bool { return a.objects[id].out || shown.Has(id) })
	}
	return ends
}

// from has a function be called from outside.
func (a *analysis) from(obj *types.Func, inside bool) {
	fn := a.prog.FuncValue(obj)
	if fn == nil || len(fn.Blocks) == 0 {
		return
	}
	for _, fn := range instances(fn, a.prog) {
		a.isRoot[fn] = true
		in := a.enter(fn, inside, false, nil)
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

// outer returns the object that a place of parameters refers to: one for each type of places. They
// may point into each other: see load. Texts are old, as nothing can be stored in them.
func (a *analysis) outer(l leaf) int {
	l = a.types.plain(l)
	if l == leafText {
		return old
	}
	if t := a.types.typeOf(l); t != nil && elem(t) != nil && a.rewriting.Guarded(elem(t)) {
		return guarded
	}
	id, ok := a.givens[l]
	if !ok {
		id = len(a.objects)
		a.objects = append(a.objects, &object{cells: map[leaf]*set{}, given: true})
		a.givens[l] = id
	}
	return id
}

func (a *analysis) outers(l leaf) *set { return single(a.outer(l)) }

// isGiven tells whether an object is one of the parameters.
func (a *analysis) isGiven(id int) bool { return a.objects[id].given }

// loses tells whether an object of the parameters becomes old by what the rewritten functions do
// with it, or with something that leads to it: what others keep of the caller's, these functions do
// not find there.
func (a *analysis) loses(id int, n note) bool {
	if n.at == nil {
		if a.isGiven(n.from) {
			return true
		}
		n = a.notes[a.origin(n.from)]
	}
	return n.at != nil && a.mine(n.at.Parent()) && (n.why.Reason == Stored || n.why.Reason == StoredIn || n.why.Reason == Goroutine)
}

// again notes that a field of what parameters lead to keeps something for the next call: a slice,
// or what is made only if the field is nil.
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
	field := t.Field(addr.Field).Origin()
	slice, elements := a.rewriting.Reused(field)
	a.lookAround()
	once := a.rewriting.Older(field) && isOnce(s, addr) && !a.cleared[field]
	each(what, func(id int) {
		switch {
		case id == old || a.isGiven(id):
		case once:
			a.leak(id, note{at: at, why: Why{Reason: Once}, from: -1})
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
	for _, o := range args {
		a.shown.UnionWith(a.all(o))
		a.comesBack(u, o)
	}
	for n := range u.results.Len() {
		for _, l := range a.types.of(u.results.At(n).Type()) {
			a.add(u.set(n, l), a.outer(l))
			for _, o := range args {
				for _, m := range a.types.of(o.t) {
					if a.types.plain(m) == a.types.plain(l) || l == leafAny {
						a.union(u.set(n, l), o.get(m))
					}
				}
			}
		}
	}
}

// comesBack is for an operand of a function of the caller, who may call it, or its methods. What is
// in a list, or in an interface without methods, is like a result: its methods are not called.
func (a *analysis) comesBack(u use, x operand) {
	outer := func(list *types.Tuple) (args []operand) {
		for v := range list.Variables() {
			args = append(args, operand{v.Type(), a.outers})
		}
		return args
	}
	switch t := x.t.Underlying().(type) {
	case *types.Signature:
		own := &set{} // the caller knows the others
		each(x.get(leafFunc), func(id int) {
			if o := a.objects[id]; o.fn != nil && !o.out {
				own.Insert(id)
			}
		})
		a.callValue(u.callback(nil), own, outer(t.Params()))
	case *types.Interface:
		own := &set{}
		own.Intersection(&a.all(x).Sparse, &a.plain.Sparse)
		value := operand{x.t, func(leaf) *set { return own }}
		for m := range t.Methods() {
			a.callMethod(u.callback(nil), value, m, outer(m.Signature().Params()))
		}
	}
}

// funcOf returns the functions that an operand may be.
func (a *analysis) funcOf(x operand) *set {
	if _, ok := x.t.Underlying().(*types.Signature); ok {
		return x.get(leafFunc)
	}
	return &a.empty
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

// callTaken is for a call of an old function value, or of the caller's. If there are functions of
// the rewriting that it may be, then it is one of these. It returns false if there are none.
func (a *analysis) callTaken(u use, t types.Type, args []operand, outer bool) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || u.back {
		return false
	}
	sig = withoutReceiver(sig)
	list := a.takenAs(sig)
	if len(list) == 0 {
		return false
	}
	if a.isOther(sig) {
		a.unknown(u, nil, args)
	}
	key, captured := types.Type(sig), a.justOlds
	if outer {
		key, captured = types.NewPointer(sig), a.outers
	}
	a.hubOf(nil, key, u, typesOf(sig.Params()), sig.Results(), func(h *hub) {
		for _, fn := range list {
			if a.mayBeOld(fn) {
				h.invoke(a, fn, a.binds(fn, captured))
			}
		}
	}).call(a, u, args)
	return true
}

// mayBeOld tells whether a function may be an old value: see isReleased.
func (a *analysis) mayBeOld(fn *ssa.Function) bool {
	if !a.oldValues[fn] {
		ids := slices.Clip(a.closures[fn])
		if id, ok := a.functions[fn]; ok {
			ids = append(ids, id)
		}
		a.oldValues[fn] = a.isReleased(ids, a.takenIn[fn])
	}
	return a.oldValues[fn]
}

// isReleased tells whether one of some objects may be there already when a root is called: it has
// become old, a function that is not followed makes such objects, or a followed function returns
// one to others than those that are followed, or stores it in what these have.
func (a *analysis) isReleased(ids []int, makers []*ssa.Function) bool {
	return slices.ContainsFunc(makers, func(fn *ssa.Function) bool { return a.entered[fn] == nil }) ||
		slices.ContainsFunc(ids, func(id int) bool { return a.objects[id].out || a.released().Has(id) })
}

// released returns what the results and the parameters of functions lead to that others may call.
func (a *analysis) released() *set {
	if a.releasedIn == a.pass {
		return &a.freed
	}
	all := &set{}
	for fn, list := range a.entered {
		if a.isCalledByOthers(fn) {
			for _, in := range list {
				for _, r := range in.results {
					for _, s := range r {
						all.UnionWith(s)
					}
				}
				for _, v := range fn.Params {
					all.UnionWith(a.all(a.operand(in, v)))
				}
			}
		}
	}
	for _, id := range a.givens {
		all.Insert(id)
	}
	a.releasedIn = a.pass
	a.freed.Copy(a.reach(all))
	return &a.freed
}

// isCalledByOthers tells whether functions that are not followed may call a function, or the one
// around it.
func (a *analysis) isCalledByOthers(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if !a.mine(fn) {
		return false
	}
	if fn.Synthetic != "" { // a package is initialized before
		return true
	}
	a.lookAround()
	return ast.IsExported(fn.Name()) || len(a.takenIn[fn]) > 0 || a.isRoot[fn] || slices.ContainsFunc(a.callers[fn], func(c *ssa.Function) bool { return a.entered[c] == nil })
}

// isOther tells whether a value of a function type may be none of the functions that takenAs
// returns: a library has made it, such as sync.OnceValue, or a generic function, or it was in an
// interface.
func (a *analysis) isOther(sig *types.Signature) bool {
	a.lookAround()
	return a.otherFuncs.At(sig) != nil || slices.ContainsFunc(a.generic, func(s *types.Signature) bool {
		return mayBe(s.Params(), sig.Params()) && mayBe(s.Results(), sig.Results())
	})
}

// mayBe tells whether a list of types is an instance of another one.
func mayBe(generic, list *types.Tuple) bool {
	for n := range generic.Len() {
		if n >= list.Len() || !hasParam(generic.At(n).Type()) && !types.Identical(generic.At(n).Type(), list.At(n).Type()) {
			return false
		}
	}
	return generic.Len() == list.Len()
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
		case id == hooked:
			outer = true
			from.Insert(guarded)
		case a.objects[id].out:
			older = true
			from.Insert(a.older(id))
		case a.isGiven(id) || a.isBare(id):
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
	list, others := a.q.Methods(t, m), a.othersOf(t)
	switch {
	case !older || len(list)+len(others.types) > 0 && !others.unknown:
	case m.Pkg() != nil && m.Pkg().Path() == "reflect": // of a Type
		a.oldsOf(u, nil)
		for _, o := range args { // of FieldByNameFunc
			a.callValue(u.callback(nil), a.funcOf(o), []operand{a.oldOperand(types.Typ[types.String])})
		}
	case isRead(m):
		a.oldsOf(u, nil)
	default:
		a.unknown(u, m, args)
	}
	if len(list)+len(others.types) == 0 {
		return
	}
	a.hubOf(m, t, u, append([]types.Type{t}, typesOf(m.Signature().Params())...), m.Signature().Results(), func(h *hub) {
		for _, m := range list {
			if fn := a.prog.FuncValue(m); fn != nil {
				args := h.operands()
				args[0] = a.receiver(m.Signature().Recv().Type(), args[0])
				a.invoke(h.use, fn, args, nil)
			}
		}
		for _, t := range others.types {
			if fn := a.prog.LookupMethod(t, m.Pkg(), m.Name()); fn != nil {
				args := h.operands()
				args[0] = a.oldOperand(t)
				a.invoke(h.use, fn, args, nil)
			}
		}
	}).call(a, u, append([]operand{{t, func(leaf) *set { return from }}}, args...))
}

// receiver returns the value of a type of the rewriting that is in an interface.
func (a *analysis) receiver(t types.Type, x operand) operand {
	return operand{t, func(l leaf) *set {
		s := &set{}
		each(a.all(x), func(id int) {
			o := a.objects[id]
			switch {
			case o.out:
				s.Insert(a.older(id))
			case o.given:
				a.look(s, single(id), l)
			default:
				s.Insert(id)
			}
		})
		return s
	}}
}

// putIn notes that a value of a type which is not of the rewriting is put into an interface, or
// that a library returns one in an interface.
func (a *analysis) putIn(t types.Type) {
	if a.foreignTypes.Set(t, true) == nil {
		a.foreignList = append(a.foreignList, t)
	}
}

// others are the types that are not of the rewriting, and of which this may have put values into an
// interface.
type others struct {
	types   []types.Type
	unknown bool // a library may have returned what is in the interface
}

func (a *analysis) othersOf(t types.Type) *others {
	a.lookAround()
	o, ok := a.others.At(t).(*others)
	if !ok {
		o = &others{}
		iface := t.Underlying().(*types.Interface)
		for _, t := range a.foreignList {
			switch {
			case !types.Implements(t, iface):
			case types.IsInterface(t):
				o.unknown = true
			case iface.NumMethods() > 0:
				o.types = append(o.types, t)
			}
		}
		a.others.Set(t, o)
	}
	return o
}

// isBare tells whether an object is what package reflect has made, or text that it has put into an
// interface: its type may be one of the caller's, too.
func (a *analysis) isBare(id int) bool {
	o := a.objects[id]
	return a.rewriting != nil && !o.box && o.typ == nil && o.cells != nil && !o.out && !o.given && !o.deep && !a.reflects.Has(id)
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

// isFirst tells whether an object is not made: it was there before.
func (a *analysis) isFirst(id int) bool { return id == old || a.rewriting != nil && id <= hooked }

// older returns what an old object leads to.
func (a *analysis) older(id int) int {
	switch {
	case a.rewriting == nil || id > hooked:
		return old
	case id == hooked:
		return guarded
	}
	return id
}

// olderAt returns what a place of an old object refers to.
func (a *analysis) olderAt(id int, l leaf) int {
	id = a.older(id)
	t := a.types.typeOf(l)
	switch plain := a.types.plain(l); {
	case id != guarded:
	case plain == leafText:
		return old
	case t == nil:
	case plain == leafFunc && !a.isOther(withoutReceiver(t.(*types.Signature))), types.IsInterface(t) && plain != leafAny && !types.Identical(t, errorType) && !a.othersOf(t).unknown:
		return hooked
	}
	return id
}

// isMine tells whether a type, or what it points at, is one of the rewriting.
func (a *analysis) isMine(t types.Type) bool {
	n := namedOf(t)
	return n != nil && n.Obj().Pkg() != nil && a.q.Mine(n.Obj().Pkg())
}

// oldsOf has the results of a call of the standard library refer to the old object, and errors to
// foreign ones, unless an argument may be one.
func (a *analysis) oldsOf(u use, args []operand) {
	any := func(o operand) (found bool) {
		if types.IsInterface(o.t) {
			each(a.all(o), func(id int) { found = found || id != foreign })
		}
		_, function := o.t.Underlying().(*types.Signature)
		return found || function || isList(o.t) || a.wraps(o.t)
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

// wraps tells whether a type points to a struct that reads from something, or writes to it, whose
// errors it returns.
func (a *analysis) wraps(t types.Type) bool {
	seen := map[types.Type]bool{}
	var look func(t types.Type) bool
	look = func(t types.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return look(u.Elem())
		case *types.Struct:
			for f := range u.Fields() {
				if look(f.Type()) {
					return true
				}
			}
		case *types.Interface:
			for m := range u.Methods() {
				if isRead(m) || isWrite(m) {
					return true
				}
			}
		}
		return false
	}
	_, pointer := t.Underlying().(*types.Pointer)
	return pointer && look(t)
}

// isList tells whether a type is a list of interfaces.
func isList(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.IsInterface(s.Elem())
}

// lookAround finds the functions of the rewriting that are used as values, and the variables of
// errors that have others than the standard library's.
func (a *analysis) lookAround() {
	if a.written != nil {
		return
	}
	a.written, a.errorsOnly = map[*ssa.Global]bool{}, map[*ssa.Global]bool{}
	a.takenIn, a.callers = map[*ssa.Function][]*ssa.Function{}, map[*ssa.Function][]*ssa.Function{}
	a.cleared = map[*types.Var]bool{}
	var look func(fn *ssa.Function)
	look = func(fn *ssa.Function) {
		taken := func(f *ssa.Function) {
			outer := f
			for outer.Parent() != nil {
				outer = outer.Parent()
			}
			if outer.TypeParams().Len() > 0 || outer.Signature.RecvTypeParams().Len() > 0 || len(outer.TypeArgs()) > 0 {
				a.generic = append(a.generic, f.Signature)
			}
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
			case *ssa.Store:
				if v := clearedBy(i); v != nil && always(i.Block()) {
					a.cleared[v] = true
				}
			case *ssa.MakeClosure:
				taken(i.Fn.(*ssa.Function))
				continue
			case *ssa.MakeInterface:
				if n := namedOf(i.X.Type()); n != nil && n.Obj().Pkg() != nil && !a.q.Mine(n.Obj().Pkg()) {
					a.putIn(i.X.Type())
				}
			case *ssa.TypeAssert:
				if sig, ok := i.AssertedType.Underlying().(*types.Signature); ok { // which package reflect may have made
					a.otherFuncs.Set(withoutReceiver(sig), true)
				}
			case ssa.CallInstruction:
				if !i.Common().IsInvoke() {
					called = &i.Common().Value
				}
				if f := ssas.Callee(i.Common()); f != nil && f.Pkg() != nil && !a.q.Mine(f.Pkg()) {
					for v := range i.Common().Signature().Results().Variables() {
						a.otherFuncs.Set(v.Type().Underlying(), true)
						if types.IsInterface(v.Type()) {
							a.putIn(v.Type())
						}
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

// namedOf returns the type that a type is, or that it points at, if that has a name.
func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// makesError tells whether a value is an error of the standard library.
func makesError(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	f := ssas.Callee(&c.Call)
	if f == nil || f.FullName() != "errors.New" && f.FullName() != "fmt.Errorf" {
		return false
	}
	_, none := c.Call.Args[len(c.Call.Args)-1].(*ssa.Const) // it may wrap an operand
	return none || f.FullName() == "errors.New"
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

// isHook tells whether a variable of a type, which the rewriting never sets, is there for a caller
// to set. What is in it is the caller's, as if it were a parameter.
func isHook(t types.Type) bool {
	_, function := t.Underlying().(*types.Signature)
	return function || types.IsInterface(t) && !types.Identical(t, errorType)
}

// isBlank tells whether a variable of the rewriting is never set by it.
func (a *analysis) isBlank(g *ssa.Global) bool {
	if g.Pkg == nil || !a.q.Mine(g.Pkg.Pkg) {
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

// isError tells whether a type, or a pointer to it, is one of errors.
func isError(t types.Type) bool {
	e := errorType.Underlying().(*types.Interface)
	if n, ok := types.Unalias(t).(*types.Named); !ok || types.IsInterface(n) {
		return false
	}
	return types.Implements(t, e) || types.Implements(types.NewPointer(t), e)
}

// given returns what callers of the roots get, apart from what it leads to.
func (a *analysis) given() *set {
	all := &set{}
	all.Copy(&a.panics)
	all.UnionWith(&a.shown)
	for fn := range a.isRoot {
		for _, in := range a.entered[fn] {
			for _, r := range in.results {
				for _, s := range r {
					all.UnionWith(s)
				}
			}
		}
	}
	for _, id := range a.givens {
		all.Insert(id)
	}
	return all
}

// keepErrors leaves on the heap the errors that a caller may get, their texts, and what else is in
// them and in nothing else that a caller gets: errors outlive the arena.
func (a *analysis) keepErrors() {
	all := a.given()
	others := a.reachBut(all, func(id int) bool { return a.isErrorBox(id) })
	errs := &set{}
	errs.Copy(&a.panics)
	each(a.reach(all), func(id int) {
		if a.isErrorBox(id) {
			errs.Insert(id)
		}
	})
	seen := &set{}
	each(errs, func(err int) {
		in := a.reachBut(single(err), seen.Has) // the rest is of errors before this one
		own := &set{}                           // errors themselves, and their texts
		each(in, func(id int) {
			if o := a.objects[id]; o.isError || a.isErrorBox(id) {
				own.Insert(id)
				for l, s := range o.cells {
					if a.types.plain(l) == leafText {
						own.UnionWith(s)
					}
				}
			}
		})
		each(in, func(id int) {
			if _, ok := a.heap[id]; !ok && a.objects[id].in != nil && (own.Has(id) || !others.Has(id)) {
				a.heap[id] = note{at: a.objects[err].at, why: Why{Reason: InError}}
			}
		})
		seen.UnionWith(in)
	})
}

func (a *analysis) isErrorBox(id int) bool {
	o := a.objects[id]
	return o.box && o.typ != nil && types.Implements(o.typ, errorType.Underlying().(*types.Interface))
}
