package lives

import (
	"go/types"
	"maps"
	"slices"
	"strings"
)

// decode is for a call that decodes text, or what a reader has, into what its second operand points
// to, on the heap. In a rewriting with many such calls, the calls of one function come together in
// a hub.
func (a *analysis) decode(u use, obj *types.Func, args []operand) {
	heap, _ := a.object(u.in, u.at, -70, nil)
	if isDecoder(args[0].t) {
		a.readers(u, obj.Pkg(), args[0], func(leaf) *set { return single(heap) })
	}
	if a.rewriting == nil || a.fillers[fillerKey(u)] != nil || len(a.fillers) < mostFillers {
		a.decodeInto(u, obj.Pkg(), a.all(args[1]))
		return
	}
	h := a.gathering(obj, types.Typ[types.UnsafePointer], u, func(h *hub) { a.decodeInto(h.use, obj.Pkg(), a.all(h.operands()[0])) })
	h.gather(a, args[1:2], a.errors(u))
}

// mostFillers is how many calls that decode have values of their own in a rewriting.
const mostFillers = 32

func (a *analysis) decodeInto(u use, pkg *types.Package, to *set) {
	heap, _ := a.object(u.in, u.at, -70, nil)
	text := func(leaf) *set { return single(heap) }
	a.fillAll(u, to, &a.empty)
	outer := &set{}
	each(a.reach(to), func(id int) {
		if id == old || a.isGiven(id) || a.objects[id].out {
			outer.Insert(id)
		}
	})
	if outer.IsEmpty() {
		return
	}
	for _, t := range unmarshalers(pkg) { // which of their methods is called is not known
		for m := range t.Underlying().(*types.Interface).Methods() {
			var with []operand
			for v := range m.Signature().Params().Variables() {
				o := a.oldOperand(v.Type())
				if isBytes(v.Type()) {
					o.get = text
				}
				with = append(with, o)
			}
			a.callMethod(u.callback(a.errors(u)), operand{t, func(leaf) *set { return outer }}, m, with)
		}
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isDecoder(t types.Type) bool {
	n := namedOf(t)
	return n != nil && n.Obj().Name() == "Decoder"
}

// unmarshalers returns the interfaces by which a package, or encoding for it, decodes values.
func unmarshalers(pkg *types.Package) (all []types.Type) {
	for _, p := range append([]*types.Package{pkg}, pkg.Imports()...) {
		if p != pkg && p.Path() != "encoding" {
			continue
		}
		for _, name := range p.Scope().Names() {
			obj, ok := p.Scope().Lookup(name).(*types.TypeName)
			if ok && obj.Exported() && types.IsInterface(obj.Type()) && strings.Contains(name, "Unmarshaler") {
				all = append(all, obj.Type())
			}
		}
	}
	return all
}

// readers has a decoder read: it calls the methods of what it reads from. In encoding/xml, where
// there are functions of the caller for that, this is what Token does.
func (a *analysis) readers(u use, pkg *types.Package, d operand, text func(leaf) *set) {
	if pkg.Path() == "encoding/xml" {
		if fn := a.prog.LookupMethod(d.t, pkg, "Token"); fn != nil {
			a.invoke(u.callback(nil), fn, []operand{d}, nil)
		}
		return
	}
	each(a.reach(a.all(d)), func(id int) {
		o := a.objects[id]
		for _, l := range slices.Sorted(maps.Keys(o.cells)) {
			t := a.types.typeOf(l)
			if t == nil || !types.IsInterface(t) {
				continue
			}
			for m := range t.Underlying().(*types.Interface).Methods() {
				if isRead(m) {
					from := operand{t, func(leaf) *set { return o.cell(l) }}
					a.callMethod(u.callback(a.errors(u)), from, m, []operand{{m.Signature().Params().At(0).Type(), text}})
				}
			}
		}
	})
}

// unwrap returns the chain of an error: what the error is, what its methods Unwrap return, and what
// is in the lists that some of these return.
func (a *analysis) unwrap(u use, err operand) *set {
	_, o := a.object(u.in, u.at, -71, nil)
	chain := a.all(err)
	for todo := chain.AppendTo(nil); len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		add := func(s *set) {
			each(s, func(id int) {
				if chain.Insert(id) {
					todo = append(todo, id)
				}
			})
		}
		e := a.objects[id]
		switch {
		case e.out || a.isGiven(id):
		case !e.box || e.typ == nil || types.IsInterface(e.typ):
			a.inside(id, add)
		default:
			m := a.prog.MethodSets.MethodSet(e.typ).Lookup(nil, "Unwrap")
			if m == nil {
				continue
			}
			fn := a.prog.MethodValue(m)
			v := u.callback(nil)
			v.results, v.set = fn.Signature.Results(), func(_ int, l leaf) *set { return o.cell(l) }
			a.invoke(v, fn, []operand{a.contents(id)}, nil)
			for _, s := range o.cells {
				add(s)
			}
		}
	}
	return chain
}

// as is for a call of errors.As: what its second operand points to is an error of the chain of the
// first from now on. It returns false if a method As is called.
func (a *analysis) as(u use, args []operand) bool {
	chain := a.unwrap(u, args[0])
	known := true
	each(chain, func(id int) {
		if t := a.objects[id].typ; t != nil && isError(t) {
			for _, t := range []types.Type{t, types.NewPointer(t)} {
				known = known && a.prog.MethodSets.MethodSet(t).Lookup(nil, "As") == nil
			}
		}
	})
	each(a.all(args[1]), func(id int) {
		o := a.objects[id]
		if !o.box || o.typ == nil || !isPointer(o.typ) {
			known = known && a.isGiven(id)
			return
		}
		p := elem(o.typ)
		to := a.all(a.contents(id))
		for _, l := range a.types.of(p) {
			what := &set{}
			if types.IsInterface(p) {
				each(chain, func(e int) {
					if o := a.objects[e]; o.box || o.out || a.isGiven(e) {
						what.Insert(e)
					}
				})
			} else {
				each(chain, func(e int) {
					switch o := a.objects[e]; {
					case a.isForeign(e) && a.isMine(p):
					case o.out:
						what.Insert(old)
					case a.isGiven(e):
						what.Insert(a.outer(l))
					case o.box && o.typ != nil && types.Identical(o.typ, p):
						s := a.contents(e)
						what.UnionWith(s.get(l))
					}
				})
			}
			a.store(to, l, what, u.at)
		}
	})
	return known
}
