package lives

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// visit does what an instruction does.
func (a *analysis) visit(in *instance, at ssa.Instruction) {
	switch i := at.(type) {
	case *ssa.Alloc:
		id, _ := a.object(in, i, 0, elem(i.Type()))
		a.add(a.value(in, i, 0, a.types.of(i.Type())[0]), id)
	case *ssa.MakeSlice:
		a.makes(in, i, elem(i.Type()))
	case *ssa.MakeChan:
		a.makes(in, i, elem(i.Type()))
	case *ssa.MakeMap:
		a.makes(in, i, entry(i.Type()))
	case *ssa.MakeInterface:
		a.box(in, i, i.X)
	case *ssa.MakeClosure:
		a.closure(in, i)
	case *ssa.Phi:
		for _, x := range i.Edges {
			a.copy(in, i, x)
		}
	case *ssa.ChangeType:
		if ssas.Boxed(i) != nil {
			a.box(in, i, i.X)
			return
		}
		a.copy(in, i, i.X)
		a.recast(in, i, i.X)
	case *ssa.Convert:
		a.convert(in, i, i.X)
	case *ssa.MultiConvert:
		a.convert(in, i, i.X)
	case *ssa.ChangeInterface, *ssa.SliceToArrayPointer, *ssa.Slice, *ssa.IndexAddr:
		a.copy(in, i.(ssa.Value), *i.Operands(nil)[0])
	case *ssa.FieldAddr:
		a.copy(in, i, i.X)
		for _, l := range a.types.of(elem(i.Type())) {
			a.at(i, l) // it may expose the field
		}
	case *ssa.Field:
		t, ok := i.X.Type().Underlying().(*types.Struct)
		for _, l := range a.types.of(i.Type()) {
			from := l
			if ok {
				from = a.types.field(t, i.Field, l)
			}
			a.union(a.value(in, i, 0, l), a.value(in, i.X, 0, from))
		}
	case *ssa.Index:
		for _, l := range a.types.of(i.Type()) {
			a.union(a.value(in, i, 0, l), a.value(in, i.X, 0, l))
		}
	case *ssa.Lookup:
		a.loadAll(in, i, 0, i.X, result(i.Type(), 0))
	case *ssa.UnOp:
		if fn := a.setOnce(i.X); fn != nil && !a.mine(fn) {
			a.add(a.value(in, i, 0, leafFunc), a.function(fn))
		} else if i.Op == token.MUL || i.Op == token.ARROW {
			a.loadAll(in, i, 0, i.X, result(i.Type(), 0))
		}
	case *ssa.BinOp:
		a.binary(in, i)
	case *ssa.Extract:
		for _, l := range a.types.of(i.Type()) {
			a.union(a.value(in, i, 0, l), a.value(in, i.Tuple, i.Index, l))
		}
	case *ssa.Range: // it is a value that has what it goes over
		a.union(a.value(in, i, 0, leafUnsafe), a.all(a.operand(in, i.X)))
	case *ssa.Next:
		if r, ok := i.Iter.(*ssa.Range); ok && !i.IsString {
			for n := 1; n <= 2; n++ {
				a.loadAll(in, i, n, r.X, result(i.Type(), n))
			}
		}
	case *ssa.TypeAssert:
		a.assert(in, i)
	case *ssa.Store:
		a.storeAll(in, i.Addr, i.Val, i)
	case *ssa.MapUpdate:
		a.storeAll(in, i.Map, i.Key, i)
		a.storeAll(in, i.Map, i.Value, i)
	case *ssa.Send:
		a.storeAll(in, i.Chan, i.X, i)
	case *ssa.Select:
		n := 2
		for _, s := range i.States {
			if s.Send != nil {
				a.storeAll(in, s.Chan, s.Send, i)
				continue
			}
			a.loadAll(in, i, n, s.Chan, elem(s.Chan.Type()))
			n++
		}
	case *ssa.Panic:
		s := a.value(in, i.X, 0, a.types.one(i.X.Type()))
		a.union(&a.panics, s)
	case *ssa.Return:
		for n, r := range i.Results {
			for _, l := range a.types.of(r.Type()) {
				a.union(cell(in.results[n], l, &in.callers), a.value(in, r, 0, l))
			}
		}
	case *ssa.Go:
		a.start(in, i)
	case ssa.CallInstruction:
		a.call(in, i)
	}
}

// makes is for an instruction that makes an object of its own.
func (a *analysis) makes(in *instance, v ssa.Value, t types.Type) {
	id, _ := a.object(in, v.(ssa.Instruction), 0, t)
	for _, l := range a.types.of(v.Type()) {
		a.add(a.value(in, v, 0, l), id)
	}
}

func (a *analysis) closure(in *instance, i *ssa.MakeClosure) {
	id, o := a.object(in, i, 0, nil)
	if o.fn == nil {
		o.fn = i.Fn.(*ssa.Function)
		if a.rewriting != nil {
			a.closures[o.fn] = append(a.closures[o.fn], id)
		}
		o.arena = o.arena || in.inside && a.mine(in.fn) // it may have captured the arena
		for range i.Bindings {
			o.binds = append(o.binds, map[leaf]*set{})
		}
	}
	for n, b := range i.Bindings {
		for _, l := range a.types.of(b.Type()) {
			a.union(cell(o.binds[n], l, &o.watch), a.value(in, b, 0, l))
		}
	}
	a.add(a.value(in, i, 0, leafFunc), id)
}

// recast is for a conversion of a type into another one with the same underlying type but for tags.
// Places that have other leafs then are used under both types.
func (a *analysis) recast(in *instance, i, x ssa.Value) {
	same := func(t, o types.Type) bool {
		one, two := a.types.of(t), a.types.of(o)
		return !slices.ContainsFunc(two, func(l leaf) bool { return !slices.Contains(one, l) })
	}
	t, o := i.Type(), x.Type()
	if t, o = elem(t), elem(o); t == nil || o == nil {
		t, o = i.Type(), x.Type()
	}
	if m, ok := i.Type().Underlying().(*types.Map); ok && same(t, o) {
		t, o = m.Key(), x.Type().Underlying().(*types.Map).Key()
	}
	if !same(t, o) && !types.IsInterface(t) {
		each(a.all(a.operand(in, x)), a.mix)
	}
}

// convert is for a conversion: text is copied, and what package unsafe looks at has no types any
// more.
func (a *analysis) convert(in *instance, i ssa.Instruction, x ssa.Value) {
	v := i.(ssa.Value)
	from, to := a.types.of(x.Type()), a.types.of(v.Type())
	if len(to) == 0 {
		if len(from) > 0 && from[0] == leafUnsafe {
			a.escape(a.value(in, x, 0, leafUnsafe), i, Why{Reason: Number})
		}
		return
	}
	_, pointer := v.Type().Underlying().(*types.Pointer)
	if to[0] == leafUnsafe || pointer {
		a.copy(in, v, x)
		s := a.value(in, v, 0, to[0])
		each(s, func(id int) {
			a.mix(id)
			if a.objects[id].box { // its address, or what is in it
				a.load(s, single(id), to[0])
			}
		})
		return
	}
	if ssas.IsString(x.Type()) && ssas.IsString(v.Type()) {
		a.copy(in, v, x)
		return
	}
	a.makes(in, v, elem(v.Type()))
	for _, l := range from { // a type parameter's, perhaps
		if l != leafText && elem(x.Type()) == nil {
			a.copy(in, v, x)
		}
	}
}

// binary is for text that is concatenated, which may be one of the operands, and for computing with
// addresses.
func (a *analysis) binary(in *instance, i *ssa.BinOp) {
	list := a.types.of(i.Type())
	if len(list) == 0 {
		return
	}
	if list[0] == leafText {
		a.makes(in, i, nil)
	}
	if list[0] != leafText || !isNotEmpty(i.Y) {
		a.copy(in, i, i.X)
	}
	if list[0] != leafText || !isNotEmpty(i.X) {
		a.copy(in, i, i.Y)
	}
}

// isNotEmpty tells whether text is certain not to be empty: what it is concatenated with is copied
// then.
func isNotEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Value.Kind() == constant.String && constant.StringVal(v.Value) != ""
	case *ssa.BinOp:
		return v.Op == token.ADD && ssas.IsString(v.Type()) && (isNotEmpty(v.X) || isNotEmpty(v.Y))
	}
	return false
}

// loadAll has part n of a value, which is of type t, refer to what is in another one.
func (a *analysis) loadAll(in *instance, to ssa.Value, n int, from ssa.Value, t types.Type) {
	for _, l := range a.types.of(t) {
		for _, m := range a.types.of(from.Type()) {
			a.load(a.value(in, to, n, l), a.value(in, from, 0, m), a.at(from, l))
		}
	}
}

func (a *analysis) storeAll(in *instance, to, what ssa.Value, at ssa.Instruction) {
	for _, l := range a.types.of(what.Type()) {
		for _, m := range a.types.of(to.Type()) {
			a.store(a.value(in, to, 0, m), a.at(to, l), a.value(in, what, 0, l), at)
		}
	}
}

// assert is for a type assertion: to an interface or to the type of the value.
func (a *analysis) assert(in *instance, i *ssa.TypeAssert) {
	from := a.value(in, i.X, 0, a.types.one(i.X.Type()))
	if types.IsInterface(i.AssertedType) {
		a.union(a.value(in, i, 0, a.types.one(i.AssertedType)), from)
		return
	}
	for _, l := range a.types.of(i.AssertedType) {
		s := a.value(in, i, 0, l)
		each(a.among(from, i.AssertedType), func(id int) {
			if a.objects[id].out {
				a.add(s, old)
				return
			}
			a.load(s, single(id), l)
		})
		each(a.notPlain(from), func(id int) {
			switch o := a.objects[id]; {
			case a.isForeign(id) && a.isMine(i.AssertedType):
			case o.out:
				a.add(s, a.olderAt(id, l))
			case a.isGiven(id):
				a.load(s, single(id), l)
			case !o.box || o.typ == nil || o.deep: // package unsafe has made it
				a.add(s, id)
				a.load(s, single(id), l)
			case ssas.IsTypeParam(o.typ): // of any type, or an interface
				a.union(s, a.reach(single(id)))
			case types.Identical(o.typ, i.AssertedType):
				a.load(s, single(id), l)
			}
		})
	}
}

// A boxList is the plain boxes whose values have one type.
type boxList struct {
	index int
	typ   types.Type
	ids   set
}

// box is for an instruction that makes x the value of an interface. A value of a type parameter may
// be one of an interface already.
func (a *analysis) box(in *instance, at ssa.Instruction, x ssa.Value) {
	id, o := a.object(in, at, 0, x.Type())
	o.box = true
	v := at.(ssa.Value)
	to := a.value(in, v, 0, a.types.one(v.Type()))
	a.add(to, id)
	param := ssas.IsTypeParam(x.Type())
	if param {
		a.blend(id)
	} else {
		a.boxed(id, x.Type())
	}
	for _, l := range a.types.of(x.Type()) {
		from := a.value(in, x, 0, l)
		a.union(o.cell(l), from)
		if param {
			a.union(to, from)
		}
	}
}

// boxed notes a plain box, whose value has a type.
func (a *analysis) boxed(id int, t types.Type) {
	o := a.objects[id]
	if o.mixed || a.plain.Has(id) {
		return
	}
	list, ok := a.boxes.At(t).(*boxList)
	if !ok {
		list = &boxList{index: len(a.boxLists), typ: t}
		a.boxes.Set(t, list)
		a.boxLists = append(a.boxLists, list)
	}
	o.boxed = list
	list.ids.Insert(id)
	a.plain.Insert(id)
}

// boxesIn returns the lists that have plain boxes in a set.
func (a *analysis) boxesIn(s *set) (lists []*boxList) {
	plain, found := &set{}, &set{}
	plain.Intersection(&s.Sparse, &a.plain.Sparse)
	each(plain, func(id int) { found.Insert(a.objects[id].boxed.index) })
	each(found, func(n int) { lists = append(lists, a.boxLists[n]) })
	return lists
}

// among returns the plain boxes of a set whose values have a type.
func (a *analysis) among(from *set, t types.Type) *set {
	s := &set{}
	if list, ok := a.boxes.At(t).(*boxList); ok {
		s.Intersection(&from.Sparse, &list.ids.Sparse)
		s.IntersectionWith(&a.plain.Sparse)
	}
	return s
}

// notPlain returns the other objects of a set.
func (a *analysis) notPlain(from *set) *set {
	s := &set{}
	s.Difference(&from.Sparse, &a.plain.Sparse)
	return s
}

func single(id int) *set {
	s := &set{}
	s.Insert(id)
	return s
}
