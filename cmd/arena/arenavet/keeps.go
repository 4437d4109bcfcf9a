package arenavet

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// mayKeep reports whether a call may keep something that it is given where the state does not show
// it.
func (f *flow) mayKeep(call ssa.CallInstruction) bool {
	c := call.Common()
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return false
	}
	for _, arg := range c.Args {
		if fn := literalOf(arg); fn != nil && f.keepsIn(fn) {
			return true
		}
	}
	switch f.opOf(call) {
	case opNone:
	case opGo, opGroupGo, opSyncPut, opMapStore, opAddTo, opTexts, opNodes, opCell, opDrop:
		return true
	case opDo, opGroupDo, opCall, opEach:
		return !slices.ContainsFunc(c.Args, func(arg ssa.Value) bool { return literalOf(arg) != nil })
	default:
		return false
	}
	if fn := c.StaticCallee(); fn != nil {
		if sum := f.c.summaryOf(fn); fn == f.fn || sum != nil {
			return fn != f.fn && sum.Keeps
		}
		obj := ssas.Declared(fn)
		return !onlyReturns(obj) && (obj == nil || !readers[names.Package(obj)] && !readsOnly(obj) || returnsParts(obj.Signature()))
	}
	if c.IsInvoke() {
		if fns := f.c.implementations(c); len(fns) == 1 {
			return f.keepsIn(fns[0])
		}
		return !readsOnly(c.Method) || returnsParts(c.Method.Signature())
	}
	// A loop over a sequence of an arena, whose body was looked at above.
	sequence, ok := c.Value.(*ssa.Call)
	return !ok || f.opOf(sequence) == opNone || yields(c.Value.Type()) == nil || literalOf(c.Args[0]) == nil
}

// keepsIn is mayKeep for a function of which the body is known.
func (f *flow) keepsIn(fn *ssa.Function) bool {
	sum := f.c.summaryOf(fn)
	return sum == nil || sum.Keeps
}

// literalOf returns the function that an argument surely is.
func literalOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		return v
	case *ssa.ChangeType:
		return literalOf(v.X)
	}
	return nil
}

func isLiteral(v ssa.Value) bool {
	fn := literalOf(v)
	return fn != nil && fn.Parent() != nil
}

func isFunc(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Signature)
	return ok
}

// returnsParts reports whether a result may be a part of an argument. Errors are taken to be none.
func returnsParts(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		if carries(v.Type()) && !types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
			return true
		}
	}
	return false
}

// escapes reports whether a function literal is more than called, deferred or given to a call.
func escapes(c *ssa.MakeClosure) bool {
	for _, ref := range *c.Referrers() {
		switch ref.(type) {
		case ssa.CallInstruction, *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}

// hands returns the values that an instruction may hand to somebody who keeps them: another
// goroutine, a function literal that is called later, a function of which nothing is known.
func (f *flow) hands(i ssa.Instruction) []ssa.Value {
	switch i := i.(type) {
	case *ssa.Call:
		if f.mayKeep(i) {
			return append([]ssa.Value{i.Call.Value}, i.Call.Args...)
		}
	case *ssa.Go:
		return append([]ssa.Value{i.Call.Value}, i.Call.Args...)
	case *ssa.Send:
		return []ssa.Value{i.X}
	case *ssa.Select:
		var all []ssa.Value
		for _, st := range i.States {
			if st.Send != nil {
				all = append(all, st.Send)
			}
		}
		return all
	case *ssa.MakeClosure:
		if escapes(i) {
			return i.Bindings
		}
	}
	return nil
}

// keeps reports whether a function may keep something that it is given where its summary does not
// say it.
func (f *flow) keeps() bool {
	for i := range ssas.Instrs(f.fn) {
		switch i := i.(type) {
		case *ssa.Defer:
			if f.mayKeep(i) {
				return true
			}
		case *ssa.Store:
			if _, ok := base(i.Addr).(*ssa.Phi); ok && carries(i.Val.Type()) {
				return true // it is in one of several places
			}
		default:
			if slices.ContainsFunc(f.hands(i), func(v ssa.Value) bool { _, ok := v.(*ssa.Const); return !ok && carries(v.Type()) }) {
				return true
			}
		}
	}
	for _, s := range f.exits {
		for l, v := range s.mem.all() {
			if len(v.tags) == 0 || f.fresh(s, l.root) {
				continue
			}
			if p, ok := f.sum.placeOf(lifeKey(l)); !ok || len(p.Path) > 30 {
				return true
			}
		}
	}
	return false
}

// base returns what a pointer to a field or an element points into.
func base(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return v
		}
	}
}

// fresh reports whether memory was made by the function, so that nobody has it to whom the state
// does not lead.
func (f *flow) fresh(s *state, root ssa.Value) bool {
	switch root := root.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeClosure:
		return true
	case *ssa.Call:
		if b, ok := root.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "append"
		}
		switch f.opOf(root) {
		case opDerive, opMake, opMakeOf, opMakeSlice, opParts, opClone, opDeepClone, opClean, opHolds, opWrap:
			return true // or what an argument leads to
		}
		if fn := root.Call.StaticCallee(); fn != nil && onlyReturns(ssas.Declared(fn)) {
			return true // the same
		}
		v := s.get(root)
		return !v.other && (len(v.tags) > 0 || len(v.sub) > 0) // it lies in an arena
	}
	return false
}

// reaches reports whether one of some values, or what it leads to, has to do with a life.
func (s *state) reaches(values []av, l *life) bool {
	var roots []ssa.Value
	add := func(v av) bool {
		if root := v.ptr.root; root != nil && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
		return v.of(l)
	}
	if slices.ContainsFunc(values, add) {
		return true
	}
	for n := 0; n < len(roots); n++ {
		if c, ok := roots[n].(*ssa.MakeClosure); ok && slices.ContainsFunc(c.Bindings, func(b ssa.Value) bool { return add(s.get(b)) }) {
			return true
		}
		for _, v := range s.mem.entries(roots[n]) {
			if add(v) {
				return true
			}
		}
	}
	return false
}

// handsOut reports whether a turn of a loop may give something of an arena to somebody who has it
// in the next turn. Deferred calls that end the arena do not count.
func (f *flow) handsOut(l *life, loop map[*ssa.BasicBlock]bool) bool {
	looking, put := f.looking, maps.Clone(f.put)
	f.looking = false
	defer func() { f.looking, f.put = looking, put }()
	reached := func(s *state, all []ssa.Value) bool {
		return slices.ContainsFunc(all, func(v ssa.Value) bool { return s.reaches([]av{s.get(v)}, l) })
	}
	given := map[ssa.Instruction][]ssa.Value{}
	for _, b := range f.fn.Blocks {
		if !loop[b] || f.in[b] == nil {
			continue
		}
		s := f.in[b].clone()
		for _, i := range b.Instrs {
			all := f.hands(i)
			switch i := i.(type) {
			case *ssa.Defer:
				if !endsArena(f.opOf(i)) {
					all = append([]ssa.Value{i.Call.Value}, i.Call.Args...)
				}
			case *ssa.Store:
				if p := s.get(i.Addr); !p.ptr.known() && !(p.of(l) && !p.other) && reached(s, []ssa.Value{i.Val}) {
					return true
				}
			case *ssa.MapUpdate:
				if p := s.get(i.Map); !p.ptr.known() && reached(s, []ssa.Value{i.Key, i.Value}) {
					return true
				}
			}
			if len(all) > 0 {
				if reached(s, all) {
					return true
				}
				given[i] = all
			}
			f.step(s, i)
		}
		// What was handed out earlier may lead to it now.
		for _, all := range given {
			if reached(s, all) {
				return true
			}
		}
	}
	return false
}

func endsArena(o op) bool {
	switch o {
	case opFree, opReset, opPut, opGroupFree, opGroupReset:
		return true
	}
	return false
}

// ended reports whether something in the function ends an arena, or is to end it when the function
// returns.
func (f *flow) ended(l *life) bool {
	for k := range f.endAt {
		if k.life == l {
			return true
		}
	}
	for i := range ssas.Instrs(f.fn) {
		if d, ok := i.(*ssa.Defer); ok && endsArena(f.opOf(d)) {
			return true // perhaps of another one
		}
	}
	return false
}
