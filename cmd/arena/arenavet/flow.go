package arenavet

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A flow follows the values of one function. It computes the state in front of each block, until
// nothing changes. Then it goes through the blocks once more, and looks for mistakes.
type flow struct {
	c     *checker
	fn    *ssa.Function
	lives map[lifeKey]*life
	endAt map[endKey]*end
	in    map[*ssa.BasicBlock]*state
	put   map[storeKey]ssa.Instruction // what stored there last, also for each life of its own
	ways  map[*ssa.Call][]*summary     // which functions are called that have ways
	taken wayOf                        // that one of these takes
	said  said                         // what a call of these has said
	gos   map[ssa.Instruction]*goroutine
	left  map[exit]map[ssa.Instruction]bool // see runsOut

	steps    int
	tries    map[tryKey]try
	decides  map[*ssa.Call]bool // calls that say whether they have ended an arena
	looking  bool               // for mistakes, and not while there is a probe
	probe    *probe
	sum      *summary
	order    map[*ssa.BasicBlock]int
	loops    []map[*ssa.BasicBlock]bool
	heads    map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool // the same loops, by their first blocks
	inLoop   map[*ssa.BasicBlock]bool                     // the blocks of all loops
	refs     map[ssa.Value]*life                          // of results that are references
	elems    map[place]sumValue                           // what was stored in elements and keys of what the caller has
	made     []*life                                      // here, and seen by callers
	objects  []ssa.Value                                  // memory that was made here, and seen by callers
	encoded  int                                          // how many values were: see maxEncoded
	exits    []*state
	rets     []*ssa.Return  // of exits
	nest     string         // tells apart what several functions do that one call calls
	results  map[string]av  // of calls of functions that were given, while a summary is applied
	invoked  []*summary     // of functions that call functions which they were given, from the outermost one
	choice   bool           // one of several functions is called, or one is called again
	once     bool           // what is called is called only once
	finds    map[place]bool // where what a called function has not found is stored
	with     bool           // a Put gets this with what it got before: one is the memory of the other
	encoding int
	roots    map[ssa.Value]bool
	defers   *ssa.RunDefers // while that runs
	perhaps  bool           // what is looked at is not done in each call
	waits    bool           // a function is called that waits for goroutines
	chances  []chance
	growths  map[growth]*growth
	turned   map[lifeKey][]*life      // see turnsOf
	now      *state                   // in which something is looked at
	behind   []func()                 // what happens when all functions were called that a function was given
	held     map[*life]bool           // arenas that a called function has put into its result
	inside   ssa.Instruction          // of a function literal, which looks at it, or nil
	as       map[ssa.Value]types.Type // see flowAs
}

type storeKey struct {
	loc  loc
	life *life
}

// stored notes that an instruction has stored a value.
func (f *flow) stored(l loc, v av, at ssa.Instruction) {
	f.put[storeKey{l, nil}] = at
	for _, t := range v.tags {
		f.put[storeKey{l, t.life}] = at
	}
	for field, x := range v.sub {
		f.stored(l.add(field), x, at)
	}
}

// storedBy returns what has stored a value of a life somewhere.
func (f *flow) storedBy(l loc, lf *life) ssa.Instruction {
	if at := f.put[storeKey{l, lf}]; at != nil {
		return at
	}
	return f.put[storeKey{l, nil}]
}

type endKey struct {
	at    ssa.Instruction
	life  *life
	since scope
}

// maxVisits is how often a block is looked at: more often means that the function is not
// understood.
const maxVisits = 40

// maxSteps is how many instructions are looked at for one function, in all visits, and values of
// functions that it calls. A function that needs more is not understood.
const maxSteps = 400_000

// maxSize is how many values a summary has. A function with more is not understood: each call of it
// would be as long.
const maxSize = 500

// maxEncoded is how many values are encoded for the summary of one function, on all its ways. A
// function with more is not understood.
const maxEncoded = 100_000

func (c *checker) flow(fn *ssa.Function) *flow { return c.flowAs(fn, nil) }

// flowAs is flow for parameters that are interfaces with values of some types.
func (c *checker) flowAs(fn *ssa.Function, as map[ssa.Value]types.Type) *flow {
	f := &flow{
		c: c, fn: fn, as: as, lives: map[lifeKey]*life{}, endAt: map[endKey]*end{}, refs: map[ssa.Value]*life{}, elems: map[place]sumValue{}, finds: map[place]bool{}, roots: map[ssa.Value]bool{}, in: map[*ssa.BasicBlock]*state{},
		put: map[storeKey]ssa.Instruction{}, ways: map[*ssa.Call][]*summary{}, decides: map[*ssa.Call]bool{}, held: map[*life]bool{}, gos: map[ssa.Instruction]*goroutine{}, growths: map[growth]*growth{}, left: map[exit]map[ssa.Instruction]bool{}, turned: map[lifeKey][]*life{}, sum: newSummary(fn),
	}
	if len(fn.Blocks) == 0 {
		return f
	}
	entry := f.newState()
	for _, p := range fn.Params {
		f.enter(entry, p)
	}
	for _, v := range fn.FreeVars {
		f.enter(entry, v)
	}
	f.enterRequest(entry)
	for i := range ssas.Instrs(fn) {
		for g := range ssas.Operands[*ssa.Global](i) {
			if handle(g.Type()) {
				entry.val[g] = f.address(av{ptr: loc{g, ""}}, g.Type())
			}
		}
	}
	if !f.solve(f.in, fn.Blocks[0], 0, entry) {
		f.sum.Unknown = true
		return f
	}
	f.looking = true
	f.sum.begin(f.c)
	// In the order in which they run, because a return looks at what was stored on the way.
	for _, b := range slices.SortedFunc(maps.Keys(f.in), func(a, b *ssa.BasicBlock) int { return f.order[a] - f.order[b] }) {
		s := f.in[b].clone()
		f.block(s, b, 0)
		f.turns(s, b)
	}
	f.together()
	f.endless()
	f.freshArenas()
	f.sum.finish(f)
	f.sum.Unknown = f.encoded > maxEncoded || f.sum.size() > maxSize
	return f
}

// enter notes what a parameter is.
func (f *flow) enter(s *state, p ssa.Value) {
	if !carries(p.Type()) {
		return
	}
	if handle(p.Type()) {
		s.set(p, av{tags: []tag{{life: f.newLife(lifeKey{p, ""}, lifeFound, nil), kind: isArena}}, ptr: loc{p, ""}})
		return
	}
	v := av{tags: []tag{{life: f.newLife(lifeKey{p, "~"}, lifeFound, nil), kind: ofParam}}, ptr: loc{p, ""}}
	if t := f.as[p]; t != nil {
		v.dyn = []types.Type{t}
	}
	s.set(p, v)
}

// solve computes the states in front of all blocks that can be reached from an instruction, and
// reports whether it came to an end.
func (f *flow) solve(in map[*ssa.BasicBlock]*state, b *ssa.BasicBlock, from int, s *state) bool {
	if f.order == nil {
		f.number()
	}
	visits := map[*ssa.BasicBlock]int{}
	var work []*ssa.BasicBlock
	queued := map[*ssa.BasicBlock]bool{}
	add := func(begin, out *state, b *ssa.BasicBlock, from int) {
		for i, next := range b.Succs {
			if f.probe != nil && (f.isSet(out, b, i) || f.isNil(out, b, i)) || neverTaken(b, i) {
				continue
			}
			t := f.edge(f.cameOut(begin, out, b, from, i), b, next, i)
			if old := in[next]; old == nil {
				in[next] = t
			} else if !old.join(t, next) {
				continue
			}
			if !queued[next] {
				queued[next] = true
				work = append(work, next)
			}
		}
	}
	if from == 0 {
		in[b] = s.clone()
	}
	out := s.clone()
	if f.block(out, b, from) {
		add(s, out, b, from)
	}
	for len(work) > 0 {
		// The first one in the order of the function, so that joins are complete.
		n := 0
		for i := range work {
			if f.order[work[i]] < f.order[work[n]] {
				n = i
			}
		}
		b := work[n]
		work = append(work[:n], work[n+1:]...)
		queued[b] = false
		if visits[b]++; visits[b] > maxVisits || f.steps > maxSteps {
			return false
		}
		out := in[b].clone()
		if f.block(out, b, 0) {
			add(in[b], out, b, 0)
		}
	}
	return true
}

// neverTaken reports whether a constant, such as one for debugging, decides that a block is not
// followed by one of its successors.
func neverTaken(b *ssa.BasicBlock, succ int) bool {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	c, ok := branch.Cond.(*ssa.Const)
	return ok && c.Value != nil && constant.BoolVal(c.Value) != (succ == 0)
}

// number gives each block its place in reverse postorder, in which what follows a loop comes behind
// it.
func (f *flow) number() {
	f.order = map[*ssa.BasicBlock]int{}
	n := len(f.fn.Blocks)
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, outside := range []bool{true, false} {
			for _, next := range b.Succs {
				if f.jumpsOut(b, next) == outside {
					visit(next)
				}
			}
		}
		f.order[b] = n
		n--
	}
	visit(f.fn.Blocks[0])
}

// jumpsOut reports whether a jump leaves a loop.
func (f *flow) jumpsOut(b, next *ssa.BasicBlock) bool {
	return slices.ContainsFunc(f.findLoops(), func(loop map[*ssa.BasicBlock]bool) bool { return loop[b] && !loop[next] })
}

// edge returns the state at the beginning of a block, for one way that leads there.
func (f *flow) edge(out *state, from, to *ssa.BasicBlock, succ int) *state {
	s := out.clone()
	// A block may be there twice in Preds; which of the two is not important, unless it has phis.
	pred, nth := -1, 0
	for i := range succ {
		if from.Succs[i] == to {
			nth++
		}
	}
	for i, p := range to.Preds {
		if p == from {
			if nth == 0 {
				pred = i
				break
			}
			nth--
		}
	}
	if pred < 0 {
		return s
	}
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		v := out.get(phi.Edges[pred])
		if !f.isHead(to) {
			v = oneWay(f.likePooled(v, phi, pred), phi, pred)
		}
		if f.roots[phi] {
			s.redefined(phi)
		}
		s.set(phi, v)
	}
	s.gos.leave(f, from, to)
	f.receivedAll(s, from, to)
	f.putsEach(s, from, to)
	f.overwritten(s, from, to)
	f.assume(s, from, succ)
	f.came(s, from, to)
	f.chosen(s, from, to, succ)
	return s
}

// overwritten is for the end of a loop that has replaced elements: by copies of themselves, or all
// of a slice.
func (f *flow) overwritten(s *state, from, to *ssa.BasicBlock) {
	if !f.isHead(from) || f.heads[from][to] {
		return
	}
	for b := range f.heads[from] {
		if slices.ContainsFunc(from.Preds, func(pred *ssa.BasicBlock) bool { return f.heads[from][pred] && !b.Dominates(pred) }) {
			continue
		}
		for _, i := range b.Instrs {
			f.replaced(s, i)
			if m := deletesEach(from, i); m != nil {
				s.clear(f.afterTurn(s, b).get(m).ptr)
			}
			store, ok := i.(*ssa.Store)
			if !ok || !carries(store.Val.Type()) || !copies(store) && !eachElement(from, store) {
				continue
			}
			turn := f.afterTurn(s, b)
			p, v := turn.get(store.Addr).ptr, turn.get(store.Val)
			if p.known() && v.sub == nil && (eachElement(from, store) && strings.Contains(p.path, stepElem) || copies(store) && len(v.tags) == 0) {
				s.mem.set(p, v) // without a turn there are no elements
			}
		}
	}
}

// afterTurn returns the state behind a block of a loop, which a state in front of the loop leads
// to.
func (f *flow) afterTurn(s *state, b *ssa.BasicBlock) *state {
	looking, probe := f.looking, f.probe
	defer func() { f.looking, f.probe = looking, probe }()
	f.looking, f.probe = false, nil
	s = s.clone()
	f.block(s, b, 0)
	return s
}

// deletesEach returns the map from which an instruction deletes a key in each turn of a loop over
// its keys, or over a slice, which may have them all.
func deletesEach(head *ssa.BasicBlock, i ssa.Instruction) ssa.Value {
	call, ok := i.(*ssa.Call)
	if !ok || len(call.Call.Args) != 2 {
		return nil
	}
	m, key := call.Call.Args[0], call.Call.Args[1]
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "delete" {
		return nil
	}
	switch key := key.(type) {
	case *ssa.UnOp:
		if elem, ok := key.X.(*ssa.IndexAddr); ok && overEach(head, elem) {
			return m
		}
	case *ssa.Extract:
		next, ok := key.Tuple.(*ssa.Next)
		if ok && next.Block() == head && same(next.Iter.(*ssa.Range).X, m) {
			return m
		}
	}
	return nil
}

// copies reports whether a store puts a value, such as a copy, where it has been read.
func copies(store *ssa.Store) bool {
	call, ok := store.Val.(*ssa.Call)
	to, ok2 := store.Addr.(*ssa.FieldAddr)
	return ok && ok2 && slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool {
		load, ok := arg.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return false
		}
		from, ok := load.X.(*ssa.FieldAddr)
		return ok && from.X == to.X && from.Field == to.Field
	})
}

// eachElement reports whether a store is to the element of each turn of a loop over a slice.
func eachElement(head *ssa.BasicBlock, store *ssa.Store) bool {
	elem := elementOf(store)
	return elem != nil && overEach(head, elem)
}

// overEach reports whether an element is the one of each turn of a loop over a slice.
func overEach(head *ssa.BasicBlock, elem *ssa.IndexAddr) bool {
	cond, ok := head.Instrs[len(head.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	less, ok := cond.Cond.(*ssa.BinOp)
	if !ok || less.X != elem.Index {
		return false
	}
	length, ok := less.Y.(*ssa.Call)
	return ok && len(length.Call.Args) == 1 && length.Call.Args[0] == elem.X
}

// elementOf returns the element in which an instruction stores something, or in a field of which.
func elementOf(store *ssa.Store) *ssa.IndexAddr {
	addr := store.Addr
	if field, ok := addr.(*ssa.FieldAddr); ok {
		addr = field.X
	}
	elem, _ := addr.(*ssa.IndexAddr)
	return elem
}

// An element is where an instruction stores something: an element of a slice or a map, or a field
// of it.
type element struct{ base, key, val, field ssa.Value }

func storesElement(i ssa.Instruction) (e element, ok bool) {
	switch i := i.(type) {
	case *ssa.MapUpdate:
		return element{i.Map, i.Key, i.Value, nil}, carries(i.Value.Type())
	case *ssa.Store:
		if elem := elementOf(i); elem != nil {
			e = element{elem.X, elem.Index, i.Val, nil}
			if i.Addr != elem {
				e.field = i.Addr
			}
			return e, carries(i.Val.Type())
		}
	}
	return e, false
}

// replaces reports whether what an instruction stores takes the place of another element. It is
// made of one, or is stored where another instruction stores one.
func (e element) replaces(at ssa.Instruction) bool {
	if madeOfElement(e.val, e.base, 6) || madeOfElement(e.key, e.base, 6) {
		return true
	}
	for i := range ssas.Instrs(at.Parent()) {
		if other, ok := storesElement(i); ok && i != at && same(other.base, e.base) && sameKey(other.key, e.key) && (other.field == nil) == (e.field == nil) {
			return true
		}
	}
	return false
}

// madeOfElement reports whether a value was computed from an element of a slice or a map.
func madeOfElement(v, base ssa.Value, depth int) bool {
	var from ssa.Value
	switch x := v.(type) {
	case *ssa.IndexAddr:
		from = x.X
	case *ssa.Lookup:
		from = x.X
	case *ssa.Range:
		from = x.X
	}
	if from != nil {
		return same(from, base)
	}
	i, ok := v.(ssa.Instruction)
	return ok && depth > 0 && slices.ContainsFunc(i.Operands(nil), func(o *ssa.Value) bool { return *o != nil && madeOfElement(*o, base, depth-1) })
}

// same reports whether two values are one, or what lies in one variable.
func same(a, b ssa.Value) bool {
	x, ok := a.(*ssa.UnOp)
	y, ok2 := b.(*ssa.UnOp)
	if ok && ok2 && x.Op == token.MUL && y.Op == token.MUL {
		a, b = x.X, y.X
		v, ok := a.(*ssa.FieldAddr)
		w, ok2 := b.(*ssa.FieldAddr)
		return a == b || ok && ok2 && v.Field == w.Field && same(v.X, w.X)
	}
	return a == b
}

// replaced is for an instruction that replaces an element. Unless the new one has something of an
// arena, it counts as if it replaced all.
func (f *flow) replaced(s *state, at ssa.Instruction) {
	e, ok := storesElement(at)
	if !ok {
		return
	}
	p := s.get(e.base).ptr
	v := s.get(e.val)
	if !p.known() || v.tagged() || !e.replaces(at) {
		return
	}
	if v.ptr.made() { // or its elements have something
		tagged := false
		s.reachable(v.ptr, func(_ loc, x av) { tagged = tagged || x.tagged() })
		if tagged {
			return
		}
	}
	if field, ok := e.field.(*ssa.FieldAddr); ok {
		s.clearBelow(p, "."+fieldName(field.X.Type(), field.Field))
		return
	}
	s.clearBelow(p, "")
	f.clears(p)
}

// onesOf returns the places, one of which is at an address: fields, or whatever lies below what the
// caller has given, where another function has looked for the place of a node.
func (f *flow) onesOf(s *state, addr ssa.Value) (all []loc) {
	for _, field := range fieldsOf(addr) {
		if l := s.get(field).ptr; l.known() {
			all = append(all, l)
		}
	}
	if f.isSlot(addr) {
		for _, t := range s.get(addr).tags {
			if l := (loc{t.life.root, strings.TrimSuffix(t.life.path, "~") + stepElem}); t.kind == ofParam && l.known() {
				all = append(all, l)
			}
		}
	}
	return all
}

// isSlot reports whether an address is where a pointer lies that a function has looked for.
func (f *flow) isSlot(addr ssa.Value) bool {
	call, ok := addr.(*ssa.Call)
	return ok && isPointer(elementType(addr.Type())) && call.Call.StaticCallee() != nil && f.opOf(call) == opNone
}

// fieldsOf returns the fields at which a pointer may point that is one of several.
func fieldsOf(v ssa.Value) (all []*ssa.FieldAddr) {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		switch v := v.(type) {
		case *ssa.FieldAddr:
			all = append(all, v)
		case *ssa.Phi:
			if !seen[v] {
				seen[v] = true
				for _, e := range v.Edges {
					visit(e)
				}
			}
		}
	}
	visit(v)
	return all
}

// shortens reports whether a store takes elements out of a slice, as a stack does it.
func shortens(store *ssa.Store) bool {
	cut, ok := store.Val.(*ssa.Slice)
	if !ok || !isSlice(cut.X.Type()) || cut.Low == nil && cut.High == nil || cutAll(cut) {
		return false
	}
	load, ok := cut.X.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	x, ok := load.X.(*ssa.FieldAddr)
	y, ok2 := store.Addr.(*ssa.FieldAddr)
	if leavesSome(store, load) {
		return false
	}
	return load.X == store.Addr || ok && ok2 && x.Field == y.Field && same(x.X, y.X)
}

// leavesSome reports whether an instruction that takes elements out of something is only done if it
// has more of them than a number.
func leavesSome(at ssa.Instruction, from ssa.Value) bool {
	for b := at.Block(); b.Idom() != nil; b = b.Idom() {
		branch, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If)
		if !ok || len(b.Preds) != 1 || b.Idom().Succs[0] != b {
			continue
		}
		cond, ok := branch.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		n, ok := cond.Y.(*ssa.Const)
		length, ok2 := cond.X.(*ssa.Call)
		if !ok || !ok2 || n.Value == nil || n.Value.Kind() != constant.Int || len(length.Call.Args) != 1 {
			continue
		}
		builtin, ok := length.Call.Value.(*ssa.Builtin)
		if (ok && builtin.Name() == "len" || !ok && ssas.Callee(&length.Call) != nil && ssas.Callee(&length.Call).Name() == "Len") &&
			(cond.Op == token.GTR && n.Int64() > 0 || cond.Op == token.GEQ && n.Int64() > 1) && inVariable(length.Call.Args[0]) == inVariable(from) {
			return true
		}
	}
	return false
}

// inVariable returns the variable in which a value lies, or the value.
func inVariable(v ssa.Value) ssa.Value {
	v = converted(v)
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return load.X
	}
	return v
}

// isEmptyContainer reports whether a value is a map or a slice without elements.
func isEmptyContainer(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeMap:
		return true
	case *ssa.Const:
		return isMap(v.Type()) || isSlice(v.Type())
	case *ssa.Slice:
		return cutAll(v)
	}
	return newSlice(v)
}

// isFirst reports whether a store fills a field that was nil.
func isFirst(store *ssa.Store) bool {
	b := store.Block()
	if len(b.Preds) != 1 {
		return false
	}
	branch, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	return ok && whenNil(cond, cond.X) == slices.Index(b.Preds[0].Succs, b)+1 && fieldOf(store.Addr) != nil && fieldAt(cond.X) == fieldOf(store.Addr)
}

// cutAll reports whether nothing is left of a slice.
func cutAll(cut *ssa.Slice) bool {
	c, ok := cut.High.(*ssa.Const)
	return ok && c.Int64() == 0
}

// shortened is for a slice that has lost an element: the others may have nothing of an arena.
func (f *flow) shortened(s *state, l loc, at ssa.Instruction) {
	all := []loc{l}
	s.below(l, func(k loc, _ av) { all = append(all, k) })
	for _, l := range all {
		if l.known() {
			f.note(s, l, unknown, at)
			s.perhaps(l, unknown)
		}
	}
}

// oneWay returns what a variable is that has the value v on one way. What it is at the head of a
// loop may be of another turn.
func oneWay(v av, phi *ssa.Phi, n int) av {
	if c, ok := phi.Edges[n].(*ssa.Const); ok && c.Value != nil && !isEmpty(c) {
		return unknown
	}
	for _, x := range phi.Edges {
		if c, ok := x.(*ssa.Const); ok && (c.Value == nil || isEmpty(c)) {
			v.none = true
		}
	}
	if len(v.tags) == 0 && v.ptr.root != nil {
		v.other = true // it is on the heap
	}
	return v
}

// isHead reports whether a block begins a loop.
func (f *flow) isHead(b *ssa.BasicBlock) bool {
	f.findLoops()
	return f.heads[b] != nil
}

// assume notes what the condition at the end of a block says: a value that is nil has nothing of an
// arena, and one that is not is one of the others.
func (f *flow) assume(s *state, from *ssa.BasicBlock, succ int) {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return
	}
	if x := emptyIf(cond, succ == 0); x != nil {
		s.clear(s.get(x).ptr)
	}
	if cond.Op != token.EQL && cond.Op != token.NEQ {
		return
	}
	x := cond.X
	if c, ok := cond.Y.(*ssa.Const); !ok || c.Value != nil && !(ssas.IsString(x.Type()) && c.Value.ExactString() == `""`) {
		return
	}
	v := av{}
	if (cond.Op == token.EQL) != (succ == 0) {
		if v = s.get(x); !v.none {
			return
		}
		v.none = false
	} else if all := arenas(s.get(x)); len(all) == 1 && all[0].kind == lifeFound {
		s.lives[all[0]] = condition{shut: true} // there is none on this way
	}
	if _, ok := s.val[x]; !ok {
		return // join would take what is not known for what was not computed
	}
	s.val[x] = v
	if l, ok := x.(*ssa.UnOp); ok && l.Op == token.MUL && l.Block() == from {
		s.mem.set(s.get(l.X).ptr, v)
	}
}

// isSet reports whether a block is left only if something is nil, or "", that surely is not: the
// block has asked for it before the arena has ended.
func (f *flow) isSet(s *state, from *ssa.BasicBlock, succ int) bool {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL && cond.Op != token.NEQ || (cond.Op == token.EQL) != (succ == 0) {
		return false
	}
	if c, ok := cond.Y.(*ssa.Const); !ok || c.Value != nil && !isEmpty(c) {
		return false
	}
	v := s.get(cond.X)
	return v.stale(false) && !v.none && !slices.ContainsFunc(v.tags, func(t tag) bool {
		return t.life.kind == lifeSync || t.end.at.Parent() != f.fn || !from.Dominates(t.end.at.Block())
	})
}

// isNil reports whether a block is left only if a pointer is not nil that surely is, or found in a
// map that surely does not have it. The pointer is to a type of the package or of arenas: no
// function of the standard library returns one.
func (f *flow) isNil(s *state, from *ssa.BasicBlock, succ int) bool {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	var v av
	var t types.Type
	switch cond := branch.Cond.(type) {
	case *ssa.BinOp:
		if whenNil(cond, cond.X) != 2-succ {
			return false
		}
		v, t = s.get(cond.X), cond.X.Type()
	case *ssa.Extract:
		m, ok := cond.Tuple.(*ssa.Lookup)
		if !ok || succ != 0 {
			return false
		}
		v, t = s.get(m).sub["#0"], elementType(m.X.Type())
	default:
		return false
	}
	n := names.Type(t)
	return v.zero() && isPointer(t) && n != nil && (n.Obj().Pkg() == f.c.pkg || coreType(t) != "")
}

// emptyIf returns the slice or map that has no elements if a condition holds, or if it does not, or
// nil.
func emptyIf(cond *ssa.BinOp, holds bool) ssa.Value {
	length, ok := cond.X.(*ssa.Call)
	c, ok2 := cond.Y.(*ssa.Const)
	if !ok || !ok2 || c.Value == nil || c.Value.Kind() != constant.Int {
		return nil
	}
	b, ok := length.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "len" {
		return nil
	}
	none := false
	switch n := c.Int64(); cond.Op {
	case token.EQL, token.LEQ:
		none = holds && n == 0
	case token.LSS:
		none = holds && n == 1
	case token.NEQ, token.GTR:
		none = !holds && n == 0
	case token.GEQ:
		none = !holds && n == 1
	}
	if !none {
		return nil
	}
	return length.Call.Args[0]
}

// block goes through the instructions of a block. It reports whether it came to the end: a probe
// ends it.
func (f *flow) block(s *state, b *ssa.BasicBlock, from int) bool {
	f.steps += len(b.Instrs) - from + len(s.val)/8
	for _, instr := range b.Instrs[from:] {
		if f.probe != nil && f.probe.at(instr) {
			f.probe.look(s, instr)
			return false
		}
		f.step(s, instr)
	}
	return true
}

// step does what an instruction does.
func (f *flow) step(s *state, instr ssa.Instruction) {
	f.now = s
	if v, ok := instr.(ssa.Value); ok && len(f.roots) > 0 && f.roots[v] {
		if _, isPhi := v.(*ssa.Phi); !isPhi {
			s.redefined(v)
		}
	}
	if v, ok := instr.(ssa.Value); ok && len(s.gos.now)+len(s.gos.turn) > 0 {
		s.gos.drop(func(g *goroutine) bool { return g.value == v })
	}
	if len(s.keys) > 0 {
		if v, ok := instr.(ssa.Value); ok {
			maps.DeleteFunc(s.keys, func(_ *life, key ssa.Value) bool { return key == v })
		}
	}
	switch i := instr.(type) {
	case *ssa.Alloc:
		s.again(i, i)
		for _, t := range s.get(i).tags {
			s.renew(t.life, i)
		}
	case *ssa.MakeMap, *ssa.MakeSlice:
		s.again(i, i.(ssa.Value))
	case *ssa.MakeChan, *ssa.FieldAddr, *ssa.IndexAddr: // get knows
	case *ssa.UnOp:
		f.unop(s, i)
	case *ssa.BinOp:
		if ssas.IsString(i.X.Type()) && !isEmpty(i.X) && !isEmpty(i.Y) {
			f.use(s, i.X, i)
			f.use(s, i.Y, i)
		}
		s.set(i, unknown)
	case *ssa.Field:
		f.field(s, i)
	case *ssa.Index:
		f.use(s, i.X, i)
		v, sub := unknown, s.get(i.X).sub
		for _, step := range slices.Sorted(maps.Keys(sub)) {
			if step == stepElem || strings.HasPrefix(step, ".#") && strings.Trim(step, ".#0123456789") == "" {
				v = joinValues(v, av{tags: sub[step].tags})
			}
		}
		s.set(i, v)
	case *ssa.Lookup:
		f.lookup(s, i)
	case *ssa.Slice:
		v := s.get(i.X)
		v.sub = nil
		if cutAll(i) {
			if v.many || !f.goesBack(s, i, i.X) { // or it is the same slice from one turn to the other
				v.ptr = loc{i, ""}
			}
			v.from = loc{}
			s.forget(v.ptr)
			s.mem.set(v.ptr.add(stepAll), av{})
		}
		s.set(i, v)
	case *ssa.Convert:
		if ssas.IsString(i.X.Type()) != ssas.IsString(i.Type()) {
			f.use(s, i.X, i)
			s.forget(loc{i, ""})
			s.val[i] = av{ptr: loc{i, ""}}
			return
		}
		s.set(i, s.get(i.X))
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.SliceToArrayPointer:
		s.set(i.(ssa.Value), s.get(*i.Operands(nil)[0]))
	case *ssa.MakeInterface:
		v := s.get(i.X)
		if !carries(i.X.Type()) {
			v = av{}
		}
		v.dyn = []types.Type{i.X.Type()}
		s.set(i, v)
		if v.zero() {
			s.val[i] = v
		}
	case *ssa.TypeAssert:
		v := s.get(i.X)
		if i.CommaOk {
			v = av{sub: map[string]av{"#0": v, "#1": {}}}
		}
		s.set(i, v)
	case *ssa.Extract:
		t := s.get(i.Tuple)
		if v, ok := t.sub[extracted(i.Index)]; ok {
			s.set(i, v)
		} else {
			s.set(i, unknown)
		}
	case *ssa.Phi: // edge has set it
	case *ssa.Range:
		if ssas.IsString(i.X.Type()) {
			f.use(s, i.X, i)
		}
		s.val[i] = s.get(i.X)
	case *ssa.Next:
		if r, ok := i.Iter.(*ssa.Range); ok && !i.IsString {
			v := s.get(r)
			f.useValue(v, i, func(s *state) av { return s.get(r) })
			s.val[i] = f.through(v, av{sub: map[string]av{"#1": f.element(s, v.ptr, stepKey, keyType(r.X.Type())), "#2": f.element(s, v.ptr, stepElem, elementType(r.X.Type()))}})
		}
	case *ssa.Store:
		f.use(s, i.Addr, i)
		v := s.get(i.Val)
		if !carries(i.Val.Type()) {
			return
		}
		p := s.get(i.Addr)
		if f.c.owning && f.looking {
			f.noteOwner(s, i)
		}
		f.replaced(s, i)
		v = f.givenBack(s, i, v)
		f.shares(s, i, v)
		if field, ok := i.Addr.(*ssa.FieldAddr); ok && !v.tagged() {
			s.overwrites(s.get(field.X))
		}
		if !p.ptr.known() || f.isSlot(i.Addr) {
			for _, l := range f.onesOf(s, i.Addr) {
				f.note(s, l, v, i)
				s.perhaps(l, v)
			}
			return
		}
		if !f.c.owning && shortens(i) {
			f.shortened(s, v.ptr.add(stepElem), i)
		}
		if !f.c.pools && isEmptyContainer(i.Val) && !isFirst(i) {
			f.clears(p.ptr.add(stepDeref))
		}
		f.note(s, p.ptr, v, i)
		if p.many {
			v = joinValues(f.load(s, p.ptr, i.Val.Type()), v) // the others stay as they are
		}
		s.store(p.ptr, v)
	case *ssa.MapUpdate:
		f.use(s, i.Map, i)
		if ssas.IsString(i.Key.Type()) {
			f.use(s, i.Key, i)
		}
		f.useKeys(s, i.Map, i)
		m := s.get(i.Map).ptr
		f.replaced(s, i)
		for _, p := range []struct {
			step string
			v    ssa.Value
		}{{stepKey, i.Key}, {stepElem, i.Value}} {
			if carries(p.v.Type()) {
				f.note(s, m.add(p.step), s.get(p.v), i)
				s.store(m.add(p.step), s.get(p.v))
			}
			if v, ok := s.mem.get(m.add(p.step)); ok && v.none && p.step == stepKey {
				v.none = false // it has one
				s.mem.set(m.add(p.step), v)
			}
		}
	case *ssa.Send:
		f.send(s, i)
	case *ssa.Select:
		if !distinguished(i) {
			s.waited() // or chosen knows
		}
		for _, st := range i.States {
			if st.Send != nil {
				f.use(s, st.Send, i)
				f.lend(s, s.get(st.Send))
				s.perhaps(s.get(st.Chan).ptr.add(stepSent), unknown)
				if holds := f.sent(s, st.Send); len(holds) > 0 && !distinguished(i) {
					g := f.goroutine(i, holds, nil)
					g.send, g.pos = true, st.Pos
					s.gos.start(g)
				}
			}
		}
		s.val[i] = unknown
		f.cases(s, i)
	case *ssa.MakeClosure:
		s.again(i, i)
		s.val[i] = av{ptr: loc{i, ""}, fns: []fnValue{{literal: i}}}
		f.closure(s, i)
	case *ssa.Call:
		f.call(s, i, i)
	case *ssa.Defer:
		f.deferred(s, i)
	case *ssa.Go:
		f.goes(s, i)
	case *ssa.RunDefers:
		f.defers = i
		running := &goroutine{at: i} // until one of the calls waits
		s.gos.start(running)
		for n := len(s.defers) - 1; n >= 0; n-- {
			if !s.gos.now[running] {
				f.defers = nil
			}
			f.call(s, s.defers[n], s.defers[n])
		}
		f.defers = nil
		delete(s.gos.now, running)
	case *ssa.Return:
		f.exit(s, i)
	case *ssa.Panic:
		f.panics(s, i)
	default:
		if v, ok := instr.(ssa.Value); ok {
			s.set(v, unknown)
		}
	}
}

func (f *flow) unop(s *state, i *ssa.UnOp) {
	switch i.Op {
	case token.MUL:
		f.use(s, i.X, i)
		p := s.get(i.X)
		l := p.ptr
		if !carries(i.Type()) {
			return
		}
		var v av
		if strings.HasSuffix(l.path, stepElem) {
			v = f.element(s, loc{l.root, strings.TrimSuffix(l.path, stepElem)}, stepElem, i.Type())
			if isStruct(i.Type()) && v.ptr.root == nil {
				v.ptr = l
			}
		} else {
			v = f.load(s, l, i.Type())
		}
		s.set(i, f.pooled(s, i.X, f.through(p, v.text(i.Type())), i.Type()))
	case token.ARROW:
		s.gos.over(func(g *goroutine) bool { return !f.oneOfMany(g, i) })
		v := unknown
		if p := s.get(i.X).ptr; p.known() && carries(elementType(i.X.Type())) {
			v = f.load(s, p.add(stepSent), elementType(i.X.Type()))
			v.other = v.other || !private(p.root)
			f.received(s, v.ptr, i)
		}
		if i.CommaOk {
			v = av{sub: map[string]av{"#0": v, "#1": {}}}
		}
		s.set(i, v)
	default:
		s.set(i, unknown)
	}
}

// received is for what comes from a channel in each turn of a loop. It is another one, so what has
// ended since the last turn is not of it, unless this function has made the arena.
func (f *flow) received(s *state, l loc, at ssa.Instruction) {
	if !f.repeats(at) {
		return
	}
	others := func(l *life, e *end) bool {
		_, own := l.root.(*ssa.Call)
		return !own && l.kind != lifeFound && e != nil && follows(at, e.at)
	}
	seen := map[loc]bool{l: true}
	for work := []loc{l}; len(work) > 0 && len(seen) < 20; work = work[1:] {
		s.below(work[0], func(at loc, v av) {
			v, changed := v.change(true, func(t tag) tag {
				if others(t.life, t.end) {
					t.end = nil
				}
				return t
			})
			if changed {
				s.mem.set(at, v)
			}
			if v.ptr.root == l.root && !seen[v.ptr] { // the same function has made it
				seen[v.ptr] = true
				work = append(work, v.ptr)
			}
		})
	}
	for l, c := range s.lives {
		if others(l, c.ended) {
			s.lives[l] = condition{open: true, lent: c.lent}
		}
	}
}

// element returns what the elements or keys at l may be, which are of type t, and of which single
// ones may be known.
func (f *flow) element(s *state, l loc, step string, t types.Type) av {
	if !l.known() {
		return unknown
	}
	if !isStruct(t) && !handle(t) {
		t = types.Typ[types.String]
	}
	v := f.load(s, l.add(step), t)
	if step == stepElem {
		seen := map[string]bool{}
		before := l.path + ".#"
		for _, path := range matching(s.mem.roots[l.root], func(path string) bool { return strings.HasPrefix(path, before) }) {
			single := path[:len(path)-len(strings.TrimLeft(path[len(before):], "0123456789"))]
			if !seen[single] && (single == path || isStruct(t)) {
				seen[single] = true
				v = joinValues(v, f.load(s, loc{l.root, single}, t))
			}
		}
	}
	if len(arenas(v)) > 0 {
		v.other = true // each element may be another arena
	}
	return v
}

// elementType returns the type of the elements of a slice, an array, a channel or a map, or of what
// a pointer leads to.
func elementType(t types.Type) types.Type {
	if e, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
		return e.Elem()
	}
	return types.Typ[types.String]
}

func keyType(t types.Type) types.Type {
	if m, ok := t.Underlying().(*types.Map); ok {
		return m.Key()
	}
	if coreType(t) == "Map" && names.Type(t).TypeArgs().Len() > 0 {
		return names.Type(t).TypeArgs().At(0)
	}
	return types.Typ[types.String]
}

func (f *flow) field(s *state, i *ssa.Field) {
	v := s.get(i.X)
	step := "." + fieldName(i.X.Type(), i.Field)
	if x, ok := v.sub[step]; ok {
		s.set(i, x)
		return
	}
	if v.ptr.root != nil && v.ptr.root != i.X {
		s.set(i, f.through(v, f.load(s, v.ptr.add(step), i.Type())))
		return
	}
	if v.zero() {
		s.val[i] = av{}
		return
	}
	if handle(i.Type()) || len(v.only(func(t tag) bool { return t.kind == ofParam })) > 0 {
		s.set(i, f.fallback(s, loc{i.X, step}, i.Type()))
		return
	}
	s.set(i, av{tags: v.tags, other: true})
}

func (f *flow) lookup(s *state, i *ssa.Lookup) {
	if ssas.IsString(i.Index.Type()) {
		f.use(s, i.Index, i)
	}
	f.use(s, i.X, i)
	f.useKeys(s, i.X, i)
	m := s.get(i.X)
	v := f.through(m, f.element(s, m.ptr, stepElem, elementType(i.X.Type())).text(elementType(i.X.Type())))
	if i.CommaOk {
		v = av{sub: map[string]av{"#0": v, "#1": {}}}
	}
	s.set(i, v)
}

func extracted(n int) string { return "#" + string(rune('0'+n)) }

func isEmpty(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == `""`
}

func fieldName(t types.Type, n int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		return st.Field(n).Name()
	}
	return "?"
}

// waited is for what may wait for goroutines.
func (s *state) waited() { s.gos.over(func(*goroutine) bool { return true }) }

// waitedFor is for a call that waits. A WaitGroup of the function waits for no goroutine that does
// not have it and signals nothing.
func (s *state) waitedFor(args []ssa.Value) {
	var group *ssa.Alloc
	if len(args) > 0 {
		group, _ = args[0].(*ssa.Alloc)
	}
	s.gos.over(func(g *goroutine) bool { return group == nil || !g.quiet || has(g.at, group) })
}

// has reports whether an instruction is given a value, a literal that has it, or the variable it
// was loaded from.
func has(i ssa.Instruction, v ssa.Value) bool {
	variable := v
	if load, ok := v.(*ssa.UnOp); ok {
		variable = load.X
	}
	return slices.ContainsFunc(i.Operands(nil), func(o *ssa.Value) bool {
		c, ok := (*o).(*ssa.MakeClosure)
		return same(*o, v) || *o == variable || ok && has(c, v)
	})
}

// locked is for who takes a lock.
func (s *state) locked() { s.gos.over(func(g *goroutine) bool { return g.locks }) }

// mayWait is for a call of which nothing is known. It does not wait for a goroutine that signals
// nothing, unless its name says so, and to cancel a context is not to wait. To close what a
// goroutine does not have is not to wait for it.
func (s *state) mayWait(c *ssa.CallCommon) {
	if names.Is(c.Value.Type(), "context", "CancelFunc") {
		return
	}
	fn := ssas.Callee(c)
	if fn != nil && !c.IsInvoke() && processing[names.Package(fn)] && getters.MatchString(fn.Name()) {
		return
	}
	s.f.sum.Waits = s.f.sum.Waits || fn != nil && waits.MatchString(fn.Name())
	quiet := func(g *goroutine) bool {
		switch {
		case !g.quiet:
			return false
		case fn == nil:
			_, result := c.Value.(*ssa.Call) // or it stops a timer
			return !result
		case !c.IsInvoke() && !processing[names.Package(fn)]:
			return false
		}
		_, started := g.at.(*ssa.Go)
		return !waits.MatchString(fn.Name()) || started && c.IsInvoke() && !has(g.at, c.Value)
	}
	s.gos.over(func(g *goroutine) bool { return !quiet(g) })
}

// processing has packages whose functions read, write and convert, and wait for nobody else.
var processing = map[string]bool{"bufio": true, "bytes": true, "encoding/binary": true, "encoding/csv": true, "encoding/json": true, "encoding/xml": true, "io": true, "sort": true}

// getters matches names of their methods that only say what is there.
var getters = regexp.MustCompile("^(Available|Buffered|Bytes|Cap|Err|Len|Size|String|Text)$")

var waits = regexp.MustCompile("(?i)wait|join|sync|flush|close|stop|shut|done|drain|finish|end")
