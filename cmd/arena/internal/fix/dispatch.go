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
}

// implementations returns the methods of the program that a call of an interface's method may call.
func (p *program) implementations(recv types.Type, m *types.Func) (all []*function) {
	iface, ok := recv.Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	key := implKey{iface, m}
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
			iface, ok := types.Unalias(s.Recv()).(*types.Named)
			if ok && types.IsInterface(iface) && iface.TypeArgs() == nil && w.p.packageOf(iface.Obj()) != nil {
				d.iface = iface
			}
			for _, g := range w.p.implementations(interfaceOf(s), d.method) {
				w.addCall(n, g, sel.Sel, d)
			}
			return
		}
	}
	for _, v := range w.p.taken {
		if types.Identical(v.t, w.info.TypeOf(n.Fun).Underlying()) {
			w.addCall(n, v.f, nil, &dispatch{})
		}
	}
}

// packageOf returns the file of the program that declares a type at the level of its package, or
// nil.
func (p *program) packageOf(obj *types.TypeName) *file {
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return nil
	}
	for _, syntax := range p.syntax() {
		if syntax.FileStart <= obj.Pos() && obj.Pos() < syntax.FileEnd && !p.files[syntax].fixed {
			return p.files[syntax]
		}
	}
	return nil
}

// helper returns the name of the function that calls a method of an interface, with an arena if the
// type of the value has a second form of the method. It returns "" if there is no such function.
// The types are those that the package of the interface can name. They are listed, for a type that
// embeds one of them, and has a method of its own, has the second form of the other.
func (p *program) helper(d *dispatch) string {
	key := implKey{d.iface.Underlying().(*types.Interface), d.method}
	if name, ok := p.helpers[key]; ok {
		return name
	}
	p.helpers[key] = ""
	file := p.packageOf(d.iface.Obj())
	sig := d.method.Signature()
	if !nameable(sig, file.pkg.Types) {
		return ""
	}
	imported := map[*types.Package]bool{file.pkg.Types: true}
	for _, pkg := range file.pkg.Types.Imports() {
		imported[pkg] = true
	}
	list := map[string][]string{} // types, by the name of the second form
	for _, t := range p.types() {
		obj := t.(*types.Named).Obj()
		if !imported[obj.Pkg()] || obj.Pkg() != file.pkg.Types && !obj.Exported() {
			continue
		}
		for _, t := range []types.Type{t, types.NewPointer(t)} {
			if !types.Implements(t, key.iface) {
				continue
			}
			m, _, _ := types.LookupFieldOrMethod(t, false, d.method.Pkg(), d.method.Name())
			g := p.method(m)
			if g == nil || !g.variant() {
				continue
			}
			if other, _, _ := types.LookupFieldOrMethod(t, true, d.method.Pkg(), g.variantName()); other != nil {
				continue
			}
			list[g.variantName()] = append(list[g.variantName()], file.typ(t))
		}
	}
	if len(list) == 0 {
		return ""
	}
	name := "arena" + upper(d.iface.Obj().Name()) + upper(d.method.Name())
	if d.iface.Obj().Exported() {
		name = upper(name)
	}
	for file.pkg.Types.Scope().Lookup(name) != nil {
		name += "_"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n// %s calls x.%s with what that makes in ar, where the type of x can. Nil is the heap.\n", name, d.method.Name())
	fmt.Fprintf(&out, "func %s(ar *%s.Arena, x %s", name, file.arena(), d.iface.Obj().Name())
	args := ""
	for i, v := range slices.Collect(sig.Params().Variables()) {
		t, dots := file.typ(v.Type()), ""
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t, dots = "..."+strings.TrimPrefix(t, "[]"), "..."
		}
		fmt.Fprintf(&out, ", p%d %s", i, t)
		args += fmt.Sprintf(", p%d%s", i, dots)
	}
	out.WriteString(")")
	ret, end := "", "\nreturn"
	if r := sig.Results(); r.Len() > 0 {
		ret, end = "return ", ""
		var results []string
		for v := range r.Variables() {
			results = append(results, file.typ(v.Type()))
		}
		fmt.Fprintf(&out, " (%s)", strings.Join(results, ", "))
	}
	out.WriteString(" {\nif ar != nil {\nswitch x := x.(type) {\n")
	for _, second := range slices.Sorted(maps.Keys(list)) {
		for _, t := range list[second] {
			fmt.Fprintf(&out, "case %s:\n%sx.%s(ar%s)%s\n", t, ret, second, args, end)
		}
	}
	fmt.Fprintf(&out, "}\n}\n%sx.%s(%s)\n}\n", ret, d.method.Name(), strings.TrimPrefix(args, ", "))
	file.tail = append(file.tail, out.String())
	p.helpers[key] = name
	return name
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

// dispatched rewrites a call through an interface, and tells whether it did.
func (p *program) dispatched(f *function, c *call, ar string) bool {
	name := p.helper(c.dispatch)
	if name == "" {
		return false
	}
	obj := c.dispatch.iface.Obj()
	if obj.Pkg() != f.pkg.Types {
		if !obj.Exported() || !ast.IsExported(c.dispatch.method.Name()) {
			return false
		}
		f.file.at, f.file.hidden = c.expr.Pos(), false
		name = f.file.use(obj.Pkg().Path(), obj.Pkg().Name()) + "." + name
		f.file.at = token.NoPos
		if f.file.hidden {
			return false
		}
	}
	sel := ast.Unparen(c.expr.Fun).(*ast.SelectorExpr)
	f.file.before(c.expr.Pos(), name+"("+ar+", ")
	comma := ""
	if len(c.expr.Args) > 0 {
		comma = ", "
	}
	f.file.replace(sel.X.End(), c.expr.Lparen+1, comma)
	return true
}
