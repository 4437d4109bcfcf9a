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

// A carrier is a struct that gets the arena as a field, so that its methods have it: a parser, a
// lexer. A value that is made where there is no arena has none in its field, and its methods
// allocate on the heap.
type carrier struct {
	typ       *types.Named
	spec      *ast.StructType
	file      *file
	field     string
	public    bool        // other packages make values of it, or are served: they use methods
	served    []*function // by their receiver, or a parameter
	builds    []build
	gets      []*site                      // of pools that make it
	chosen    map[*types.TypeName]*carrier // all carriers
	candidate bool                         // findLive takes it to be a carrier, perhaps
	elsewhere bool                         // it need not be made by a build below a root: the user names it, a root is its method, or a pool or another struct has it
	asked     bool                         // the user names it: goroutines do not share its values
	entered   bool                         // a root is a method of it
	swaps     bool                         // and its second form has set it
	bare      bool                         // there are values that no build makes, and which have no arena
}

// A build is where a value of a carrier is made.
type build struct {
	f    *function
	node ast.Node // a literal, a call of new, or the declaration of a variable
	site *site    // of the node, if the type is a carrier
	left bool     // what it makes may be left when the arena ends
}

// reached tells whether one is made where there is an arena, and may have that.
func (c *carrier) reached() bool { return c.entered || c.given() }

// given tells whether one is given an arena where it is made, for as long as it lives, and not only
// while a root runs.
func (c *carrier) given() bool {
	return slices.ContainsFunc(c.builds, func(b build) bool { return b.f.reached && !b.left && (b.site == nil || !b.site.why.stays()) }) ||
		slices.ContainsFunc(c.gets, func(s *site) bool { return s.in.reached && !s.why.stays() }) ||
		slices.ContainsFunc(slices.Collect(maps.Values(c.chosen)), func(outer *carrier) bool { return outer != c && outer.holds(c, c.chosen) && outer.reached() })
}

// fewest is how many functions a carrier has to serve that is not named by the user: a parameter
// does for fewer.
const fewest = 3

// carriers finds the carriers among the types of the program: those that names name, and those
// which serve many functions that allocate and are made where a function is called once. A value
// that is made in a function which calls itself, or below one, is such as a node of a tree: it lies
// in an arena, and does not lead to one. What a root returns, or is a method of, may serve fewer.
func (p *program) carriers(names []string, find, enter bool) error {
	byType := p.structs
	unkeyed := p.unkeyed()
	for _, pl := range p.pools {
		if c := byType[pl.typ]; c != nil && !pl.why.stays() {
			c.gets = append(c.gets, pl.gets...)
		}
	}
	repeated, seen, shared, data := p.repeated(), p.seen(), p.shared(), p.resultData()
	chosen := map[*types.TypeName]*carrier{}
	for _, name := range names {
		found := false
		for obj, c := range byType {
			if isNamed(obj.Pkg(), obj.Name(), name) {
				if unkeyed[c] {
					return fmt.Errorf("arena fix: -carrier %s: there is a literal of it without the names of the fields, or a conversion", name)
				}
				if seen[obj] {
					return fmt.Errorf("arena fix: -carrier %s: its values are compared, are keys of a map or lie in an interface, where one more field would be seen", name)
				}
				if shared[obj] {
					return fmt.Errorf("arena fix: -carrier %s: a function that may be called later, or by another goroutine, calls what allocates in its arena", name)
				}
				chosen[obj], c.asked, found = c, true, true
			}
		}
		if !found {
			return fmt.Errorf("arena fix: -carrier %s: no such struct in the packages; write it as example.com/path.Type", name)
		}
	}
	roots := maps.Clone(p.steps)
	for _, f := range p.order {
		if !f.root {
			continue
		}
		if obj := p.enters(f); enter && obj != nil {
			roots[obj], byType[obj].entered = true, true
		}
	}
	if find {
		for obj, c := range byType {
			serves := 0
			for _, f := range c.served {
				if f.needs && f.reached {
					serves++
				}
			}
			inside := slices.ContainsFunc(c.builds, func(b build) bool { return b.f.reached && repeated[b.f] })
			least := fewest
			if roots[obj] {
				least = 1
			}
			if serves >= least && c.candidate && c.reached() && !inside && !unkeyed[c] && !seen[obj] && !shared[obj] && (p.steps[obj] || !data[obj]) && !unsuited(c.typ).stays() {
				chosen[obj] = c
			}
		}
	}
	shown := p.shown()
	for n := -1; n != len(chosen); { // one carrier less may make others less public
		n = len(chosen)
		p.nameFields(chosen)
		maps.DeleteFunc(chosen, func(obj *types.TypeName, c *carrier) bool { return c.public && shown[obj] && !c.asked })
	}
	for _, f := range p.order {
		if id := f.given(byType); id != nil {
			if c := chosen[named(f.pkg.TypesInfo.Defs[id].Type()).Obj()]; c != nil {
				f.carrier, f.through = c, id
				f.entry = f.root && c.entered && f.decl.Recv != nil && p.enters(f) == c.typ.Obj()
			}
		}
	}
	for _, c := range slices.SortedFunc(maps.Values(chosen), func(a, b *carrier) int { return cmp.Compare(a.spec.Pos(), b.spec.Pos()) }) {
		for i, b := range c.builds {
			c.builds[i].site = b.f.addBuild(c, b.node, chosen)
		}
		c.chosen = chosen
		for _, pl := range p.pools {
			if pl.typ == c.typ.Obj() {
				pl.with = c
			}
		}
		p.chosen = append(p.chosen, c)
	}
	p.findBare(chosen)
	for obj, c := range p.structs {
		c.candidate = c.candidate && chosen[obj] != nil
	}
	return nil
}

// constructed returns the structs that roots construct, as NewParser does.
func (p *program) constructed() map[*types.TypeName]bool {
	all := map[*types.TypeName]bool{}
	for _, f := range p.order {
		if !f.root || !strings.HasPrefix(f.obj.Name(), "New") {
			continue
		}
		for _, v := range f.results() {
			if n := named(v.Type()); n != nil && p.structs[n.Obj()] != nil {
				all[n.Obj()] = true
			}
		}
	}
	return all
}

// resultData returns the structs with exported fields that the results of roots lead to, and the
// lists in exported fields of what roots are given. Whoever gets them may compare them with others,
// by reflect.DeepEqual, say, and a field more would make these differ.
func (p *program) resultData() map[*types.TypeName]bool {
	led, all := map[types.Type]bool{}, map[*types.TypeName]bool{}
	for _, f := range p.order {
		if !f.root {
			continue
		}
		for _, v := range f.results() {
			p.leadsTo(v.Type(), led)
		}
		for _, v := range f.params() {
			n := named(v.Type())
			if n == nil {
				continue
			}
			if st, ok := n.Underlying().(*types.Struct); ok {
				for field := range st.Fields() {
					if field.Exported() && (isMap(field.Type()) || isSlice(field.Type())) {
						p.leadsTo(field.Type(), led)
					}
				}
			}
		}
	}
	for obj := range p.structs {
		st := obj.Type().Underlying().(*types.Struct)
		all[obj] = led[obj.Type()] && obj.Exported() && slices.ContainsFunc(slices.Collect(st.Fields()), (*types.Var).Exported)
	}
	return all
}

// findSteps finds the structs that a root constructs, and which are used step by step, by one
// goroutine. A function with another name may return a tree, whose methods are called when the
// arena has ended.
func (p *program) findSteps() {
	p.steps = p.constructed()
	maps.DeleteFunc(p.steps, func(obj *types.TypeName, _ bool) bool { return locks(obj.Type()) || !p.alone(obj, false) })
}

// comesToRoot tells whether a struct is the parameter of a root that is no method. Its values may
// have no arena, or be nil, so the root has a parameter for the arena.
func (p *program) comesToRoot(obj *types.TypeName) bool {
	only := map[*types.TypeName]*carrier{obj: p.structs[obj]}
	return slices.ContainsFunc(p.order, func(f *function) bool { return f.root && f.decl.Recv == nil && f.given(only) != nil })
}

// enters returns the struct of which a root is a method, if the arena may be in that while the
// method runs, or nil: no other goroutine may call it at the same time, or it would have a lock.
func (p *program) enters(f *function) *types.TypeName {
	r := f.obj.Signature().Recv()
	if r == nil || r.Name() == "" || r.Name() == "_" {
		return nil
	}
	ptr, ok := types.Unalias(r.Type()).(*types.Pointer)
	if !ok {
		return nil
	}
	n := named(ptr)
	if n == nil || p.structs[n.Obj()] == nil || locks(n) || !p.structs[n.Obj()].asked && !p.alone(n.Obj(), true) {
		return nil
	}
	return n.Obj()
}

// locks tells whether a struct has something of package sync, or what may have.
func locks(t types.Type) bool {
	seen := map[types.Type]bool{}
	var locked func(t types.Type) bool
	locked = func(t types.Type) bool {
		for array, ok := t.Underlying().(*types.Array); ok; array, ok = t.Underlying().(*types.Array) {
			t = array.Elem()
		}
		if n := named(t); n != nil && n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == "sync" || n.Obj().Pkg().Path() == "sync/atomic") {
			return true
		}
		u, ok := t.Underlying().(*types.Struct)
		if !ok || seen[t] {
			return false
		}
		seen[t] = true
		for v := range u.Fields() {
			t := v.Type()
			if p, ok := types.Unalias(t).(*types.Pointer); ok && v.Embedded() {
				t = p.Elem()
			}
			if locked(t) {
				return true
			}
		}
		return false
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok && locked(t)
}

// enter returns the statement with which the second form of a root begins that is a method of the
// carrier.
func (c *carrier) enter(f *function) string {
	x, swap := f.through.Name, "swap"+c.exported()
	if !c.swaps {
		c.swaps = true
		c.file.tail = append(c.file.tail, fmt.Sprintf(`
// %[1]s has x allocate in ar; nil is the heap. It returns where x allocated.
func (x *%[2]s) %[1]s(ar *%[3]s.Arena) *%[3]s.Arena {
	if x == nil || ar == nil && x.%[4]s == nil {
		return nil
	}
	was := x.%[4]s
	%[5]s
	return was
}
`, swap, c.typ.Obj().Name(), c.file.arena(), c.field, strings.Join(c.sets("x", c.typ.Obj().Pkg()), "\n\t")))
	}
	return fmt.Sprintf("\ndefer %[1]s.%[2]s(%[1]s.%[2]s(%[3]s))\n", x, swap, f.param())
}

// nameFields chooses the names of the fields and their methods. The field is not exported, so
// encoders do not see it.
func (p *program) nameFields(chosen map[*types.TypeName]*carrier) {
	for obj, c := range chosen {
		c.public = slices.ContainsFunc(c.served, func(f *function) bool { return f.pkg.Types != obj.Pkg() })
		for _, outer := range chosen {
			for _, b := range outer.builds {
				c.public = c.public || b.f.pkg.Types != obj.Pkg() && (outer == c || outer.holds(c, chosen))
			}
		}
		c.field = "arena"
		for c.has(c.field) || c.has(c.getter()) || c.has(c.setter()) || c.has("swap"+c.exported()) {
			c.field += "_"
		}
	}
}

// findStructs finds the structs that may become carriers.
func (p *program) findStructs() {
	p.structs = map[*types.TypeName]*carrier{}
	for pkg, syntax := range p.syntax() {
		for _, d := range syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.TypeSpec)
				st, ok := spec.Type.(*ast.StructType)
				if !ok || spec.TypeParams != nil || spec.Assign.IsValid() || p.beside[pkg].ignored[spec.Name.Name] {
					continue
				}
				obj := pkg.TypesInfo.Defs[spec.Name].(*types.TypeName)
				p.structs[obj] = &carrier{typ: obj.Type().(*types.Named), spec: st, file: p.files[syntax]}
			}
		}
	}
}

// findBare notes the carriers that are fields of other structs, or elements: they are made with
// these.
func (p *program) findBare(chosen map[*types.TypeName]*carrier) {
	for pkg, syntax := range p.syntax() {
		bare := func(x ast.Expr) {
			if n, ok := types.Unalias(pkg.TypesInfo.TypeOf(x)).(*types.Named); ok && chosen[n.Obj()] != nil {
				chosen[n.Obj()].bare = true
			}
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				if slices.ContainsFunc(p.chosen, func(c *carrier) bool { return c.spec == n }) {
					return false // its builds make what is in it
				}
				for _, field := range n.Fields.List {
					bare(field.Type)
				}
			case *ast.ArrayType:
				bare(n.Elt)
			case *ast.MapType:
				bare(n.Value)
			}
			return true
		})
	}
}

// holds tells whether a value of inner is in one of c, perhaps in another carrier.
func (c *carrier) holds(inner *carrier, chosen map[*types.TypeName]*carrier) bool {
	for v := range c.typ.Underlying().(*types.Struct).Fields() {
		if n, ok := types.Unalias(v.Type()).(*types.Named); ok {
			if in := chosen[n.Obj()]; in != nil && (in == inner || in.holds(inner, chosen)) {
				return true
			}
		}
	}
	return false
}

// seen returns the types of which values, or what has them in it, are compared, are keys of maps or
// lie in an interface: a field more would make values differ that were equal, or be printed.
func (p *program) seen() map[*types.TypeName]bool {
	all := map[*types.TypeName]bool{}
	var see func(t types.Type)
	see = func(t types.Type) {
		if n, ok := types.Unalias(t).(*types.Named); ok {
			if all[n.Obj()] {
				return
			}
			all[n.Obj()] = true
		}
		switch t := t.Underlying().(type) {
		case *types.Struct:
			for v := range t.Fields() {
				see(v.Type())
			}
		case *types.Array:
			see(t.Elem())
		}
	}
	for pkg, syntax := range p.syntax() {
		info := pkg.TypesInfo
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					see(info.TypeOf(n.X))
					see(info.TypeOf(n.Y))
				}
			case *ast.SwitchStmt:
				if n.Tag != nil {
					see(info.TypeOf(n.Tag))
				}
			case *ast.MapType:
				see(info.TypeOf(n.Key))
			}
			return true
		})
	}
	for _, pkg := range p.pkgs {
		for _, in := range pkg.TypesInfo.Instances { // which may compare them, or be a map
			for t := range in.TypeArgs.Types() {
				see(t)
			}
		}
	}
	p.boxes(see)
	return all
}

// boxes calls f for the type of each value that becomes one of an interface.
func (p *program) boxes(f func(t types.Type)) {
	for _, fn := range p.order {
		w := fn.walker
		visit(fn.decl.Body, func(n ast.Node, way []ast.Node) bool {
			x, ok := n.(ast.Expr)
			if tv := w.info.Types[x]; ok && tv.IsValue() && !types.IsInterface(tv.Type) {
				w.way = way
				if to := w.becomes(x); to != nil && types.IsInterface(to) {
					f(tv.Type)
				}
			}
			return true
		})
	}
}

// shown returns the types of which values are in reach of an interface, perhaps by pointers:
// reflect.DeepEqual would see a field more, and package fmt would print it. So it is with what
// other packages make, as the source that an error leads to.
func (p *program) shown() map[*types.TypeName]bool {
	all, done := map[*types.TypeName]bool{}, map[types.Type]bool{}
	var see func(t types.Type)
	see = func(t types.Type) {
		if done[t] {
			return
		}
		done[t] = true
		if n, ok := types.Unalias(t).(*types.Named); ok {
			all[n.Obj()] = true
		}
		switch t := t.Underlying().(type) {
		case *types.Chan: // no encoder receives from it
		case interface{ Elem() types.Type }:
			see(t.Elem())
		case *types.Struct:
			for v := range t.Fields() {
				if v.Exported() || v.Embedded() {
					see(v.Type())
				}
			}
		}
	}
	p.boxes(see)
	return all
}

// unkeyed returns the structs of which there are literals without the names of fields, or
// conversions from or to another struct: neither goes with a field more.
func (p *program) unkeyed() map[*carrier]bool {
	all := map[*carrier]bool{}
	note := func(t types.Type) {
		if n := named(t); n != nil && p.structs[n.Obj()] != nil {
			all[p.structs[n.Obj()]] = true
		}
	}
	for pkg, syntax := range p.syntax() {
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if isUnkeyed(n) {
					note(pkg.TypesInfo.TypeOf(n))
				}
			case *ast.CallExpr:
				if tv := pkg.TypesInfo.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 && !types.IsInterface(tv.Type) && !types.Identical(tv.Type, pkg.TypesInfo.TypeOf(n.Args[0])) {
					note(tv.Type)
					note(pkg.TypesInfo.TypeOf(n.Args[0]))
				}
			}
			return true
		})
	}
	for _, pkg := range p.pkgs {
		for obj, c := range p.structs {
			if p.beside[pkg].unkeyed[obj.Name()] { // perhaps another one of that name
				all[c] = true
			}
		}
	}
	return all
}

// getter returns the name of the method that returns the arena.
func (c *carrier) getter() string { return c.name() + "OrHeap" }

// setter returns the name of the method by which other packages set the arena.
func (c *carrier) setter() string { return "With" + c.exported() }

// name returns the field's name, in upper case where other packages need what is named after it.
func (c *carrier) name() string {
	if c.public {
		return c.exported()
	}
	return c.field
}

// exported returns the field's name in upper case.
func (c *carrier) exported() string { return strings.ToUpper(c.field[:1]) + c.field[1:] }

// edit adds the field, and the methods that return and set it: a pointer to a carrier may be nil,
// in methods, too.
func (c *carrier) edit() {
	ar, name := c.file.arena(), c.typ.Obj().Name()
	c.file.before(c.spec.Fields.Closing, fmt.Sprintf("\n%s *%s.Arena // where it allocates; nil is the heap\n", c.field, ar))
	c.file.tail = append(c.file.tail, fmt.Sprintf(`
// %[1]s returns where x allocates: nil, which is the heap, without an arena or when that cannot be used any more.
func (x *%[2]s) %[1]s() *%[3]s.Arena {
	if x == nil || x.%[4]s == nil {
		return nil
	}
	return %[5]s.OrHeap(x.%[4]s)
}
`, c.getter(), name, ar, c.field, c.file.use(arenaPath+"/arenascope", "arenascope")))
	if c.public {
		c.file.tail = append(c.file.tail, fmt.Sprintf(`
// %[1]s has x allocate in ar; nil is the heap. It returns x.
func (x *%[2]s) %[1]s(ar *%[3]s.Arena) *%[2]s {
	x.%[4]s = ar
	return x
}
`, c.setter(), name, ar, c.field))
	}
}

// has tells whether the struct has a field or a method of a name.
func (c *carrier) has(name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(c.typ), true, c.typ.Obj().Pkg(), name)
	return obj != nil
}

// given returns the receiver, or the first parameter, that points at a struct of types, or nil. A
// method of a value has a copy, which does as well.
func (f *function) given(types map[*types.TypeName]*carrier) *ast.Ident {
	for _, list := range []*ast.FieldList{f.decl.Recv, f.decl.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				if v := f.pkg.TypesInfo.Defs[id]; v != nil && id.Name != "_" {
					if n := named(v.Type()); n != nil && types[n.Obj()] != nil {
						return id
					}
				}
			}
		}
	}
	return nil
}

// builds notes where the function makes values of the types.
func (f *function) builds(byType map[*types.TypeName]*carrier) {
	info := f.pkg.TypesInfo
	note := func(t types.Type, node ast.Node) {
		if n, ok := types.Unalias(t).(*types.Named); ok && byType[n.Obj()] != nil {
			c := byType[n.Obj()]
			c.builds = append(c.builds, build{f: f, node: node})
		}
	}
	f.walker.inside(f.decl.Body, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			t := info.TypeOf(n)
			if p, ok := t.Underlying().(*types.Pointer); ok { // an element that leaves &T out
				t = p.Elem()
			}
			note(t, n)
		case *ast.CallExpr:
			id, ok := ast.Unparen(n.Fun).(*ast.Ident)
			if ok && id.Name == "new" && info.Uses[id] == types.Universe.Lookup("new") && info.Types[n.Args[0]].IsType() {
				note(info.TypeOf(n.Args[0]), n)
			}
		case *ast.ValueSpec:
			if n.Type != nil && len(n.Values) == 0 && len(n.Names) == 1 {
				note(info.TypeOf(n.Type), n)
			}
		}
	})
}

// addBuild makes the place where a carrier is made one that sets its field. What was a site of its
// own stays on the heap: a carrier may outlive the arena.
func (f *function) addBuild(c *carrier, n ast.Node, chosen map[*types.TypeName]*carrier) *site {
	file := f.file
	s := &site{kind: kindCarrier, node: n}
	switch n := n.(type) {
	case *ast.CompositeLit:
		s.edit = func(ar string) {
			given := map[string]bool{}
			for _, e := range n.Elts {
				given[e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name] = true
			}
			text := strings.Join(f.fields(c, given, n.Pos(), chosen, ar), ", ")
			if len(n.Elts) > 0 && text != "" {
				text += ", "
			}
			f.wrap(c, n, s.way, ar)
			file.replace(n.Lbrace+1, n.Lbrace+1, text)
		}
	case *ast.CallExpr:
		s.edit = func(ar string) {
			file.replace(n.Pos(), n.Args[0].Pos(), "(&") // its method may be called
			file.replace(n.Rparen, n.Rparen+1, "{"+strings.Join(f.fields(c, nil, n.Pos(), chosen, ar), ", ")+"})"+f.call(c, ar))
		}
	case *ast.ValueSpec:
		s.edit = func(ar string) {
			for _, field := range slices.Backward(f.fields(c, nil, n.Pos(), chosen, ar)) {
				file.after(n.End(), "; "+n.Names[0].Name+"."+strings.Replace(field, ": ", " = ", 1))
			}
			if call := f.call(c, ar); call != "" {
				file.after(n.End(), "; "+n.Names[0].Name+call)
			}
		}
		if parent := f.declOf(n); parent == nil || parent.Lparen.IsValid() {
			s.why = whyDeclaredTogether
		}
	}
	declared, _ := n.(*ast.ValueSpec)
	f.sites = slices.DeleteFunc(f.sites, func(other *site) bool {
		if node, ok := other.node.(*ast.ValueSpec); ok {
			return other.kind == kindVariable && node == declared
		}
		made := other.makes(n)
		if made {
			s.was = other
		}
		return made
	})
	s.way = f.wayTo(n)
	f.sites = append(f.sites, s)
	return s
}

// fields returns what a literal of a carrier sets at a place, beside the fields that are given: the
// arena, if the package sees that field, and the carriers that are values in it, as a lexer may be
// in a parser.
func (f *function) fields(c *carrier, given map[string]bool, at token.Pos, chosen map[*types.TypeName]*carrier, ar string) (all []string) {
	if f.call(c, ar) == "" {
		all = append(all, c.field+": "+ar)
	}
	for v := range c.typ.Underlying().(*types.Struct).Fields() {
		n, ok := types.Unalias(v.Type()).(*types.Named)
		if !ok || given[v.Name()] || chosen[n.Obj()] == nil || !f.sees(v, at) || !f.sees(n.Obj(), at) {
			continue
		}
		inner := f.file.typ(n) + "{" + strings.Join(f.fields(chosen[n.Obj()], nil, at, chosen, ar), ", ") + "}"
		if call := f.call(chosen[n.Obj()], ar); call != "" {
			inner = "*(&" + inner + ")" + call
		}
		all = append(all, v.Name()+": "+inner)
	}
	return all
}

// call returns the call that sets the arena of a carrier of another package, or nothing where the
// field can be set.
func (f *function) call(c *carrier, ar string) string {
	if f.pkg.Types == c.typ.Obj().Pkg() {
		return ""
	}
	return "." + c.setter() + "(" + ar + ")"
}

// wrap puts that call around a literal, which way leads to.
func (f *function) wrap(c *carrier, n *ast.CompositeLit, way []ast.Node, ar string) {
	call := f.call(c, ar)
	if call == "" {
		return
	}
	at := len(way) - 2 // what is around it, but for parentheses; way begins with the function's body
	for ; ; at-- {
		if _, ok := way[at].(*ast.ParenExpr); !ok {
			break
		}
	}
	from, to, head, tail := n.Pos(), n.End(), "(&", ")"+call
	if and, ok := way[at].(*ast.UnaryExpr); ok && and.Op == token.AND {
		from, to, head = and.Pos(), and.End(), "("
	} else if _, pointer := f.pkg.TypesInfo.TypeOf(n).Underlying().(*types.Pointer); !pointer { // an element that leaves &T out is one
		head, tail = "(*(&", tail+")"
	}
	if n.Type == nil {
		head += f.file.typ(c.typ)
	}
	f.file.after(to, tail)
	f.file.before(from, head)
}

// sees tells whether a place in the function can name obj: a field, or a type of a package.
func (f *function) sees(obj types.Object, at token.Pos) bool {
	if obj.Pkg() != f.pkg.Types {
		return obj.Exported()
	}
	if _, ok := obj.(*types.TypeName); !ok {
		return obj.Name() != "_"
	}
	_, found := f.pkg.Types.Scope().Innermost(at).LookupParent(obj.Name(), at)
	return found == obj
}

func (f *function) declOf(spec *ast.ValueSpec) (found *ast.GenDecl) {
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if g, ok := n.(*ast.GenDecl); ok && slices.Contains(g.Specs, ast.Spec(spec)) {
			found = g
		}
		return true
	})
	return found
}

// wayTo returns what a node of the function is in.
func (f *function) wayTo(to ast.Node) (found []ast.Node) {
	visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		if n == to {
			found = slices.Clone(way)
		}
		return found == nil
	})
	return found
}

// repeated returns the functions that call themselves, perhaps through others, and those that these
// call.
func (p *program) repeated() map[*function]bool {
	all := p.cyclic()
	todo := slices.Collect(maps.Keys(all))
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, g := range f.callees() {
			if !all[g] {
				all[g] = true
				todo = append(todo, g)
			}
		}
	}
	return all
}

// cyclic returns the functions that call themselves, perhaps through others, as far as calls are
// known.
func (p *program) cyclic() map[*function]bool {
	// Tarjan's algorithm.
	index, low, on := map[*function]int{}, map[*function]int{}, map[*function]bool{}
	var stack []*function
	result := map[*function]bool{}
	var visit func(f *function)
	visit = func(f *function) {
		index[f] = len(index) + 1
		low[f] = index[f]
		stack = append(stack, f)
		on[f] = true
		for _, g := range f.callees() {
			switch {
			case index[g] == 0:
				visit(g)
				low[f] = min(low[f], low[g])
			case on[g]:
				low[f] = min(low[f], index[g])
			}
			if g == f {
				result[f] = true
			}
		}
		if low[f] != index[f] {
			return
		}
		i := slices.Index(stack, f)
		for _, g := range stack[i:] {
			on[g] = false
			if len(stack)-i > 1 {
				result[g] = true
			}
		}
		stack = stack[:i]
	}
	for _, f := range p.order {
		if index[f] == 0 {
			visit(f)
		}
	}
	return result
}

// callees returns the functions that f calls, as far as calls are known.
func (f *function) callees() (all []*function) {
	for _, c := range f.calls {
		all = append(all, c.to)
	}
	return all
}

// describe returns the name of a carrier for a report.
func (c *carrier) describe() string {
	return strings.TrimPrefix(c.typ.Obj().Pkg().Path()+"."+c.typ.Obj().Name(), "command-line-arguments.")
}
