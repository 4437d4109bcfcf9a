package arenavet

import (
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/library"
	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// handedTo returns what a function of the standard library calls one of its arguments with. The
// types tell that these are elements of the others, or the others themselves. As many of a type as
// there are parameters of it come in the same order.
func (f *flow) handedTo(s *state, args []ssa.Value, n int) (params []av) {
	sig, ok := args[n].Type().Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	of := func(want types.Type) (all []av) {
		is := func(t types.Type) bool { return types.Identical(t, want) }
		for m, arg := range args {
			x, t := s.get(arg), arg.Type()
			if isMap(t) && is(keyType(t)) {
				all = append(all, f.element(s, x.ptr, stepKey, keyType(t)))
			}
			switch {
			case m == n:
			case is(t):
				all = append(all, x)
			case isSlice(t) && is(elementType(t)) || isMap(t) && is(elementType(t)):
				all = append(all, f.element(s, x.ptr, stepElem, elementType(t)))
			case yields(t) != nil && yields(t).Len() == 1 && is(yields(t).At(0).Type()):
				all = append(all, s.given(x, 0))
			}
		}
		return all
	}
	for p := range sig.Params().Len() {
		nth, count := 0, 0
		for q := range sig.Params().Len() {
			if types.Identical(sig.Params().At(q).Type(), sig.Params().At(p).Type()) {
				if count++; q < p {
					nth++
				}
			}
		}
		all := of(sig.Params().At(p).Type())
		v := unknown
		switch {
		case len(all) == count:
			v = all[nth]
		case len(all) > 0:
			v = all[0]
			for _, x := range all[1:] {
				v = joinValues(v, x)
			}
		}
		params = append(params, v)
	}
	return params
}

// fromLibrary does what a function of the standard library does of which is known what it returns
// and keeps. It reports whether it is one.
func (f *flow) fromLibrary(s *state, obj *types.Func, args []ssa.Value, at ssa.Instruction, value *ssa.Call) bool {
	f.delegates(s, obj, args, at)
	facts, ok := library.Of(obj)
	if !ok {
		return false
	}
	if value != nil {
		defer func() { f.makesLogger(s, obj, args, at, loc{value, ""}) }()
	}
	for n, arg := range args {
		if library.OnlyCalls(obj, n) {
			f.invoke(s, f.targets(s, s.get(arg)), f.handedTo(s, args, n), at, loc{}, nil, false)
		}
	}
	if facts.All && len(facts.Flows) == 0 {
		f.clean(s, value)
		return true
	}
	if replacesEntry(obj, args, at) && len(s.get(args[len(args)-1]).tags) == 0 {
		s.clear(s.get(args[0]).ptr)
		f.clears(s.get(args[0]).ptr)
	}
	for _, a := range args {
		if !facts.All {
			f.lend(s, s.get(a))
		}
	}
	if call, ok := at.(ssa.CallInstruction); ok && !reads(obj) {
		s.mayWait(call.Common())
	}
	source := func(w library.Flow) (v av) {
		if w.From >= len(args) {
			return av{}
		}
		add := func(x av) {
			tags := x.only(func(t tag) bool { return t.kind != isArena })
			if len(tags) > 0 {
				v = v.with(tags...)
				v.other = v.other || x.other
			}
		}
		arg := s.get(args[w.From])
		if !w.Below {
			if add(arg); w.To == "g" && len(arg.fns) > 0 { // and what that has captured
				v.fns, v.open, v.ptr = arg.fns, arg.open, arg.ptr
			}
			return v
		}
		s.below(arg.ptr, func(l loc, x av) {
			if l != arg.ptr || isPointer(args[w.From].Type()) {
				add(x)
			}
		})
		if arg.given() && len(v.tags) == 0 {
			v = f.element(s, arg.ptr, stepElem, elementType(args[w.From].Type()))
		}
		return v
	}
	type write struct {
		library.Flow
		v av
	}
	var writes []write
	for _, w := range facts.Flows {
		if !certain(obj, w) {
			continue
		}
		if v := source(w); len(v.tags)+len(v.fns) > 0 {
			if w.To == "r" && obj.Pkg().Path() == "os" && isError(obj.Signature().Results().At(w.N).Type()) {
				v.other = true // files are there as a rule
			}
			writes = append(writes, write{w, v})
		}
	}
	results := map[int]av{}
	for _, w := range writes {
		switch w.To {
		case "r":
			if value == nil {
				continue
			}
			t := resultTypes(value)[w.N]
			l := loc{value, ""}
			if w.N > 0 {
				l = l.add(".#" + strconv.Itoa(w.N))
			}
			r, ok := results[w.N]
			switch {
			case returnsReceiver(obj, w.Flow):
				r.ptr = s.get(args[0]).ptr
			case !ok && !ssas.IsString(t):
				s.forget(l)
				r.ptr = l
			}
			if sl, ok := t.Underlying().(*types.Slice); ok && w.In && !carries(sl.Elem()) {
				continue
			}
			if w.In {
				below := l.add(stepAll)
				if names.Is(args[w.From].Type(), "io", "Reader") {
					below = l.add(".reader") // what is read from it is a copy
					s.mem.set(l.add(stepElem), av{})
				}
				old, _ := s.mem.get(below)
				s.mem.set(below, joinValues(old, w.v))
			}
			if !w.In || opaque(t) {
				r = r.with(w.v.tags...)
				r.other = r.other || w.v.other
			}
			results[w.N] = r
		case "p":
			if w.N < len(args) {
				if p := s.get(args[w.N]).ptr; p.root != nil {
					f.assign(s, p.add(stepElem), w.v, at)
				}
			}
		case "g":
			if g := f.c.global(w.Global); g != nil {
				f.assign(s, loc{g, ""}, w.v, at)
			}
		}
	}
	all := make([]av, len(resultTypes(value)))
	for n := range all {
		r, ok := results[n]
		if !ok {
			r = unknown
		}
		all[n] = r
	}
	f.setResults(s, value, all)
	return true
}

// replacesEntry reports whether a call sets an entry of a header, or of what is like it, that
// another call of the function sets, too.
func replacesEntry(obj *types.Func, args []ssa.Value, at ssa.Instruction) bool {
	if obj.Name() != "Set" && obj.Name() != "Del" || len(args) < 2 || !isMap(args[0].Type()) {
		return false
	}
	for i := range ssas.Instrs(at.Parent()) {
		if call, ok := i.(ssa.CallInstruction); ok && i != at && len(call.Common().Args) > 1 && isMap(call.Common().Args[0].Type()) && sameKey(call.Common().Args[1], args[1]) {
			return true
		}
	}
	return false
}

// certain reports whether a flow counts as one that comes whatever conditions say.
func certain(obj *types.Func, w library.Flow) bool {
	results, recv := obj.Signature().Results(), obj.Signature().Recv()
	switch {
	case w.To == "r" && isError(results.At(w.N).Type()):
		return keepsText(obj, w) // of other arguments it depends on the kind of error
	case recv != nil && w.From == 0 && w.To != "r":
		return false // its own
	case recv != nil && w.From == 0:
		return !opaque(recv.Type()) || returnsReceiver(obj, w)
	}
	// What else a function with results does to its arguments depends on more than can be told
	// without conditions.
	path := obj.Pkg().Path()
	return w.To != "p" || w.From != w.N && w.N == 0 && results.Len() == 0 && (recv != nil || path == "maps" || path == "slices")
}

// keepsText reports whether a flow is of a text that is an argument.
func keepsText(obj *types.Func, w library.Flow) bool {
	n := w.From
	if obj.Signature().Recv() != nil {
		n--
	}
	params := obj.Signature().Params()
	return !w.Below && n >= 0 && n < params.Len() && ssas.IsString(params.At(n).Type())
}

// returnsReceiver reports whether the result of a method is its receiver: a number that it has set.
func returnsReceiver(obj *types.Func, w library.Flow) bool {
	recv := obj.Signature().Recv()
	return obj.Pkg().Path() == "math/big" && recv != nil && w == library.Flow{From: 0, To: "r"} && types.Identical(obj.Signature().Results().At(0).Type(), recv.Type())
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// onlyReturns reports whether all that a function of the standard library does with its arguments
// is known, and that is to return them or parts of them.
func onlyReturns(obj *types.Func) bool {
	facts, ok := library.Of(obj)
	return ok && facts.All && !slices.ContainsFunc(facts.Flows, func(w library.Flow) bool { return w.To != "r" })
}

// given reports whether a value is what the caller has given.
func (v av) given() bool {
	return len(v.tags) == 1 && v.tags[0].kind == ofParam && !v.tags[0].deep && !v.other
}

// opaque reports whether values of a type are used as a whole: an interface, or a struct with
// fields that only its package knows.
func opaque(t types.Type) bool {
	if types.IsInterface(t) {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if !f.Exported() {
			return true
		}
	}
	return false
}
