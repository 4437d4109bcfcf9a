package arenavet

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// derive is for functions whose result is a part of what they are given.
func (f *flow) derive(s *state, name string, args []ssa.Value, value *ssa.Call) {
	v := s.get(args[0])
	v.sub = nil
	if value == nil {
		return
	}
	place := loc{value, ""}
	part := av{tags: v.tags, other: v.other, none: v.none}
	one := func(t types.Type) av {
		if seq := yields(args[0].Type()); seq != nil && yields(t) == nil {
			// What a sequence gives is in a new slice or map.
			if f.collect(s, v, value, place, seq, t) {
				return av{ptr: place}
			}
			if seq.Len() > 1 && isMap(t) {
				s.mem.set(place.add(stepKey), s.given(v, 0))
			}
			s.setElements(place, s.given(v, seq.Len()-1))
			return av{ptr: place}
		}
		r := part
		if isError(t) && isSlice(resultType(value)) {
			return unknown
		}
		if types.Identical(t, args[0].Type()) {
			r.ptr, r.fns, r.open = v.ptr, slices.Clone(v.fns), v.open
			for i := range r.fns {
				r.fns[i].once = r.fns[i].once || strings.HasPrefix(name, "sync.Once")
			}
			return r
		}
		r.ptr = place
		f.sequenceOf(s, place, args[0], name, t)
		return r
	}
	var results []av
	for _, t := range resultTypes(value) {
		results = append(results, one(t))
	}
	f.setResults(s, value, results)
}

// collect calls a sequence that is a known function, and notes in memory what it gives.
func (f *flow) collect(s *state, v av, at *ssa.Call, to loc, seq *types.Tuple, t types.Type) bool {
	targets := f.targets(s, v)
	if targets == nil {
		return false
	}
	yield := &summary{Params: seq.Len(), Bound: 1, GoesOn: true, Results: []sumValue{{Other: true}}}
	for n := range seq.Len() {
		step := stepElem
		if n == 0 && seq.Len() > 1 && isMap(t) {
			step = stepKey
		}
		if carries(seq.At(n).Type()) {
			yield.Stores = append(yield.Stores, sumStore{At: place{Param: seq.Len(), Path: step}, Value: sumValue{Tags: []sumTag{{Kind: ofParam, Of: place{Param: n}}}}, Weak: true})
		}
	}
	s.forget(to)
	s.mem.set(to.add(stepElem), av{})
	s.mem.set(to.add(stepKey), av{})
	s.mem.set(boundAt(to.add("%f"), 0), av{ptr: to})
	body := av{ptr: to.add("%f"), fns: []fnValue{{sum: yield, at: to.add("%f")}}}
	_, ok := f.invoke(s, targets, []av{body}, at, loc{at, f.nest + "%seq"}, nil, true)
	return ok
}

// entry is for a Map that gets a key, unless it has it, and for a pointer into its table.
func (f *flow) entry(s *state, o op, args []ssa.Value, at ssa.Instruction, result func(av)) {
	m := s.get(args[0])
	var table *life
	if m.ptr.root != nil {
		table = f.newLife(lifeKey(m.ptr.add(pathTable)), lifeTable, nil)
	}
	name := f.callee(at.(ssa.CallInstruction))
	adds := o != opEntry || !strings.Contains(name, "Lookup")
	if adds {
		f.allocates(s, m, at)
	}
	if adds && table != nil {
		var key ssa.Value
		if len(args) > 1 {
			key = args[1]
		}
		f.addsKey(s, table, key, at, name, true)
	}
	if len(args) > 1 {
		if table != nil && o == opEntry {
			s.lastKey(table, args[1])
		}
		if adds && carries(args[1].Type()) && o != opInsert {
			f.assign(s, m.ptr.add(stepKey), s.get(args[1]), at)
		}
	}
	if o == opSet && len(args) > 2 && carries(args[2].Type()) {
		f.assign(s, m.ptr.add(stepElem), s.get(args[2]), at)
	}
	if o != opEntry {
		result(unknown)
		return
	}
	v := av{other: m.other}
	for _, l := range holders(m) {
		v = v.with(tag{life: l, kind: inMemory, made: at})
	}
	if table != nil {
		v = v.with(tag{life: table, kind: inMemory, made: at})
		v.other = false
	}
	v.ptr = m.ptr.add(stepElem)
	result(v)
}

// pathTable is the path of the table of a Map.
const pathTable = "~table"

// addsKey is for a Map that gets a key. Looking at the same key again adds nothing.
func (f *flow) addsKey(s *state, table *life, key ssa.Value, at ssa.Instruction, name string, sure bool) {
	if last := s.keys[table]; key == nil || !sameKey(last, key) {
		f.finish(s, table, at, name, false, false, sure)
		if f.looking {
			f.sum.tableEnd(table, key)
		}
	}
}

// lastKey notes the last key of a Map that was looked for.
func (s *state) lastKey(table *life, key ssa.Value) {
	s.keys = maps.Clone(s.keys)
	if s.keys == nil {
		s.keys = map[*life]ssa.Value{}
	}
	s.keys[table] = key
}

func sameKey(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	c, ok := a.(*ssa.Const)
	d, ok2 := b.(*ssa.Const)
	return ok && ok2 && c.Value != nil && d.Value != nil && c.Value.ExactString() == d.Value.ExactString()
}

// newArena is for calls that make an arena or a Group, or take one from a Pool.
func (f *flow) newArena(s *state, o op, call ssa.CallInstruction, at ssa.Instruction, result func(av)) {
	value, ok := call.(*ssa.Call)
	if !ok {
		return
	}
	kind := lifeMade
	var parent *life
	args := call.Common().Args
	switch o {
	case opNewGroup:
		kind = lifeGroup
	case opGet:
		kind = lifePool
	case opMember:
		kind = lifeMember
		parent = f.groupOf(s.get(args[0]))
	case opNewWith:
		if memory, ok := s.get(args[0]).sub[".Memory"]; ok && !memory.zero() {
			kind = lifeMemory
		}
	}
	l := f.newLife(lifeKey{value, ""}, kind, parent)
	l.parent = parent
	s.renew(l, at)
	result(av{tags: []tag{{life: l, kind: isArena, made: at}}, ptr: loc{value, ""}})
}

// groupOf returns the Group that v surely is.
func (f *flow) groupOf(v av) *life {
	if all := arenas(v); len(all) == 1 && !v.other {
		return all[0]
	}
	if p := v.ptr; p.known() {
		return f.lifeAt(p)
	}
	return nil
}

// allocatesEnd is for Reset, which panics when the arena is closed.
func (f *flow) allocatesEnd(s *state, v av, at ssa.Instruction, what string, closes bool) {
	if f.looking {
		for _, l := range arenas(v) {
			if c := s.lives[l]; c.closed != nil && !v.other && len(arenas(v)) == 1 {
				f.found(codeClosed, ssas.PosOf(at), !f.shut(c, l, at), tag{life: l, end: c.closed}, "the arena is Reset after %s%s", f.describeEnd(c.closed), maybeWay(!c.shut))
			}
		}
	}
	f.ends(s, v, at, what, closes, false)
}

// calls is for functions that call a function: Do, Group.Go, Try.
func (f *flow) calls(s *state, o op, call ssa.CallInstruction, args []ssa.Value, at ssa.Instruction) {
	if len(args) == 0 {
		return
	}
	var l *life
	first := unknown
	if o != opCall {
		kind := lifeDo
		var parent *life
		if o != opDo {
			kind, parent = lifeMember, f.groupOf(s.get(args[0]))
		}
		l = f.newLife(lifeKey{valueOf(at), "do"}, kind, parent)
		s.renew(l, at)
		first = av{tags: []tag{{life: l, kind: isArena, made: at}}}
	}
	once := f.once
	f.once = once || names.Path(ssas.Callee(call.Common())) == "sync.Once.Do"
	if _, ok := f.invoke(s, f.targets(s, s.get(args[len(args)-1])), []av{first}, at, loc{}, nil, true); !ok {
		s.waited()
	}
	f.once = once
	if o == opGroupGo {
		s.gos.start(f.goroutine(at, []*life{l}, nil))
	}
	if o == opDo {
		f.finish(s, l, at, f.callee(call), true, false, true)
	}
}

// send is for a value that is sent: the receiver uses it at the same time.
func (f *flow) send(s *state, i *ssa.Send) {
	v := s.get(i.X)
	f.useValue(v, i, func(s *state) av { return s.get(i.X) })
	f.lend(s, v)
	holds := f.sent(s, i.X)
	if p := s.get(i.Chan).ptr; p.root != nil {
		f.note(s, p.add(stepSent), v, i)
		s.perhaps(p.add(stepSent), v)
	}
	g := f.goroutine(i, holds, nil)
	g.send, g.value = true, i.X
	s.gos.start(g)
	if put := f.c.putsReceived(fieldAt(i.Chan)); put != nil {
		s.hands(v, end{at: i, what: f.callee(put) + " of the receiver"})
	}
}

// private reports whether nobody has a channel but the function and the literals in it.
func private(v ssa.Value) bool {
	refs := v.Referrers()
	if refs == nil || len(*refs) == 0 {
		return false
	}
	switch v.(type) {
	case *ssa.MakeChan, *ssa.Alloc, *ssa.UnOp:
	default:
		return false
	}
	return !slices.ContainsFunc(*refs, func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.Send:
			return i.X == v
		case *ssa.UnOp:
			return i.Op == token.MUL && !private(i)
		case *ssa.Store:
			_, local := i.Addr.(*ssa.Alloc)
			return i.Val == v && (!local || !private(i.Addr))
		case *ssa.Call:
			_, builtin := i.Call.Value.(*ssa.Builtin)
			return !builtin
		case *ssa.MakeClosure, *ssa.DebugRef:
			return false
		}
		return true
	})
}

func (f *flow) goroutine(at ssa.Instruction, holds, uses []*life) *goroutine {
	g := f.gos[at]
	if g == nil {
		g = &goroutine{at: at, pos: ssas.PosOf(at)}
		f.gos[at] = g
	}
	g.holds, g.uses = holds, uses
	return g
}

// goes is for a go statement.
func (f *flow) goes(s *state, g *ssa.Go) {
	c := &g.Call
	fn, bindings := f.functionOf(s, c.Value)
	args := slices.Concat(c.Args, bindings)
	f.useArgs(s, c, g)
	if fn == nil || c.IsInvoke() {
		f.spawnOne(s, c.Value, args, g)
		return
	}
	f.spawn(s, fn, args, g)
}

// spawnOne is for a function that another one has returned, or of which nothing is known.
func (f *flow) spawnOne(s *state, v ssa.Value, args []ssa.Value, g ssa.Instruction) {
	if all := f.targets(s, s.get(v)); len(all) == 1 {
		f.runs(s, all[0].sum, slices.Concat(s.values(args), all[0].bound), g)
		return
	}
	f.lend(s, s.get(v))
	s.waited()
	var holds, calls []*life
	if fn := s.get(v); fn.given() {
		calls = append(calls, fn.tags[0].life)
	}
	for _, a := range args {
		f.lend(s, s.get(a))
		holds = append(holds, f.sent(s, a)...)
	}
	if len(holds)+len(calls) > 0 {
		this := f.goroutine(g, holds, nil)
		this.calls = calls
		_, this.quiet = g.(*ssa.Go)
		s.gos.start(this)
	}
}

// spawn is for a function that is called in a goroutine. What it has captured comes behind its
// arguments.
func (f *flow) spawn(s *state, fn *ssa.Function, args []ssa.Value, g ssa.Instruction) {
	if obj := ssas.Declared(fn); opOf(obj) == opClean || onlyReturns(obj) || opOf(obj) == opNone && reads(obj) {
		var holds []*life
		for _, arg := range args {
			for _, a := range varargs(arg) {
				holds = append(holds, f.sent(s, a)...)
			}
		}
		if len(holds) > 0 {
			s.gos.start(f.goroutine(g, holds, nil))
		}
		return
	}
	sum := f.c.summaryOf(fn)
	if sum == nil {
		for _, a := range args {
			f.lend(s, s.get(a))
		}
		return
	}
	if op := opOf(ssas.Declared(fn)); op != opNone {
		return
	}
	f.runs(s, sum, s.values(args), g)
}

// A runner is what a goroutine has and does.
type runner struct {
	holds, uses []*life // the arenas whose values it has, and those that it allocates in
	calls       []*life // functions of the caller that it calls
	fromContext bool    // it takes the arena out of the context
}

// run adds what a function does in the goroutine, with the functions that it is given.
func (r *runner) run(f *flow, s *state, sum *summary, params []av, depth int) {
	for _, p := range sum.Reads {
		r.holds = append(r.holds, f.at(s, params, p, false).holds()...)
	}
	allocs := sum.Allocs
	for _, call := range sum.Calls { // a function that is given an arena uses it
		v := f.at(s, params, call.Fn, false)
		if v.given() {
			r.calls = append(r.calls, v.tags[0].life)
		}
		for _, a := range call.Args {
			for _, t := range a.Tags {
				if t.Kind == isArena && t.New == lifeFound {
					allocs = append(slices.Clip(allocs), t.Of)
				}
			}
		}
		if all := f.targets(s, v); len(all) == 1 && depth > 0 {
			t := all[0]
			r.run(f, s, t.sum, append(slices.Repeat([]av{unknown}, t.sum.Params), t.bound...), depth-1)
		}
	}
	for _, p := range allocs {
		r.fromContext = r.fromContext || strings.HasSuffix(p.Path, stepCtx)
		a := f.at(s, params, p, true)
		all := arenas(a)
		if len(all) == 0 {
			all = holders(a) // of a Map or a Builder
		}
		if len(all) == 1 && !a.other && !sum.Locks { // or one goroutine after the other
			r.uses = append(r.uses, all...)
		}
		r.holds = append(r.holds, holders(a)...)
	}
}

// runs is for a goroutine of which the summary is known. It returns the arenas whose values it has,
// and those that it allocates in.
func (f *flow) runs(s *state, sum *summary, params []av, g ssa.Instruction) (holds, uses []*life) {
	f.leaves(s, sum, params, g)
	var r runner
	r.run(f, s, sum, params, 3)
	holds, uses = r.holds, r.uses
	for _, p := range sum.Ends {
		if p.Sync && p.Sure && p.When == anyOutcome {
			s.hands(f.at(s, params, p.At, false), end{at: g, what: f.whichCalls(g, p.What)})
		}
		for _, l := range arenas(f.at(s, params, p.At, true)) {
			s.lend(l)
		}
	}
	for _, p := range params {
		f.lend(s, p)
		if p.ptr.root != nil {
			s.below(p.ptr, func(_ loc, v av) { f.lend(s, v) })
		}
	}
	if f.looking {
		for _, l := range uses {
			// A second goroutine with the same arena, or one for each turn of a loop.
			for _, other := range f.pending(s, g) {
				for _, u := range other.uses {
					if u == l && !other.maybe {
						f.alone(ssas.PosOf(g), tag{life: l, made: other.at}, "two goroutines use one arena (the other one is started at %s): take an arena of an arena.Group for each", f.line(ssas.PosOf(other.at)))
					}
				}
			}
			if this := f.goroutine(g, holds, uses); f.outside(l, g) && f.inTurns(this, g) {
				f.alone(ssas.PosOf(g), tag{life: l}, "two goroutines use one arena: each turn of the loop starts one: take an arena of an arena.Group for each")
			}
			if l.kind == lifeCtx && r.fromContext && (f.isHandler() || f.usedCtx(s, l)) {
				f.found(codeShared, ssas.PosOf(g), false, tag{life: l}, "a goroutine uses the arena of the request: give it arena.Fork of the context")
			}
		}
	}
	if len(holds)+len(uses)+len(r.calls) > 0 {
		this := f.goroutine(g, holds, uses)
		this.fromContext, this.calls = r.fromContext, r.calls
		this.quiet = later(g) && !sum.Signals || dropped(g)
		this.locks = sum.Locks
		s.gos.start(this)
	}
	return holds, uses
}

// inTurns reports whether each turn of the innermost loop starts a goroutine while the one of the
// turn before runs. What comes behind the loop may wait for all of them.
func (f *flow) inTurns(this *goroutine, g ssa.Instruction) bool {
	var loop map[*ssa.BasicBlock]bool
	for _, l := range f.findLoops() {
		if l[g.Block()] && (loop == nil || len(l) < len(loop)) {
			loop = l
		}
	}
	if loop == nil || f.probe != nil || f.in[g.Block()] == nil || !f.inevitable(g, g) {
		return false
	}
	seen := false
	from, n := f.try(g, true)
	return f.alwaysAt(g.Block(), n, from, func(i ssa.Instruction) bool { return i == g || !loop[i.Block()] }, func(s *state, i ssa.Instruction) bool {
		seen = seen || i == g
		return i != g || s.gos.now[this]
	}) && seen
}

// later reports whether nobody but a timer knows what an instruction starts.
func later(g ssa.Instruction) bool {
	call, ok := g.(*ssa.Call)
	return !ok || names.Path(ssas.Callee(&call.Call)) == "time.AfterFunc"
}

// dropped reports whether a call starts a timer that nobody keeps, and so nobody can stop.
func dropped(at ssa.Instruction) bool {
	call, ok := at.(*ssa.Call)
	return ok && carries(call.Type()) && len(*call.Referrers()) == 0
}

// leaves notes what a goroutine stores that has ended when it is over, and what it sends. Whoever
// looks finds it so, or looks too early.
func (f *flow) leaves(s *state, sum *summary, params []av, g ssa.Instruction) {
	var stores []sumStore
	for _, st := range sum.Stores {
		if tags := st.Value.Tags; len(tags) > 0 && !slices.ContainsFunc(tags, func(t sumTag) bool { return !t.Stale }) || strings.Contains(st.At.Path, stepSent) {
			st.Weak = true
			stores = append(stores, st)
		}
	}
	if len(stores) > 0 {
		f.apply(s, &summary{Params: sum.Params, Bound: sum.Bound, Stores: stores}, params, g, loc{}, nil, true)
	}
}

// alone reports a goroutine that uses an arena which another one uses.
func (f *flow) alone(pos token.Pos, t tag, format string, args ...any) {
	f.c.fixGroup(f.found(codeShared, pos, false, t, format, args...))
}

// outside reports whether an arena was there before the loop in which an instruction is.
func (f *flow) outside(l *life, at ssa.Instruction) bool {
	made, ok := l.root.(ssa.Instruction)
	if !ok {
		return true
	}
	for _, loop := range f.findLoops() {
		if loop[at.Block()] && !loop[made.Block()] {
			return true
		}
	}
	return false
}

// varargs returns the values that were put into the slice of a call with dots, or the value itself.
func varargs(v ssa.Value) []ssa.Value {
	slice, ok := v.(*ssa.Slice)
	if !ok {
		return []ssa.Value{v}
	}
	array, ok := slice.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" {
		return []ssa.Value{v}
	}
	var all []ssa.Value
	for _, ref := range *array.Referrers() {
		addr, ok := ref.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, ref := range *addr.Referrers() {
			if store, ok := ref.(*ssa.Store); ok && store.Addr == addr {
				all = append(all, store.Val)
			}
		}
	}
	return all
}

// pointee returns the type of what a value, which may be in an interface, points to.
func pointee(v ssa.Value) (types.Type, bool) {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil, false
	}
	return p.Elem(), true
}

// caseOf returns the select, and the number of the case, for which the end of a block asks.
func caseOf(b *ssa.BasicBlock) (sel *ssa.Select, n int) {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil, 0
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL {
		return nil, 0
	}
	index, ok := cond.X.(*ssa.Extract)
	if !ok || index.Index != 0 {
		return nil, 0
	}
	sel, ok = index.Tuple.(*ssa.Select)
	c, ok2 := cond.Y.(*ssa.Const)
	if !ok || !ok2 || c.Value == nil || c.Int64() < 0 || int(c.Int64()) >= len(sel.States) {
		return nil, 0
	}
	return sel, int(c.Int64())
}

// cases finds the ways behind a select that have not waited for a goroutine. It does so before
// other turns of a loop make it less sure that the goroutine runs.
func (f *flow) cases(s *state, sel *ssa.Select) {
	if len(s.gos.now) == 0 || f.probe != nil || f.looking {
		return
	}
	b := sel.Block()
	s = s.clone()
	f.block(s, b, slices.Index(b.Instrs, ssa.Instruction(sel))+1)
	for at, _ := caseOf(b); at == sel; at, _ = caseOf(b) {
		f.edge(s, b, b.Succs[0], 0)
		s, b = f.edge(s, b, b.Succs[1], 1), b.Succs[1]
		if at, _ := caseOf(b); at == sel {
			f.block(s, b, 0)
		}
	}
}

// chosen is for a way behind a select: the one on which a value was sent, or has come.
func (f *flow) chosen(s *state, from, to *ssa.BasicBlock, succ int) {
	sel, n := caseOf(from)
	if sel == nil {
		return
	}
	branch := from.Instrs[len(from.Instrs)-1]
	if succ == 1 {
		if !sel.Blocking && n == len(sel.States)-1 {
			f.comes(s, nil, to)
		}
		return
	}
	st := sel.States[n]
	if st.Send == nil {
		f.comes(s, st.Chan, to)
		return
	}
	s.waited()
	g := f.goroutine(branch, f.sent(s, st.Send), nil)
	g.send, g.value, g.pos = true, st.Send, st.Pos
	s.gos.start(g)
	g.way, g.begin = to, s.clone()
}

// comes is for the way of a select on which something has come from a channel, or from none. It has
// waited for goroutines unless these have nothing to do with the channel.
func (f *flow) comes(s *state, ch ssa.Value, to *ssa.BasicBlock) {
	for g := range s.gos.now {
		switch {
		case ch != nil && (!isOutside(ch, map[ssa.Value]bool{}) || cancels(g.at)):
			s.gos.over(func(x *goroutine) bool { return x == g })
		case f.probe == nil:
			if g.late == nil {
				g.late = map[*ssa.BasicBlock]*state{}
			}
			g.late[to] = s.clone()
		}
	}
}

// isOutside reports whether no goroutine of the function makes something come from a channel, or
// ends a context. It is one of a timer, or of the caller.
func isOutside(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	given := func(t types.Type) bool {
		ch, ok := t.Underlying().(*types.Chan)
		return ok && ch.Dir() == types.RecvOnly || names.Is(t, "context", "Context")
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return given(v.Type())
	case *ssa.ChangeType:
		return isOutside(v.X, seen)
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !isOutside(e, seen) })
	case *ssa.UnOp:
		switch x := v.X.(type) {
		case *ssa.FreeVar:
			return given(v.Type())
		case *ssa.FieldAddr:
			return names.Is(x.X.Type(), "time", "Timer") || names.Is(x.X.Type(), "time", "Ticker")
		case *ssa.Alloc:
			return !slices.ContainsFunc(*x.Referrers(), func(i ssa.Instruction) bool {
				store, ok := i.(*ssa.Store)
				return ok && (store.Addr != x || !isOutside(store.Val, seen))
			})
		}
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && opOf(ssas.Callee(&call.Call)) == opContext && isOutside(call.Call.Args[0], seen) && !handsCancel(call)
	case *ssa.Call:
		switch names.Path(ssas.Callee(&v.Call)) {
		case "context.Context.Done":
			return isOutside(v.Call.Value, seen)
		case "context.WithValue":
			return isOutside(v.Call.Args[0], seen)
		case "time.After", "time.Tick", "context.Background", "context.TODO", "net/http.Request.Context":
			return true
		}
	}
	return false
}

// handsCancel reports whether others may have the function that cancels a context.
func handsCancel(call *ssa.Call) bool {
	return slices.ContainsFunc(*call.Referrers(), func(i ssa.Instruction) bool {
		cancel, ok := i.(*ssa.Extract)
		return ok && cancel.Index == 1 && slices.ContainsFunc(*cancel.Referrers(), func(i ssa.Instruction) bool {
			called, ok := i.(ssa.CallInstruction)
			_, started := i.(*ssa.Go)
			return !ok || started || called.Common().Value != cancel
		})
	})
}

// cancels reports whether a goroutine is given a function that cancels a context.
func cancels(at ssa.Instruction) bool {
	call, ok := at.(ssa.CallInstruction)
	if !ok {
		return false
	}
	all := slices.Clone(call.Common().Args)
	for _, v := range append(all, call.Common().Value) {
		if c, ok := v.(*ssa.MakeClosure); ok {
			all = append(all, c.Bindings...)
		}
	}
	return slices.ContainsFunc(all, func(v ssa.Value) bool {
		t := v.Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		return names.Is(t, "context", "CancelFunc") || names.Is(t, "context", "CancelCauseFunc")
	})
}

// distinguished reports whether a function asks which case of a select was chosen.
func distinguished(sel *ssa.Select) bool {
	return slices.ContainsFunc(*sel.Referrers(), func(i ssa.Instruction) bool {
		index, ok := i.(*ssa.Extract)
		return ok && index.Index == 0 && slices.ContainsFunc(*index.Referrers(), func(i ssa.Instruction) bool {
			cond, ok := i.(*ssa.BinOp)
			return ok && slices.ContainsFunc(*cond.Referrers(), func(i ssa.Instruction) bool { _, ok := i.(*ssa.If); return ok })
		})
	})
}

// sent returns the arenas in which a value surely lies, or what it leads to, that is given to
// somebody else.
func (f *flow) sent(s *state, x ssa.Value) []*life {
	v := s.get(x)
	if v.other && len(v.tags) == 1 && v.tags[0].life.kind == lifeSync && s.getsBack(x, v.tags[0].life) {
		v.other = false
	}
	return f.heldBy(s, v)
}

// getsBack reports whether the function stores a slice, which may have grown, in a value of a
// sync.Pool that it was taken from. So the slice is of the pool whether it has grown or not.
func (s *state) getsBack(slice ssa.Value, l *life) bool {
	return isSlice(slice.Type()) && slices.ContainsFunc(*slice.Referrers(), func(i ssa.Instruction) bool {
		store, ok := i.(*ssa.Store)
		if !ok || store.Val != slice {
			return false
		}
		to := s.get(store.Addr)
		return to.ptr.root == l.root && !to.other && to.of(l)
	})
}

// heldBy returns the arenas in which a value surely lies, or what it leads to.
func (f *flow) heldBy(s *state, v av) (holds []*life) {
	replaced := v.ptr.root != nil && v.replaced()
	if !replaced {
		holds = f.holdsOf(s, v)
	}
	for _, step := range slices.Sorted(maps.Keys(v.sub)) {
		holds = append(holds, f.heldBy(s, v.sub[step])...)
	}
	if v.ptr.root != nil {
		s.reachable(v.ptr, func(l loc, x av) {
			if !replaced || l != v.ptr && l != v.ptr.add(stepAll) {
				holds = append(holds, x.holds()...)
			}
		})
	}
	return holds
}

// replaced reports whether all fields of a struct that may refer to something are known: what has
// filled it has left nothing in others.
func (v av) replaced() bool {
	st := structAt(v.ptr.root.Type(), v.ptr.path)
	if st == nil || len(v.sub) == 0 {
		return false
	}
	for field := range st.Fields() {
		if _, known := v.sub["."+field.Name()]; !known && carries(field.Type()) {
			return false
		}
	}
	return true
}

// holdsOf returns the arenas in which a value surely lies, or what it has captured.
func (f *flow) holdsOf(s *state, v av) []*life {
	holds := v.holds()
	for _, fn := range v.fns {
		f.captured(s, v, fn, true, func(x av, _ func(*state) av) bool { holds = append(holds, x.holds()...); return false })
	}
	return holds
}

// holds returns the arena in which a value surely lies, or what it was when the function began.
func (v av) holds() []*life {
	v = v.direct()
	switch {
	case v.other || len(v.tags) == 0:
		return nil
	case v.given():
		return []*life{v.tags[0].life}
	}
	all := holders(v)
	if len(all) < len(v.tags) || slices.ContainsFunc(all, func(l *life) bool { return l != all[0] }) {
		return nil
	}
	return all[:1]
}

// usedCtx reports whether this function, too, takes the arena out of the context.
func (f *flow) usedCtx(s *state, l *life) bool {
	for _, v := range s.val {
		for _, t := range v.tags {
			if t.life == l {
				return true
			}
		}
	}
	return false
}

// isHandler reports whether the function handles a request.
func (f *flow) isHandler() bool {
	var w, r bool
	for _, p := range f.fn.Params {
		w = w || names.Is(p.Type(), "net/http", "ResponseWriter")
		r = r || names.Is(p.Type(), "net/http", "Request")
	}
	return w && r || f.requestOf() != nil
}

// pooled is for what is loaded from a value of a sync.Pool: a slice or a map belongs to the value
// that points at it, also in a copy of that value.
func (f *flow) pooled(s *state, from ssa.Value, v av, t types.Type) av {
	p := s.get(from)
	if n, ok := types.Unalias(t).(*types.Named); ok && isStruct(t) && p.given() && f.c.poolsType(n.Origin()) {
		for field := range structOf(t).Fields() {
			if f.c.recycles(field) {
				v.sub = maps.Clone(v.sub)
				if v.sub == nil {
					v.sub = map[string]av{}
				}
				v.sub["."+field.Name()] = av{tags: p.tags}
			}
		}
		return v
	}
	if isStruct(t) {
		return f.pooledFields(p, v, t)
	}
	if !isSlice(t) && !isMap(t) {
		return v
	}
	if p.given() && f.ofPooled(from) {
		v.tags, v.other = p.tags, false // it is a value of a sync.Pool of the caller
		return v
	}
	if !v.other || len(p.tags) != 1 || p.tags[0].life.kind != lifeSync {
		return v
	}
	_, field := from.(*ssa.FieldAddr)
	_, elem := from.(*ssa.IndexAddr)
	switch made := p.ptr.root == p.tags[0].life.root; {
	case made && f.c.recycled(from):
		v.tags, v.other = p.tags, p.other
	case isMap(t):
	case made && p.ptr.path == "":
		v.other = false
	case !field && !elem && !p.other && v.ptr == p.ptr.add(stepDeref): // it was never stored
		v.tags, v.other = p.tags, false
	}
	return v
}

// pooledFields returns v, a struct that was copied from where p points, in a value of a sync.Pool.
// Slices in it that stay with the value are of the pool.
func (f *flow) pooledFields(p, v av, t types.Type) av {
	if !v.other || p.other || len(p.tags) != 1 || p.tags[0].life.kind != lifeSync || p.ptr.root != p.tags[0].life.root {
		return v
	}
	for field := range structOf(t).Fields() {
		step := "." + field.Name()
		x, known := v.sub[step]
		if known && !x.other || !isSlice(field.Type()) || !f.c.recycles(field) {
			continue
		}
		v.sub = maps.Clone(v.sub)
		if v.sub == nil {
			v.sub = map[string]av{}
		}
		if x.tags, x.other = p.tags, false; x.ptr.root == nil {
			x.ptr = p.ptr.add(step + stepDeref)
		}
		v.sub[step] = x
	}
	return v
}

// valueOf returns the value of an instruction, or one that stands for it.
func valueOf(at ssa.Instruction) ssa.Value {
	switch i := at.(type) {
	case *ssa.Call:
		return i
	case *ssa.Defer:
		return i.Call.Value
	case *ssa.Go:
		return i.Call.Value
	}
	return nil
}
