package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const arenaPath = "github.com/arena-go/arena"

// arena returns the name by which the file has package arena.
func (f *file) arena() string { return f.use(arenaPath, "arena") }

// variant tells whether the function gets a second form, with an arena as its first parameter.
func (f *function) variant() bool {
	return f.scope != nil || f.reached && f.literal == nil && (f.needs && f.carrier == nil || f.entry)
}

// A secondName is the name of a second form.
type secondName struct {
	name  string
	scope bool
}

// variantName returns the name of that form.
func (f *function) variantName() string {
	if f.named.name != "" && f.named.scope == (f.scope != nil) {
		return f.named.name
	}
	name := f.decl.Name.Name + "In"
	if f.scope != nil { // its arena is not for others
		name = strings.ToLower(name[:1]) + name[1:]
	}
	for f.clashes(name) {
		name += "_"
	}
	f.walker.p.seconds[f.key(name)] = f
	f.named = secondName{name, f.scope != nil}
	return name
}

func (f *function) key(name string) string { return f.pkg.PkgPath + " " + receiverOf(f.decl) + name }

// clashes tells whether a name means something else in the package, or where the function is
// called.
func (f *function) clashes(name string) bool {
	p := f.walker.p
	if other := p.seconds[f.key(name)]; other != nil && other != f || p.beside[f.pkg].declared[name] {
		return true
	}
	if r := f.obj.Signature().Recv(); r != nil {
		obj, _, _ := types.LookupFieldOrMethod(r.Type(), true, f.pkg.Types, name)
		return obj != nil
	}
	return p.identsOf(f.pkg)[name]
}

// identsOf returns the identifiers in the files of a package.
func (p *program) identsOf(pkg *packages.Package) map[string]bool {
	if p.idents[pkg] == nil {
		p.idents[pkg] = map[string]bool{}
		for _, syntax := range pkg.Syntax {
			ast.Inspect(syntax, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					p.idents[pkg][id.Name] = true
				}
				return true
			})
		}
	}
	return p.idents[pkg]
}

// param returns the name of the parameter for the arena: one that the function does not use.
func (f *function) param() string { return f.unused("ar") }

// unused returns a name that the function does not use, which begins like this.
func (f *function) unused(name string) string {
	for mentions(f.decl, name) {
		name += "_"
	}
	return name
}

// where returns the expression for the arena at a place in the function, or why there is none.
func (f *function) where(way []ast.Node) (expr string, why reason) {
	switch {
	case f.carrier != nil && f.reached:
		// A closure or a block may have the name for something else.
		scope := f.pkg.Types.Scope().Innermost(way[len(way)-1].Pos())
		if scope != nil {
			if _, obj := scope.LookupParent(f.through.Name, way[len(way)-1].Pos()); obj != f.pkg.TypesInfo.Defs[f.through] {
				return "", whyShadowed
			}
		}
		return f.through.Name + "." + f.carrier.getter() + "()", moves
	case f.variant():
		return f.param(), moves
	}
	return "", whyNotReached
}

// rewrite makes the edits.
func (p *program) rewrite() {
	for _, c := range p.chosen {
		if c.reached() || slices.ContainsFunc(c.served, func(f *function) bool { return f.reached }) {
			c.edit()
		}
	}
	p.editPools()
	p.editBuilders()
	for _, f := range p.order {
		if f.scope != nil {
			p.rewriteScope(f)
		}
		f.editSites()
		done := map[*ast.CallExpr]bool{}
		for _, c := range f.calls {
			if !c.dropped && c.to.carrier != nil && c.to.apart() && !c.to.entry && c.dispatch == nil && f.scope == nil && f.reached {
				f.file.replace(c.name.Pos(), c.name.End(), c.to.variantName())
				continue
			}
			if c.dropped || !c.to.variant() || done[c.expr] || f.scope != nil && !slices.Contains(f.scope.calls, c) {
				continue
			}
			ar, why := f.where(c.way)
			if why.stays() || c.to.entry && f.carrier == c.to.carrier {
				continue // the former function, on the heap, or with the arena of the carrier
			}
			if c.dispatch != nil {
				p.dispatched(f, c, ar)
				done[c.expr] = true
				continue
			}
			f.file.replace(c.name.Pos(), c.name.End(), c.to.variantName())
			if len(c.expr.Args) > 0 {
				ar += ", "
			}
			f.file.replace(c.expr.Lparen, c.expr.Lparen+1, "("+ar)
		}
		switch {
		case f.apart():
			f.keep(p.hook)
		case f.variant():
			f.split(p.hook)
		}
	}
}

// editSites edits the sites.
func (f *function) editSites() {
	for _, s := range f.sites {
		if s.why.stays() || f.scope != nil {
			continue
		}
		ar, why := f.where(s.way)
		if why.stays() {
			s.why = why
			continue
		}
		s.edit(ar)
	}
}

// split makes the function a variant with an arena. In front of it stays the original function,
// which calls the variant without an arena, or with the hook's arena.
func (f *function) split(hook bool) {
	d := f.decl
	if call := f.former(); call != "" {
		f.file.replace(d.Body.Lbrace+1, d.Body.Lbrace+1, "\nif "+f.param()+" == nil {\n"+call+"\n}\n")
		f.second(fmt.Sprintf("%s\n\n// %s is %s with what it makes in %s. Nil is the heap: then it is %s.\n", f.file.text(d.Type.Func, d.End()), f.variantName(), d.Name.Name, f.param(), d.Name.Name))
		return
	}
	var args []string
	list := func(fields *ast.FieldList) (params []string) {
		n := 0
		for _, field := range fields.List {
			names := field.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: "_"}}
			}
			for _, id := range names {
				name := id.Name
				if name == "_" {
					name = f.unused(fmt.Sprintf("p%d", n))
				}
				n++
				params = append(params, name+" "+f.file.text(field.Type.Pos(), field.Type.End()))
				if _, ok := field.Type.(*ast.Ellipsis); ok {
					name += "..."
				}
				args = append(args, name)
			}
		}
		return params
	}
	params := list(d.Type.Params)
	var out strings.Builder
	out.WriteString("func ")
	callee := f.variantName()
	if d.Recv != nil {
		field := d.Recv.List[0]
		name := f.unused("r")
		if len(field.Names) > 0 && field.Names[0].Name != "_" {
			name = field.Names[0].Name
		}
		fmt.Fprintf(&out, "(%s %s) ", name, f.file.text(field.Type.Pos(), field.Type.End()))
		callee = name + "." + callee
	}
	out.WriteString(d.Name.Name)
	if d.Type.TypeParams != nil {
		from := d.Type.TypeParams.Pos()
		var names []string
		for _, field := range d.Type.TypeParams.List {
			for _, id := range field.Names {
				name := id.Name
				if name == "_" {
					name = f.unused(fmt.Sprintf("P%d", len(names)))
					out.WriteString(f.file.text(from, id.Pos()) + name)
					from = id.End()
				}
				names = append(names, name)
			}
		}
		out.WriteString(f.file.text(from, d.Type.TypeParams.End()))
		callee += "[" + strings.Join(names, ", ") + "]"
	}
	fmt.Fprintf(&out, "(%s)", strings.Join(params, ", "))
	ret := ""
	if r := d.Type.Results; r != nil && len(r.List) > 0 {
		out.WriteString(" " + f.file.text(r.Pos(), r.End()))
		ret = "return "
	}
	out.WriteString(" {\n")
	none := "nil"
	if f.entry {
		none = strings.TrimSuffix(callee, f.variantName()) + f.carrier.getter() + "()"
	}
	if f.scope != nil {
		f.scope.begin(&out, callee, args, hook)
		f.second(out.String())
		return
	}
	if hook && f.root {
		fmt.Fprintf(&out, "%s, end := %s(%s, %d)\ndefer end()\n", f.param(), hookName, none, d.Pos())
		none = f.param()
	}
	fmt.Fprintf(&out, "%s%s(%s)\n}\n\n", ret, callee, strings.Join(append([]string{none}, args...), ", "))
	valid := ""
	if f.root {
		valid = " The result is valid until the arena is reset."
	}
	fmt.Fprintf(&out, "// %s is %s with what it makes in %s. Nil is the heap.%s\n", f.variantName(), d.Name.Name, f.param(), valid)
	f.second(out.String())
}

// longest is how many lines a function may have that is there twice, because of a builder of text.
const longest = 40

// former returns the call by which the second form does without an arena what the original function
// does. The original function stays unchanged. So does a short function with a builder of text that
// nobody else has. The compiler may put that on the stack, and ours is on the heap without an
// arena. It returns "" if the original function calls the second form.
func (f *function) former() string {
	d := f.decl
	lines := f.pkg.Fset.PositionFor(d.End(), false).Line - f.pkg.Fset.PositionFor(d.Pos(), false).Line
	if f.root || f.takes() || f.scope != nil || d.Type.TypeParams != nil {
		return ""
	}
	if !slices.ContainsFunc(f.sites, func(s *site) bool {
		return !s.why.stays() && s.builder && lines <= longest
	}) {
		return ""
	}
	return f.again(d.Name.Name, "")
}

// again returns a statement that calls another form of the function, as the last one of a block,
// with its own parameters behind a first one. It returns "" if these have no names, or one has the
// name of that form.
func (f *function) again(name, first string) string {
	d := f.decl
	call := name + "("
	if d.Recv != nil {
		names := d.Recv.List[0].Names
		if len(names) == 0 || names[0].Name == "_" || f.pkg.TypesInfo.Defs[names[0]] == nil {
			return ""
		}
		call = names[0].Name + "." + call
	}
	var args []string
	if first != "" {
		args = append(args, first)
	}
	for _, field := range d.Type.Params.List {
		if len(field.Names) == 0 {
			return ""
		}
		for _, id := range field.Names {
			if id.Name == "_" || id.Name == name && d.Recv == nil {
				return ""
			}
			args = append(args, id.Name)
		}
		if _, ok := field.Type.(*ast.Ellipsis); ok {
			args[len(args)-1] += "..."
		}
	}
	call += strings.Join(args, ", ") + ")"
	if r := d.Type.Results; r == nil || len(r.List) == 0 {
		return call + "\nreturn"
	}
	return "return " + call
}

// second gives the function the name and the parameter of its second form, behind a text.
func (f *function) second(before string) {
	d := f.decl
	f.file.before(d.Type.Func, before)

	f.file.replace(d.Name.Pos(), d.Name.End(), f.variantName())
	switch {
	case f.entry:
		f.file.replace(d.Body.Lbrace+1, d.Body.Lbrace+1, f.carrier.enter(f))
	case f.carrier != nil:
		return
	}
	ar := f.param() + " *" + f.file.arena() + ".Arena"
	if p := d.Type.Params.List; len(p) > 0 {
		ar += ", "
		if len(p[0].Names) == 0 { // all parameters have names, or none
			for _, field := range p {
				f.file.before(field.Pos(), "_ ")
			}
		}
	}
	f.file.replace(d.Type.Params.Opening, d.Type.Params.Opening+1, "("+ar)
}
