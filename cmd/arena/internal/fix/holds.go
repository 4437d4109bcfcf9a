package fix

import (
	"go/types"
	"slices"
)

// What a function stores in an argument is stored in places of certain types. What is part of the
// argument, as far as this is known, has the store only if it leads to such a place. Another
// argument may be what is stored only if it leads to what fits in such a place.

// leafTypes returns the types of which values of type t are made, if these refer to memory. Of
// structs and arrays, these are types of fields and elements. Nil is any type.
func leafTypes(t types.Type) (all []types.Type) {
	if t == nil || isGeneric(t) {
		return []types.Type{nil}
	}
	if !refers(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return leafTypes(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			all = append(all, leafTypes(v.Type())...)
		}
		return all
	}
	return []types.Type{t}
}

// isGeneric tells whether a type has type parameters in it.
func isGeneric(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if isGeneric(arg) {
				return true
			}
		}
		return t.TypeArgs().Len() == 0 && t.TypeParams().Len() > 0
	case *types.Map:
		return isGeneric(t.Key()) || isGeneric(t.Elem())
	case interface{ Elem() types.Type }:
		return isGeneric(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if isGeneric(v.Type()) {
				return true
			}
		}
	}
	return false
}

// addLeaf adds a type to a list, and tells whether it is new there.
func addLeaf(list *[]types.Type, t types.Type) bool {
	if slices.ContainsFunc(*list, func(other types.Type) bool { return other == nil || t != nil && types.Identical(t, other) }) {
		return false
	}
	*list = append(*list, t)
	return true
}

// A pair asks whether something of one type leads to a place of another, or fits there.
type pair struct {
	t, leaf types.Type
	fits    bool
	has     bool // see mayHave
	text    bool // or texts do
}

// leadsTo tells whether what values of type t lead to may have a place of the type leaf.
func (p *program) leadsTo(t, leaf types.Type) bool {
	return p.looks(pair{t: t, leaf: leaf}, func(t types.Type) bool {
		return leaf == nil && refers(t) || leaf != nil && like(t, leaf)
	})
}

// fits tells whether a value of type t, or something that it leads to, may be stored in a place of
// the type leaf, perhaps by its address. Texts count only if they are asked for.
func (p *program) fits(t, leaf types.Type, text bool) bool {
	if leaf == nil || types.IsInterface(leaf) || isFunc(leaf) {
		return true
	}
	var to types.Type // what a pointer refers to, or the elements of a slice are
	switch u := leaf.Underlying().(type) {
	case *types.Pointer:
		to = u.Elem()
	case *types.Slice:
		to = u.Elem()
	}
	slice := isSlice(leaf)
	return p.looks(pair{t: t, leaf: leaf, fits: true, text: text}, func(t types.Type) bool {
		if like(t, leaf) {
			return text || !isText(t) && !isText(leaf)
		}
		switch u := t.Underlying().(type) {
		case *types.Array:
			if slice && like(u.Elem(), to) {
				return true
			}
		case *types.Slice:
			if to != nil && !slice {
				if a, ok := to.Underlying().(*types.Array); ok && like(u.Elem(), a.Elem()) {
					return true
				}
			}
		}
		return to != nil && !slice && like(t, to)
	})
}

// mayHave tells whether what is stored in a place of the type leaf may be, or lead to, a value of
// type t, or something that this leads to.
func (p *program) mayHave(leaf, t types.Type, text bool) bool {
	if p.fits(t, leaf, text) {
		return true
	}
	return p.looks(pair{t: leaf, leaf: t, fits: true, has: true, text: text}, func(inside types.Type) bool { return p.fits(t, inside, text) })
}

// looks tells whether found holds of t, or of something that values of type t lead to. It holds of
// what may be of any type.
func (p *program) looks(key pair, found func(t types.Type) bool) bool {
	if is, ok := p.pairs[key]; ok {
		return is
	}
	seen := map[types.Type]bool{}
	var look func(t types.Type) bool
	look = func(t types.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		if found(t) {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Kind() == types.UnsafePointer
		case *types.Signature:
			if key.fits || key.leaf == nil {
				return true
			}
			for v := range u.Results().Variables() {
				if holds(v.Type()) && look(v.Type()) {
					return true
				}
			}
		case *types.Interface:
			if key.fits && !p.isOwn(u) || key.leaf == nil || u.NumMethods() == 0 || !p.declaresIn(key.leaf) {
				return true
			}
			for _, n := range p.types() { // others have no place of that type
				if (types.Implements(n, u) || types.Implements(types.NewPointer(n), u)) && look(n) {
					return true
				}
			}
			return len(p.others(u)) > 0
		case *types.Map:
			return look(u.Key()) || look(u.Elem())
		case *types.Tuple:
			return true
		case interface{ Elem() types.Type }:
			return look(u.Elem())
		case *types.Struct:
			for v := range u.Fields() {
				if look(v.Type()) {
					return true
				}
			}
		}
		return false
	}
	p.pairs[key] = isGeneric(key.t) || look(key.t)
	return p.pairs[key]
}

// isOwn tells whether only types of the program implement an interface: types of the program are in
// its methods.
func (p *program) isOwn(u *types.Interface) bool {
	for m := range u.Methods() {
		for _, list := range []*types.Tuple{m.Signature().Params(), m.Signature().Results()} {
			for v := range list.Variables() {
				if p.declaresIn(v.Type()) {
					return true
				}
			}
		}
	}
	return false
}

// declaresIn tells whether there is a type of the program in a type.
func (p *program) declaresIn(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return p.declares(t.Obj().Pkg())
	case *types.Map:
		return p.declaresIn(t.Key()) || p.declaresIn(t.Elem())
	case interface{ Elem() types.Type }:
		return p.declaresIn(t.Elem())
	}
	return false
}

// like tells whether values of one type become values of another by conversion, without a copy.
// Text and bytes count as one: package unsafe makes one of the other.
func like(a, b types.Type) bool {
	if (isText(a) || isBytes(a)) && (isText(b) || isBytes(b)) {
		return true
	}
	if types.IdenticalIgnoreTags(a.Underlying(), b.Underlying()) {
		return true
	}
	p, ok := a.Underlying().(*types.Pointer)
	q, both := b.Underlying().(*types.Pointer)
	return ok && both && types.IdenticalIgnoreTags(p.Elem().Underlying(), q.Elem().Underlying())
}
