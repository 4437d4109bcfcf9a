package lives

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// end proves that nothing is left of the arenas that end e ends, in calls of the function that the
// analysis begins with. It is wider if that depends on the callers of this function, who have the
// arena, too.
func (a *analysis) end(e End) (proof Proof, wider bool) {
	var all []*instance
	for _, in := range a.instances {
		if in.fn == e.fn {
			all = append(all, in)
		}
	}
	if len(all) == 0 {
		return Proof{Why: Why{Reason: Caller}}, false
	}
	handles := &set{}
	for _, in := range all {
		handles.UnionWith(a.ended(in, e))
	}
	if handles.Has(old) {
		return Proof{}, true
	}
	if a.escapes(e.fn) {
		return a.failed(Why{Reason: Kept}, e.at), false
	}
	mine := a.inArenasAt(handles, a.spanOf(e, all))
	if proof := a.left(mine, handles); !proof.Proved {
		return proof, false
	}
	if (e.Kind == GroupReset || e.Kind == GroupFree) && !a.waits(e) {
		return a.failed(Why{Reason: NotWaited}, e.at), false
	}
	seen := map[site]bool{}
	todo := []site{}
	for _, in := range all {
		todo = append(todo, site{in, e.at})
	}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if seen[s] {
			continue
		}
		seen[s] = true
		if why, path := a.liveAfter(s, mine); path != nil {
			return Proof{Why: why, Path: path}, false
		}
		if s.in == a.top {
			if !e.Kind.goesOn() {
				if path := a.returnedAfter(s, handles); path != nil {
					return Proof{Why: Why{Reason: Closed}, Path: path}, false
				}
			}
			continue
		}
		todo = slices.AppendSeq(todo, maps.Keys(a.ends.callers[s.in]))
	}
	return Proof{Proved: true}, false
}

// returnedAfter looks for a result with an arena that has been returned.
func (a *analysis) returnedAfter(s site, handles *set) []Step {
	behind := a.behind(s.in.fn, s.at, never)
	for _, b := range s.in.fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || !behind[ret] {
			continue
		}
		for _, r := range ret.Results {
			if id, path := a.holding(s.in, r, handles); id != old {
				return append(a.way(id, path), Step{a.position(ret), Why{Reason: Closed}.String()})
			}
		}
	}
	return nil
}

// waits tells whether all goroutines of a Group have ended where it ends: on each way from where
// they are started a call of Wait is before the end.
func (a *analysis) waits(e End) bool {
	if _, ok := e.at.(*ssa.Defer); ok && len(a.ends.started) > 0 {
		return false
	}
	for s := range a.ends.started {
		var from ssa.Instruction
		if s.in.fn == e.fn {
			from = s.at
		}
		if a.behind(e.fn, from, func(i ssa.Instruction) bool { return calls(i, opWait) })[e.at] {
			return false
		}
	}
	return true
}

// isLeft tells whether it is certain already that something is left of the arenas in question, or
// that callers have them: for each end, if there are several.
func (a *analysis) isLeft() bool {
	if len(a.ends.all) == 0 {
		mine, handles := a.ofContexts()
		mine.UnionWith(handles)
		return mine.meets(&a.outside)
	}
	for _, e := range a.ends.all {
		handles := &set{}
		var all []*instance
		for _, in := range a.instances {
			if in.fn == e.fn {
				all = append(all, in)
				handles.UnionWith(a.ended(in, e))
			}
		}
		if handles.Has(old) {
			continue // it depends on callers
		}
		if handles.IsEmpty() {
			return false
		}
		mine := a.inArenasAt(handles, a.spanOf(e, all))
		if !mine.meets(&a.outside) && !handles.meets(&a.outside) {
			return false
		}
	}
	return true
}

// ended returns the arenas that an end in an instance ends.
func (a *analysis) ended(in *instance, e End) *set {
	com := e.at.Common()
	switch e.Kind {
	case Do:
		s := &set{}
		if id, ok := a.byPlace[objectKey{in, e.at, -20}]; ok {
			s.Insert(id)
		}
		return s
	case Put:
		return a.arenas([]operand{a.operand(in, com.Args[1])})
	}
	return a.arenas([]operand{a.operand(in, com.Args[0])})
}

// inArenas returns the objects that may lie in arenas.
func (a *analysis) inArenas(handles *set) *set {
	all := &set{}
	for id, o := range a.objects {
		if id == old {
			continue
		}
		hit := false
		each(&o.from, func(h int) { hit = hit || handles.Has(h) })
		if hit {
			all.Insert(id)
		}
	}
	return all
}

// sitesOf returns the instructions of the first function from which an end may be reached.
func (a *analysis) sitesOf(all []*instance, at ssa.CallInstruction) map[ssa.Instruction]bool {
	sites := map[ssa.Instruction]bool{}
	seen := map[site]bool{}
	var todo []site
	for _, in := range all {
		todo = append(todo, site{in, at})
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		if s.in == a.top {
			if _, ok := s.at.(*ssa.Defer); ok {
				return nil // at the end, behind everything
			}
			sites[s.at] = true
		}
		todo = slices.AppendSeq(todo, maps.Keys(a.ends.callers[s.in]))
	}
	return sites
}

// A span is what an end may end: what instances of a function make at some instructions, and what
// is made in calls there.
type span struct {
	from []*instance
	at   map[ssa.Instruction]bool
}

// spanOf returns the span of an end in instances, or nil if it may end everything.
func (a *analysis) spanOf(e End, all []*instance) *span {
	if mark := markOf(e); mark != nil {
		within := a.behind(e.fn, mark, never)
		if _, deferred := e.at.(*ssa.Defer); !deferred {
			before := a.before(e.fn, map[ssa.Instruction]bool{e.at: true}, mark)
			maps.DeleteFunc(within, func(i ssa.Instruction, _ bool) bool { return !before[i] })
		}
		return &span{all, within}
	}
	sites := a.sitesOf(all, e.at)
	if len(sites) == 0 || len(a.ends.callers[a.top]) > 0 {
		return nil
	}
	within := a.before(a.top.fn, sites, nil)
	maps.Copy(within, sites)
	return &span{[]*instance{a.top}, within}
}

// markOf returns the call that makes the Mark of a Rewind, if it is in the same function. Other
// ends are taken to end everything that was made before.
func markOf(e End) ssa.Instruction {
	if e.Kind != Rewind {
		return nil
	}
	if mark, ok := e.at.Common().Args[1].(*ssa.Call); ok && calls(mark, opMark) {
		return mark
	}
	return nil
}

// inArenasAt returns the objects of arenas that an end with this span may end. A nil span has all.
func (a *analysis) inArenasAt(handles *set, end *span) *set {
	all := a.inArenas(handles)
	if end == nil {
		return all
	}
	before := map[*instance]bool{} // the span has all that they make
	var todo []*instance
	below := map[*instance][]*instance{}
	for callee, sites := range a.ends.callers {
		for s := range sites {
			below[s.in] = append(below[s.in], callee)
			if end.at[s.at] && slices.Contains(end.from, s.in) {
				todo = append(todo, callee)
			}
		}
	}
	for len(todo) > 0 {
		in := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !before[in] {
			before[in] = true
			todo = append(todo, below[in]...)
		}
	}
	for key, id := range a.byPlace {
		if all.Has(id) && !before[key.in] && !(end.at[key.at] && slices.Contains(end.from, key.in)) {
			all.Remove(id)
		}
	}
	return all
}

// calls tells whether an instruction calls a function with this op.
func calls(i ssa.Instruction, want op) bool {
	c, ok := i.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil {
		return false
	}
	does, ok := opOf(c.Call.StaticCallee())
	return ok && does == want
}

// escapes tells whether a function literal may be called by others than those in the analysis.
func (a *analysis) escapes(fn *ssa.Function) bool {
	if id, ok := a.functions[fn]; ok && fn.Parent() != nil && a.objects[id].out {
		return true
	}
	if a.top.fn == fn {
		return false
	}
	closures, kept := &set{}, false
	for id, o := range a.objects {
		if o.fn == fn {
			closures.Insert(id)
			kept = kept || a.objects[id].out
		}
	}
	return kept || a.returned(closures) != nil
}

// hasCalls tells whether all calls of a function are in the analysis.
func (a *analysis) hasCalls(fn *ssa.Function) bool {
	return slices.ContainsFunc(a.instances, func(in *instance) bool { return in.fn == fn }) && !a.escapes(fn)
}

// ofContexts returns the objects in arenas of contexts, and these.
func (a *analysis) ofContexts() (mine, handles *set) {
	handles = &set{}
	for id, o := range a.objects {
		if o.ctx {
			handles.Insert(id)
		}
	}
	handles.UnionWith(&a.ends.contexts)
	return a.inArenas(handles), handles
}

// request proves that nothing is left of arenas of contexts when the function returns that the
// analysis begins with.
func (a *analysis) request() Proof {
	mine, handles := a.ofContexts()
	if proof := a.left(mine, handles); !proof.Proved {
		return proof
	}
	all := mine
	all.UnionWith(handles)
	if at := a.returned(all); at != nil {
		return *at
	}
	return Proof{Proved: true}
}

// returned returns the proof that a part of a set is in a result of the first function, or nil.
func (a *analysis) returned(all *set) *Proof {
	for i := range ssas.Instrs(a.top.fn) {
		ret, ok := i.(*ssa.Return)
		if !ok {
			continue
		}
		for n, r := range ret.Results {
			if id, path := a.leads(a.all(a.operand(a.top, r)), r.Type(), all); id != old {
				proof := Proof{Why: Why{Reason: Result, Name: fmt.Sprint(n + 1)}}
				proof.Path = append(a.way(id, path), Step{a.position(ret), proof.Why.String()})
				return &proof
			}
		}
	}
	return nil
}

// left proves that nothing of a set, and no arena, is part of what is older, or of a panic.
func (a *analysis) left(mine, handles *set) Proof {
	for _, list := range []*set{mine, handles} {
		if proof, ok := a.leftFirst(list); ok {
			return proof
		}
	}
	if id, path := a.leads(&a.panics, types.Universe.Lookup("any").Type(), mine); id != old {
		return Proof{Why: Why{Reason: InPanic}, Path: append(a.way(id, path), Step{Text: Why{Reason: InPanic}.String()})}
	}
	return Proof{Proved: true}
}

// leftFirst describes how the first object of a set became part of the old one, if one did: what
// comes later is often a consequence.
func (a *analysis) leftFirst(list *set) (Proof, bool) {
	first := old
	each(list, func(id int) {
		if id != old && a.objects[id].out && (first == old || a.notes[id].turn < a.notes[first].turn) {
			first = id
		}
	})
	if first == old {
		return Proof{}, false
	}
	path := []Step{{a.position(a.objects[first].at), a.name(first) + " is made"}}
	for id := first; ; {
		n := a.notes[id]
		if n.why.Reason == StoredIn && n.in != old {
			path = append(path, Step{a.position(n.at), "goes to " + a.name(n.in)})
			id = n.in
			continue
		}
		if n.at != nil || n.from < 0 {
			path = append(path, Step{a.position(n.at), n.why.String()})
			return Proof{Why: n.why, Path: path}, true
		}
		path = append(path, Step{a.position(a.ends.kept[[2]int{n.from, id}]), "goes to " + a.name(n.from)})
		id = n.from
	}
}

func (a *analysis) failed(why Why, at ssa.Instruction) Proof {
	return Proof{Why: why, Path: []Step{{a.position(at), why.String()}}}
}

// name describes an object.
func (a *analysis) name(id int) string {
	o := a.objects[id]
	switch {
	case o.handle:
		return "the arena"
	case o.fn != nil:
		return "a function literal"
	case o.typ == nil || ssas.IsString(o.typ):
		return "text"
	}
	return "a " + types.TypeString(o.typ, func(pkg *types.Package) string { return pkg.Name() })
}

// way describes how an object of the arena is reached from another one. The path begins with that
// one.
func (a *analysis) way(id int, path []int) (steps []Step) {
	steps = append(steps, Step{a.position(a.objects[id].at), a.name(id) + " is made"})
	for i := len(path) - 1; i > 0; i-- {
		steps = append(steps, Step{a.position(a.ends.kept[[2]int{path[i-1], path[i]}]), "goes to " + a.name(path[i-1])})
	}
	return steps
}

// typedID is an object as a value of some type refers to it.
type typedID struct {
	id int
	t  types.Type // of what it points at; nil if that is not known
}

// leads returns an object of a set that the objects of another one lead to, which a value of this
// type refers to. It follows only places that the types have.
func (a *analysis) leads(from *set, t types.Type, to *set) (found int, path []int) {
	parent := map[typedID]typedID{}
	seen := map[typedID]bool{}
	var todo []typedID
	push := func(s *set, t types.Type, by typedID) {
		each(s, func(id int) {
			for _, next := range a.pointees(id, t) {
				if !seen[next] {
					seen[next] = true
					parent[next] = by
					todo = append(todo, next)
				}
			}
		})
	}
	push(from, t, typedID{id: -1})
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if to.Has(at.id) {
			for p := at; p.id != -1; p = parent[p] {
				path = append(path, p.id)
			}
			slices.Reverse(path)
			return at.id, path
		}
		if at.id == old {
			continue
		}
		o := a.objects[at.id]
		switch {
		case o.binds != nil:
			for _, b := range o.binds {
				for l, s := range b {
					push(s, a.types.typeOf(l), at)
				}
			}
		case o.mixed:
			for _, s := range o.cells {
				push(s, nil, at)
			}
		case at.t == nil || o.opaque || hasOwn(at.t):
			for l, s := range o.cells {
				push(s, a.types.typeOf(l), at)
			}
		default:
			for _, l := range a.types.of(at.t) {
				a.read(o, l, func(s *set) { push(s, a.types.typeOf(l), at) })
			}
			if s := o.cells[leafUnsafe]; s != nil {
				push(s, nil, at)
			}
		}
	}
	return old, nil
}

// pointees returns an object as a value of a type refers to it. A type that has several places may
// refer to it by any of them.
func (a *analysis) pointees(id int, t types.Type) []typedID {
	o := a.objects[id]
	if t == nil || o.mixed || o.opaque {
		return []typedID{{id, nil}}
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if o.box {
			return []typedID{{id, o.typ}}
		}
		return []typedID{{id, nil}}
	case *types.Pointer, *types.Slice, *types.Chan:
		return []typedID{{id, elem(u)}}
	case *types.Map:
		return []typedID{{id, a.types.entry(u)}}
	}
	return []typedID{{id, nil}}
}

// hasOwn tells whether a type has a container of package arena in it.
func hasOwn(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if ownName(t) != "" {
			return true
		}
		for f := range u.Fields() {
			if hasOwn(f.Type()) {
				return true
			}
		}
	case *types.Array:
		return hasOwn(u.Elem())
	}
	return false
}

// liveAfter looks for a value that is used behind a call, and leads to an object of a set.
func (a *analysis) liveAfter(s site, mine *set) (Why, []Step) {
	fn := s.in.fn
	var starts []ssa.Instruction
	if _, ok := s.at.(*ssa.Defer); ok {
		for i := range ssas.Instrs(fn) {
			if r, ok := i.(*ssa.RunDefers); ok {
				starts = append(starts, r)
			}
		}
		if fn.Recover != nil && len(fn.Recover.Instrs) > 0 {
			starts = append(starts, nil)
		}
	} else {
		starts = append(starts, s.at)
		if fn.Recover != nil { // a panic of a later call leads there
			starts = append(starts, nil)
		}
	}
	before := a.before(fn, map[ssa.Instruction]bool{s.at: true}, nil)
	for i := range ssas.Instrs(fn) {
		d, ok := i.(*ssa.Defer)
		if !ok || d == s.at || !before[d] {
			continue
		}
		for _, v := range append(slices.Clone(d.Call.Args), d.Call.Value) {
			if id, path := a.holding(s.in, v, mine); id != old {
				return Why{Reason: Deferred}, append(a.way(id, path), Step{a.position(d), Why{Reason: Deferred}.String()})
			}
		}
	}
	var values []ssa.Value
	for _, p := range fn.Params {
		values = append(values, p)
	}
	for _, p := range fn.FreeVars {
		values = append(values, p)
	}
	for i := range ssas.Instrs(fn) {
		if v, ok := i.(ssa.Value); ok {
			values = append(values, v)
		}
	}
	var why Why
	var best []Step
	for _, v := range values {
		id, path := a.holding(s.in, v, mine)
		if id == old {
			continue
		}
		for _, start := range starts {
			for _, at := range usesAfter(v, start, fn) {
				id, path := id, path
				if a.addressOnly(s.in, v, mine) {
					if id, path = a.usedBy(s.in, v, at, mine); id == old {
						continue
					}
				}
				w := Why{Reason: Live, Name: valueName(v)}
				steps := append(a.way(id, path), Step{a.position(at), w.String()})
				if best == nil || len(steps) < len(best) {
					why, best = w, steps
				}
				break
			}
		}
	}
	return why, best
}

func valueName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Alloc:
		if v.Comment != "" && token.IsIdentifier(v.Comment) {
			return v.Comment
		}
	case *ssa.Parameter, *ssa.FreeVar:
		return v.Name()
	case *ssa.Phi:
		if token.IsIdentifier(v.Comment) {
			return v.Comment
		}
	}
	return "a value"
}

// holding returns an object of a set that a value leads to.
func (a *analysis) holding(in *instance, v ssa.Value, mine *set) (int, []int) {
	if v == nil {
		return old, nil
	}
	if t, ok := v.Type().(*types.Tuple); ok {
		for n := range t.Len() {
			s := &set{}
			for _, l := range a.types.of(t.At(n).Type()) {
				s.UnionWith(a.value(in, v, n, l))
			}
			if id, path := a.leads(s, t.At(n).Type(), mine); id != old {
				return id, path
			}
		}
		return old, nil
	}
	if _, ok := v.(*ssa.Range); ok {
		return a.leads(a.value(in, v, 0, leafUnsafe), nil, mine)
	}
	if _, ok := v.(*ssa.Builtin); ok {
		return old, nil
	}
	for _, l := range a.types.of(v.Type()) {
		t := a.types.typeOf(l)
		if len(a.types.of(v.Type())) == 1 && a.types.of(v.Type())[0] == l {
			if _, ok := v.Type().Underlying().(*types.Struct); !ok {
				t = v.Type()
			}
		}
		if id, path := a.leads(a.value(in, v, 0, l), t, mine); id != old {
			return id, path
		}
	}
	return old, nil
}

// addressOnly tells whether a value is an address outside of the arena: then what is used counts.
func (a *analysis) addressOnly(in *instance, v ssa.Value, mine *set) bool {
	if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
		return false
	}
	direct := false
	each(a.all(a.operand(in, v)), func(id int) { direct = direct || mine.Has(id) })
	return !direct
}

// usedBy returns an object of a set that a use of an address leads to.
func (a *analysis) usedBy(in *instance, v ssa.Value, at ssa.Instruction, mine *set) (int, []int) {
	switch i := at.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return a.holding(in, i, mine)
		}
	case *ssa.Store:
		if i.Addr == v && i.Val != v {
			return old, nil
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		w := at.(ssa.Value)
		for _, ref := range *w.Referrers() {
			if id, path := a.usedBy(in, w, ref, mine); id != old {
				return id, path
			}
		}
		return old, nil
	case *ssa.BinOp, *ssa.DebugRef:
		return old, nil
	}
	return a.holding(in, v, mine)
}

// usesAfter returns uses of a value on ways from behind an instruction, or from where the function
// goes on after a panic, on which it is not computed again.
func usesAfter(v ssa.Value, start ssa.Instruction, fn *ssa.Function) (uses []ssa.Instruction) {
	refs := v.Referrers()
	if refs == nil || len(*refs) == 0 {
		return nil
	}
	def, _ := v.(ssa.Instruction)
	used := map[ssa.Instruction]bool{}
	for _, r := range *refs {
		used[r] = true
	}
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock, from int)
	var enter func(pred, b *ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock, from int) {
		for _, i := range b.Instrs[from:] {
			if _, phi := i.(*ssa.Phi); phi {
				if i == def {
					return
				}
				continue
			}
			if used[i] {
				uses = append(uses, i)
			}
			if i == def {
				return
			}
		}
		for _, next := range b.Succs {
			enter(b, next)
		}
	}
	enter = func(pred, b *ssa.BasicBlock) {
		for _, i := range b.Instrs {
			phi, ok := i.(*ssa.Phi)
			if !ok {
				break
			}
			for n, p := range b.Preds {
				if p == pred && phi.Edges[n] == v && len(*phi.Referrers()) > 0 {
					uses = append(uses, phi)
				}
			}
		}
		if !seen[b] {
			seen[b] = true
			walk(b, 0)
		}
	}
	if start == nil {
		walk(fn.Recover, 0)
		return uses
	}
	walk(start.Block(), slices.Index(start.Block().Instrs, start)+1)
	slices.SortStableFunc(uses, func(a, b ssa.Instruction) int { return cmp.Compare(ssas.PosOf(a), ssas.PosOf(b)) })
	return uses
}
