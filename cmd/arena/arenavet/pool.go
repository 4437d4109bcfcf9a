package arenavet

import (
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A release is a function that gives a parameter to a sync.Pool. What follows tells whether its
// callers have given the value away.

// releases reports whether each call of the function gives p away, by an instruction that puts it
// into a sync.Pool. A way around the instruction counts if p is nil on it, or if its size decides:
// who calls such a function does not know the size.
func releases(p ssa.Value, at ssa.Instruction) bool {
	fn := at.Parent()
	seen := map[*ssa.BasicBlock]bool{}
	var kept func(b *ssa.BasicBlock) bool // there is a way to a return
	kept = func(b *ssa.BasicBlock) bool {
		if b == at.Block() || seen[b] {
			return false
		}
		seen[b] = true
		last := b.Instrs[len(b.Instrs)-1]
		if _, ok := last.(*ssa.Return); ok {
			return true
		}
		branch, ok := last.(*ssa.If)
		for n, next := range b.Succs {
			if ok && (whenNil(branch.Cond, p) == n+1 || fn.Signature.Results().Len() == 0 && aboutSize(branch.Cond, p, 0)) {
				continue
			}
			if kept(next) {
				return true
			}
		}
		return false
	}
	return !kept(fn.Blocks[0])
}

// whenNil returns which successor of a branch is the one on which p is nil: 1 or 2, or 0 if the
// condition is another one.
func whenNil(cond, p ssa.Value) int {
	c, ok := cond.(*ssa.BinOp)
	if !ok || p == nil || !same(c.X, p) {
		return 0
	}
	if k, ok := c.Y.(*ssa.Const); !ok || k.Value != nil {
		return 0
	}
	switch c.Op {
	case token.EQL:
		return 1
	case token.NEQ:
		return 2
	}
	return 0
}

// aboutSize reports whether a condition compares a length or a capacity of what p leads to with a
// number.
func aboutSize(v, p ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		size := func(v ssa.Value) bool { return aboutSize(v, p, depth+1) }
		number := func(v ssa.Value) bool {
			switch v := v.(type) {
			case *ssa.Const:
				return v.Value != nil
			case *ssa.UnOp:
				_, ok := v.X.(*ssa.Global)
				return ok
			}
			return false
		}
		return size(v.X) && number(v.Y) || size(v.Y) && number(v.X) || counts(v, p)
	case *ssa.Convert:
		return aboutSize(v.X, p, depth+1)
	case *ssa.Call:
		name := ""
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			name = b.Name()
		} else if fn := v.Call.StaticCallee(); fn != nil && fn.Signature.Recv() != nil {
			name = fn.Name()
		}
		switch name {
		case "len", "cap", "Len", "Cap":
			return len(v.Call.Args) == 1 && within(v.Call.Args[0], p)
		}
	}
	return false
}

// counts reports whether a condition compares a number in a field of p with a limit. The function
// does not change the number, as one does that counts the owners of p.
func counts(v *ssa.BinOp, p ssa.Value) bool {
	load, ok := v.X.(*ssa.UnOp)
	limit, ok2 := v.Y.(*ssa.Const)
	if !ok || !ok2 || limit.Value == nil || limit.Value.Kind() != constant.Int || limit.Int64() <= 1 || v.Op == token.EQL || v.Op == token.NEQ {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if _, number := v.X.Type().(*types.Basic); !ok || !number || field.X != p {
		return false
	}
	for i := range ssas.Instrs(v.Parent()) {
		if store, ok := i.(*ssa.Store); ok {
			if addr, ok := store.Addr.(*ssa.FieldAddr); ok && addr.X == p && addr.Field == field.Field {
				return false
			}
		}
	}
	return true
}

// within reports whether v is p, or was loaded through it.
func within(v, p ssa.Value) bool {
	for range 6 {
		if v == p {
			return true
		}
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return false
			}
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.Alloc: // a parameter whose address somebody takes
			for _, ref := range *x.Referrers() {
				if store, ok := ref.(*ssa.Store); ok && store.Addr == x && store.Val == p {
					v = p
				}
			}
			if v != p {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// text returns v, which was found in memory and is of type t. Who uses a value of a sync.Pool again
// does not write into its strings.
func (v av) text(t types.Type) av {
	if v.other && ssas.IsString(t) {
		v.tags = v.only(notPooled)
	}
	return v
}

// notPooled reports whether a tag is of something else than a value of a sync.Pool.
func notPooled(t tag) bool { return t.kind != inMemory || t.life.kind != lifeSync }

// givenBack returns v, which an instruction stores. A slice of a value of a sync.Pool that may have
// grown is of the pool again, for all that have it, if that value gets it for good.
func (f *flow) givenBack(s *state, i *ssa.Store, v av) av {
	p := s.get(i.Addr)
	given := p.given() && f.ofPooled(i.Addr) // and the pool is the caller's
	if !given && (len(p.tags) != 1 || p.tags[0].life.kind != lifeSync || p.tags[0].end != nil || p.other) {
		return v
	}
	slice := isSlice(i.Val.Type())
	if old := f.load(s, p.ptr, i.Val.Type()); !given && !v.of(p.tags[0].life) && !isStruct(i.Val.Type()) {
		s.takenOut(p, old.ptr, slice && p.ptr == loc{p.tags[0].life.root, ""})
		if addr, ok := i.Addr.(*ssa.FieldAddr); ok && slice {
			s.takenByCall(s.get(addr.X), fieldOf(addr), structOf(addr.X.Type()))
		}
	} else if !given && isStruct(i.Val.Type()) {
		for field := range structOf(i.Val.Type()).Fields() {
			if step := "." + field.Name(); isSlice(field.Type()) && !v.sub[step].of(p.tags[0].life) {
				s.takenOut(p, p.ptr.add(step+stepDeref), false)
				s.takenOut(p, f.load(s, p.ptr.add(step), field.Type()).ptr, false)
			}
		}
	}
	if !slice {
		return v
	}
	if _, ok := i.Addr.(*ssa.FieldAddr); ok && !f.c.recycled(i.Addr) {
		return v
	}
	if _, fresh := v.ptr.root.(*ssa.MakeSlice); fresh && len(v.tags) == 0 && !given {
		s.change(func(x av) (av, bool) {
			same := x.ptr == v.ptr && len(x.tags) == 0
			if same {
				x.tags = p.tags
			}
			return x, same
		})
		v.tags = p.tags // a larger one, which the pool gets with the value
		return v
	}
	if !v.other || !slices.Equal(p.tags, v.tags) {
		return v
	}
	s.settle(v, v.tags[0])
	v.other = false
	return v
}

// settle is for a slice of a value of a sync.Pool that may have grown, when the pool gets it again:
// all that have it surely have something of the pool, with a new tag.
func (s *state) settle(v av, now tag) {
	s.change(func(x av) (av, bool) {
		n := slices.Index(x.tags, v.tags[0])
		if n < 0 || x.ptr.root == nil || x.ptr != v.ptr {
			return x, false
		}
		x.tags, x.other = slices.Clone(x.tags), false
		x.tags[n] = now
		return x, true
	})
}

// putBy returns what a sync.Pool gets. With a slice it gets the memory, also by the address of
// another header of it.
func (f *flow) putBy(s *state, x ssa.Value) []av {
	if m, ok := x.(*ssa.MakeInterface); ok {
		x = m.X
	}
	v := s.get(x)
	if !isPointer(x.Type()) || !isSlice(elementType(x.Type())) {
		return []av{v}
	}
	if _, ok := x.(*ssa.FieldAddr); ok {
		return []av{f.load(s, v.ptr, elementType(x.Type()))}
	}
	slice, _ := s.mem.get(v.ptr)
	if len(v.tags) > 0 && len(slice.tags) > 0 && slice.tags[0].life.root != v.tags[0].life.root {
		return []av{slice, v}
	}
	return []av{v}
}

// takenOut is for a value of a sync.Pool that has something else from now on where it had what lies
// at a place. That is not of the pool any more, and neither are others than the value if it had
// nothing else.
func (s *state) takenOut(p av, old loc, whole bool) {
	var take func(x av) (av, bool)
	take = func(x av) (av, bool) {
		out := slices.Equal(x.tags, p.tags) && x.ptr != p.ptr && (x.lost || x.ptr.root != nil && (x.ptr == old || whole))
		if out {
			x = x.out()
		}
		shared := true
		for step, part := range x.sub { // of a struct that was copied
			if part, changed := take(part); changed {
				if shared {
					x.sub, shared = maps.Clone(x.sub), false
				}
				x.sub[step], out = part, true
			}
		}
		return x, out
	}
	s.change(take)
}

// out returns v, which is of no pool any more.
func (v av) out() av {
	if v.tags, v.other = nil, true; v.ptr.root != nil {
		v.ptr.path = stepOut + v.ptr.path
	}
	return v
}

// takenByCall is takenOut for slices that calls have returned, of which is only known that they are
// of the pool that a struct is of. They are taken for the slice in the one field of their type.
func (s *state) takenByCall(p av, field *types.Var, st *types.Struct) {
	if field == nil || st == nil || !isSlice(field.Type()) {
		return
	}
	for other := range st.Fields() {
		if other.Origin() != field.Origin() && types.Identical(other.Type(), field.Type()) {
			return
		}
	}
	take := func(x av, t types.Type) (av, bool) {
		if x.ptr != p.ptr || !slices.Equal(x.tags, p.tags) || !types.Identical(t, field.Type()) {
			return x, false
		}
		return x.out(), true
	}
	for v, x := range s.val {
		if x, out := take(x, v.Type()); out {
			s.val[v] = x
		}
	}
	for root := range s.mem.roots {
		if _, variable := root.(*ssa.Alloc); !variable {
			continue
		}
		if x, ok := s.mem.get(loc{root, ""}); ok {
			if x, out := take(x, elementType(root.Type())); out {
				s.mem.set(loc{root, ""}, x)
			}
		}
	}
}

// empties is for a function that makes something nil in a value of a sync.Pool, or sets it to what
// it has made. What was there is returned, or it is garbage.
func (f *flow) empties(s *state, p av, path string, t types.Type) {
	if rest, captured := strings.CutPrefix(path, stepDeref); captured && len(p.tags) == 0 {
		if v, ok := s.mem.get(p.ptr); ok {
			p, path = v, rest
		}
		if t != nil {
			t = elementType(t)
		}
	}
	if len(p.tags) != 1 || p.tags[0].life.kind != lifeSync || p.tags[0].end != nil || p.other || p.ptr.root == nil {
		return
	}
	l, _ := s.follow(p.ptr, path)
	others := func(t tag) bool { return t.life != p.tags[0].life }
	if old := f.load(s, l, types.Typ[types.String]); l.known() && old.tagged() && !slices.ContainsFunc(old.tags, others) {
		s.takenOut(p, old.ptr, false)
		if t != nil {
			s.takenByCall(p, fieldAlong(t, path), structOf(t))
		}
		s.mem.set(l, old.out())
	}
}

// likePooled returns what a variable is that has the value v on one way. What is made where a
// sync.Pool has none is like a value of it, because whoever gets it gives it to the pool.
func (f *flow) likePooled(v av, phi *ssa.Phi, n int) av {
	made := phi.Edges[n]
	if c, ok := made.(*ssa.ChangeType); ok { // of a type parameter
		made = c.X
	}
	switch made.(type) {
	case *ssa.Alloc, *ssa.Call:
		if len(v.tags) > 0 || v.ptr != (loc{made, ""}) {
			return v
		}
	default:
		return v
	}
	for _, x := range phi.Edges {
		if e, ok := x.(*ssa.Extract); ok {
			x = e.Tuple
		}
		if a, ok := x.(*ssa.TypeAssert); ok {
			if l := f.lives[lifeKey{a.X, ""}]; l != nil && l.kind == lifeSync && isMissing(made.(ssa.Instruction).Block(), a) {
				return av{tags: []tag{{life: l, kind: inMemory, made: l.root.(*ssa.Call)}}, ptr: loc{l.root, ""}}
			}
		}
	}
	return v
}

// isMissing reports whether a block is reached only on a condition about what a sync.Pool has
// returned: that it is nil, of another type, or too small.
func isMissing(b *ssa.BasicBlock, got *ssa.TypeAssert) bool {
	is := func(v ssa.Value) bool {
		e, ok := v.(*ssa.Extract)
		return v == got || v == got.X || ok && e.Tuple == got
	}
	about := func(p *ssa.BasicBlock) bool {
		branch, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok {
			return false
		}
		cond, ok := branch.Cond.(*ssa.BinOp)
		return is(branch.Cond) || ok && (is(cond.X) && isConst(cond.Y) || aboutSize(cond, got, 0))
	}
	for ; b != nil; b = b.Idom() {
		if len(b.Preds) > 0 && !slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return !about(p) }) {
			return true
		}
	}
	return false
}

// recycled reports whether the slice in a field stays with the struct when the struct is used
// again: the package cuts it in place, and never gives the field another slice than a longer one.
func (c *checker) recycled(from ssa.Value) bool {
	field := fieldOf(from)
	return field != nil && c.recycles(field)
}

// ofPooled reports whether the slice in a field stays with a struct that the package puts into a
// sync.Pool.
func (f *flow) ofPooled(from ssa.Value) bool {
	field, ok := from.(*ssa.FieldAddr)
	return ok && f.c.recycled(from) && f.c.poolsType(names.Type(field.X.Type()))
}

// recycles is recycled for a field of a type.
func (c *checker) recycles(field *types.Var) bool {
	elsewhere := func(field *types.Var) bool { return c.reused != nil && c.reused(field) }
	if c.fields == nil {
		c.fields = c.recycledFields()
		for field, is := range c.fields {
			c.fields[field] = is && (field == nil || field.Pkg() == c.pkg || elsewhere(field))
		}
	}
	is, known := c.fields[field.Origin()]
	if field.Pkg() != c.pkg && !known {
		is = elsewhere(field.Origin())
		c.fields[field.Origin()] = is
	}
	return is
}

// poolsType reports whether the package puts values of a struct into a sync.Pool.
func (c *checker) poolsType(t *types.Named) bool {
	if c.pooledTypes == nil {
		c.pooledTypes = map[*types.Named]bool{}
		for name, i := range c.info.Instances {
			if c.poolsFor(c.info.Uses[name]) {
				c.poolsArgs(i)
			}
		}
		for _, i := range c.instrs() {
			call, ok := i.(ssa.CallInstruction)
			if !ok || call.Common().StaticCallee() == nil || opOf(ssas.Callee(call.Common())) != opSyncPut {
				continue
			}
			v := converted(call.Common().Args[1])
			if t := names.Type(v.Type()); t != nil {
				c.pooledTypes[t.Origin()] = true
			}
			t := types.Unalias(v.Type())
			if p, ok := t.(*types.Pointer); ok {
				t = types.Unalias(p.Elem())
			}
			if _, ok := t.(*types.TypeParam); ok { // it may be any type that the package has as a type argument
				for _, i := range c.info.Instances {
					c.poolsArgs(i)
				}
			}
		}
	}
	return t != nil && c.pooledTypes[t.Origin()]
}

// poolsArgs is for a type or a function whose type arguments are put into a sync.Pool.
func (c *checker) poolsArgs(i types.Instance) {
	for t := range i.TypeArgs.Types() {
		if n := names.Type(t); n != nil {
			c.pooledTypes[n.Origin()] = true
		}
	}
}

// poolsFor reports whether a generic function of another package, or a method of a type, takes
// values from a sync.Pool.
func (c *checker) poolsFor(o types.Object) bool {
	var fns []*types.Func
	switch o := o.(type) {
	case *types.Func:
		fns = append(fns, o.Origin())
	case *types.TypeName:
		if n, ok := o.Type().(*types.Named); ok {
			fns = slices.Collect(n.Origin().Methods())
		}
	}
	return slices.ContainsFunc(fns, func(fn *types.Func) bool {
		var sum summary
		return fn.Pkg() != c.pkg && c.facts(fn, &sum) && sum.handsOver()
	})
}

// fieldOf returns the field at an address, or nil.
func fieldOf(v ssa.Value) *types.Var {
	addr, ok := v.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	return structOf(addr.X.Type()).Field(addr.Field).Origin()
}

// fieldAt returns the field that a value was loaded from, or nil.
func fieldAt(v ssa.Value) *types.Var {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	return fieldOf(load.X)
}

// recycledFields looks at all stores of slices and maps into fields. A map stays if it is cleared.
func (c *checker) recycledFields() map[*types.Var]bool {
	fields, others := map[*types.Var]bool{}, map[*types.Var]bool{}
	made, filled := map[*types.Var]bool{}, map[*types.Var]bool{} // with the struct, or later
	cleared := map[*types.Var]bool{}
	for _, i := range c.instrs() {
		if call, ok := i.(*ssa.Call); ok && len(call.Call.Args) == 1 {
			if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "clear" && isMap(call.Call.Args[0].Type()) {
				cleared[fieldAt(call.Call.Args[0])] = true
			}
		}
		store, ok := i.(*ssa.Store)
		if ok && isConst(store.Val) && isStruct(store.Val.Type()) {
			for field := range emptied(store) {
				others[field] = true // they are nil with the rest of the struct
			}
		}
		if !ok || !isSlice(store.Val.Type()) && !isMap(store.Val.Type()) {
			continue
		}
		field := fieldOf(store.Addr)
		if field == nil {
			continue
		}
		_, anew := store.Val.(*ssa.MakeMap)
		if _, ok := store.Addr.(*ssa.FieldAddr).X.(*ssa.Alloc); ok && (anew || newSlice(store.Val)) {
			made[field] = true
			continue
		}
		filled[field] = true
		for _, val := range grownFrom(store.Val) {
			if fieldAt(val) == field && val == store.Val {
				fields[field] = true // in a struct that takes the place of the other one
			}
			switch v := val.(type) {
			case *ssa.Slice:
				if v.Low == nil && v.High != nil && fieldAt(v.X) == field {
					fields[field] = true
				}
			case *ssa.Const, *ssa.Parameter, *ssa.MakeMap:
				others[field] = true // it gives the slice away, or takes one of somebody else
			}
		}
	}
	maps.Copy(fields, cleared)
	for field := range others {
		fields[field] = false
	}
	for field := range made {
		fields[field] = fields[field] || !filled[field]
	}
	return fields
}

// emptied yields the fields that a store of a zero struct makes nil, unless the function fills them
// again. A struct that was only just made had nothing in them.
func emptied(store *ssa.Store) iter.Seq[*types.Var] {
	return func(yield func(*types.Var) bool) {
		if _, made := store.Addr.(*ssa.Alloc); made {
			return
		}
		filled := map[*types.Var]bool{}
		for i := range ssas.Instrs(store.Parent()) {
			if other, ok := i.(*ssa.Store); ok && fieldOf(other.Addr) != nil {
				filled[fieldOf(other.Addr)] = true
			}
		}
		var visit func(t types.Type) bool
		visit = func(t types.Type) bool {
			for field := range structOf(t).Fields() {
				switch field := field.Origin(); {
				case filled[field]:
				case isStruct(field.Type()):
					if !visit(field.Type()) {
						return false
					}
				case !yield(field):
					return false
				}
			}
			return true
		}
		visit(store.Val.Type())
	}
}

// newSlice reports whether v is a slice that make has returned.
func newSlice(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return true
	case *ssa.Slice:
		array, ok := v.X.(*ssa.Alloc)
		return ok && array.Comment == "makeslice"
	}
	return false
}

// grownFrom returns the slices from which v may have grown, by append or by what is like it.
func grownFrom(v ssa.Value) (all []ssa.Value) {
	seen := map[ssa.Value]bool{}
	for work := []ssa.Value{v}; len(work) > 0; work = work[1:] {
		x := work[0]
		if seen[x] {
			continue
		}
		seen[x] = true
		switch x := x.(type) {
		case *ssa.Call:
			if n := slices.IndexFunc(x.Call.Args, func(arg ssa.Value) bool { return types.Identical(arg.Type(), x.Type()) }); n >= 0 {
				work = append(work, x.Call.Args[n])
				continue
			}
		case *ssa.Phi:
			work = append(work, x.Edges...)
			continue
		case *ssa.UnOp:
			if values, ok := stored(x.X); ok {
				work = append(work, values...)
				continue
			}
		}
		all = append(all, x)
	}
	return all
}

// putsEach is for the end of a loop that has given each element of a slice to a sync.Pool.
func (f *flow) putsEach(s *state, from, to *ssa.BasicBlock) {
	if !f.isHead(from) || f.heads[from][to] {
		return
	}
	loop := f.heads[from]
	for _, b := range f.fn.Blocks {
		if !loop[b] || slices.ContainsFunc(from.Preds, func(pred *ssa.BasicBlock) bool { return loop[pred] && !b.Dominates(pred) }) {
			continue
		}
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			load, ok := f.putArg(call).(*ssa.UnOp)
			if !ok {
				continue
			}
			elem, ok := load.X.(*ssa.IndexAddr)
			if !ok || !overEach(from, elem) {
				continue
			}
			p := s.get(elem.X).ptr
			v := f.element(s, p, stepElem, load.Type())
			e := end{at: i, what: f.whichCalls(i, "sync.Pool.Put")}
			if !v.given() { // from there on each of them is what the pool has
				if p.made() && !v.zero() && !f.storesIn(loop, elem.X) {
					e.life = f.newLife(lifeKey{p.root, p.path + "gone"}, lifeSync, nil)
					s.lives[e.life] = condition{ended: f.endOf(e)}
					s.setElements(p, av{tags: []tag{{life: e.life, kind: inMemory, end: f.endOf(e)}}})
				}
				continue
			}
			given := v.tags[0].life
			e.life = f.newLife(putKey(given), lifeSync, nil)
			s.lives[e.life] = condition{ended: f.endOf(e)}
			s.change(func(v av) (av, bool) {
				return v.change(true, func(t tag) tag {
					if t.kind == ofParam && t.life == given {
						t = tag{life: e.life, kind: inMemory, end: f.endOf(e)}
					}
					return t
				})
			})
		}
	}
}

// storesIn reports whether a loop stores something in elements of a slice.
func (f *flow) storesIn(loop map[*ssa.BasicBlock]bool, slice ssa.Value) bool {
	for i := range ssas.Instrs(f.fn) {
		if e, ok := storesElement(i); ok && loop[i.Block()] && same(e.base, slice) {
			return true
		}
	}
	return false
}

// putArg returns the argument of a call that a sync.Pool surely gets, or nil.
func (f *flow) putArg(call *ssa.Call) ssa.Value {
	if f.opOf(call) == opSyncPut {
		if m, ok := call.Call.Args[1].(*ssa.MakeInterface); ok {
			return m.X
		}
		return nil
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return nil
	}
	sum := f.c.summaryOf(fn)
	if sum == nil {
		return nil
	}
	for _, e := range sum.Ends {
		if x := e.putBy(&call.Call); x != nil {
			return x
		}
	}
	return nil
}

// putBy returns the argument of a call that a sync.Pool surely gets by an end in the function that
// is called, or nil.
func (e sumEnd) putBy(call *ssa.CallCommon) ssa.Value {
	if e.Sync && e.Sure && e.At.Path == "" && e.When == anyOutcome && e.At.Param >= 0 && e.At.Param < len(call.Args) {
		return call.Args[e.At.Param]
	}
	return nil
}

// putsReceived returns the call that gives what comes from the channel in a field to a sync.Pool.
// Each function that receives from the channel must do so, in each turn of its loop.
func (c *checker) putsReceived(field *types.Var) (put ssa.CallInstruction) {
	if field == nil {
		return nil
	}
	for _, i := range c.instrs() {
		if recv, ok := i.(*ssa.UnOp); ok && recv.Op == token.ARROW && fieldAt(recv.X) == field {
			if put = putAlways(recv); put == nil {
				return nil
			}
		}
	}
	return put
}

// putAlways returns the call that gives a value which a function has received to a sync.Pool, in
// each turn of the loop that receives it.
func putAlways(recv *ssa.UnOp) ssa.CallInstruction {
	for i := range ssas.Instrs(recv.Parent()) {
		call, ok := i.(*ssa.Call)
		if !ok || opOf(ssas.Callee(&call.Call)) != opSyncPut {
			continue
		}
		v := converted(call.Call.Args[1])
		if e, ok := v.(*ssa.Extract); ok {
			v = e.Tuple
		}
		if v == recv && !slices.ContainsFunc(recv.Block().Preds, func(b *ssa.BasicBlock) bool {
			return recv.Block().Dominates(b) && !call.Block().Dominates(b)
		}) {
			return call
		}
	}
	return nil
}
