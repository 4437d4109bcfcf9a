package arenavet

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/library"
	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// calleeAt is callee for an instruction that may be no call.
func (f *flow) calleeAt(at ssa.Instruction) string {
	if call, ok := at.(ssa.CallInstruction); ok {
		return f.callee(call)
	}
	return "a function"
}

// callee returns a name for what a call calls.
func (f *flow) callee(call ssa.CallInstruction) string {
	c := call.Common()
	if fn := ssas.Callee(c); fn != nil {
		return callName(fn)
	}
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		return v.Name()
	case *ssa.Call:
		if ssas.Callee(v.Common()) != nil {
			return "the result of " + f.callee(v)
		}
	case *ssa.Parameter:
		return v.Name()
	}
	return cmp.Or(f.c.calledName(call), "a function")
}

// calledName returns the name of the variable with the function that a call calls, or "".
func (c *checker) calledName(call ssa.CallInstruction) string {
	name, known := c.called[call]
	if !known {
		expr, ok := enclosing[*ast.CallExpr](c.path(call.Common().Pos()))
		if ok {
			if id, ok := expr.Fun.(*ast.Ident); ok {
				name = id.Name
			}
		}
		if c.called == nil {
			c.called = map[ssa.CallInstruction]string{}
		}
		c.called[call] = name
	}
	return name
}

func (f *flow) opOf(call ssa.CallInstruction) op {
	return opOf(ssas.Callee(call.Common()))
}

// call does what a call does. at is where, which for a deferred call is the defer statement.
func (f *flow) call(s *state, call ssa.CallInstruction, at ssa.Instruction) {
	c := call.Common()
	value, _ := call.(*ssa.Call)
	set := func(v av) {
		if value != nil {
			s.set(value, v)
		}
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(s, b.Name(), c.Args, at, set)
		return
	}
	obj := ssas.Callee(c)
	o := opOf(obj)
	known := c.Args
	if c.IsInvoke() {
		known = slices.Concat([]ssa.Value{c.Value}, known)
	} else if closure, ok := c.Value.(*ssa.MakeClosure); ok && strings.HasPrefix(closure.Fn.(*ssa.Function).Synthetic, "bound method") {
		known = slices.Concat(closure.Bindings, known) // a method value
	}
	switch o {
	case opReset, opFree, opPut, opDrop, opGroupReset, opGroupFree, opSyncPut, opNoUse:
	default:
		f.useArgs(s, c, at)
	}
	if o != opNone {
		f.known(s, o, call, known, at, set)
		return
	}
	if value != nil {
		f.turnsOf(s, value)
		s.again(value, value)
	}
	if fn := c.StaticCallee(); fn != nil {
		args := c.Args
		if closure, ok := c.Value.(*ssa.MakeClosure); ok {
			args = slices.Concat(args, closure.Bindings)
		}
		if sum := f.c.summaryOf(fn); sum != nil {
			var root loc
			var typ types.Type
			if value != nil {
				root, typ = loc{value, ""}, value.Type()
			}
			f.setResults(s, value, f.apply(s, sum, s.values(args), at, root, typ, true))
			return
		}
		if f.fromLibrary(s, obj, args, at, value) {
			return
		}
		if v, ok := f.getter(s, obj, args); ok {
			set(v)
			return
		}
		f.unknownCall(s, args, reads(obj) || readsOnly(obj), at)
		set(unknown)
		return
	}
	if f.sequence(s, c, at) {
		set(unknown)
		return
	}
	if f.dynamic(s, call, at, value) {
		return
	}
	f.unknownCall(s, known, c.IsInvoke() && readsOnly(c.Method), at)
	set(unknown)
}

// useElements is for a call of an unknown function, which is taken to look at the elements of the
// slices and maps that it is given, unless its name says that it takes them back.
func (f *flow) useElements(s *state, c *ssa.CallCommon, at ssa.Instruction) {
	if !f.looking || takesBack.MatchString(f.named(c, at)) || f.takesOut(true) {
		return
	}
	for _, arg := range c.Args {
		switch arg.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			if p := s.get(arg).ptr; !f.replacesSome(s, p) {
				f.useBelow(s, p, at)
			}
		}
	}
}

// replacesSome reports whether the function may replace an element by something else, or by nil.
func (f *flow) replacesSome(s *state, p loc) bool {
	single := f.hasBelow(s, p.add(".#")) // elements that are known one by one
	for i := range ssas.Instrs(f.fn) {
		if e, ok := storesElement(i); ok && (isConst(e.val) || single && isSlice(e.base.Type()) || e.replaces(i)) && s.get(e.base).ptr == p {
			return true
		}
	}
	return false
}

// takesBack has the names of functions that get what they are given for good.
var takesBack = regexp.MustCompile(`(?i)(^|\.)(put|free|release|recycle|return|give|reset|clear|drop|discard|dispose|unref)`)

// named returns the name of what a call calls, which may be a function in a field.
func (f *flow) named(c *ssa.CallCommon, at ssa.Instruction) string {
	if field := fieldAt(c.Value); field != nil {
		return field.Name()
	}
	return f.calleeAt(at)
}

// readsOnly are methods that by their contract keep and change nothing of what they are given.
func readsOnly(m *types.Func) bool {
	if m == nil {
		return false
	}
	switch m.Name() {
	case "Write", "WriteString", "WriteHeader", "Error", "String", "Len", "Less", "Print", "Printf", "Println", "Logf", "Log", "Errorf", "Fatalf", "Fatal", "Helper":
		return true
	case "Err", "Done", "Deadline":
		return names.Package(m) == "context"
	}
	return false
}

// functionOf returns the function that a value surely is, and what it has captured.
func (f *flow) functionOf(s *state, v ssa.Value) (*ssa.Function, []ssa.Value) {
	for {
		switch x := v.(type) {
		case *ssa.MakeClosure:
			return x.Fn.(*ssa.Function), x.Bindings
		case *ssa.Function:
			return x, nil
		case *ssa.ChangeType:
			v = x.X
			continue
		}
		v := s.get(v)
		if v.ptr.path != "" || v.many {
			return nil, nil
		}
		switch root := v.ptr.root.(type) {
		case *ssa.MakeClosure:
			return root.Fn.(*ssa.Function), root.Bindings
		case *ssa.Function:
			return root, nil
		}
		return nil, nil
	}
}

// useArgs is for a call, which is taken to look at what it is given.
func (f *flow) useArgs(s *state, c *ssa.CallCommon, at ssa.Instruction) {
	if !f.looking {
		return
	}
	if c.IsInvoke() || c.StaticCallee() == nil {
		f.use(s, c.Value, at)
	}
	fn := ssas.Callee(c)
	whole := readsAll(fn)
	for _, arg := range c.Args {
		f.use(s, arg, at)
		if c.StaticCallee() == nil {
			f.useField(s, arg, at)
		}
		values := varargs(arg)
		if whole {
			for _, v := range values {
				f.useBelow(s, s.get(v).ptr, at)
			}
		}
		if len(values) != 1 || values[0] != arg {
			f.useBelow(s, s.get(arg).ptr, at)
		}
		if sends(fn) {
			f.useReachable(s, s.get(arg).ptr, at)
		}
	}
}

// useField is use for a struct that refers to memory by one field only.
func (f *flow) useField(s *state, v ssa.Value, at ssa.Instruction) {
	if !isStruct(v.Type()) {
		return
	}
	var step string
	for field := range structOf(v.Type()).Fields() {
		if carries(field.Type()) {
			if step != "" {
				return
			}
			step = "." + field.Name()
		}
	}
	look := func(s *state) av { return s.get(v).sub[step] }
	f.useValue(look(s), at, look)
}

// readsAll reports whether a function looks at the fields and the elements of what it is given: it
// prints them, or joins them.
func readsAll(fn *types.Func) bool {
	switch names.Package(fn) {
	case "fmt", "log", "log/slog":
		return true
	case "strings", "bytes":
		return fn.Name() == "Join"
	}
	return false
}

// sends reports whether a function looks at all that its arguments lead to: it sends or encodes
// them.
func sends(fn *types.Func) bool {
	switch names.Path(fn) {
	case "net/http.Client.Do", "net/http.Transport.RoundTrip", "net/http.RoundTripper.RoundTrip", "net/http.Handler.ServeHTTP", "encoding/json.Marshal", "encoding/json.MarshalIndent", "encoding/json.Encoder.Encode":
		return true
	}
	return false
}

// useReachable is useBelow for all that is known of what a value leads to.
func (f *flow) useReachable(s *state, p loc, at ssa.Instruction) {
	if p.root == nil {
		return
	}
	var places []loc
	s.reachable(p, func(l loc, v av) {
		if len(v.only(isStale)) > 0 && !strings.ContainsAny(l.path, stepAll+stepCtx+stepAddr+"~") {
			places = append(places, l)
		}
	})
	f.usePlaces(s, places, at)
}

// useBelow is for fields and elements, which a call looks at.
func (f *flow) useBelow(s *state, p loc, at ssa.Instruction) {
	if p.root == nil {
		return
	}
	var places []loc
	s.below(p, func(l loc, v av) {
		if strings.ContainsAny(l.path[len(p.path):], stepDeref+stepAll+stepCtx+stepAddr+"~") {
			return
		}
		f.sum.read(f, v, at, true)
		f.sum.after(f, at, func(s *state) av { v, _ := s.mem.get(l); return v })
		if len(v.only(isStale)) > 0 {
			places = append(places, l)
		}
	})
	f.usePlaces(s, places, at)
}

// usePlaces is use for what lies at places.
func (f *flow) usePlaces(s *state, places []loc, at ssa.Instruction) {
	slices.SortFunc(places, func(a, b loc) int { return cmp.Or(bySource(a.root, b.root), strings.Compare(a.path, b.path)) })
	for _, l := range places {
		look := func(s *state) av {
			v, _ := s.mem.get(l)
			return v
		}
		f.useValue(look(s), at, look)
	}
}

// useKeys is for an instruction that looks for a key of a map, and so compares it with others.
func (f *flow) useKeys(s *state, m ssa.Value, at ssa.Instruction) {
	for _, path := range texts(keyType(m.Type()), 0) {
		f.useKey(s, at, func(s *state) av {
			p := s.get(m)
			return f.through(p, f.element(s, p.ptr, stepKey+path, types.Typ[types.String]))
		})
	}
}

// useKey is for text in the keys of a map, which may have been emptied.
func (f *flow) useKey(s *state, at ssa.Instruction, look func(*state) av) {
	if !f.looking {
		return
	}
	some := func(s *state) av {
		v := look(s)
		v.other = v.other || v.none
		return v
	}
	f.useAs("%s is a key of a map that is used after %s%s", some(s), at, true, some)
}

// texts returns the paths of the text in values of a type, which is looked at when two of them are
// compared.
func texts(t types.Type, depth int) (all []string) {
	if ssas.IsString(t) {
		return []string{""}
	}
	if st, ok := t.Underlying().(*types.Struct); ok && depth < 3 {
		for field := range st.Fields() {
			for _, path := range texts(field.Type(), depth+1) {
				all = append(all, "."+field.Name()+path)
			}
		}
	}
	return all
}

// unknownCall is for a call of which nothing is known: it may change what its arguments lead to,
// keep an arena, and wait.
func (f *flow) unknownCall(s *state, args []ssa.Value, reads bool, at ssa.Instruction) {
	handed := make([][]av, len(args))
	for n := range args {
		if call, ok := at.(ssa.CallInstruction); ok && library.OnlyCalls(ssas.Callee(call.Common()), n) {
			handed[n] = f.handedTo(s, args, n)
		}
	}
	for n, arg := range args {
		v := s.get(arg)
		f.lend(s, v)
		if p := v.ptr; p.root != nil && !reads && !f.closedTo(arg, at) {
			f.blur(s, p, isSlice(arg.Type()))
			s.overwrites(v)
		}
		f.invoke(s, f.targets(s, v), handed[n], at, loc{}, nil, false)
		f.callsBack(s, arg, at)
	}
	if !reads {
		s.mayWait(at.(ssa.CallInstruction).Common())
	}
}

// callsBack is for an interface that an unknown function is given, which may call its methods.
func (f *flow) callsBack(s *state, arg ssa.Value, at ssa.Instruction) {
	m, ok := arg.(*ssa.MakeInterface)
	if !ok || names.Type(m.X.Type()) == nil || names.Type(m.X.Type()).Obj().Pkg() != f.c.pkg {
		return
	}
	v := s.get(arg)
	for method := range arg.Type().Underlying().(*types.Interface).Methods() {
		f.invoke(s, f.methods(v, &ssa.CallCommon{Value: arg, Method: method}), []av{v}, at, loc{}, nil, false)
	}
}

// closedTo reports whether a function of another package, that an instruction calls, cannot change
// what an argument leads to but by its methods: a struct of this package without exported fields.
func (f *flow) closedTo(arg ssa.Value, at ssa.Instruction) bool {
	m, ok := arg.(*ssa.MakeInterface)
	call, ok2 := at.(ssa.CallInstruction)
	if !ok || !ok2 {
		return false
	}
	n, fn := names.Type(m.X.Type()), ssas.Callee(call.Common())
	if n == nil || n.Obj().Pkg() != f.c.pkg || fn == nil || fn.Pkg() == f.c.pkg {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	return ok && !slices.ContainsFunc(slices.Collect(st.Fields()), (*types.Var).Exported)
}

// blur forgets what is certain about the memory at l, because somebody may have changed it. Of a
// slice that was there before, who is given it is taken to leave the elements.
func (f *flow) blur(s *state, l loc, slice bool) {
	switch l.root.(type) {
	case *ssa.Global:
		return
	case *ssa.Parameter, *ssa.FreeVar:
		if len(f.c.owners) > 0 && !slice {
			s.mem.set(l.add(stepDirty), unknown)
		}
	case *ssa.Alloc:
		s.mem.set(l.add(stepAll), unknown)
	}
	s.below(l, func(k loc, v av) {
		if !v.other {
			v.other = true
			s.mem.set(k, v)
		}
	})
}

// lend notes that somebody else has an arena now, and may end it.
func (f *flow) lend(s *state, v av) {
	mark := func(v av) {
		for _, t := range v.tags {
			if t.kind == isArena || t.life.kind == lifeSync {
				s.lend(t.life)
				if f.looking && t.kind == isArena {
					f.sum.Lends = true
				}
			}
		}
	}
	mark(v)
	for _, x := range v.sub {
		mark(x)
	}
	if v.ptr.root != nil {
		if _, ok := v.ptr.root.(*ssa.Global); !ok {
			s.below(v.ptr, func(_ loc, x av) { mark(x) })
		}
	}
}

// lend notes that somebody else may end a life.
func (s *state) lend(l *life) {
	c, ok := s.lives[l]
	if !ok {
		c.open = true
	}
	c.lent = true
	s.lives[l] = c
}

// note is for a value that is stored somewhere.
func (f *flow) note(s *state, l loc, v av, at ssa.Instruction) {
	f.stored(l, v, at)
	if f.c.owning && f.looking {
		f.noteElement(s, l, v)
	}
	if f.looking && strings.Contains(l.path, "[") {
		f.gathered(s, l, v)
	}
	switch l.root.(type) {
	case *ssa.Alloc:
	default:
		f.lend(s, v)
	}
}

// gathered notes what is stored in elements of what the caller has, and in the fields of these.
func (f *flow) gathered(s *state, l loc, v av) {
	for field, x := range v.sub {
		f.gathered(s, l.add(field), x)
	}
	if p, ok := f.sum.placeOf(lifeKey(l)); ok && len(p.Path) <= 30 {
		f.elems[p] = joinSums(f.elems[p], f.encode(s, v, 1))
	}
}

// assign stores a value somewhere, and notes it.
func (f *flow) assign(s *state, l loc, v av, at ssa.Instruction) {
	f.note(s, l, v, at)
	s.store(l, v)
}

// builtin does what a built-in function does.
func (f *flow) builtin(s *state, name string, args []ssa.Value, at ssa.Instruction, set func(av)) {
	value, _ := at.(ssa.Value)
	switch name {
	case "append":
		f.use(s, args[0], at)
		v := s.get(args[0])
		if len(args) > 1 {
			f.use(s, args[1], at)
		}
		if value == nil || !carries(value.Type()) {
			return
		}
		from, empty := v.ptr, v.zero()
		v.sub = nil
		v.ptr, v.from = loc{value, ""}, from
		elems := av{}
		if !empty {
			elems = f.element(s, from, stepElem, elementType(value.Type()))
		}
		if len(args) > 1 && !ssas.IsString(args[1].Type()) {
			more := f.element(s, s.get(args[1]).ptr, stepElem, elementType(value.Type()))
			elems = joinElements(elems, more)
			for _, l := range f.heldBy(s, more) {
				f.put[storeKey{v.ptr.add(stepElem), l}] = at
			}
		}
		if !carries(elementType(value.Type())) {
			elems = av{}
		}
		if !empty && f.goesBack(s, value, args[0]) {
			// It is the same slice from one turn, or from one way, to the other.
			v.ptr, v.from = from, loc{}
			s.setElements(from, elems)
		} else {
			s.forget(v.ptr)
			s.setElements(v.ptr, elems)
		}
		if slices.ContainsFunc(v.tags, func(t tag) bool { return t.kind != inMemory || t.life.kind == lifeSync }) {
			v.other = true // it may have grown, and then the memory is not the old one
		}
		s.val[value] = v
	case "copy":
		f.use(s, args[0], at)
		f.use(s, args[1], at)
		to, from := s.get(args[0]).ptr, s.get(args[1]).ptr
		if to.root != nil && from.root != nil && carries(elementType(args[1].Type())) && !ssas.IsString(args[1].Type()) {
			v := f.element(s, from, stepElem, elementType(args[1].Type()))
			f.assign(s, to.add(stepElem), v, at)
		}
	case "delete", "clear":
		f.use(s, args[0], at)
		p := s.get(args[0]).ptr
		if name == "delete" {
			if f.useKeys(s, args[0], at); f.deletesOther(s, p, args[1]) {
				return
			}
		}
		if name == "clear" && (at.Block().Index == 0 || f.inevitable(f.fn.Blocks[0].Instrs[0], at)) {
			p = p.add(stepEmpty)
		}
		f.empty(s, p)
	case "String", "StringData", "Slice", "SliceData", "Add": // of package unsafe
		v := s.get(args[0])
		v.sub = nil
		set(v)
	case "min", "max":
		set(unknown)
	case "print", "println":
		for _, a := range args {
			f.use(s, a, at)
		}
	default:
		if strings.HasPrefix(name, "ssa:wrapnilchk") && value != nil {
			s.set(value, s.get(args[0]))
			return
		}
		set(unknown)
	}
}

// deletesOther reports whether the key that is deleted is surely another one than the one by which
// the map has got something of an arena.
func (f *flow) deletesOther(s *state, m loc, key ssa.Value) bool {
	own := func(v ssa.Value) bool {
		_, param := v.(*ssa.Parameter)
		return param || isConst(v)
	}
	v, ok := s.mem.get(m.add(stepElem))
	return ok && own(key) && len(v.tags) > 0 && !slices.ContainsFunc(v.tags, func(t tag) bool {
		i, ok := f.put[storeKey{m.add(stepElem), t.life}].(*ssa.MapUpdate)
		return t.kind != inMemory || !ok || !own(i.Key) || sameKey(i.Key, key)
	})
}

// onlyCalls reports whether a function that is given a function literal calls it while it runs.
func (f *flow) onlyCalls(call *ssa.Call, c ssa.Value) bool {
	if fn := literalOf(c); fn != nil && strings.HasPrefix(fn.Synthetic, "range-over-func") {
		return true
	}
	if n := slices.Index(call.Call.Args, c); n >= 0 && library.OnlyCalls(ssas.Callee(&call.Call), n) {
		return true
	}
	return f.givesTo(call, c, func(sum *summary) (all []place) {
		for _, x := range sum.Calls {
			all = append(all, x.Fn)
		}
		return all
	})
}

// givesTo reports whether a call gives a value as a parameter that the summary of the function has
// among some places.
func (f *flow) givesTo(call *ssa.Call, v ssa.Value, places func(*summary) []place) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	sum := f.c.summaryOf(fn)
	return sum != nil && slices.ContainsFunc(places(sum), func(p place) bool {
		return p.Path == "" && p.Param >= 0 && p.Param < len(call.Call.Args) && call.Call.Args[p.Param] == v
	})
}

// binds returns the parameters of a function that only functions refer to which it returns.
func (s *summary) binds() (all []place) {
	for _, r := range s.Results {
		for _, fn := range r.Fns {
			for _, b := range fn.Bound {
				all = append(all, b.given()...)
			}
		}
	}
	return slices.DeleteFunc(all, func(p place) bool {
		return slices.ContainsFunc(s.Calls, func(c sumCall) bool { return c.Fn == p }) || slices.Contains(s.Runs, p) ||
			slices.ContainsFunc(s.Stores, func(st sumStore) bool { return slices.Contains(st.Value.given(), p) })
	})
}

// given returns what of the parameters a value is, or what lies in its memory.
func (v sumValue) given() (all []place) {
	for _, t := range v.Tags {
		if t.Kind == ofParam {
			all = append(all, t.Of)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(v.Below)) {
		all = append(all, v.Below[path].given()...)
	}
	return all
}

// goesBack reports whether a slice that append has returned takes the place of what was appended
// to, which was made here.
func (f *flow) goesBack(s *state, result, base ssa.Value) bool {
	p := s.get(base).ptr
	switch p.root.(type) {
	case *ssa.MakeSlice, *ssa.Call, *ssa.Alloc, *ssa.Slice:
	default:
		return false
	}
	if load, ok := base.(*ssa.UnOp); ok && load.Op == token.MUL {
		to := s.get(load.X).ptr
		for _, ref := range *result.Referrers() {
			if store, ok := ref.(*ssa.Store); ok && store.Val == result && to.known() && s.get(store.Addr).ptr == to {
				return true
			}
		}
	}
	seen := map[ssa.Value]bool{result: true}
	for work := []ssa.Value{result}; len(work) > 0; work = work[1:] {
		for _, ref := range *work[0].Referrers() {
			var next ssa.Value
			switch r := ref.(type) {
			case *ssa.Phi:
				if next = r; slices.Contains(r.Edges, base) {
					return true
				}
			case *ssa.Call:
				b, ok := r.Call.Value.(*ssa.Builtin)
				if ok && b.Name() == "append" && r.Call.Args[0] == work[0] || f.opOf(r) == opGrow && len(r.Call.Args) > 1 && r.Call.Args[1] == work[0] {
					next = r
				}
			}
			if next == base {
				return true
			}
			if next != nil && !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// closure is for a function literal: what it has captured and stores to is not certain any more,
// unless the function is only called here.
func (f *flow) closure(s *state, c *ssa.MakeClosure) { f.closureAs(s, c, c) }

// closureAs is closure for the literal as a value of some type.
func (f *flow) closureAs(s *state, v ssa.Value, c *ssa.MakeClosure) {
	for _, ref := range *v.Referrers() {
		runs := false     // the call looks at it, which knows when it runs
		byCaller := false // it is called behind a return, if at all
		switch r := ref.(type) {
		case *ssa.ChangeType:
			f.closureAs(s, r, c)
			continue
		case *ssa.Call:
			if r.Call.Value == v || f.opOf(r) != opNone || s.gives(&r.Call) || f.onlyCalls(r, v) {
				continue
			}
			runs = f.givesTo(r, v, func(sum *summary) []place { return sum.Runs })
			byCaller = f.givesTo(r, v, (*summary).binds)
		case *ssa.MakeInterface:
			f.closureAs(s, r, c)
			continue
		case *ssa.Store:
			byCaller = r.Val == v && onlyReturned(r.Addr, 3)
		case *ssa.Return:
			byCaller = true
		case *ssa.Defer, *ssa.Go, *ssa.DebugRef:
			continue
		}
		if !byCaller { // somebody may call it at any time
			looking := f.looking
			f.looking = looking && !runs
			f.invoke(s, f.targets(s, s.get(c)), nil, c, loc{}, nil, false)
			f.looking = looking
		}
		for _, b := range c.Bindings {
			p := s.get(b).ptr
			if p.root == nil {
				continue
			}
			s.below(p, func(_ loc, v av) { f.lend(s, v) })
		}
	}
}

// onlyReturned reports whether a place is in a variable that the function only fills, returns, or
// calls.
func onlyReturned(addr ssa.Value, depth int) bool {
	addr = base(addr)
	if _, ok := addr.(*ssa.Alloc); !ok {
		return false
	}
	var only func(v ssa.Value, depth int) bool
	only = func(v ssa.Value, depth int) bool {
		return depth > 0 && !slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool {
			switch i := i.(type) {
			case *ssa.FieldAddr:
				return !only(i, depth-1)
			case *ssa.UnOp:
				return !only(i, depth-1)
			case *ssa.Store:
				return i.Val == v
			case ssa.CallInstruction:
				return i.Common().Value != v
			case *ssa.Return, *ssa.DebugRef:
				return false
			}
			return true
		})
	}
	return only(addr, depth)
}

// deferred is for a defer statement.
func (f *flow) deferred(s *state, d *ssa.Defer) {
	for _, old := range s.defers {
		if old == d {
			return
		}
	}
	s.defers = append(s.defers[:len(s.defers):len(s.defers)], d)
}

// implementations returns the methods that a call by an interface may call: the value was just put
// into the interface, or the interface is one of this package, which some of its types implement.
func (c *checker) implementations(call *ssa.CallCommon) (all []*ssa.Function) {
	if m, ok := origin(call.Value).(*ssa.MakeInterface); ok {
		if fn := c.method(m.X.Type(), call.Method); fn != nil {
			return []*ssa.Function{fn}
		}
		return nil
	}
	named, ok := types.Unalias(call.Value.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() != c.pkg || named.TypeParams().Len() > 0 || readsOnly(call.Method) {
		return nil
	}
	for _, t := range c.implementing(named) {
		fn := c.method(t, call.Method)
		if fn == nil || len(all) == maxTargets {
			return nil
		}
		all = append(all, fn)
	}
	return all
}

// implementing returns the types of the package that implement an interface, or the pointers to
// them.
func (c *checker) implementing(named *types.Named) []types.Type {
	all, known := c.implement[named]
	if iface, ok := named.Underlying().(*types.Interface); ok && !known {
		all = implementingIn(c.pkg, iface)
		c.implement[named] = all
	}
	return all
}

// exportMethods gives the methods of the interfaces of the package that one type of it implements
// the summaries of the methods of this type.
func (c *checker) exportMethods(export func(*types.Func, *summary)) {
	for _, name := range c.pkg.Scope().Names() {
		t, ok := c.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !t.Exported() || t.IsAlias() {
			continue
		}
		named, ok := t.Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 || !types.IsInterface(named) {
			continue
		}
		all := c.implementing(named)
		if len(all) != 1 {
			continue
		}
		for m := range named.Underlying().(*types.Interface).ExplicitMethods() {
			if fn := c.method(all[0], m); fn != nil && m.Pkg() == c.pkg && !readsOnly(m) {
				if sum := c.summaryOf(fn); sum != nil && sum.interesting() {
					export(m, sum)
				}
			}
		}
	}
}

// byInterface returns what the method of an interface of another package of the module does, if one
// type there implements it, and none that this package knows.
func (c *checker) byInterface(call *ssa.CallCommon) *summary {
	named, ok := types.Unalias(call.Value.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg() == c.pkg || flagKeepers[named.Obj().Pkg().Path()] {
		return nil
	}
	sum, known := c.imported[call.Method]
	if known {
		return sum
	}
	iface, others := named.Underlying().(*types.Interface), append([]*types.Package{c.pkg}, c.pkg.Imports()...)
	var fact summary
	if c.facts(call.Method, &fact) && !slices.ContainsFunc(others, func(p *types.Package) bool { return p != named.Obj().Pkg() && len(implementingIn(p, iface)) > 0 }) {
		sum = &fact
	}
	c.imported[call.Method] = sum
	return sum
}

// implementingIn is implementing for a package.
func implementingIn(p *types.Package, iface *types.Interface) (all []types.Type) {
	for _, name := range p.Scope().Names() {
		t, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		if n, ok := t.Type().(*types.Named); !ok || n.TypeParams().Len() > 0 {
			continue
		}
		for _, t := range []types.Type{t.Type(), types.NewPointer(t.Type())} {
			if types.Implements(t, iface) {
				all = append(all, t)
				break
			}
		}
	}
	return all
}

// origin returns the value that an interface surely has: it is converted, or lies in a variable
// that is set once, perhaps one of a function around.
func origin(v ssa.Value) ssa.Value {
	for range 8 {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
			continue
		case *ssa.UnOp:
			if all, ok := stored(variable(x.X)); ok && len(all) == 1 {
				v = all[0]
				continue
			}
		}
		break
	}
	return v
}

// variable returns the variable that a function literal has captured, in the function around it.
func variable(v ssa.Value) ssa.Value {
	captured, ok := v.(*ssa.FreeVar)
	if !ok || captured.Parent().Parent() == nil {
		return v
	}
	fn := captured.Parent()
	n := slices.Index(fn.FreeVars, captured)
	for i := range ssas.Instrs(fn.Parent()) {
		if c, ok := i.(*ssa.MakeClosure); ok && c.Fn == fn {
			return variable(c.Bindings[n]) // there is one
		}
	}
	return v
}

// stored returns the values that a local variable gets, in its function and in the literals there,
// if all of them are known.
func stored(v ssa.Value) (all []ssa.Value, ok bool) {
	switch v.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
	default:
		return nil, false
	}
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.Store:
			if i.Addr != v {
				return nil, false
			}
			all = append(all, i.Val)
		case *ssa.MakeClosure:
			more, ok := stored(i.Fn.(*ssa.Function).FreeVars[slices.Index(i.Bindings, v)])
			if !ok {
				return nil, false
			}
			all = append(all, more...)
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil, false
		}
	}
	return all, true
}

// method returns a method of a type, perhaps one of an embedded field.
func (c *checker) method(t types.Type, m *types.Func) *ssa.Function {
	sel := c.ssa.Prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return nil
	}
	obj, ok := sel.Obj().(*types.Func)
	if !ok {
		return nil
	}
	if _, wanted := obj.Signature().Recv().Type().Underlying().(*types.Pointer); wanted != isPointer(t) || len(sel.Index()) != 1 {
		if n := names.Type(t); n == nil || n.TypeArgs().Len() > 0 {
			return nil
		}
		return c.ssa.Prog.MethodValue(sel) // a wrapper
	}
	return c.ssa.Prog.FuncValue(obj.Origin())
}
