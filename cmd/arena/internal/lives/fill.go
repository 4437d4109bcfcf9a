package lives

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// A filler makes the values that a decoder makes, in an arena or on the heap: one object for each
// type.
type filler struct {
	a       *analysis
	u       use
	in      *set
	numbers *typeutil.Map // of objects by the type of the places that refer to them
	made    []int
	filled  map[filled]bool // in this visit

	argument set // of a function that gets the values
}

type filled struct {
	id int
	t  types.Type
}

func fillerKey(u use) objectKey { return objectKey{u.in, u.at, -40} }

func (a *analysis) filler(u use, in *set) *filler {
	key := fillerKey(u)
	if a.fillers[key] == nil {
		a.fillers[key] = &filler{a: a, numbers: &typeutil.Map{}}
	}
	f := a.fillers[key]
	f.u, f.in, f.filled = u, in, map[filled]bool{}
	for _, id := range f.made {
		a.lies(id, in)
	}
	return f
}

// decoding are the methods by which values are decoded.
var decoding = []string{"UnmarshalJSON", "UnmarshalText", "UnmarshalJSONFrom", "UnmarshalJSONArena", "UnmarshalXML", "UnmarshalXMLAttr", "UnmarshalBinary", "Scan", "ScanArena"}

// fillAll fills what a set of pointers, which may be in interfaces, leads to.
func (a *analysis) fillAll(u use, to, in *set) {
	f := a.filler(u, in)
	each(to, func(id int) {
		o := a.objects[id]
		if !o.box {
			f.fill(id, o.typ)
			return
		}
		f.pointees(a.all(a.contents(id)), o.typ)
	})
}

// pointees fills what values of a type point at.
func (f *filler) pointees(s *set, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		each(s, func(id int) { f.fill(id, elem(u)) })
	case *types.Map:
		each(s, func(id int) { f.fill(id, f.a.types.entry(u)) })
	case *types.Interface:
		each(s, func(id int) {
			if o := f.a.objects[id]; o.box && !o.out && o.typ != nil {
				f.pointees(f.a.all(f.a.contents(id)), o.typ)
			}
		})
	}
}

// object returns an object of the filler.
func (f *filler) object(n int, t types.Type) (int, *object) {
	id, o := f.a.object(f.u.in, f.u.at, n, t)
	if !slices.Contains(f.made, id) {
		f.made = append(f.made, id)
		f.a.lies(id, f.in)
	}
	return id, o
}

// fill stores values in an object, and in what it leads to. What parameters of a rewriting lead to
// counts as filled.
func (f *filler) fill(id int, t types.Type) {
	a, o := f.a, f.a.objects[id]
	if o.given && !o.out {
		return
	}
	if id == old || o.out || t == nil || o.mixed {
		all, whole := f.object(-41, nil)
		a.blend(all)
		a.add(whole.cell(leafUnsafe), all)
		a.store(single(id), leafUnsafe, single(all), f.u.at)
		return
	}
	if f.filled[filled{id, t}] {
		return
	}
	f.filled[filled{id, t}] = true
	f.put(t, func(l leaf) *set { return o.cell(l) })
	f.methods(id, t)
	for _, l := range a.types.of(t) {
		if t := a.types.typeOf(l); t != nil {
			a.read(o, l, func(s *set) { f.pointees(s, t) })
		}
	}
}

// methods calls the methods of a type, and of its fields, that decode text of the arena.
func (f *filler) methods(id int, t types.Type) {
	a := f.a
	text, _ := f.object(-42, nil)
	var call func(t types.Type)
	call = func(t types.Type) {
		if types.IsInterface(t) {
			return
		}
		p := types.NewPointer(t)
		for _, name := range decoding {
			m := a.prog.MethodSets.MethodSet(p).Lookup(nil, name)
			if m == nil {
				continue
			}
			fn := a.prog.MethodValue(m)
			if fn == nil {
				continue
			}
			args := []operand{{p, func(leaf) *set { return single(id) }}}
			for v := range fn.Signature.Params().Variables() {
				switch {
				case isArena(v.Type()):
					args = append(args, operand{v.Type(), func(leaf) *set { return f.in }})
				case types.IsInterface(v.Type()): // what a database has sent
					box, o := f.object(-43, types.NewSlice(types.Typ[types.Byte]))
					o.box = true
					a.add(o.cell(a.types.one(o.typ)), text)
					str, s := f.object(-44, types.Typ[types.String])
					s.box = true
					a.add(s.cell(leafText), text)
					both := single(box)
					both.Insert(str)
					args = append(args, operand{v.Type(), func(leaf) *set { return both }})
				case isBytes(v.Type()):
					args = append(args, operand{v.Type(), func(leaf) *set { return single(text) }})
				default: // a decoder
					args = append(args, a.oldOperand(v.Type()))
				}
			}
			a.invoke(f.u.callback(a.errors(f.u)), fn, args, nil)
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for n := range u.NumFields() {
				a.addressed(u, n)
				call(u.Field(n).Type())
			}
		case *types.Array:
			call(u.Elem())
		}
	}
	call(t)
}

// put has a place of a type refer to values of the arena.
func (f *filler) put(t types.Type, to func(leaf) *set) {
	a := f.a
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			a.add(to(leafText), f.one(u, types.Typ[types.String], nil))
		}
	case *types.Struct:
		if n := ownName(t); n != "" {
			return
		}
		for n := range u.NumFields() {
			f.put(u.Field(n).Type(), func(l leaf) *set { return to(a.types.field(u, n, l)) })
		}
	case *types.Array:
		f.put(u.Elem(), to)
	case *types.Pointer, *types.Slice:
		a.add(to(a.types.one(t)), f.one(u, elem(t), elem(t)))
	case *types.Map:
		a.add(to(a.types.one(t)), f.one(u, a.types.entry(u), a.types.entry(u)))
	case *types.Interface:
		for _, dynamic := range f.dynamic(t, u) {
			id, o := f.object(f.number(types.NewTuple(types.NewParam(0, nil, "", dynamic), types.NewParam(0, nil, "", types.Typ[types.Bool]))), dynamic)
			o.box = true
			if !f.filled[filled{id, dynamic}] {
				f.filled[filled{id, dynamic}] = true
				f.put(dynamic, func(l leaf) *set { return o.cell(l) })
			}
			a.add(to(a.types.one(t)), id)
		}
	}
}

// one returns the object for values that a type of places refers to.
func (f *filler) one(place, typ types.Type, in types.Type) int {
	id, o := f.object(f.number(place), typ)
	if ownName(typ) != "" {
		o.opaque = true
	}
	if in != nil {
		f.fill(id, in)
	}
	return id
}

// number returns a number for the objects of a type.
func (f *filler) number(t types.Type) int {
	n, ok := f.numbers.At(t).(int)
	if !ok {
		n = -100 - f.numbers.Len()
		f.numbers.Set(t, n)
	}
	return n
}

// dynamic returns the types of values that a decoder makes for an interface: the types of JSON, or
// the messages of the package of the interface.
func (f *filler) dynamic(t types.Type, i *types.Interface) (all []types.Type) {
	if i.NumMethods() == 0 {
		list := types.Universe.Lookup("any").Type()
		return []types.Type{types.Typ[types.String], types.NewSlice(list), types.NewMap(types.Typ[types.String], list), types.NewSlice(types.Typ[types.Byte])}
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(obj.Type()) {
			continue
		}
		if named, ok := obj.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 {
			continue
		}
		if p := types.NewPointer(obj.Type()); types.Implements(p, i) {
			all = append(all, p)
		}
	}
	return all
}
