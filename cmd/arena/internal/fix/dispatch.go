package fix

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A dispatch is a call through an interface. What it may call is each method of that name whose
// type implements the interface, as in golang.org/x/tools/go/callgraph/cha: a method too many has a
// second form that nobody calls, and one that is not known is called as before. So none of the more
// precise analyses is needed, whose results hold for whole programs only, and a library is none.
type dispatch struct {
	iface  *types.Named // nil if the call cannot be rewritten
	method *types.Func
	file   *file      // that has the function which is written for the call
	table  *formTable // of a call of a function value that can be rewritten: see values.go
}

// implementations returns the methods of the program that a call of an interface's method may call.
func (p *program) implementations(recv types.Type, m *types.Func) (all []*function) {
	iface, ok := recv.Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	key := implKey{iface: iface, m: m}
	if all, ok := p.impls[key]; ok {
		return all
	}
	for _, t := range p.types() {
		for _, t := range []types.Type{t, types.NewPointer(t)} {
			if !types.Implements(t, iface) {
				continue
			}
			obj, _, _ := types.LookupFieldOrMethod(t, false, m.Pkg(), m.Name())
			if g := p.method(obj); g != nil && !slices.Contains(all, g) {
				all = append(all, g)
			}
		}
	}
	for _, t := range p.others(iface) {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, m.Pkg(), m.Name())
		if g := p.method(obj); g != nil && !slices.Contains(all, g) {
			all = append(all, g)
		}
	}
	p.impls[key] = all
	return all
}

// interfaceOf returns the type of a method's receiver: the interface, if a struct embeds one.
func interfaceOf(s *types.Selection) types.Type {
	if types.IsInterface(s.Recv()) {
		return s.Recv()
	}
	return s.Obj().(*types.Func).Signature().Recv().Type()
}

// others returns the types that types leaves out and that may implement an interface: generic ones,
// and those that a function declares. They have methods with the names of the interface's.
func (p *program) others(iface *types.Interface) (all []*types.Named) {
	if p.hidden == nil {
		p.hidden = []*types.Named{}
		for _, pkg := range p.pkgs {
			for _, obj := range pkg.TypesInfo.Defs {
				t, ok := obj.(*types.TypeName)
				if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
					continue
				}
				if n, ok := t.Type().(*types.Named); ok && (n.TypeParams() != nil || t.Parent() != pkg.Types.Scope()) {
					p.hidden = append(p.hidden, n)
				}
			}
		}
		slices.SortFunc(p.hidden, func(a, b *types.Named) int { return cmp.Compare(a.Obj().Pos(), b.Obj().Pos()) })
	}
	for _, n := range p.hidden {
		has := true
		for m := range iface.Methods() {
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), false, m.Pkg(), m.Name())
			_, method := obj.(*types.Func)
			has = has && method
		}
		if has {
			all = append(all, n)
		}
	}
	return all
}

type implKey struct {
	iface *types.Interface
	m     *types.Func
	in    *types.Package // that has the function for the call, or nil
	table *formTable     // of a function value
}

func (p *program) method(obj types.Object) *function {
	f, _ := obj.(*types.Func)
	if f == nil {
		return nil
	}
	return p.funcs[f.Origin()]
}

// types returns the types that the packages declare, without generic ones, in order.
func (p *program) types() []types.Type {
	if p.declared == nil {
		for _, pkg := range p.pkgs {
			scope := pkg.Types.Scope()
			for _, name := range scope.Names() {
				obj, ok := scope.Lookup(name).(*types.TypeName)
				if !ok || obj.IsAlias() {
					continue
				}
				if n, ok := obj.Type().(*types.Named); ok && n.TypeParams() == nil && !types.IsInterface(n) {
					p.declared = append(p.declared, n)
				}
			}
		}
	}
	return p.declared
}

// dynamicCall notes a call through an interface, which can be rewritten if the program declares
// that, or of a function value.
func (w *walker) dynamicCall(n *ast.CallExpr) {
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		if s := w.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			d := &dispatch{method: s.Obj().(*types.Func)}
			if iface, ok := types.Unalias(s.Recv()).(*types.Named); ok && types.IsInterface(iface) && iface.TypeArgs() == nil {
				if d.file = w.p.fileFor(iface.Obj()); d.file != nil && nameable(d.method.Signature(), d.file.pkg.Types) {
					d.iface = iface
				}
			}
			for _, g := range w.p.implementations(interfaceOf(s), d.method) {
				d := d
				if d.iface != nil && !slices.ContainsFunc(w.p.listed(d), func(l implementation) bool { return l.method == g }) {
					d = &dispatch{method: d.method}
				}
				w.addCall(n, g, sel.Sel, d)
			}
			return
		}
	}
	sig := w.info.TypeOf(n.Fun).Underlying()
	other := func(v taken) bool { return !types.Identical(v.t, sig) }
	targets := slices.DeleteFunc(slices.Clone(w.p.taken), other)
	if len(targets) == 0 {
		return
	}
	t := w.tableOf(n.Fun)
	for _, v := range targets {
		d := &dispatch{}
		if t != nil && t.has(v.f) {
			d.table, d.file = t, t.file
		}
		w.addCall(n, v.f, nil, d)
	}
}

// fileFor returns the file for what is written for a named type: the file of the type, or another
// file of its package if a program has made that. It returns nil for types in functions, and of
// packages that stay: what is given to an interface of others is often kept.
func (p *program) fileFor(obj *types.TypeName) *file {
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return nil
	}
	var beside *file
	for pkg, syntax := range p.syntax() {
		f := p.files[syntax]
		if pkg.Types != obj.Pkg() || f.fixed {
			continue
		}
		if syntax.FileStart <= obj.Pos() && obj.Pos() < syntax.FileEnd {
			return f
		}
		if beside == nil {
			beside = f
		}
	}
	return beside
}

// helper returns the name of the function that is written for a dispatch, or "" if what is called
// has no second form.
func (p *program) helper(d *dispatch) string {
	key := d.key()
	name, ok := p.helpers[key]
	switch {
	case ok:
		return name
	case d.table != nil:
		name = p.tableCall(d.table)
	default:
		name = p.methodCall(d)
	}
	p.helpers[key] = name
	return name
}

// methodCall writes the function that calls a method of an interface, with an arena if the type of
// the value has a second form of the method. It returns the function's name, or "" if no type has.
// The types are listed, for a type that embeds one of them, and has a method of its own, has the
// second form of the other. Those that the package of the function cannot name are in a table.
func (p *program) methodCall(d *dispatch) string {
	file := d.file
	list := map[string][]string{} // types, by the name of the second form
	var elsewhere []implementation
	for _, l := range p.listed(d) {
		if !l.method.variant() {
			continue
		}
		second := l.method.variantName()
		if other, _, _ := types.LookupFieldOrMethod(l.typ, true, d.method.Pkg(), second); other != nil {
			continue
		}
		if l.file != file {
			elsewhere = append(elsewhere, l)
		} else {
			list[second] = append(list[second], file.typ(l.typ))
		}
	}
	if len(list)+len(elsewhere) == 0 {
		return ""
	}
	name := p.newName(d.iface.Obj(), upper(d.method.Name()))
	iface, pass := file.typ(d.iface), file.passing(d.method.Signature())
	var out strings.Builder
	fmt.Fprintf(&out, `
// %[1]s calls x.%[2]s with what that makes in ar, where the type of x can. Nil is the heap.
func %[1]s(ar *%[3]s.Arena, x %[4]s%[5]s)%[6]s {
if ar != nil {
`, name, d.method.Name(), file.arena(), iface, pass.params, pass.results)
	if len(list) > 0 {
		out.WriteString("switch x := x.(type) {\n")
		for _, second := range slices.Sorted(maps.Keys(list)) {
			for _, t := range list[second] {
				fmt.Fprintf(&out, "case %s:\n%s\n", t, pass.call("x."+second, "ar"))
			}
		}
		out.WriteString("}\n")
	}
	table := ""
	if len(elsewhere) > 0 {
		table = p.free(file.pkg.Types, name+"Forms")
		fmt.Fprintf(&out, "if f := %s[%s.TypeOf(x)]; f != nil {\n%s\n}\n", table, file.use("reflect", "reflect"), pass.call("f", "ar, x"))
	}
	fmt.Fprintf(&out, "}\n%s\n}\n", pass.call("x."+d.method.Name(), ""))
	if table != "" {
		fmt.Fprintf(&out, `
// %[1]s has the second forms of x.%[2]s, by the type of x.
var %[1]s = map[%[3]s.Type]func(ar *%[4]s.Arena, x %[5]s%[6]s)%[7]s{}
`, table, d.method.Name(), file.use("reflect", "reflect"), file.arena(), iface, pass.params, pass.results)
	}
	file.tail = append(file.tail, out.String())
	for _, l := range elsewhere {
		t, pass := l.file.typ(l.typ), l.file.passing(d.method.Signature())
		form := fmt.Sprintf("func(ar *%s.Arena, x %s%s)%s {\n%s\n}", l.file.arena(), l.file.typ(d.iface), pass.params, pass.results, pass.call("x.("+t+")."+l.method.variantName(), "ar"))
		l.file.register(file, table, l.file.use("reflect", "reflect")+".TypeFor["+t+"]()", form)
	}
	return name
}

// key tells dispatches apart for which different functions are written.
func (d *dispatch) key() implKey {
	if d.table != nil {
		return implKey{table: d.table}
	}
	return implKey{d.iface.Underlying().(*types.Interface), d.method, d.file.pkg.Types, nil}
}

// register has a table of a file, which may be of another package, get an entry when the program
// begins.
func (f *file) register(of *file, table, key, form string) {
	if of.pkg != f.pkg {
		table = f.use(of.pkg.Types.Path(), of.pkg.Types.Name()) + "." + table
	}
	f.forms = append(f.forms, fmt.Sprintf("%s[%s] = %s\n", table, key, form))
}

// free returns a name that is free in a package, which begins like this.
func (p *program) free(pkg *types.Package, name string) string {
	for pkg.Scope().Lookup(name) != nil || p.names[pkg.Path()+"."+name] {
		name += "_"
	}
	p.names[pkg.Path()+"."+name] = true
	return name
}

// An implementation is a type with a method of an interface, and the file that has the call of its
// second form: the one with the function that is called for all types, or one of the type's
// package.
type implementation struct {
	typ    types.Type
	method *function
	file   *file
}

// listed returns the implementations of an interface that can be called with an arena.
func (p *program) listed(d *dispatch) (all []implementation) {
	key := d.key()
	if all, ok := p.lists[key]; ok {
		return all
	}
	here := d.file.pkg.Types
	shown := d.iface.Obj().Exported() && d.method.Exported()
	for _, t := range p.types() {
		obj, file := t.(*types.Named).Obj(), d.file
		switch {
		case obj.Pkg() == here || obj.Exported() && slices.Contains(here.Imports(), obj.Pkg()):
		case shown && slices.Contains(obj.Pkg().Imports(), here):
			file = p.fileFor(obj)
		default:
			continue
		}
		for _, t := range []types.Type{t, types.NewPointer(t)} {
			if file == nil || !types.Implements(t, key.iface) {
				continue
			}
			m, _, _ := types.LookupFieldOrMethod(t, false, d.method.Pkg(), d.method.Name())
			if g := p.method(m); g != nil {
				all = append(all, implementation{t, g, file})
			}
		}
	}
	p.lists[key] = all
	return all
}

// newName returns a name for what is written for a type, in its package. It is exported if other
// packages can name the type.
func (p *program) newName(of *types.TypeName, what string) string {
	name := "arena" + upper(of.Name()) + what
	if of.Exported() {
		name = upper(name)
	}
	return p.free(of.Pkg(), name)
}

// A passing is how a written function with the parameters of a signature passes these on.
type passing struct{ params, args, results string }

// passing returns the parameters and results of a signature, behind others.
func (f *file) passing(sig *types.Signature) (p passing) {
	for i, v := range slices.Collect(sig.Params().Variables()) {
		t, dots := f.typ(v.Type()), ""
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t, dots = "..."+strings.TrimPrefix(t, "[]"), "..."
		}
		p.params += fmt.Sprintf(", p%d %s", i, t)
		p.args += fmt.Sprintf(", p%d%s", i, dots)
	}
	var results []string
	for v := range sig.Results().Variables() {
		results = append(results, f.typ(v.Type()))
	}
	if len(results) > 0 {
		p.results = " (" + strings.Join(results, ", ") + ")"
	}
	return p
}

// call returns the statements that call a function with first in front of the parameters, if that
// is not empty, and return.
func (p passing) call(f, first string) string {
	call := f + "(" + strings.TrimPrefix(first+p.args, ", ") + ")"
	if p.results == "" {
		return call + "\nreturn"
	}
	return "return " + call
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// nameable tells whether a package can write a type. It says no of types that are written with
// fields or methods: these may be of other packages.
func nameable(t types.Type, pkg *types.Package) bool {
	return spelled(t, func(obj types.Object) bool {
		if _, ok := obj.(*types.TypeName); !ok {
			return false
		}
		return obj.Pkg() == nil || obj.Parent() == obj.Pkg().Scope() && (obj.Pkg() == pkg || obj.Exported())
	})
}

// dispatched rewrites a call through an interface, or of a function value. It tells whether it did.
func (p *program) dispatched(f *function, c *call, ar string) bool {
	d := c.dispatch
	in, name := d.file, p.helper(d)
	if name == "" {
		return false
	}
	end := c.expr.Fun.End()
	if d.table == nil {
		end = ast.Unparen(c.expr.Fun).(*ast.SelectorExpr).X.End()
	}
	if in.pkg != f.pkg {
		if !ast.IsExported(name) || d.method != nil && !d.method.Exported() {
			return false
		}
		f.file.at, f.file.hidden = c.expr.Pos(), false
		name = f.file.use(in.pkg.Types.Path(), in.pkg.Types.Name()) + "." + name
		f.file.at = token.NoPos
		if f.file.hidden {
			return false
		}
	}
	f.file.before(c.expr.Pos(), name+"("+ar+", ")
	comma := ""
	if len(c.expr.Args) > 0 {
		comma = ", "
	}
	f.file.replace(end, c.expr.Lparen+1, comma)
	return true
}
