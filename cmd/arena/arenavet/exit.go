package arenavet

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// exit is for a return: nothing that lives longer may refer to an arena that has ended, and no
// arena may be forgotten.
func (f *flow) exit(s *state, ret *ssa.Return) {
	if !f.looking {
		return
	}
	f.leave(s, ret)
	f.request(s, ret)
	for n, r := range ret.Results {
		f.returned(s, ret, n, s.get(r), r.Type())
	}
	for l, v := range s.mem.inOrder() {
		f.outlives(s, l, v, s.fails(ret))
	}
	f.leavesStale(s)
	f.lost(s, ret)
}

// panics is for a panic: the functions that are deferred have run when somebody sees its value.
func (f *flow) panics(s *state, i *ssa.Panic) {
	if !f.looking || s.loose || len(s.defers) == 0 {
		return
	}
	f.looking = false
	after := s.clone()
	for n := len(s.defers) - 1; n >= 0; n-- {
		f.call(after, s.defers[n], s.defers[n])
	}
	f.looking = true
	v := after.get(i.X)
	if stale := v.only(isStale); len(stale) > 0 && len(stale) == len(v.tags) && !v.other && !v.none {
		f.found(codeOutlives, ssas.PosOf(i), false, stale[0], "%s is the value of a panic, which is seen after %s", f.describe(stale[0]), f.describeEnd(stale[0].end))
	}
}

// request is for arenas that came with a context: they end with the request, so globals and what
// the handler lives in must not refer to them.
func (f *flow) request(s *state, ret *ssa.Return) {
	for l, v := range s.mem.inOrder() {
		if !f.longLived(l) || strings.Contains(l.path, stepSent) {
			continue
		}
		if !f.keptOfRequest(s, l, v, 4) {
			f.madeBelow(s, l, v, func(l loc, x av) bool { return f.keptOfRequest(s, l, x, 4) })
		}
	}
	for _, g := range f.pending(s, ret) {
		all := append(slices.Clone(g.holds), g.uses...)
		g.leaves(f.exits[len(f.exits)-1])
		for _, h := range all {
			if len(g.late) == 0 && !g.maybe && !s.lives[h].kept { // or some ways have waited
				f.sum.goes(h, g)
			}
		}
		for _, fn := range g.calls {
			if p, ok := f.sum.placeOf(fn.lifeKey); ok && len(g.late) == 0 && !g.maybe {
				addPlace(&f.sum.Runs, p)
				f.sum.startedBy(p, g)
			}
		}
		for _, h := range all {
			if h.kind != lifeCtx || !f.isHandler() || s.lives[h].kept {
				continue
			}
			if g.send {
				f.found(codeOutlives, g.pos, g.maybe, tag{life: h}, "%s, and the handler returns, which ends the arena: nobody waits for the receiver", f.describeSend(true, g.at, h))
			} else if !g.fromContext {
				f.found(codeOutlives, ssas.PosOf(g.at), g.maybe, tag{life: h}, "the handler returns, which ends the arena, and a goroutine that nobody has waited for may still use it: copy what it has, use arena.Fork and wait, or arenahttp.Keep")
			}
			break
		}
	}
}

// keptOfRequest reports that a place has something of the arena of a request, or a literal that has
// captured it. A literal may have captured itself, so that depth is bounded.
func (f *flow) keptOfRequest(s *state, l loc, v av, depth int) (found bool) {
	if depth == 0 {
		return false
	}
	for _, t := range v.tags {
		if t.kind != inMemory || t.end != nil || t.life.kind != lifeCtx || s.lives[t.life].kept {
			continue
		}
		pos := token.NoPos
		if at := f.storedBy(l, t.life); at != nil {
			pos = ssas.PosOf(at)
		}
		_, global := l.root.(*ssa.Global)
		f.escape(pos, l, t, t.some || !global && !f.isHandler() || ofRequest(l) && !sharedByHandlers(l), "%s is stored in %s, which lives longer than the arena of the request", f.describe(t), f.where(l))
		found = true
	}
	for _, fn := range v.fns {
		found = found || f.captured(s, v, fn, true, func(x av, _ func(*state) av) bool { return !x.other && f.keptOfRequest(s, l, x, depth-1) })
	}
	return found
}

// fails reports whether a return is one with an error. Nobody looks at what such a function has
// filled. What a call returns counts as one if an error was found on the way, or if the function
// has another return without one.
func (s *state) fails(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	last := lastResult(ret)
	if !isError(last.Type()) {
		return false
	}
	null := s.get(last).zero() // unless a condition says something else
	call, ok := last.(*ssa.Call)
	if _, extract := last.(*ssa.Extract); !null && !extract && !isVariable(last) && (!ok || s.f.opOf(call) == opWrap || names.Path(ssas.Callee(&call.Call)) == "errors.New") {
		return true
	}
	for b := ret.Block(); b.Idom() != nil; b = b.Idom() {
		if branch, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If); ok && len(b.Preds) == 1 {
			if cond, ok := branch.Cond.(*ssa.BinOp); ok && isError(cond.X.Type()) && (!null || cond.X == last) && whenNil(cond, cond.X) == 2-slices.Index(b.Idom().Succs, b) {
				return true
			}
		}
	}
	if null {
		return false
	}
	return slices.ContainsFunc(s.f.fn.Blocks, func(b *ssa.BasicBlock) bool {
		other, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			return false
		}
		c, ok := lastResult(other).(*ssa.Const)
		return ok && c.Value == nil
	})
}

// isVariable reports whether a value is what lies in a local variable at the end: a result, or what
// a literal has captured.
func isVariable(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	switch load.X.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		return true
	}
	return false
}

// lastResult returns the last result of a return, also if deferred calls can see it.
func lastResult(ret *ssa.Return) ssa.Value {
	last := ret.Results[len(ret.Results)-1]
	if load, ok := last.(*ssa.UnOp); ok && load.Op == token.MUL {
		for _, i := range slices.Backward(ret.Block().Instrs) {
			if store, ok := i.(*ssa.Store); ok && store.Addr == load.X {
				return store.Val
			}
		}
	}
	return last
}

// longLived reports whether a place is there when the function has returned, and others use it.
func (f *flow) longLived(l loc) bool {
	switch l.root.(type) {
	case *ssa.Global:
		return true
	case *ssa.FreeVar:
		return f.isHandler()
	case *ssa.Parameter:
		return f.isHandler() && len(f.fn.Params) > 0 && l.root == f.fn.Params[0] && f.fn.Signature.Recv() != nil || ofRequest(l)
	}
	return false
}

// ofRequest reports whether a place is in a request, or in what a context has for a key. A handler
// around the function may look there.
func ofRequest(l loc) bool {
	return names.Is(l.root.Type(), "net/http", "Request") || strings.Contains(l.path, stepCtxValue)
}

// sharedByHandlers reports whether a place is in the URL of a request: copies of the request, with
// other contexts, have the same URL.
func sharedByHandlers(l loc) bool {
	return names.Is(l.root.Type(), "net/http", "Request") && strings.HasPrefix(l.path, ".URL"+stepDeref)
}

// endless reports what stays in elements after each turn of a loop that ends their arena, if only
// an error or a panic ends the loop. What counts there is what the next turn leaves.
func (f *flow) endless() {
	for _, e := range slices.SortedFunc(maps.Values(f.endAt), bySourceOfEnd) {
		if !f.endsInTurns(e) {
			continue
		}
		again, _ := f.try(e.at, false)
		after, _ := f.try(e.at, true)
		for l, v := range after.mem.inOrder() {
			if again.leavesAt(l, e) && f.addsElement(l, e, v) && !f.takenAway(l, e) {
				f.outlives(after, l, v, false)
			}
		}
	}
}

// leavesAt reports whether a place, or a slice that was made and lies there, has something that an
// end has ended.
func (s *state) leavesAt(l loc, e *end) bool {
	has := func(v av) bool { return slices.ContainsFunc(v.tags, func(t tag) bool { return t.end == e }) }
	v, _ := s.mem.get(l)
	found := has(v)
	if v.ptr.made() {
		s.below(v.ptr, func(_ loc, x av) { found = found || has(x) })
	}
	return found
}

// takenAway reports whether an instruction, or a deferred call, takes what an end has ended away
// from a place.
func (f *flow) takenAway(l loc, e *end) bool {
	looking := f.looking
	f.looking = false
	defer func() { f.looking = looking }()
	return slices.ContainsFunc(f.fn.Blocks, func(b *ssa.BasicBlock) bool {
		if f.in[b] == nil || !f.in[b].leavesAt(l, e) {
			return false
		}
		s := f.in[b].clone()
		return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool { f.step(s, i); return !s.leavesAt(l, e) })
	})
}

// bySourceOfEnd compares ends by where they are in the source.
func bySourceOfEnd(a, b *end) int {
	return cmp.Or(cmp.Compare(ssas.PosOf(a.at), ssas.PosOf(b.at)), bySource(a.life.root, b.life.root), cmp.Compare(a.life.path, b.life.path))
}

// endsInTurns reports whether an arena ends in turns of a loop that only errors end.
func (f *flow) endsInTurns(e *end) bool {
	if _, ok := e.at.(*ssa.Call); !ok || e.at.Parent() != f.fn || !f.repeats(e.at) || f.in[e.at.Block()] == nil {
		return false
	}
	for n, ret := range f.rets {
		if behind(e.at, ret) && !f.exits[n].fails(ret) {
			return false
		}
	}
	return true
}

// addsElement reports whether each turn of a loop that ends an arena adds an element or a key, or
// others read the elements. An element with the same key in each turn takes the place of the last
// one, perhaps before anybody looks.
func (f *flow) addsElement(l loc, e *end, v av) bool {
	at := f.storedBy(l, e.life)
	if call, ok := v.ptr.root.(*ssa.Call); ok && f.appends(call) {
		at = call
	} else if at == nil || !strings.Contains(l.path, "[") {
		return false
	}
	_, call := at.(*ssa.Call)
	adds := strings.HasSuffix(l.path, stepKey) || f.staysFilled(l) || (!call || f.isAppend(at)) && f.addsInTurns(at, e.at)
	for _, t := range v.only(func(t tag) bool { return t.end == e && t.made != nil && at.Parent() != f.fn }) {
		at = t.made // a literal has stored it, which that has called
	}
	return adds && f.inevitable(at, e.at)
}

// outlives is for a place outside of the function that refers to an arena that the function has
// ended. With fails, it returns an error.
func (f *flow) outlives(s *state, l loc, v av, fails bool) {
	for _, t := range v.tags {
		if c := s.lives[t.life]; t.kind == isArena && c.closed != nil && !c.closed.soft {
			t.end = c.closed
			f.keptClosed(l, t, c.shut)
		}
	}
	stale, field := f.staleIn(s, v), l
	if len(stale) == 0 {
		f.madeBelow(s, l, v, func(below loc, x av) bool {
			if some := f.staleIn(s, x); len(some) > 0 && (len(stale) == 0 || !x.other) {
				stale, l, v = some, below, x
			}
			return len(stale) > 0 && !v.other
		})
	}
	if len(stale) == 0 || stale[0].life.kind == lifeTable || strings.Contains(l.path, stepSent) {
		return
	}
	t := stale[0]
	at := f.storedBy(l, t.life)
	if at == nil || l.root == nil || !l.known() {
		return
	}
	call, ok := at.(ssa.CallInstruction)
	byOne := ok && call.Common().StaticCallee() == nil && !f.isAppend(at) // of several functions
	if n := slices.IndexFunc(stale, func(t tag) bool { return !t.some }); byOne && n >= 0 {
		t = stale[n]
	}
	if path, put := strings.CutSuffix(t.life.path, "~put"); put && t.life.root == l.root && strings.HasPrefix(l.path, path) {
		return // the pool has it with what it lies in
	}
	maybe := t.end.soft || t.some || strings.Contains(l.path, "[") && f.removesNode() || t.life.kind == lifeSync && !f.staysIn(l, v) && !f.readAgain(l, at)
	live := func(v av) bool {
		return slices.ContainsFunc(v.tags, func(x tag) bool { return x.kind == inMemory && x.end == nil && x.life == t.life })
	}
	if live(v) && !(f.addsInTurns(at, t.end.at) && f.follows(at, true, t.end.at, func(s *state) bool { v, _ := s.mem.get(l); return live(v) })) {
		maybe = true // or it was there in an earlier turn of a loop, which has ended it since
	}
	maybe = maybe || byOne && f.mayTake(at) || f.mayStoreOther(at, t.life)
	switch root := l.root.(type) {
	case *ssa.Global:
	case *ssa.FreeVar:
		if !strings.Contains(l.path, "[") || !isReturned(f.fn) {
			return // or the function around it sees what is there
		}
	case *ssa.Parameter:
		// A field may serve the function and be filled anew before anybody else looks.
		own := f.fn.Signature.Recv() != nil && root == f.fn.Params[0] && !strings.Contains(l.path, "[") && !token.IsExported(strings.TrimPrefix(l.path, "."))
		if fails || (own || root == t.life.root && !byOne) && f.usedBehind(l, at) && !f.readAgain(field, f.storedBy(field, t.life)) && !f.staysFilled(l) {
			maybe = true
		}
	default:
		return
	}
	f.escape(ssas.PosOf(at), l, t, maybe, "%s is stored in %s, which lives longer; it ends by %s", f.describe(t), f.where(l), f.describeEnd(t.end))
}

// mayTake reports whether a function is called behind an instruction, by an interface or as a
// value, that may take away what another one has kept.
func (f *flow) mayTake(at ssa.Instruction) bool {
	for i := range ssas.Instrs(f.fn) {
		call, ok := i.(ssa.CallInstruction)
		if !ok || i == at || !behind(at, i) {
			continue
		}
		if f.c.mayTake(call) {
			return true
		}
		fn := call.Common().StaticCallee()
		if fn == nil || fn.Pkg != f.c.ssa {
			continue
		}
		calls := f.c.mayCall(fn)
		for fn := range calls {
			for i := range ssas.Instrs(fn) {
				if call, ok := i.(ssa.CallInstruction); ok && f.c.mayTake(call) {
					return true
				}
			}
		}
		if calls == nil {
			return true
		}
	}
	return false
}

// mayTake reports whether a call of one of several functions may call one that takes something
// away.
func (c *checker) mayTake(call ssa.CallInstruction) bool {
	if _, builtin := call.Common().Value.(*ssa.Builtin); builtin || call.Common().StaticCallee() != nil {
		return false
	}
	all := c.callees(call)
	return len(all) == 0 || slices.ContainsFunc(all, func(fn *ssa.Function) bool {
		sum := c.summaryOf(fn)
		if sum == nil {
			return true
		}
		_, clears := sum.kept()
		return len(clears.Stores)+len(clears.Clears) > 0
	})
}

// staysFilled reports whether a place is an element of what is in a field, from which nothing ever
// takes elements away.
func (f *flow) staysFilled(l loc) bool {
	field := fieldOfElement(l)
	return field != nil && !field.Exported() && field.Pkg() == f.c.pkg && !f.c.isEmptied(field) && f.c.left[field] == nil && f.readElsewhere(field)
}

// fieldOfElement returns the field that has what a place is an element of, or nil.
func fieldOfElement(l loc) *types.Var {
	path, _, ok := strings.Cut(l.path, "[")
	path = strings.TrimRight(path, stepDeref)
	if !ok {
		return nil
	}
	return fieldAlong(l.root.Type(), path)
}

// fieldAlong returns the field that a path of fields and pointers leads to in a struct, or nil.
func fieldAlong(t types.Type, path string) *types.Var {
	n := strings.LastIndex(path, ".")
	if n < 0 {
		return nil
	}
	st := structAt(t, path[:n])
	if st == nil {
		return nil
	}
	for field := range st.Fields() {
		if field.Name() == path[n+1:] {
			return field
		}
	}
	return nil
}

// readElsewhere reports whether a function that this one does not call uses a field, and stores
// nothing in what is there.
func (f *flow) readElsewhere(field *types.Var) bool {
	calls := f.c.mayCall(f.fn)
	reads, fills := map[*ssa.Function]bool{}, map[*ssa.Function]bool{}
	for fn, i := range f.c.instrs() {
		if addr, ok := i.(*ssa.FieldAddr); ok && fieldOf(addr) == field.Origin() && calls != nil && !calls[fn] {
			reads[fn] = true
		}
		_, store := accesses(i)
		e, _ := storesElement(i)
		for _, v := range []ssa.Value{store, e.base} {
			if v != nil && (fieldOf(v) == field.Origin() || fieldAt(v) == field.Origin()) {
				fills[fn] = true
			}
		}
	}
	maps.DeleteFunc(reads, func(fn *ssa.Function, _ bool) bool { return fills[fn] })
	return len(reads) > 0
}

// removesNode reports whether the function takes elements out of a list: others may do so as well,
// and tell the function.
func (f *flow) removesNode() bool {
	for i := range ssas.Instrs(f.fn) {
		if call, ok := i.(ssa.CallInstruction); ok && f.opOf(call) == opNodes && f.callee(call) == "List.Remove" {
			return true
		}
	}
	return false
}

// keptClosed is for a place that has an arena, or a handle of one, which has ended for good. A
// field is likely to be filled anew, unless the function reads it before.
func (f *flow) keptClosed(l loc, t tag, sure bool) {
	at := f.put[storeKey{l, t.life}]
	_, global := l.root.(*ssa.Global)
	if _, param := l.root.(*ssa.Parameter); at == nil || !global && !param {
		return
	}
	if again := f.readAgain(l, at); global || again {
		f.found(codeOutlives, ssas.PosOf(at), !sure || !again, t, "%s is stored in %s, which lives longer; it ends by %s", f.describe(t), f.where(l), f.describeEnd(t.end))
	}
}

// isReturned reports whether a function literal is what the function around it returns.
func isReturned(fn *ssa.Function) bool {
	var returned func(v ssa.Value) bool
	returned = func(v ssa.Value) bool {
		return slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool {
			switch i := i.(type) {
			case *ssa.Return:
				return true
			case *ssa.ChangeType:
				return returned(i)
			case *ssa.MakeInterface:
				return returned(i)
			}
			return false
		})
	}
	for i := range ssas.Instrs(fn.Parent()) {
		if c, ok := i.(*ssa.MakeClosure); ok && c.Fn == fn && returned(c) {
			return true
		}
	}
	return false
}

// usedBehind reports whether the function may use something behind an instruction that the root
// of a place leads to. What other packages do with another field, such as a lock, does not count.
// For an element that others can hardly take away, no use of another field counts.
func (f *flow) usedBehind(l loc, at ssa.Instruction) bool {
	field := fieldOfElement(l)
	element := field != nil && (field.Pkg() != f.c.pkg || f.c.isEmptied(field) && !f.c.empties(field, true))
	only := func(v ssa.Value) bool { // the instruction itself
		return !slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool { _, ref := i.(*ssa.DebugRef); return i != at && !ref })
	}
	var used func(v ssa.Value) bool
	used = func(v ssa.Value) bool {
		_, variable := v.(*ssa.Alloc)
		field, _ := v.(*ssa.FieldAddr)
		return slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool {
			switch i := i.(type) {
			case *ssa.FieldAddr:
				other := i.X == l.root && !strings.HasPrefix(fieldPath(l.path)+".", "."+fieldName(i.X.Type(), i.Field)+".")
				return !(element && other) && used(i)
			case *ssa.Store:
				local, ok := i.Addr.(*ssa.Alloc)
				return i.Val == v && (!ok || used(local))
			case *ssa.UnOp:
				return variable && used(i) || !variable && i != at && behind(at, i) && !(element && only(i))
			case *ssa.MakeClosure:
				return behind(at, i) || !strings.HasPrefix(i.Fn.(*ssa.Function).Synthetic, "range-over-func")
			case ssa.CallInstruction:
				if fn := ssas.Callee(i.Common()); field != nil && fn != nil && fn.Pkg() != f.c.pkg && "."+fieldName(field.X.Type(), field.Field) != fieldPath(l.path) {
					return false
				}
				_, call := i.(*ssa.Call)
				return !call || i != at && behind(at, i)
			case *ssa.DebugRef:
				return false
			}
			return true
		})
	}
	return used(l.root)
}

// fieldPath returns the beginning of a path that names a field.
func fieldPath(path string) string {
	if n := strings.IndexAny(path, "[^"); n >= 0 {
		path = path[:n]
	}
	return path
}

// readAgain reports whether somebody reads what the function has stored in a field: another call of
// it, before it stores something there, or a function that it does not call. Nobody else fills the
// field.
func (f *flow) readAgain(l loc, at ssa.Instruction) bool {
	key := l
	_, global := l.root.(*ssa.Global)
	if !global {
		key.root = nil
	}
	read := false
	calls := f.c.mayCall(f.fn)
	for _, a := range f.c.accessesOf(key) {
		in := l.root // the struct with the field
		if !global {
			in = a.addr.(*ssa.FieldAddr).X
			if !types.Identical(in.Type(), l.root.Type()) {
				continue
			}
		}
		if a.load && (a.fn == f.fn && in == l.root && follows(a.at, at) || calls != nil && !calls[a.fn] && !onlyCompared(a.at.(ssa.Value))) {
			read = true
		}
		if !a.load {
			if _, made := in.(*ssa.Alloc); a.fn != f.fn && !made || a.fn == f.fn && a.at != at && !follows(at, a.at) {
				return false
			}
		}
	}
	return read
}

// An access is an instruction that reads a place or stores something there.
type access struct {
	fn   *ssa.Function
	at   ssa.Instruction
	addr ssa.Value
	load bool
}

// accessesOf returns the accesses in the package to a place in a global variable. The path of a
// place without a root is the name of a field, and stands for all fields with this name.
func (c *checker) accessesOf(l loc) []access {
	if c.accesses == nil {
		c.accesses = map[loc][]access{}
		add := func(a access) {
			at := addressOf(a.addr)
			if _, global := at.root.(*ssa.Global); global {
				c.accesses[at] = append(c.accesses[at], a)
			}
			if addr, ok := a.addr.(*ssa.FieldAddr); ok {
				field := loc{path: "." + fieldName(addr.X.Type(), addr.Field)}
				c.accesses[field] = append(c.accesses[field], a)
			}
		}
		for fn, i := range c.instrs() {
			if load, store := accesses(i); load != nil {
				add(access{fn, i, load, true})
			} else if store != nil {
				add(access{fn, i, store, false})
			}
		}
	}
	return c.accesses[l]
}

// onlyCompared reports whether a function asks of a value only whether it is nil.
func onlyCompared(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool { _, ok := i.(*ssa.BinOp); return !ok })
}

// accesses returns the address that an instruction reads, or where it stores something.
func accesses(i ssa.Instruction) (load, store ssa.Value) {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.X, nil
	case *ssa.Store:
		return nil, i.Addr
	case *ssa.Call:
		switch opOf(ssas.Callee(&i.Call)) {
		case opLoad:
			return i.Call.Args[0], nil
		case opCell:
			return nil, i.Call.Args[0]
		}
	}
	return nil, nil
}

// mayCall returns the functions of the package that a function may call before it returns, or nil
// if it calls function values that the caller has given.
func (c *checker) mayCall(fn *ssa.Function) map[*ssa.Function]bool {
	if all, ok := c.mayCalls[fn]; ok {
		return all
	}
	all := map[*ssa.Function]bool{fn: true}
	c.mayCalls[fn] = nil
	methods := map[string]bool{}
	for work := []*ssa.Function{fn}; len(work) > 0; work = work[1:] {
		add := func(fn *ssa.Function) {
			if fn.Origin() != nil {
				fn = fn.Origin()
			}
			if !all[fn] {
				all[fn] = true
				work = append(work, fn)
			}
		}
		for i := range ssas.Instrs(work[0]) {
			for fn := range ssas.Operands[*ssa.Function](i) {
				add(fn)
			}
			call, ok := i.(ssa.CallInstruction)
			switch {
			case !ok || call.Common().StaticCallee() != nil:
			case call.Common().IsInvoke():
				methods[call.Common().Method.Name()] = true
			default:
				if _, builtin := call.Common().Value.(*ssa.Builtin); builtin || ofLibrary(call.Common().Value) {
					continue
				}
				fns := c.callees(call)
				if len(fns) == 0 {
					return nil
				}
				for _, fn := range fns {
					add(fn)
				}
			}
			if m, ok := i.(*ssa.MakeInterface); ok && names.Type(m.X.Type()) != nil {
				for method := range names.Type(m.X.Type()).Methods() { // the library may call them
					if fn := c.ssa.Prog.FuncValue(method); fn != nil {
						add(fn)
					}
				}
			}
		}
		if len(work) == 1 {
			for _, fn := range c.functions() {
				if fn.Signature.Recv() != nil && methods[fn.Name()] {
					add(fn)
				}
			}
		}
	}
	c.mayCalls[fn] = all
	return all
}

// addressOf returns the place of a variable of a package, or of a field of it.
func addressOf(v ssa.Value) loc {
	path := ""
	for {
		addr, ok := v.(*ssa.FieldAddr)
		if !ok {
			return loc{v, path}
		}
		v, path = addr.X, "."+fieldName(addr.X.Type(), addr.Field)+path
	}
}

// staysIn reports whether an element surely has what was stored there. A field is likely to be
// filled anew.
func (f *flow) staysIn(l loc, v av) bool {
	p, _ := f.sum.placeOf(lifeKey(l))
	if e, ok := f.elems[p]; ok && len(e.Tags) > 0 {
		return !e.Other
	}
	return strings.Contains(l.path, "[") && !v.other
}

// madeBelow yields what lies in memory that the function has made, and that v leads to, which was
// stored at l, until the function returns true. It is taken for elements of l.
func (f *flow) madeBelow(s *state, l loc, v av, yield func(loc, av) bool) {
	if v.ptr.root == nil || l.root == v.ptr.root {
		return
	}
	switch v.ptr.root.(type) {
	case *ssa.Global, *ssa.Parameter, *ssa.FreeVar:
		return
	}
	below := l.add(stepElem)
	found := false
	s.reachable(v.ptr, func(k loc, x av) {
		f.put[storeKey{below, nil}] = f.storedBy(l, nil)
		if k.root == v.ptr.root && strings.Contains(k.path, "[") {
			for _, t := range x.tags {
				if at := f.put[storeKey{k, t.life}]; at != nil {
					f.put[storeKey{below, t.life}] = at
				}
			}
		}
		found = found || yield(below, x)
		for _, x := range f.ownedBelow(s, x) {
			found = found || yield(below, x)
		}
	})
}

// staleIn returns what is stale of a value, or of what it has captured if it is a function literal.
func (f *flow) staleIn(s *state, v av) []tag {
	stale := v.only(isStale)
	if len(stale) > 0 {
		return stale
	}
	for _, fn := range v.fns {
		f.captured(s, v, fn, true, func(x av, _ func(*state) av) bool {
			if all := x.only(isStale); len(all) == len(x.tags) && !x.other {
				stale = all
			}
			return len(stale) > 0
		})
	}
	return stale
}

func (f *flow) escape(pos token.Pos, l loc, t tag, maybe bool, format string, args ...any) {
	if strings.HasSuffix(l.path, stepCtx) || !pos.IsValid() {
		return
	}
	f.c.fixEscape(f.found(codeOutlives, pos, maybe, t, format, args...), f.storedBy(l, t.life), l)
}

// where names a place.
func (f *flow) where(l loc) string {
	what := "what it was given"
	switch root := l.root.(type) {
	case *ssa.Global:
		if root == f.c.global(others) {
			return "what other callers wait for"
		}
		if root == f.c.global(handler) {
			return "what the handler of the logger keeps"
		}
		what = root.Name()
		if root.Pkg != f.c.ssa && root.Pkg.Pkg.Path() != captured {
			what = root.Pkg.Pkg.Name() + "." + what
		}
	case *ssa.Parameter:
		what = root.Name()
	case *ssa.FreeVar:
		what = root.Name()
	}
	path := l.path
	if i := strings.IndexAny(path, "%~"); i >= 0 {
		path = path[:i] // what is below has no name in the source
	}
	if list, ok := strings.CutSuffix(path, stepElem+".Value"); ok {
		path = list + stepElem // of package container/list
	}
	switch {
	case strings.HasSuffix(path, stepKey):
		return "the keys of " + what + shown(strings.TrimSuffix(path, stepKey))
	case strings.HasSuffix(path, stepElem):
		return "the elements of " + what + shown(strings.TrimSuffix(path, stepElem))
	}
	return what + shown(path)
}

func shown(path string) string {
	path = strings.NewReplacer(stepDeref, "", stepElem, "[…]", stepKey, "[…]", ".#", ".", stepAll, "").Replace(path)
	return path
}

// returned is for a result that refers to an arena that the function has ended.
func (f *flow) returned(s *state, ret *ssa.Return, n int, v av, typ types.Type) {
	if !carries(typ) {
		return
	}
	each := false // of many elements
	check := func(v av, look func(*state) av) bool {
		t, sure, ok := f.judge(v, ret, each, look)
		if !ok || t.life.kind == lifeTable {
			return false
		}
		if len(v.only(isStale)) < len(v.tags) && n < len(ret.Results)-1 && s.fails(ret) {
			sure = false // it ends on the way with the error
		}
		in := ""
		if made, ok := t.made.(ssa.Value); ok && isError(typ) && ssas.IsString(made.Type()) {
			in = " in an error"
		}
		d := f.found(codeOutlives, ssas.PosOf(ret), !sure, t, "%s is returned%s after %s", f.describe(t), in, f.describeEnd(t.end))
		f.chance(d, t, ret, look)
		if _, ok := t.end.at.(*ssa.Defer); ok { // or a copy would come too late
			f.c.fixReturn(d, n)
		}
		return sure // or another part of it is
	}
	look := func(s *state) av { return s.get(ret.Results[n]) }
	if check(v, look) {
		return
	}
	for _, fn := range v.fns {
		if !v.open && f.captured(s, v, fn, false, check) {
			return
		}
	}
	if t, sure, ok := s.closed(v); ok {
		f.found(codeOutlives, ssas.PosOf(ret), !sure || s.fails(ret), t, "%s is returned after %s", f.describe(t), f.describeEnd(t.end))
		return
	}
	done := false
	for _, step := range slices.Sorted(maps.Keys(v.sub)) {
		done = done || check(v.sub[step], func(s *state) av { return s.get(ret.Results[n]).sub[step] })
	}
	switch v.ptr.root.(type) {
	case *ssa.Global, *ssa.Parameter, *ssa.FreeVar, *ssa.MakeClosure, nil:
		return
	}
	s.reachable(v.ptr, func(l loc, x av) {
		each = strings.Contains(l.path, "[")
		if !done {
			done = check(x, func(s *state) av {
				v, _ := s.mem.get(l)
				return v
			})
		}
		for _, fn := range x.fns {
			done = done || !x.open && f.captured(s, x, fn, true, check)
		}
		for _, x := range f.ownedBelow(s, x) {
			done = done || check(x, func(*state) av { return x })
		}
	})
}

// closed reports whether v is an arena, or a handle of one, which has ended for good: by Put, or by
// the end of its function.
func (s *state) closed(v av) (_ tag, sure, ok bool) {
	if len(v.tags) != 1 || v.other || v.tags[0].kind != isArena {
		return tag{}, false, false
	}
	t := v.tags[0]
	c := s.lives[t.life]
	if c.closed == nil || c.closed.soft {
		return tag{}, false, false
	}
	t.end = c.closed
	return t, c.shut, true
}

// captured yields what a function literal has captured that it reads or returns itself, until the
// function returns true. If all is true it yields also what the literal reads in some of its calls
// only.
func (f *flow) captured(s *state, v av, fn fnValue, all bool, yield func(av, func(*state) av) bool) bool {
	t, ok := f.targetOf(s, v, fn)
	if !ok || len(t.bound) == 0 {
		return false
	}
	places := slices.Clone(t.sum.Reads)
	var also func(v sumValue)
	also = func(v sumValue) {
		for _, t := range v.Tags {
			if t.Kind == ofParam {
				places = append(places, t.Of)
			}
		}
		for _, step := range slices.Sorted(maps.Keys(v.Below)) {
			also(v.Below[step])
		}
	}
	for _, r := range t.sum.Results {
		also(r)
	}
	for _, c := range t.sum.Calls {
		for _, a := range c.Args {
			also(a)
		}
	}
	for _, st := range t.sum.Stores {
		also(st.Value)
	}
	for _, p := range places {
		if p.Param < t.sum.Params || !all && slices.Contains(t.sum.Perhaps, p) || t.sum.addsKey(p) {
			continue
		}
		look := func(s *state) av {
			t, ok := f.targetOf(s, v, fn)
			if !ok {
				return unknown
			}
			return f.at(s, append(slices.Repeat([]av{unknown}, t.sum.Params), t.bound...), p, false)
		}
		if yield(look(s), look) {
			return true
		}
	}
	return false
}

// addsKey reports whether a function puts keys into a map at a place. What it keeps there is found
// by itself.
func (s *summary) addsKey(p place) bool {
	return strings.HasSuffix(p.Path, stepKey) && slices.ContainsFunc(s.Stores, func(st sumStore) bool { return st.At == p })
}

// lost is for arenas that nobody ends.
func (f *flow) lost(s *state, ret *ssa.Return) {
	if s.loose {
		return
	}
	for _, l := range s.livesInOrder() {
		c := s.lives[l]
		if !c.owned(l) || f.keptBy(s, ret, l) || f.held[l] && !f.stays(c.made.(ssa.Value), 4) {
			continue
		}
		if d := f.notGiven(l, c, "the return in "+f.line(ssas.PosOf(ret))); !f.held[l] {
			f.c.fixLost(d, c.made)
		}
	}
}

// stays reports whether a struct that a call has returned stays in the function: it calls methods
// of it, and reads and fills its fields.
func (f *flow) stays(v ssa.Value, depth int) bool {
	return depth > 0 && !slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.FieldAddr:
			return i.X != v
		case *ssa.Extract:
			return carries(i.Type()) && !isError(i.Type()) && !f.stays(i, depth-1)
		case *ssa.UnOp:
			return !f.stays(i, depth-1)
		case *ssa.Store:
			to, ok := i.Addr.(*ssa.Alloc)
			return i.Addr != v && (!ok || !setOnce(to) || !f.stays(to, depth-1))
		case *ssa.Call:
			return !f.onlyLooks(&i.Call, v)
		case *ssa.Defer:
			return !f.onlyLooks(&i.Call, v)
		case *ssa.Field, *ssa.BinOp, *ssa.Return, *ssa.DebugRef:
			return false
		}
		return true
	})
}

// setOnce reports whether one instruction fills a variable as a whole.
func setOnce(v *ssa.Alloc) bool {
	n := 0
	for _, i := range *v.Referrers() {
		if store, ok := i.(*ssa.Store); ok && store.Addr == v {
			n++
		}
	}
	return n == 1
}

// onlyLooks reports whether a function of the package keeps nothing of an argument.
func (f *flow) onlyLooks(c *ssa.CallCommon, arg ssa.Value) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	sum, n := f.c.summaryOf(fn), slices.Index(c.Args, arg)
	if sum == nil || sum.Keeps || sum.Lends || n < 0 || len(sum.Runs)+len(sum.Sends)+len(sum.Calls) > 0 {
		return false
	}
	has := func(v sumValue) bool {
		return slices.ContainsFunc(v.given(), func(p place) bool { return p.Param == n && p.Path == "" })
	}
	return !slices.ContainsFunc(sum.Results, has) && !slices.ContainsFunc(sum.Stores, func(st sumStore) bool { return has(st.Value) })
}

// owned reports whether an arena was made here that must be returned, and was not.
func (c condition) owned(l *life) bool {
	_, ok := c.made.(*ssa.Call)
	return ok && !c.lent && c.ended == nil && (l.kind == lifePool || l.kind == lifeMemory)
}

func (f *flow) notGiven(l *life, c condition, where string) *finding {
	what, need := "Pool.Get", "Put"
	if l.kind == lifeMemory {
		what, need = "NewWith with a Memory", "Free"
	}
	return f.found(codeLost, ssas.PosOf(c.made), !c.open, tag{life: l, made: c.made}, "the arena of %s is not given back on the way to %s: call %s, or defer it", what, where, need)
}

// turns is for the end of a block that may end a turn of a loop: an arena that the turn has made,
// and that nobody has then, is lost.
func (f *flow) turns(s *state, b *ssa.BasicBlock) {
	for n, head := range b.Succs {
		var post *ssa.BasicBlock
		if head.Comment == "for.post" && len(head.Succs) == 1 {
			post, head = head, head.Succs[0]
		}
		if b.Comment == "for.post" || !head.Dominates(b) || s.loose || len(s.defers) > 0 {
			continue
		}
		f.findLoops()
		loop := f.heads[head]
		for _, l := range s.livesInOrder() {
			c := s.lives[l]
			if !c.owned(l) || !loop[c.made.Block()] {
				continue
			}
			next := f.edge(s, b, b.Succs[n], n)
			if post != nil {
				f.looking = false
				f.block(next, post, 0)
				f.looking = true
				next = f.edge(next, post, head, 0)
			}
			if !f.held[l] && !f.leavesTurn(next, l, loop, head) && next.lives[l].ended == nil {
				f.notGiven(l, c, "the next turn of the loop")
			}
		}
	}
}

// keptBy reports whether a result has the arena, so that the caller ends it.
func (f *flow) keptBy(s *state, ret *ssa.Return, l *life) bool {
	for _, r := range ret.Results {
		v := s.get(r)
		found := v.of(l)
		if v.ptr.root != nil {
			s.below(v.ptr, func(_ loc, x av) { found = found || x.of(l) })
		}
		if found {
			return true
		}
	}
	return false
}
