package fix

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// keepHidden keeps on the heap what would name a type or a package where a variable has that name,
// or which is another package's. It makes the edits to see that, and takes them back.
func (p *program) keepHidden() {
	for _, f := range p.order {
		if !f.reached || f.scope != nil {
			continue
		}
		for more := true; more; { // a literal around one that stays writes its type
			more = false
			for _, s := range f.sites {
				if s.why.stays() || s.edit == nil || s.kind == kindCarrier {
					continue
				}
				if _, why := f.where(s.way); !why.stays() && p.hides(f, s) {
					s.why, more = whyHidden, true
				}
			}
		}
	}
}

// hides tells whether the edits of a site have a name that means something else.
func (p *program) hides(f *function, s *site) bool {
	file := f.file
	edits, tail, added, getters := len(file.edits), len(file.tail), maps.Clone(file.added), maps.Clone(p.getters)
	file.at, file.hidden = s.node.Pos(), false
	s.edit(f.unused("ar"))
	hidden := file.hidden
	file.at, file.hidden = token.NoPos, false
	file.edits, file.tail, file.added, p.getters = file.edits[:edits], file.tail[:tail], added, getters
	return hidden
}

// means tells whether a name means what is asked for at the place of the file.
func (f *file) means(name string, is func(types.Object) bool) bool {
	scope := f.pkg.Types.Scope().Innermost(f.at)
	if scope == nil {
		return true
	}
	_, obj := scope.LookupParent(name, f.at)
	return obj != nil && is(obj)
}

// sees tells whether a type can be written at the place of the file.
func (f *file) sees(t types.Type) bool {
	return spelled(t, func(obj types.Object) bool {
		_, isType := obj.(*types.TypeName)
		switch {
		case !isType:
			return obj.Exported() || obj.Pkg() == f.pkg.Types
		case obj.Pkg() != nil && obj.Pkg() != f.pkg.Types: // whose name is looked for where it is used
			return obj.Exported() && obj.Parent() == obj.Pkg().Scope()
		}
		return f.means(obj.Name(), func(found types.Object) bool { return found == obj })
	})
}

// spelled tells whether ok is true for all types, fields and methods whose names a type is written
// with.
func spelled(t types.Type, ok func(types.Object) bool) bool {
	all := func(list *types.TypeList) bool {
		return !slices.ContainsFunc(slices.Collect(list.Types()), func(t types.Type) bool { return !spelled(t, ok) })
	}
	switch t := t.(type) {
	case *types.Named:
		return ok(t.Obj()) && all(t.TypeArgs())
	case *types.Alias:
		return ok(t.Obj()) && all(t.TypeArgs())
	case *types.TypeParam:
		return ok(t.Obj())
	case *types.Basic:
		obj := types.Universe.Lookup(t.Name())
		return obj != nil && ok(obj) // the pointer of package unsafe has no name there
	case *types.Map:
		return spelled(t.Key(), ok) && spelled(t.Elem(), ok)
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		return spelled(t.Elem(), ok)
	case *types.Tuple:
		for v := range t.Variables() {
			if !spelled(v.Type(), ok) {
				return false
			}
		}
	case *types.Signature:
		return spelled(t.Params(), ok) && spelled(t.Results(), ok)
	case *types.Struct:
		for v := range t.Fields() {
			if !ok(v) || !spelled(v.Type(), ok) {
				return false
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if !ok(m) || !spelled(m.Type(), ok) {
				return false
			}
		}
	}
	return true
}
