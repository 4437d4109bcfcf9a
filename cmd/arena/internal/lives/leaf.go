package lives

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A leaf is a kind of places that refer to something: places of a type, or a field of a struct
// type. Structs and arrays are taken apart into theirs. A pointer may point at a field, so that a
// place of its type is that field: of such fields, which are exposed, each analysis keeps a list.
type leaf int

// Leafs that many types share. Others are pointers, slices, maps, channels and interfaces, each by
// its type, and fields.
const (
	leafText   leaf = iota
	leafUnsafe      // uintptr, too
	leafAny
	leafFunc
)

// leafs numbers them.
type leafs struct {
	kinds   []kind       // by number
	numbers typeutil.Map // of types of pointers and so on
	fields  typeutil.Map // of the fields of structs
	lists   typeutil.Map // of all types
	entries typeutil.Map // of types of maps
	addrs   map[ssa.Value]addr
}

// A kind is what is known of a leaf.
type kind struct {
	typ   types.Type // of the places; of functions for fields only
	plain leaf       // of all places of the type; for a field another leaf
}

func newLeafs() *leafs {
	s := &leafs{addrs: map[ssa.Value]addr{}}
	for l, t := range []types.Type{leafText: types.Typ[types.String], leafUnsafe: nil, leafAny: types.Universe.Lookup("any").Type(), leafFunc: nil} {
		s.kinds = append(s.kinds, kind{t, leaf(l)})
	}
	return s
}

func (s *leafs) plain(l leaf) leaf { return s.kinds[l].plain }

func (s *leafs) typeOf(l leaf) types.Type { return s.kinds[l].typ }

// of returns the leafs of a type.
func (s *leafs) of(t types.Type) []leaf {
	if t == nil {
		return nil
	}
	if list, ok := s.lists.At(t).([]leaf); ok {
		return list
	}
	seen := map[leaf]bool{}
	list := []leaf{}
	s.collect(t, func(l leaf) {
		if !seen[l] {
			seen[l] = true
			list = append(list, l)
		}
	})
	s.lists.Set(t, list)
	return list
}

func (s *leafs) collect(t types.Type, add func(leaf)) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			add(leafText)
		case u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr:
			add(leafUnsafe)
		}
	case *types.Signature:
		add(leafFunc)
	case *types.Struct:
		for n := range u.NumFields() {
			s.collect(u.Field(n).Type(), func(l leaf) { add(s.field(u, n, l)) })
		}
	case *types.Array:
		s.collect(u.Elem(), add)
	case *types.Tuple:
	default:
		if i, ok := u.(*types.Interface); ok && i.NumMethods() == 0 {
			add(leafAny)
			return
		}
		n, ok := s.numbers.At(u).(leaf)
		if !ok {
			n = leaf(len(s.kinds))
			s.numbers.Set(u, n)
			s.kinds = append(s.kinds, kind{u, n})
		}
		add(n)
	}
}

// field returns the leaf of a place in field n of a struct, which has this leaf by itself.
func (s *leafs) field(t *types.Struct, n int, l leaf) leaf {
	if s.plain(l) != l || isEntry(t) {
		return l // of a struct that is the field
	}
	list, ok := s.fields.At(t).([]leaf)
	if !ok {
		list = make([]leaf, t.NumFields())
		s.fields.Set(t, list)
	}
	if list[n] == 0 {
		list[n] = leaf(len(s.kinds))
		s.kinds = append(s.kinds, kind{s.typeOf(l), l})
		if sig, ok := t.Field(n).Type().Underlying().(*types.Signature); ok {
			s.kinds[list[n]].typ = sig
		}
	}
	return list[n]
}

// An addr is what is known of an address.
type addr struct {
	field   bool // of a field, or of an element of one
	place   leaf // of the field
	exposed bool // it is used for more than loads and stores
}

// at returns the leaf of a place, which has this leaf by itself, at an address.
func (s *leafs) at(v ssa.Value, l leaf) (place leaf, exposed bool) {
	if s.plain(l) != l {
		return l, false
	}
	ad, ok := s.addrs[v]
	if !ok {
		ad = s.addrOf(v, l)
		s.addrs[v] = ad
	}
	if !ad.field {
		return l, false
	}
	return ad.place, ad.exposed
}

func (s *leafs) addrOf(v ssa.Value, l leaf) addr {
	for {
		switch i := v.(type) {
		case *ssa.FieldAddr:
			t, ok := elem(i.X.Type()).Underlying().(*types.Struct)
			if !ok {
				return addr{}
			}
			return addr{true, s.field(t, i.Field, l), exposes(i)}
		case *ssa.IndexAddr:
			if !isPointer(i.X.Type()) {
				return addr{}
			}
			v = i.X
		default:
			return addr{}
		}
	}
}

// exposes tells whether the address of a field, or of an element of it, is used for more than loads
// and stores.
func exposes(v ssa.Value) bool {
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef, *ssa.UnOp:
		case *ssa.Store:
			if i.Val == v {
				return true
			}
		case *ssa.IndexAddr:
			if exposes(i) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// one returns the leaf of a type that has one.
func (s *leafs) one(t types.Type) leaf { return s.of(t)[0] }

// elem returns the type of what a value of type t has in it or points at.
func elem(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Chan:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	}
	return nil
}

// entry returns a type that has what an entry of a map has.
func entry(t types.Type) types.Type {
	m, ok := t.Underlying().(*types.Map)
	if !ok {
		return nil // a type parameter
	}
	fields := []*types.Var{types.NewField(0, nil, "K", m.Key(), false), types.NewField(0, nil, "V", m.Elem(), false)}
	return types.NewStruct(fields, []string{entryTag, ""})
}

// entryTag tells the struct types of entries from others.
const entryTag = "entry of a map"

// isEntry tells whether a struct type is one of entries: their fields are not told apart.
func isEntry(t *types.Struct) bool { return t.NumFields() == 2 && t.Tag(0) == entryTag }

// result returns the type of result i.
func result(t types.Type, i int) types.Type {
	if list, ok := t.(*types.Tuple); ok {
		return list.At(i).Type()
	}
	return t
}

// entry returns the type of entries of a map, the same each time.
func (s *leafs) entry(m *types.Map) types.Type {
	e, ok := s.entries.At(m).(types.Type)
	if !ok {
		e = entry(m)
		s.entries.Set(m, e)
	}
	return e
}
