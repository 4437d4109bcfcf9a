package arenavet

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// arenas returns the lives that v may be the arena of.
func arenas(v av) (all []*life) {
	for _, t := range v.tags {
		if t.kind == isArena {
			all = append(all, t.life)
		}
	}
	return all
}

// holders returns the lives in whose memory v lies.
func holders(v av) (all []*life) {
	for _, t := range v.tags {
		if t.kind == inMemory && t.end == nil && t.life.kind != lifeTable && !t.deep {
			all = append(all, t.life)
		}
	}
	return all
}

// made returns a value that a call has made in an arena.
func made(arena av, at ssa.Instruction) av {
	var r av
	for _, l := range append(arenas(arena), holders(arena)...) {
		r = r.with(tag{life: l, kind: inMemory, made: at})
	}
	for _, t := range arena.tags {
		if t.kind == ofParam {
			r.other = true
		}
	}
	r.other = r.other || arena.other || arena.none || len(r.tags) > 1
	return r
}

// allocates is for the use of an arena: it must not be closed, and no goroutine may use it.
func (f *flow) allocates(s *state, v av, at ssa.Instruction) {
	if !f.looking {
		return
	}
	all := arenas(v)
	if len(all) == 0 { // a Map or a Builder
		all = holders(v)
		for _, t := range v.tags {
			if t.kind == ofParam && t.end == nil {
				f.sum.alloc(f, t.life, at)
			}
		}
	}
	if v.other || len(all) > 1 {
		return
	}
	for _, l := range all {
		f.sum.alloc(f, l, at)
		if c := s.lives[l]; c.closed != nil {
			f.found(codeClosed, ssas.PosOf(at), !f.shut(c, l, at), tag{life: l, end: c.closed}, "the arena is used after %s%s", f.describeEnd(c.closed), maybeWay(!c.shut))
		}
		for _, g := range f.pending(s, at) {
			for _, other := range g.uses {
				if other == l && g.at != at {
					d := f.report(codeShared, ssas.PosOf(at), g.maybe, tag{life: l, made: g.at},
						"the arena is used while the goroutine that was started at %s may use it: give each goroutine an arena of its own, as arena.Group does", f.line(ssas.PosOf(g.at)))
					if d != nil {
						d.about.made = g.at
						f.c.add(d)
					}
				}
			}
		}
	}
}

func maybeWay(open bool) string {
	if open {
		return ", on a path that leads here"
	}
	return ""
}

// ends is for a call that ends an arena.
func (f *flow) ends(s *state, v av, at ssa.Instruction, what string, closes, soft bool) {
	all := arenas(v)
	if len(all) == 0 {
		all = holders(v)
	}
	sure := len(all) == 1 && !v.other
	for _, l := range all {
		f.finish(s, l, at, what, closes, soft, sure)
	}
}

// rewinds is for the end of a scope: what was made since the Mark that began it ends. A Mark of the
// caller is older than all that the function has made.
func (f *flow) rewinds(s *state, v, mark av, at ssa.Instruction, what string, sure bool) {
	all := arenas(v)
	if len(all) != 1 || v.other || len(mark.tags) != 1 || mark.other {
		return
	}
	t := mark.tags[0]
	e := end{at: at, what: what, life: all[0], since: scope{t.made, false}}
	switch t.kind {
	case ofParam:
		e.since.begin = f.fn.Blocks[0].Instrs[0]
		e.since.calls = true
	case isMark:
	default:
		return
	}
	s.mark(f.endOf(e), sure)
	if sure {
		f.returnedSince(s, f.endOf(e))
	}
	if f.looking && sure {
		f.sum.rewind(f, all[0], t, at, what)
	}
}

// returnedSince is for what functions of the caller have returned since a Mark. The caller knows
// whether that lies in the arena.
func (f *flow) returnedSince(s *state, e *end) {
	s.change(func(v av) (av, bool) {
		return v.change(true, func(t tag) tag {
			if call, ok := t.life.root.(*ssa.Call); ok && t.kind == ofParam && f.isGivenCall(t.life) && follows(e.since.begin, call) {
				t.end = e
			}
			return t
		})
	})
}

// isGivenCall reports whether a life stands for what a function of the caller has returned.
func (f *flow) isGivenCall(l *life) bool {
	_, ok := f.sum.sites[l.lifeKey]
	return ok
}

func (f *flow) finish(s *state, l *life, at ssa.Instruction, what string, closes, soft, sure bool) {
	e := f.endOf(end{at: at, what: what, life: l, soft: soft})
	if f.looking {
		f.sum.end(e, closes, sure)
		if c := s.lives[l]; sure && c.closed != nil && c.closed.soft && !soft {
			// Put of a freed arena does nothing.
		} else if sure && c.closed != nil && l.kind != lifeSync {
			f.found(codeClosed, ssas.PosOf(at), !f.shut(c, l, at), tag{life: l, end: c.closed}, "%s of an arena that has ended before, by %s%s", what, f.describeEnd(c.closed), maybeWay(!c.shut))
		}
		if sure {
			f.running(s, l, at, what)
		}
		if sure && !closes && !soft {
			f.leavesElements(l, e)
		}
	}
	s.ending(e, closes, sure)
}

// running reports goroutines that may still use what ends.
func (f *flow) running(s *state, l *life, at ssa.Instruction, what string) {
	arena, known := f.sum.placeOf(l.lifeKey)
	for _, g := range f.pending(s, at) {
		for _, h := range append(append([]*life{}, g.holds...), g.uses...) {
			if h.in(l) {
				by := ""
				if call, ok := g.at.(*ssa.Call); ok && later(call) {
					by = ": time.AfterFunc starts it"
				}
				f.endsBelow(l, at, what, by, f.describeSend(g.send, g.at, l), g.pos, g.maybe)
				break
			}
			value, ok := f.sum.placeOf(h.lifeKey)
			hand := sumHand{value, arena, what, g.send, f.isDone(g.at) && !g.some && !g.maybe, g.pos}
			if ok && known && strings.HasSuffix(h.path, "~") && !slices.Contains(f.sum.Hands, hand) {
				f.sum.Hands = append(f.sum.Hands, hand) // the caller knows what that is
			}
		}
	}
}

// describeSend says that a value of an arena is sent, and by which call if it is one. It is "" if
// nothing is sent.
func (f *flow) describeSend(is bool, at ssa.Instruction, l *life) string {
	value := "a value of the arena"
	if l.kind == lifeSync {
		value = "a value"
	}
	switch call, ok := at.(ssa.CallInstruction); {
	case !is:
		return ""
	case ok:
		return f.callee(call) + " sends " + value
	}
	return value + " is sent"
}

// endsBelow reports that an arena ends which a goroutine may use, or the receiver of a channel that
// sent speaks of. by says what starts the goroutine, if that is no go statement.
func (f *flow) endsBelow(l *life, at ssa.Instruction, what, by, sent string, pos token.Pos, maybe bool) {
	how := "a goroutine that nobody has waited for may use the arena when it ends, by %s (%s)"
	switch {
	case sent != "":
		how = sent + ", and nobody waits for the receiver before %s (%s)"
	case l.kind == lifeSync:
		how = "a goroutine that nobody has waited for may use what the pool gets by %s (%s)"
	}
	f.found(codeOutlives, pos, maybe, tag{life: l, end: &end{at: at, what: what, life: l}}, how+"%s", what, f.line(ssas.PosOf(at)), by)
}

// handedOn is for what a called function has given to a goroutine before it has ended an arena.
func (f *flow) handedOn(s *state, sum *summary, params []av, at ssa.Instruction, sure bool) {
	call, ok := at.(*ssa.Call)
	if !f.looking || !ok {
		return
	}
	for _, h := range sum.Hands {
		v, arena := f.at(s, params, h.Value, false), f.at(s, params, h.Arena, true)
		l := arenas(arena)
		if len(l) != 1 || arena.other {
			continue
		}
		held := slices.Contains(f.heldBy(s, v), l[0])
		s.reachable(v.ptr, func(_ loc, x av) { // elements of earlier turns have ended
			held = held || !x.other && slices.ContainsFunc(holders(x), func(h *life) bool { return h == l[0] })
		})
		if held {
			pos := cmp.Or(h.pos, ssas.PosOf(at))
			f.endsBelow(l[0], at, f.whichCalls(at, h.What), "", f.describeSend(h.Send, nil, l[0]), pos, !sure || !h.Sure && slices.ContainsFunc(call.Call.Args, isConst))
		}
	}
}

// pending returns the goroutines that surely run, or may do so. Those were started on all ways to
// an instruction. Or each way leads there from their start, or from a select that has not waited.
func (f *flow) pending(s *state, at ssa.Instruction) (all []*goroutine) {
	if _, ok := at.(*ssa.Defer); ok && f.defers != nil {
		at = f.defers // where it runs
	}
	for _, g := range f.gos {
		if len(g.holds)+len(g.uses)+len(g.calls) == 0 {
			continue
		}
		is := func(s *state) bool { return s.gos.now[g] }
		out := func(s *state, _ ssa.Instruction) bool { return s.gos.now[g] }
		runs := s.surely(g) || !f.waits && (g.way != nil && f.leads(g.way, g.begin, at, is) || g.way == nil && g.at != at && f.inevitable(g.at, at) && f.follows(g.at, true, at, is))
		for way, begin := range g.late {
			runs = runs || !f.waits && (f.leads(way, begin, at, is) || f.alwaysOut(way, 0, begin, at, out))
		}
		runs = runs || !f.waits && f.runsOut(g, at)
		if runs {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b *goroutine) int { return int(a.at.Pos() - b.at.Pos()) })
	return all
}

// known does what a function does that is known by its name.
func (f *flow) known(s *state, o op, call ssa.CallInstruction, args []ssa.Value, at ssa.Instruction, set func(av)) {
	value, _ := call.(*ssa.Call)
	arg := func(n int) av {
		if n < len(args) {
			return s.get(args[n])
		}
		return unknown
	}
	place := loc{}
	if value != nil {
		place = loc{value, ""}
		if o != opGrow {
			s.again(value, value)
		}
	}
	// result sets the result of a function, or the first of several.
	result := func(v av) {
		if value == nil {
			return
		}
		if _, ok := value.Type().(*types.Tuple); ok {
			v = av{sub: map[string]av{"#0": v}}
		}
		set(v)
	}
	if len(args) > 1 && ssas.Callee(call.Common()).Signature().Recv() != nil && coreType(args[0].Type()) == "" && coreType(args[1].Type()) == "Arena" {
		args = args[1:] // a method of options, or of a Decoder
	}
	// allocated returns what a function makes in the arena that is its first argument.
	allocated := func() av {
		f.allocates(s, arg(0), at)
		v := made(arg(0), at)
		v.ptr = place
		return v
	}
	if len(args) > 1 && coreType(args[0].Type()) == "Map" {
		f.useKeys(s, args[0], at)
	}
	switch o {
	case opMake, opRows:
		v, below := allocated(), av{}
		if o == opRows {
			below = av{tags: v.tags, other: v.other}
		}
		s.mem.set(place.add(stepAll), below)
		result(v)
	case opMakeOf:
		v := allocated()
		x := arg(1)
		if o == opMakeOf && value != nil && isPointer(value.Type()) {
			s.mem.set(place.add(stepAll), av{other: x.other})
			if !x.zero() {
				s.store(place, x)
			}
		} else {
			v.sub = x.sub
		}
		result(v)
	case opMakeSlice:
		v := allocated()
		elems := av{}
		for _, a := range args[1:] {
			x := s.get(a)
			if ssas.IsString(a.Type()) || !carries(a.Type()) {
				continue
			}
			if yields(a.Type()) != nil {
				elems = joinValues(elems, s.given(x, 0))
				continue
			}
			step := stepElem
			if coreType(a.Type()) == "Map" {
				step = stepKey // of SortedKeys
			}
			elems = joinValues(elems, f.element(s, x.ptr, step, elementType(a.Type())))
		}
		s.setElements(place, elems)
		result(v)
	case opGrow:
		v, old := allocated(), arg(1)
		switch {
		case old.zero() || old.none && old.ptr == place: // the loop begins with nil
		case f.outgrows(value, old.ptr.root):
			v = v.with(old.only(func(t tag) bool { return isStale(t) && t.life.kind != lifeTable })...)
		default:
			for n := range v.tags {
				v.tags[n].grown = f.grownFrom(old)
			}
			v = v.with(old.only(func(t tag) bool { return t.kind == inMemory && t.life.kind != lifeTable })...)
			v.other = v.other || old.other
		}
		elems := f.element(s, old.ptr, stepElem, elementType(args[1].Type()))
		if old.zero() {
			elems = av{}
		}
		for _, a := range args[2:] {
			switch {
			case !carries(a.Type()):
			case types.Identical(a.Type(), elementType(args[1].Type())): // Push
				elems = joinValues(elems, s.get(a))
			case !ssas.IsString(a.Type()):
				elems = joinValues(elems, f.element(s, s.get(a).ptr, stepElem, elementType(a.Type())))
			}
		}
		if value != nil && !old.zero() && f.goesBack(s, value, args[1]) {
			v.ptr = old.ptr
			s.setElements(old.ptr, elems)
		} else if value != nil {
			s.again(value, value)
			s.setElements(place, elems)
			v.ptr, v.from = place, old.ptr
		}
		result(v)
	case opSliceInsert:
		f.builtin(s, "append", []ssa.Value{args[0], args[2]}, at, set)
	case opMaybeMake:
		text := arg(1)
		result(joinValues(allocated(), av{other: text.other || len(text.tags) == 0, tags: text.tags}))
	case opParts:
		v := allocated()
		s.mem.set(place.add(stepElem), av{tags: arg(1).tags, other: arg(1).other})
		result(v)
	case opFill:
		v := allocated()
		v.ptr = loc{}
		f.fill(s, args[len(args)-1], v)
		set(unknown)
	case opFillRequest:
		if l := arg(len(args) - 2).ptr.add(".ctx").add(stepCtx); l.known() {
			a := av{tags: []tag{{life: f.lifeAt(l), kind: isArena}}}
			f.allocates(s, a, at)
			v := made(a, at)
			v.ptr = loc{}
			f.fill(s, args[len(args)-1], v)
		}
		set(unknown)
	case opGo:
		if fn, bindings := f.functionOf(s, args[len(args)-1]); fn != nil {
			f.spawn(s, fn, bindings, at)
		} else {
			f.spawnOne(s, args[len(args)-1], nil, at)
		}
		set(unknown)
	case opEach:
		f.allocates(s, arg(0), at)
		f.each(s, args, at, place)
		set(unknown)
	case opWrap:
		result(f.wrapped(s, call, place))
	case opAs:
		if len(args) == 1 {
			result(f.errorAs(s, arg(0), resultType(value)))
			return
		}
		if to, ok := pointee(args[1]); ok {
			p, v := arg(1).ptr, f.errorAs(s, arg(0), to)
			f.note(s, p, v, at)
			s.perhaps(p, v)
		}
		result(unknown)
	case opUnwrap:
		v, _ := s.mem.get(arg(0).ptr.add(stepDeref + ".#0"))
		if v.zero() {
			v = unknown
		}
		result(v)
	case opInto:
		f.allocates(s, arg(0), at)
		f.rewrites(s, arg(0).ptr, at)
		f.clean(s, value)
	case opHolds:
		r := held(s, args)
		r.ptr = place
		if result(r); value != nil {
			f.makesLogger(s, ssas.Callee(call.Common()), args, at, place)
		}
	case opAddTo, opSelf:
		if f.heap(s, call, at, set) {
			return
		}
		self := unknown
		if o == opSelf {
			self = arg(0)
			if v := held(s, args[1:]); v.tagged() && v.tags[0].kind == inMemory {
				self.tags, self.other = v.tags, v.other
			}
		}
		if p := arg(0).ptr; p.root != nil {
			v, to := held(s, args[1:]), p.add(stepElem)
			if names.Is(args[0].Type(), "log/slog", "Record") {
				to = p.add(stepAttrs) // which is copied with the record
				v = joinValues(f.load(s, to, types.Typ[types.String]), v)
			}
			f.assign(s, to, v, at)
			for _, a := range args[1:] {
				if x := s.get(a); len(x.fns) > 0 || x.ptr.made() {
					f.assign(s, to, x, at)
				}
			}
		}
		result(self)
	case opTexts:
		if p := arg(0).ptr; p.root != nil {
			if v := f.textsOf(s, args[1:]); v.tagged() {
				f.assign(s, p.add(stepElem), v, at)
			}
		}
		result(unknown)
	case opAttrs:
		v := s.get(args[0])
		attrs, ok := v.sub[stepAttrs]
		if !ok {
			attrs = f.load(s, v.ptr.add(stepAttrs), types.Typ[types.String])
		}
		f.invoke(s, f.targets(s, arg(1)), []av{attrs}, at, loc{}, nil, false)
	case opLabels:
		if g := f.c.global("runtime/pprof labels"); g != nil {
			f.assign(s, loc{g, ""}, arg(0), at)
		}
	case opNodes:
		f.nodes(s, f.callee(call), args, at, place, result)
	case opHeader:
		if p := arg(0).ptr; p.root != nil {
			result(av{other: true, ptr: p.add(".Header()")})
		}
	case opCell:
		p, v := arg(0).ptr, arg(len(args)-1)
		if strings.Contains(f.callee(call), "CompareAndSwap") {
			// It has another value, or what it had.
			if _, ok := s.mem.get(p); ok {
				s.mem.set(p, unknown)
			}
			f.lend(s, v)
		} else {
			if f.publishes(s, args[0], v, at); f.c.owning && f.looking {
				f.noteCell(s, args[0], v)
			}
			f.assign(s, p, v, at)
		}
		result(unknown)
	case opLoad:
		result(f.through(arg(0), f.load(s, arg(0).ptr, resultType(value))))
	case opHijack:
		for _, l := range f.lives {
			if l.kind == lifeCtx {
				s.keep(l)
			}
		}
		result(unknown)
	case opRefIn:
		f.refIn(s, args, at, place, result)
	case opDerive:
		if f.derive(s, f.callee(call), args, value); value != nil && f.callee(call) == "Builder.Bytes" {
			s.val[value] = f.mayEnd(s.get(value), arg(0).ptr, at, opTruncate)
		}
	case opElem:
		if f.heap(s, call, at, set) {
			return
		}
		v := f.element(s, arg(0).ptr, stepElem, resultType(value))
		if names.Is(args[0].Type(), "bufio", "Scanner") { // whose tokens lie with it
			v = v.with(arg(0).only(func(t tag) bool { return t.kind == inMemory })...)
		}
		result(f.through(arg(0), v))
	case opEntry, opSet, opInsert:
		f.entry(s, o, args, at, result)
	case opMapClear:
		if len(args) > 1 {
			m, t := arg(0).ptr, args[0].Type()
			entry := []av{f.element(s, m, stepKey, keyType(t)), f.element(s, m, stepElem, elementType(t))}
			f.invoke(s, f.targets(s, arg(1)), entry, at, loc{}, nil, false)
		}
		s.clear(arg(0).ptr)
		f.clears(arg(0).ptr)
	case opHandle:
		v := arg(0)
		v.tags = v.only(func(t tag) bool { return t.kind == isArena })
		v.ptr = place
		if strings.HasSuffix(f.callee(call), "OrHeap") {
			v.other = true
		} else {
			f.allocates(s, v, at)
		}
		result(v)
	case opNew, opNewWith, opNewGroup, opGet, opMember:
		if o == opMember {
			f.allocates(s, arg(0), at)
		}
		f.newArena(s, o, call, at, result)
	case opReset:
		f.allocatesEnd(s, arg(0), at, "Reset", false)
	case opRewind:
		f.rewinds(s, arg(0), arg(1), at, "Rewind", true)
	case opMark:
		l := f.newLife(lifeKey(place), lifeMark, nil)
		s.renew(l, at)
		s.begins(at)
		result(av{tags: []tag{{life: l, kind: isMark, made: at}}, ptr: place})
	case opFree:
		f.ends(s, arg(0), at, "Free", true, true)
	case opGroupReset:
		f.ends(s, arg(0), at, "Group.Reset", false, false)
	case opGroupFree:
		f.ends(s, arg(0), at, "Group.Free", true, true)
	case opPut:
		f.ends(s, arg(1), at, "Pool.Put", true, false)
	case opDrop:
		f.lend(s, arg(1))
	case opSyncPut:
		for n := range f.putBy(s, args[1]) {
			f.with = n > 0
			f.puts(s, func(s *state) av {
				all := f.putBy(s, args[1])
				return all[min(n, len(all)-1)]
			}, at, "sync.Pool.Put", true, false, anyOutcome)
		}
		f.with = false
		f.gone(s, args[1], at, "sync.Pool.Put")
	case opSyncGet:
		if value != nil {
			l := f.newLife(lifeKey(place), lifeSync, nil)
			s.renew(l, at)
			s.set(value, av{tags: []tag{{life: l, kind: inMemory, made: at}}, ptr: place})
		}
	case opAppends:
		v := arg(1)
		v.sub = nil
		result(v)
	case opLock:
		s.locked()
	case opWait:
		s.waitedFor(args)
		for _, c := range s.lives {
			if e := c.handed; e != nil && len(args) > 0 && has(e.at, args[0]) {
				s.ending(e, true, true)
			}
		}
		result(unknown)
	case opShare:
		fn := args[len(args)-1]
		results, _ := f.invoke(s, f.targets(s, s.get(fn)), nil, at, place, fn.Type().Underlying().(*types.Signature).Results(), true)
		if len(results) > 0 {
			f.assign(s, loc{f.c.global(others), stepElem}, results[0], at)
		}
	case opDo, opGroupDo, opGroupGo, opCall:
		f.calls(s, o, call, args, at)
		result(unknown)
	case opClone:
		// A copy, which refers to what the original does.
		v := arg(0)
		v.tags, v.other = nil, false
		s.copied(value, v)
	case opShallow:
		v, _ := held(s, args).change(true, func(t tag) tag { t.deep = true; return t })
		if v.ptr = place; !hasText(converted(args[0]).Type(), 8) {
			v = unknown
		}
		result(v)
	case opDeepClone, opClean:
		f.clean(s, value)
	case opFromContext:
		l := arg(0).ptr.add(stepCtx)
		if l.root == nil { // nil, or a context of which nothing is known
			l = place.add(stepCtx)
		}
		if l.root == nil {
			break
		}
		v, ok := s.mem.get(l)
		if !ok {
			v = av{tags: []tag{{life: f.lifeAt(l), kind: isArena}}}
		}
		v.ptr = place
		result(v)
	case opNewContext:
		s.mem.set(place.add(stepCtx), arg(1))
		f.lend(s, arg(1))
		v := arg(0)
		v.ptr = place
		result(v)
	case opGroupContext:
		l := f.newLife(lifeKey(place.add("!")), lifeMember, f.groupOf(arg(0)))
		s.renew(l, at)
		s.mem.set(place.add(stepCtx), av{tags: []tag{{life: l, kind: isArena}}})
		result(av{ptr: place})
	case opFork:
		s.mem.set(place.add(stepCtx), unknown)
		result(av{ptr: place})
	case opContext:
		p := arg(0).ptr
		if p.root != nil && value != nil {
			if names.Is(args[0].Type(), "net/http", "Request") {
				p = p.add(".ctx")
			}
		} else {
			p = place
		}
		v := arg(0)
		v.tags = v.only(func(t tag) bool { return t.kind == inMemory })
		result(av{tags: v.tags, other: v.other || len(v.tags) == 0, ptr: p})
	case opCtxValue:
		result(f.ctxValue(s, arg(0), args[1]))
	case opWithValue:
		result(f.withValue(s, args, at, place))
	case opKeep:
		if p := arg(0).ptr.add(stepCtx); p.known() {
			s.keep(f.lifeAt(p))
		}
	case opRefGet:
		f.refGet(s, args, at, place, result)
	case opRefFree:
		for _, t := range arg(0).tags {
			if t.life.kind == lifeTable {
				f.finish(s, t.life, at, f.callee(call), false, false, true)
			}
		}
	case opTruncate:
		if c, ok := args[1].(*ssa.Const); ok && c.Int64() == 0 {
			s.mem.set(arg(0).ptr.add(stepCut), unknown)
		}
	case opMakeRef:
		f.allocates(s, arg(0), at)
		v := made(arg(0), at)
		if value != nil {
			v = f.mayEnd(v, place, at, opRefFree)
			for _, l := range arenas(arg(0)) {
				f.refs[value] = l
			}
			if t, ok := value.Type().(*types.Tuple); ok {
				sub := map[string]av{"#0": {tags: v.tags, other: v.other}}
				if t.Len() > 1 && (isPointer(t.At(1).Type()) || isSlice(t.At(1).Type())) {
					sub["#1"] = v
				}
				s.val[value] = av{sub: sub}
			}
		}
	case opPull:
		if value != nil {
			f.pull(s, arg(0), value)
		}
	case opMapStore:
		m := arg(0).ptr
		for n := 1; n < len(args); n++ {
			step := stepElem
			if n == 1 {
				step = stepKey
			}
			f.assign(s, m.add(step), s.get(args[n]), at)
		}
		result(unknown)
	}
}

// outgrows reports whether a slice that was made with room for some elements gets more in a loop,
// which does not count them.
func (f *flow) outgrows(at *ssa.Call, made ssa.Value) bool {
	slice, ok := made.(*ssa.Call)
	if !ok || at == nil || slice.Block() == nil || names.Path(ssas.Callee(&slice.Call)) != corePath+".MakeSlice" || !isConst(slice.Call.Args[len(slice.Call.Args)-1]) {
		return false
	}
	for i := range ssas.Instrs(f.fn) {
		switch i := i.(type) {
		case *ssa.BinOp:
			if c, ok := i.Y.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int && c.Int64() > 1 {
				return false
			}
		case *ssa.Call:
			if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "cap" {
				return false
			}
		}
	}
	return slices.ContainsFunc(f.findLoops(), func(loop map[*ssa.BasicBlock]bool) bool { return loop[at.Block()] && !loop[slice.Block()] })
}

// publishes is for an atomic pointer or value that gets something of an arena after a Reset. What
// it had until then is likely to be of the arena, too, and others may look at it meanwhile.
func (f *flow) publishes(s *state, cell ssa.Value, v av, at ssa.Instruction) {
	p := s.get(cell).ptr
	if _, stored := s.mem.get(p); stored || !p.known() || p.made() {
		return
	}
	for _, l := range f.heldBy(s, v) {
		if e := s.lives[l].ended; e != nil && !e.soft && l.kind == lifeFound {
			f.found(codeStale, ssas.PosOf(e.at), !f.cellOf(s, cell, l), tag{life: l, end: e}, "%s has what it had before %s until it gets another value (%s): others may look at it", f.where(p), f.describeEnd(e), f.line(ssas.PosOf(at)))
		}
	}
}

// keep notes that the arena of a request stays.
func (s *state) keep(l *life) {
	c := s.lives[l]
	c.kept = true
	s.lives[l] = c
}

// held returns what refers to all of these values.
func held(s *state, args []ssa.Value) (v av) {
	for _, arg := range args {
		for _, x := range varargs(arg) {
			if x := s.get(x); len(x.tags) > 0 {
				v = v.with(x.only(func(t tag) bool { return t.kind != isArena })...)
				v.other = v.other || x.other
			}
		}
	}
	if in := v.only(func(t tag) bool { return t.kind == inMemory }); len(in) > 0 {
		v.tags = in // whatever else there is
	}
	if len(v.tags) == 0 {
		v.other = true
	}
	return v
}

// textsOf returns what the strings among some values may be, and those in slices and maps.
func (f *flow) textsOf(s *state, args []ssa.Value) (v av) {
	for _, arg := range args {
		for _, x := range varargs(arg) {
			t := x.Type()
			switch {
			case ssas.IsString(t):
				v = joinValues(v, s.get(x))
			case isSlice(t), isMap(t):
				e := f.element(s, s.get(x).ptr, stepElem, elementType(t))
				e.tags = e.only(notPooled) // as text has it
				v = joinValues(v, e)
			}
		}
	}
	v.tags = v.only(func(t tag) bool { return t.kind != isArena })
	return v
}

// copied sets what is known of the result of a call that copies its argument.
func (s *state) copied(value *ssa.Call, v av) {
	if value == nil {
		return
	}
	to := loc{value, ""}
	copy := av{ptr: to}
	switch u := value.Type().Underlying().(type) {
	case *types.Pointer:
		if carries(u.Elem()) {
			s.forget(to)
			s.store(to, s.f.load(s, v.ptr, u.Elem()))
		}
	case *types.Slice:
		s.forget(to)
		if carries(u.Elem()) && v.ptr.root != nil {
			s.setElements(to, s.f.element(s, v.ptr, stepElem, u.Elem()).text(u.Elem()))
		}
	case *types.Map:
		s.forget(to)
		for step, t := range map[string]types.Type{stepKey: u.Key(), stepElem: u.Elem()} {
			if carries(t) && v.ptr.root != nil {
				x := s.f.element(s, v.ptr, step, t)
				x.sub = nil
				s.mem.set(to.add(step), x)
			}
		}
	case *types.Basic:
	default:
		s.set(value, unknown)
		return
	}
	s.val[value] = copy
}

// hasText reports whether messages of a type may have text.
func hasText(t types.Type, depth int) bool {
	if depth == 0 {
		return true
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()&types.IsString != 0
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() && hasText(f.Type(), depth-1) {
				return true
			}
		}
		return false
	case *types.Slice:
		b, ok := u.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte || hasText(u.Elem(), depth-1)
	case *types.Map:
		return hasText(u.Key(), depth-1) || hasText(u.Elem(), depth-1)
	case *types.Pointer:
		return hasText(u.Elem(), depth-1)
	}
	return true
}

// resultTypes returns the types of the results of a call, or none if nobody looks at them.
func resultTypes(value *ssa.Call) (all []types.Type) {
	if value == nil {
		return nil
	}
	t, ok := value.Type().(*types.Tuple)
	if !ok {
		return []types.Type{value.Type()}
	}
	for v := range t.Variables() {
		all = append(all, v.Type())
	}
	return all
}

// resultType returns the type of the result of a call, or of the first of several.
func resultType(value *ssa.Call) types.Type {
	if all := resultTypes(value); len(all) > 0 {
		return all[0]
	}
	return types.Typ[types.String]
}

// clean is for results that have nothing of the arguments.
func (f *flow) clean(s *state, value *ssa.Call) {
	var results []av
	for range resultTypes(value) {
		results = append(results, av{})
	}
	if len(results) == 1 {
		results[0].ptr = loc{value, ""}
		s.mem.set(loc{value, stepAll}, av{other: true})
	}
	f.setResults(s, value, results)
}

// puts is for a value that a sync.Pool gets. From there on a parameter is stale, too. If each is
// true, it gets all elements of something.
func (f *flow) puts(s *state, look func(*state) av, at ssa.Instruction, what string, sure, each bool, when outcome) {
	v := look(s).direct()
	if header, ok := v.ptr.root.(*ssa.Alloc); ok && v.ptr.path == "" && isSlice(elementType(header.Type())) {
		v, _ = s.mem.get(v.ptr) // who has the header has the memory of the slice
	}
	if f.looking && sure && !f.once && !f.choice {
		if t, sure, _ := f.judge(v, at, false, look); sure && t.life.kind == lifeSync {
			if d := f.report(codeSyncPool, ssas.PosOf(at), false, t, "a value is put twice: the first time is %s", f.describeEnd(t.end)); d != nil {
				d.about = about{t.made, t.end.at}
				f.c.add(d)
			}
		}
	}
	if live := v.only(func(t tag) bool { return t.end == nil }); len(live) == 1 {
		// On some way it was put before: it is put on all of them now.
		put := func(t tag) bool { return t.life == live[0].life || t.life.lifeKey == putKey(live[0].life) }
		if !slices.ContainsFunc(v.tags, func(t tag) bool { return !put(t) }) {
			v.tags = live
		}
	}
	if all := holders(v); sure && v.other && !v.many && len(v.tags) == 1 && len(all) == 1 && all[0].kind == lifeSync {
		// The pool gets it, whatever it is, and others may keep what they have.
		t := v.tags[0]
		t.end = f.endOf(end{at: at, what: what, life: t.life})
		s.settle(v, t)
	}
	sure = sure && len(v.tags) == 1 && !v.other
	for _, l := range holders(v) {
		if l.kind == lifeSync {
			if e := s.lives[l].handed; e != nil && sure {
				f.found(codeSyncPool, ssas.PosOf(at), false, tag{life: l, end: e}, "a value is put twice: a goroutine puts it, too, by %s", f.describeEnd(e))
			}
			f.endOf(end{at: at, what: what, life: l}).when = when
			f.finish(s, l, at, what, true, false, sure)
		}
	}
	if !sure && !(when != anyOutcome && v.given()) {
		return
	}
	if t := v.tags[0]; t.kind == ofParam {
		e := f.endOf(end{at: at, what: what, life: f.newLife(putKey(t.life), lifeSync, nil)})
		e.when = when
		element := strings.Contains(t.life.path, "[") // others go by the same place
		sure := sure && (!element || each)
		if f.looking {
			f.sum.putParam(f, t, at, sure, f.once)
		}
		s.lives[e.life] = condition{ended: e, open: !sure}
		put := func(v av) (av, bool) {
			return v.change(true, func(x tag) tag {
				if x.kind == ofParam && x.life == t.life {
					x = tag{life: e.life, kind: inMemory, end: e}
				}
				return x
			})
		}
		switch {
		case sure:
			s.change(put)
		case element:
			s.changeOnly(t, put)
		}
	}
}

// gone is for a variable that a sync.Pool surely gets, wherever its value comes from. Whoever uses
// the variable from there on uses what the pool has.
func (f *flow) gone(s *state, x ssa.Value, at ssa.Instruction, what string) {
	x = converted(x)
	switch x.Type().Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
	default:
		return
	}
	v := s.get(x)
	if _, isConst := x.(*ssa.Const); isConst || !v.other || f.choice || f.nest != "" {
		return
	}
	for g := range s.gos.now {
		if g.send && g.value == x {
			f.found(codeSyncPool, g.pos, false, tag{}, "%s is sent, and nobody waits for the receiver before %s (%s)", cmp.Or(variableName(x, 4), "a value"), what, f.line(ssas.PosOf(at)))
		}
	}
	l := f.newLife(lifeKey{x, "gone"}, lifeSync, nil)
	e := f.endOf(end{at: at, what: what, life: l})
	s.lives[l] = condition{ended: e}
	s.val[x] = av{tags: []tag{{life: l, kind: inMemory, end: e}}, ptr: v.ptr}
}

// converted returns what a value was converted from.
func converted(v ssa.Value) ssa.Value {
	for {
		switch c := v.(type) {
		case *ssa.MakeInterface:
			v = c.X
		case *ssa.ChangeType:
			v = c.X
		default:
			return v
		}
	}
}

// changeOnly is change for a value that one variable has, and no other one.
func (s *state) changeOnly(t tag, f func(av) (_ av, changed bool)) {
	all := map[ssa.Value][]ssa.Value{}
	for k, v := range s.val {
		if !slices.Contains(v.tags, t) {
			continue
		}
		x := converted(k)
		all[x] = append(all[x], k)
	}
	if len(all) > 1 {
		return
	}
	for _, same := range all {
		for _, k := range same {
			s.val[k], _ = f(s.val[k])
		}
	}
}

// putKey is the key of a parameter that was given to a sync.Pool.
func putKey(param *life) lifeKey { return lifeKey{param.root, param.path + "put"} }
