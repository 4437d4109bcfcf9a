package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
)

// A call of a function value does not say what it calls, and has no type to look at, as a call
// through an interface has. So the second forms of functions are in a table, by the code of the
// first ones. What is not in the table is called as before: literals, bound methods, and functions
// of users.

// A formTable is where the second forms are of functions with one type.
type formTable struct {
	typ  types.Type
	file *file // that has it
}

// tableOf returns the table for a call of a function value, or nil if the call stays. A parameter
// is called as before, and so is a variable that is set to a literal: it may be a closure on the
// stack, which looking at its code would move to the heap.
func (w *walker) tableOf(fun ast.Expr) *formTable {
	if id, ok := ast.Unparen(fun).(*ast.Ident); ok {
		v, ok := w.info.Uses[id].(*types.Var)
		if !ok || v.Kind() == types.ParamVar || v.Kind() == types.LocalVar && w.f.setsToLiteral(v) {
			return nil
		}
	}
	t := types.Unalias(w.info.TypeOf(fun))
	file := w.f.file
	if n, ok := t.(*types.Named); ok {
		if file = w.p.fileFor(n.Obj()); file == nil || n.TypeArgs() != nil {
			return nil
		}
	}
	if sig, ok := t.Underlying().(*types.Signature); !ok || !nameable(sig, file.pkg.Types) {
		return nil
	}
	key := tableKey{file.pkg.Types, types.TypeString(t, nil)}
	if w.p.tables[key] == nil {
		w.p.tables[key] = &formTable{typ: t, file: file}
	}
	return w.p.tables[key]
}

// setsToLiteral tells whether the function sets a variable to a function literal.
func (f *function) setsToLiteral(v *types.Var) bool {
	info := f.pkg.TypesInfo
	set := func(names, values []ast.Expr) bool {
		for i, x := range names {
			id, ok := ast.Unparen(x).(*ast.Ident)
			if !ok || info.ObjectOf(id) != v || len(values) != len(names) {
				continue
			}
			if _, ok := ast.Unparen(values[i]).(*ast.FuncLit); ok {
				return true
			}
		}
		return false
	}
	return some(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			return set(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			var names []ast.Expr
			for _, id := range n.Names {
				names = append(names, id)
			}
			return set(names, n.Values)
		}
		return false
	})
}

type tableKey struct {
	pkg *types.Package
	typ string
}

// has tells whether a function may be in the table: one that is declared, in the package of the
// table, in one that this imports, or in one that imports this.
func (t *formTable) has(f *function) bool {
	sig := f.obj.Signature()
	if f.literal != nil || sig.Recv() != nil || sig.TypeParams() != nil {
		return false
	}
	switch here := t.file.pkg.Types; {
	case f.pkg.Types == here:
		return true
	case slices.Contains(here.Imports(), f.pkg.Types):
		return f.obj.Exported()
	default:
		n := t.named()
		return n != nil && n.Exported() && slices.Contains(f.pkg.Types.Imports(), here)
	}
}

// named returns the name of the type, or nil.
func (t *formTable) named() *types.TypeName {
	if n, ok := t.typ.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// tableCall writes the function that calls a value by the table, and returns its name, or "" if the
// table is empty.
func (p *program) tableCall(t *formTable) string {
	var forms []*function
	for _, v := range p.taken {
		if types.Identical(v.t, t.typ.Underlying()) && t.has(v.f) && v.f.variant() && !slices.Contains(forms, v.f) {
			forms = append(forms, v.f)
		}
	}
	if len(forms) == 0 {
		return ""
	}
	var call string
	if t.named() != nil {
		call = p.newName(t.named(), "")
	} else {
		call = p.free(t.file.pkg.Types, "arenaFunc")
	}
	list := p.free(t.file.pkg.Types, call+"Forms")
	pass, ar, reflect := t.file.passing(t.typ.Underlying().(*types.Signature)), t.file.arena(), t.file.use("reflect", "reflect")
	t.file.tail = append(t.file.tail, fmt.Sprintf(`
// %[1]s calls f with what that makes in ar, if %[2]s has a second form of it. Nil is the heap.
func %[1]s(ar *%[3]s.Arena, f %[4]s%[5]s)%[6]s {
	if ar != nil {
		if f := %[2]s[%[7]s.ValueOf(f).Pointer()]; f != nil {
			%[8]s
		}
	}
	%[9]s
}

// %[2]s has the second forms of functions, by the code of these.
var %[2]s = map[uintptr]func(ar *%[3]s.Arena%[5]s)%[6]s{}
`, call, list, ar, t.file.typ(t.typ), pass.params, pass.results, reflect, pass.call("f", "ar"), pass.call("f", "")))
	for _, f := range forms {
		in, name, second := t.file, f.decl.Name.Name, f.variantName()
		switch {
		case f.pkg == in.pkg:
		case slices.Contains(in.pkg.Types.Imports(), f.pkg.Types):
			from := in.use(f.pkg.Types.Path(), f.pkg.Types.Name()) + "."
			name, second = from+name, from+second
		default:
			in = f.file
		}
		in.register(t.file, list, in.use("reflect", "reflect")+".ValueOf("+name+").Pointer()", second)
	}
	return call
}
