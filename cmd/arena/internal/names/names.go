// Package names holds the names by which functions are known, and what the functions of the arena
// packages do. Analyzed programs need not use the version that this command was made for, and the
// sources of these packages use package unsafe. So they are known by name.
package names

import "go/types"

// Core is the package whose arenas are followed.
const Core = "github.com/arena-go/arena"

// Local returns the name of a function in its package. A method has its type in front.
func Local(fn *types.Func) string {
	if recv := fn.Signature().Recv(); recv != nil {
		if n := Type(recv.Type()); n != nil {
			return n.Obj().Name() + "." + fn.Name()
		}
	}
	return fn.Name()
}

// Package returns the path of the package of a function, or "".
func Package(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	return fn.Pkg().Path()
}

// Path returns the path of the package of a function, and its name there, or "".
func Path(fn *types.Func) string {
	if pkg := Package(fn); pkg != "" {
		return pkg + "." + Local(fn)
	}
	return ""
}

// Type returns the named type that t is, or points to, or nil.
func Type(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// Is reports whether a type is this one of a package, or points to it.
func Is(t types.Type, path, name string) bool {
	n := Type(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}
