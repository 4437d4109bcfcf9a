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
	object := func(obj *types.TypeName) bool {
		if obj.Pkg() != nil && obj.Pkg() != f.pkg.Types { // whose name is looked for where it is used
			return obj.Exported() && obj.Parent() == obj.Pkg().Scope()
		}
		return f.means(obj.Name(), func(found types.Object) bool { return found == obj })
	}
	all := func(list *types.TypeList) bool {
		return !slices.ContainsFunc(slices.Collect(list.Types()), func(t types.Type) bool { return !f.sees(t) })
	}
	switch t := t.(type) {
	case *types.Named:
		return object(t.Obj()) && all(t.TypeArgs())
	case *types.Alias:
		return object(t.Obj()) && all(t.TypeArgs())
	case *types.TypeParam:
		return object(t.Obj())
	case *types.Basic:
		return f.means(t.Name(), func(found types.Object) bool { return found.Parent() == types.Universe || found.Pkg() == types.Unsafe })
	case *types.Map:
		return f.sees(t.Key()) && f.sees(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		return f.sees(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if !f.sees(v.Type()) {
				return false
			}
		}
	case *types.Signature:
		return f.sees(t.Params()) && f.sees(t.Results())
	case *types.Struct:
		for v := range t.Fields() {
			if !v.Exported() && v.Pkg() != f.pkg.Types || !f.sees(v.Type()) {
				return false
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() && m.Pkg() != f.pkg.Types || !f.sees(m.Type()) {
				return false
			}
		}
	}
	return true
}
