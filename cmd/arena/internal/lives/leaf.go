package lives

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// A leaf is a type of places that refer to something. Structs and arrays are taken apart into
// theirs.
type leaf int

// Leafs that many types share. Others are pointers, slices, maps, channels and interfaces, each by
// its type.
const (
	leafText   leaf = iota
	leafUnsafe      // uintptr, too
	leafAny
	leafFunc
	leafFirst
)

// leafs numbers them.
type leafs struct {
	numbers typeutil.Map // of types of pointers and so on
	lists   typeutil.Map // of all types
	typed   []types.Type // by number, from leafFirst on
	entries typeutil.Map // of types of maps
}

func newLeafs() *leafs { return &leafs{} }

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
		for f := range u.Fields() {
			s.collect(f.Type(), add)
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
			n = leafFirst + leaf(s.numbers.Len())
			s.numbers.Set(u, n)
			s.typed = append(s.typed, u)
		}
		add(n)
	}
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
	return types.NewStruct([]*types.Var{types.NewField(0, nil, "K", m.Key(), false), types.NewField(0, nil, "V", m.Elem(), false)}, nil)
}

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
