package lives

import (
	"go/types"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// A reflect.Value is an object of its own. It has two sets: the objects in which the value lies, if
// it can be set or is a struct, and those that it refers to, if it is a pointer, a slice, a map, an
// interface or text. A struct counts as all of its fields, and an array as all of its elements.

// A reflected is what values of package reflect are of.
type reflected struct{ in, to set }

// The places of the two sets in the object of a reflect.Value.
const leafIn, leafTo = leafAny, leafUnsafe

// reflection is for a call of package reflect.
func (a *analysis) reflection(u use, obj *types.Func, args []operand) {
	if !takesValues(obj) {
		a.oldsOf(u, nil)
		return
	}
	name := strings.TrimPrefix(names.Local(obj), "Value.")
	x := &reflected{}
	if len(args) > 0 {
		x = a.reflected(args[0])
	}
	switch name {
	case "MapIter.Reset", "MakeFunc", "Send", "TrySend", "Recv", "TryRecv", "Select", "Seq", "Seq2":
		a.unknown(u, obj, args)
		return
	case "Call", "CallSlice":
		known := false // that it is a function of the caller
		each(&x.to, func(id int) { known = known || a.isGiven(id) })
		if !known || slices.ContainsFunc(x.to.AppendTo(nil), func(id int) bool { return a.objects[id].out || a.objects[id].fn != nil }) {
			a.unknown(u, obj, args)
			return
		}
		a.outerCall(u, args)
		return
	}
	puts := strings.HasPrefix(name, "Set") || name == "Copy" || name == "Grow"
	if !puts && !slices.ContainsFunc(typesOf(u.results), func(t types.Type) bool { return len(a.types.of(t)) > 0 }) {
		return
	}
	if !puts && !slices.ContainsFunc(typesOf(u.results), func(t types.Type) bool { return types.TypeString(t, nil) != "reflect.Type" }) {
		a.olds(u) // a Type leads to no value
		return
	}
	r := a.reflectedBy(u, name, x, args)
	if u.results.Len() == 0 {
		return
	}
	for n := range u.results.Len() {
		t := u.results.At(n).Type()
		var s *set
		switch types.TypeString(t, nil) {
		case "reflect.Value", "*reflect.MapIter":
			s = single(a.reflectOf(u, r))
		case "[]reflect.Value":
			list, o := a.object(u.in, u.at, -61, elem(t))
			for _, l := range a.types.of(elem(t)) {
				a.add(o.cell(l), a.reflectOf(u, r))
			}
			s = single(list)
		case "reflect.Type":
			s = &a.justOld
		case "func(i int, j int)": // of Swapper, which moves nothing elsewhere
			s = &a.empty
		case "string":
			s = a.texts(&r.to)
		case "[]byte": // of an array, perhaps
			s = a.texts(&r.to)
			each(&r.in, func(id int) {
				if !a.objects[id].box {
					s.Insert(id)
				}
			})
		default:
			s = &set{}
			s.Copy(&r.in)
			s.UnionWith(&r.to)
		}
		for _, l := range a.types.of(t) {
			a.union(u.set(n, l), s)
		}
	}
}

// reflectedBy returns what the result of a function is of, whose first operand is of x.
func (a *analysis) reflectedBy(u use, name string, x *reflected, args []operand) *reflected {
	r := &reflected{}
	into := func(to *set) { // the other operands come to be in these
		what := &set{}
		for _, arg := range args[1:] {
			o := a.reflected(arg)
			what.UnionWith(&o.to)
			if types.TypeString(arg.t, nil) == "*reflect.MapIter" {
				what.UnionWith(a.insideAll(&o.to))
			}
		}
		a.put(to, what, u)
	}
	made := func() *set {
		id, _ := a.object(u.in, u.at, -62, nil)
		a.blend(id)
		return single(id)
	}
	switch {
	case name == "SetMapIndex":
		into(&x.to)
	case strings.HasPrefix(name, "Set"):
		into(&x.in)
	case name == "Copy":
		for _, arg := range args[1:] {
			from := a.reflected(arg)
			what := a.insideAll(&from.to)
			a.put(&x.in, what, u)
			a.put(&x.to, what, u)
		}
	case name == "Append" || name == "AppendSlice" || name == "Grow":
		to := made()
		a.store(to, leafUnsafe, a.insideAll(&x.to), u.at)
		r.to.UnionWith(to)
		r.to.UnionWith(&x.to)
		into(&r.to)
		if name == "AppendSlice" {
			from := a.reflected(args[1])
			a.put(&r.to, a.insideAll(&from.to), u)
		}
		if name == "Grow" {
			a.put(&x.in, to, u)
		}
	case name == "ValueOf" || name == "Field" || name == "Interface" || name == "String" || name == "Bytes" || name == "Swapper":
		return x
	case name == "Method" || name == "MethodByName":
		r.in.Copy(&x.in)
		r.to.Copy(&x.to)
		r.to.Insert(old) // what it is called with is not followed into it
	case name == "Addr": // of a field, perhaps
		each(&x.in, func(id int) {
			if o := a.objects[id]; !o.box && !o.out {
				a.blend(id)
			}
		})
		r.to.Copy(&x.in)
	case name == "Elem":
		r.in.Copy(&x.to)
		r.to.Copy(a.insideAll(&x.to))
	case name == "MapIndex" || name == "MapKeys" || name == "MapRange":
		r.in.Copy(&x.to)
		r.to.Copy(a.insideAll(&x.to))
	case strings.HasPrefix(name, "MapIter."):
		return x
	case strings.HasPrefix(name, "FieldBy"): // through embedded pointers, perhaps
		a.callValue(u.callback(nil), a.funcOf(args[len(args)-1]), []operand{a.oldOperand(types.Typ[types.String])})
		r.in.Copy(&x.in)
		r.to.Copy(&x.to)
		a.embedded(r)
	case name == "Index" || name == "Indirect" || strings.HasPrefix(name, "Slice"):
		r.in.Copy(&x.in)
		r.in.UnionWith(&x.to)
		r.to.Copy(&x.to)
		r.to.UnionWith(a.insideAll(&x.to))
		if strings.HasPrefix(name, "Slice") {
			r.to.UnionWith(&x.in)
		}
	default: // what is made, and perhaps of the operands
		to := made()
		for _, arg := range args {
			if from := a.reflected(arg); !from.to.IsEmpty() || !from.in.IsEmpty() {
				r.in.UnionWith(&from.in)
				r.to.UnionWith(&from.to)
				a.store(to, leafUnsafe, &from.to, u.at)
			}
		}
		r.in.UnionWith(to)
		r.to.UnionWith(to)
	}
	return r
}

// put stores something in objects, in a place that is not known. Values in interfaces do not
// change.
func (a *analysis) put(to, what *set, u use) {
	if what.IsEmpty() {
		return
	}
	each(to, func(id int) {
		if o := a.objects[id]; !o.box {
			if !o.given && !o.out {
				a.blend(id)
			}
			a.store(single(id), leafUnsafe, what, u.at)
		}
	})
}

// texts returns the objects of a set that may be text.
func (a *analysis) texts(s *set) *set {
	all := &set{}
	each(s, func(id int) {
		switch o := a.objects[id]; {
		case o.given:
			all.Insert(old)
		case o.out || o.mixed:
			all.Insert(id)
		case o.box || o.typ != nil && !types.Identical(o.typ.Underlying(), types.Typ[types.Byte]):
		default:
			all.Insert(id)
		}
	})
	return all
}

// takesValues tells whether a function has values among its operands, or returns some: others are
// for types.
func takesValues(obj *types.Func) bool {
	sig := obj.Signature()
	list := []types.Type{}
	if r := sig.Recv(); r != nil {
		list = append(list, r.Type())
	}
	for _, t := range append(append(list, typesOf(sig.Params())...), typesOf(sig.Results())...) {
		switch types.TypeString(t, nil) {
		case "any", "reflect.Value", "*reflect.Value", "[]reflect.Value", "*reflect.MapIter":
			return true
		}
	}
	return false
}

// mostReflects is how many calls of package reflect have a reflect.Value of their own. Others have
// one together: each may get what all return, so the cost would grow with their square.
const mostReflects = 200

// reflectOf returns the object of the reflect.Value that a call returns, which is of r.
func (a *analysis) reflectOf(u use, r *reflected) int {
	id := a.reflects.Max()
	if a.reflects.Len() < mostReflects || a.byPlace[objectKey{u.in, u.at, -60}] != 0 {
		id, _ = a.object(u.in, u.at, -60, nil)
		a.reflects.Insert(id)
	}
	o := a.objects[id]
	a.union(o.cell(leafIn), &r.in)
	a.union(o.cell(leafTo), &r.to)
	return id
}

// reflected returns what an operand is of: a reflect.Value, a list of these, a value in an
// interface, or any other value.
func (a *analysis) reflected(x operand) *reflected {
	r := &reflected{}
	all := a.all(x)
	if t := types.TypeString(x.t, nil); t == "[]reflect.Value" {
		of := &set{}
		for _, l := range a.types.of(elem(x.t)) {
			a.look(of, all, l)
		}
		all = of
	} else if t == "reflect.Type" {
		return r
	}
	each(all, func(id int) {
		o := a.objects[id]
		o.watch.add(a.current)
		switch {
		case a.reflects.Has(id):
			r.in.UnionWith(o.cell(leafIn))
			r.to.UnionWith(o.cell(leafTo))
		case o.out:
			r.in.Insert(a.older(id))
			r.to.Insert(a.older(id))
		case o.box:
			r.in.Insert(id)
			r.to.UnionWith(a.insideOf(id))
		default:
			r.in.Insert(id)
			r.to.Insert(id)
			r.to.UnionWith(a.insideOf(id))
		}
	})
	return r
}

// insideOf returns what an object refers to, and insideAll what the objects of a set do.
func (a *analysis) insideOf(id int) *set { return a.insideAll(single(id)) }

func (a *analysis) insideAll(s *set) *set {
	all := &set{}
	each(s, func(id int) {
		switch o := a.objects[id]; {
		case o.out:
			all.Insert(a.older(id))
			return
		case o.given:
			for _, other := range a.givens {
				all.Insert(other)
			}
		}
		a.inside(id, func(s *set) { all.UnionWith(s) })
	})
	return all
}

// embedded adds what fields of embedded pointers are of.
func (a *analysis) embedded(r *reflected) {
	for n := -1; n != r.in.Len(); {
		n = r.in.Len()
		each(&r.in, func(id int) {
			if t := a.objects[id].typ; t != nil && !embedsPointer(t) && !a.objects[id].mixed {
				return
			}
			to := a.insideOf(id)
			r.in.UnionWith(to)
			r.to.UnionWith(to)
		})
	}
}

// embedsPointer tells whether a struct has an embedded pointer, or is no struct.
func embedsPointer(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for f := range s.Fields() {
		if _, ok := f.Type().Underlying().(*types.Struct); f.Embedded() && (!ok || embedsPointer(f.Type())) {
			return true
		}
	}
	return false
}
