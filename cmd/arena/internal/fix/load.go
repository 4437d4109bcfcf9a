package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/lives"
	loader "github.com/arena-go/arena/cmd/arena/internal/load"
	byname "github.com/arena-go/arena/cmd/arena/internal/names"
)

// A program is the packages that are rewritten.
type program struct {
	*loaded
	dir       string
	pkgs      []*packages.Package // of those that were read
	files     map[*ast.File]*file
	fixed     []string         // files that stay unchanged, because a program has made them
	below     map[Line]float64 // of these, what is allocated below a line
	generated float64          // the share of the bytes in the profile that these allocate
	funcs     map[*types.Func]*function
	order     []*function                      // in the order of the sources
	profiled  bool                             // a profile tells which lines allocate
	yields    map[*token.File][]*ast.RangeStmt // loops over functions
	unseen    []*function                      // see isUnseen
	looked    map[place]bool                   // the places of heap that a site was made of, or that are no site
	hook      bool
	chosen    []*carrier
	pools     map[*types.Var]*pool
	followed  string                      // what lives was last asked for
	sitesBy   map[ssa.Instruction][]*site // see sitesOf

	literals  map[*ast.FuncLit]fate  // see later.go
	proved    map[*ast.FuncLit]bool  // nobody can call them when the roots have returned, as lives has found
	assumed   map[place]bool         // the literals for which this is taken for granted
	own       map[*ast.FuncLit]bool  // functions of their own: see addLiterals
	variables map[*types.Var]fate    // of the functions that they have
	bodies    map[ast.Node]*function // the functions, by their bodies

	beside  map[*packages.Package]*beside
	idents  map[*packages.Package]map[string]bool // all in the files of a package
	seconds map[string]*function                  // by the package, the receiver and the name of their second form

	share      float64                      // of the bytes in the profile that the roots allocate
	elsewhere  map[string]float64           // of these, what is allocated on lines without sites, by package
	tally      *tally                       // of the profile, if there is one
	grows      *growth                      // see growths
	finds      bool                         // whether carriers are looked for
	structs    map[*types.TypeName]*carrier // those that could become carriers
	steps      map[*types.TypeName]bool     // what the roots construct, and callers use step by step
	older      map[*types.Var]bool          // fields of structs that may be there before the call of a root
	reused     map[*types.Var]bool          // of these, what keeps a slice for the next call
	revived    map[*types.Var]bool          // and those that keep what lies in it
	groups     map[*types.Var]*group        // of builders, by their variables
	makers     map[ast.Expr]*group          // and by the types that they write
	taken      []taken
	foreigners foreigners
	out        []string // packages that do not compile
	wrong      error    // why
	declared   []types.Type
	hidden     []*types.Named // see others
	impls      map[implKey][]*function
	lists      map[implKey][]implementation
	helpers    map[implKey]string
	tables     map[tableKey]*formTable
	names      map[string]bool // of what was written for these, by the package
	getters    map[getter]string
}

// A function is one that may be rewritten.
type function struct {
	obj     *types.Func
	decl    *ast.FuncDecl
	pkg     *packages.Package
	file    *file
	sites   []*site
	calls   []*call
	formers []*call // of a function that recovers; they stay unchanged
	other   []*call // those that cannot be rewritten, of what may be called through a value or an interface

	root     bool
	literal  *ast.FuncLit // that is kept, as in a package's variable; nil if the function is declared
	iterator bool         // it returns one, and is only called: see findIterators
	entry    bool         // a root that is a method of a carrier: its second form sets the arena of that until it returns
	live     bool         // it may run with an arena: see live.go
	reached  bool         // from a root, by calls that are known
	needs    bool         // it allocates, or calls what does
	carrier  *carrier
	twice    bool       // it stays unchanged, next to its second form
	stacked  bool       // what it makes is on the stack where it is inlined: see stack.go
	entered  bool       // and looks for an arena
	named    secondName // of its second form
	scope    *scope     // it has arenas of its own for calls of roots
	through  *ast.Ident // the receiver or parameter that has the carrier
	made     int        // how many values have variables of their own, to be built in place

	stored map[storedKey]map[string]bool // see always
	walker *walker
}

// A call is one of another function of the program.
type call struct {
	expr *ast.CallExpr
	to   *function
	name *ast.Ident // of the function, in the call
	way  []ast.Node // what the call is in, the function first

	dispatch *dispatch // if it is one of those that a call through an interface may call
	dropped  bool      // it is one of the former function
	stacked  bool      // all that it makes is on the stack, see stack.go
	later    bool      // in a function literal that may be called later
}

// load returns the packages that patterns name, in dir, as l has them, and asks the compiler about
// them, unless l has that, too. Files that say that a program has made them stay unchanged, unless
// generated is set. What cgo makes for the compiler is no source, and always stays.
func load(dir string, patterns []string, generated bool, l *loaded) (*program, error) {
	p := &program{dir: dir, loaded: l, foreigners: newForeigners(dir), files: map[*ast.File]*file{}, funcs: map[*types.Func]*function{},
		impls: map[implKey][]*function{}, lists: map[implKey][]implementation{}, helpers: map[implKey]string{}, tables: map[tableKey]*formTable{}, names: map[string]bool{}, getters: map[getter]string{}, elsewhere: map[string]float64{}, looked: map[place]bool{}, own: map[*ast.FuncLit]bool{}, bodies: map[ast.Node]*function{},
		beside: map[*packages.Package]*beside{}, idents: map[*packages.Package]map[string]bool{}, seconds: map[string]*function{}}
	p.pkgs = slices.Clone(l.pkgs)
	if len(l.broken) > 0 {
		if err := loader.TooNew(dir, runtime.Version()); err != nil {
			return nil, fmt.Errorf("arena fix: %w", err)
		}
		for _, pkg := range l.broken {
			for _, e := range pkg.Errors {
				p.wrong = errors.Join(p.wrong, e)
			}
		}
		p.leaveOut(l.broken)
		if len(p.pkgs) == 0 {
			return nil, fmt.Errorf("arena fix: the packages do not compile: %w", p.wrong)
		}
		patterns = paths(p.pkgs)
	}
	for _, pkg := range p.pkgs {
		p.beside[pkg] = besides(pkg)
		for i, syntax := range pkg.Syntax {
			name := pkg.CompiledGoFiles[i]
			src, err := os.ReadFile(name)
			if err != nil {
				return nil, fmt.Errorf("arena fix: %w", err)
			}
			f := newFile(p.fset, name, src, syntax, pkg)
			p.files[syntax] = f
			if ast.IsGenerated(syntax) && !(generated && slices.Contains(pkg.GoFiles, name)) {
				f.fixed = true
				p.fixed = append(p.fixed, name)
				continue
			}
			for _, d := range syntax.Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					if d.Tok == token.VAR {
						p.addLiterals(pkg, f, d, func(*ast.FuncLit) bool { return true })
					}
				case *ast.FuncDecl:
					if d.Body != nil && !p.beside[pkg].ignored[receiverOf(d)+d.Name.Name] { // another system has another one
						p.add(pkg.TypesInfo.Defs[d.Name].(*types.Func), d, pkg, f)
					}
				}
			}
		}
	}
	p.findYields()
	asked := l.heap != nil
	if !asked {
		if err := l.ask(dir, false, patterns); err != nil {
			return nil, err
		}
	}
	if p.findUnseen(); len(p.unseen) > 0 && !asked && l.ask(dir, true, patterns) == nil {
		p.findUnseen()
	}
	return p, nil
}

// loaded is what is read of packages. It stays the same for all that Run tries.
type loaded struct {
	fset         *token.FileSet
	pkgs, broken []*packages.Package
	heap         escapes            // nil until the compiler was asked
	inlined      map[place][]string // the functions that the compiler inlines at a call
	lives        *lives.Program     // the packages with all that they import; nil until it is needed
}

// read reads packages.
func read(dir string, patterns []string) (*loaded, error) {
	l := &loaded{fset: token.NewFileSet()}
	var err error
	if l.pkgs, l.broken, err = loader.Sources(packages.Config{Dir: dir, Fset: l.fset}, true, patterns...); err != nil {
		return nil, fmt.Errorf("arena fix: %w", err)
	}
	return l, nil
}

// syntax yields the files of the program, with their packages.
func (p *program) syntax() iter.Seq2[*packages.Package, *ast.File] {
	return func(yield func(*packages.Package, *ast.File) bool) {
		for _, pkg := range p.pkgs {
			for _, syntax := range pkg.Syntax {
				if !yield(pkg, syntax) {
					return
				}
			}
		}
	}
}

// leaveOut leaves out the packages that do not compile, and those that import one. No program has
// them.
func (p *program) leaveOut(broken []*packages.Package) {
	bad := map[*packages.Package]bool{}
	for _, pkg := range broken {
		bad[pkg] = true
	}
	packages.Visit(p.pkgs, nil, func(pkg *packages.Package) { // after what it imports
		for _, other := range pkg.Imports {
			bad[pkg] = bad[pkg] || bad[other]
		}
	})
	for _, pkg := range p.pkgs {
		if bad[pkg] {
			p.out = append(p.out, pkg.PkgPath)
		}
	}
	p.pkgs = slices.DeleteFunc(p.pkgs, func(pkg *packages.Package) bool { return bad[pkg] })
}

// declares tells whether a package is one of those that may be changed.
func (p *program) declares(pkg *types.Package) bool {
	return slices.ContainsFunc(p.pkgs, func(other *packages.Package) bool { return other.Types == pkg })
}

// paths returns the import paths of packages.
func paths(pkgs []*packages.Package) (all []string) {
	for _, pkg := range pkgs {
		all = append(all, pkg.PkgPath)
	}
	return all
}

// add adds a function to the program.
func (p *program) add(obj *types.Func, decl *ast.FuncDecl, pkg *packages.Package, file *file) *function {
	f := &function{
		obj: obj, decl: decl, pkg: pkg, file: file,
	}
	p.funcs[obj] = f
	p.bodies[decl.Body] = f
	p.order = append(p.order, f)
	return f
}

// addLiterals adds the function literals in a node that are functions of their own. They have no
// second form: the arena comes in a carrier.
func (p *program) addLiterals(pkg *packages.Package, file *file, in ast.Node, own func(*ast.FuncLit) bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok || !own(lit) {
			return true
		}
		sig := pkg.TypesInfo.TypeOf(lit).(*types.Signature)
		name := fmt.Sprintf("func%d", p.fset.Position(lit.Pos()).Line)
		decl := &ast.FuncDecl{Name: &ast.Ident{NamePos: lit.Pos(), Name: name}, Type: lit.Type, Body: lit.Body}
		f := p.add(types.NewFunc(lit.Pos(), pkg.Types, name, sig), decl, pkg, file)
		f.literal = lit
		p.own[lit], p.looked[p.placeOf(lit.Pos())] = true, true // it has no closure
		p.taken = append(p.taken, taken{f, sig})
		return false
	})
}

// addKept adds the literals in functions that are kept, as in a table, and use nothing that the
// function around them declares.
func (p *program) addKept() {
	for _, f := range slices.Clone(p.order) {
		p.addLiterals(f.pkg, f.file, f.decl.Body, func(lit *ast.FuncLit) bool {
			return p.literals[lit] == kept && lit.Type.Params.NumFields() > 0 && !f.captured(lit)
		})
	}
}

// captured tells whether a function literal uses what the function around it declares.
func (f *function) captured(lit *ast.FuncLit) bool {
	return some(lit, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		obj := f.pkg.TypesInfo.Uses[id]
		return ok && obj != nil && obj.Pkg() == f.pkg.Types && f.contains(obj.Pos()) && !(lit.Pos() <= obj.Pos() && obj.Pos() < lit.End())
	})
}

// contains tells whether a place is in the function.
func (f *function) contains(pos token.Pos) bool {
	return f.decl.Type.Pos() <= pos && pos < f.decl.End() || f.decl.Recv != nil && f.decl.Recv.Pos() <= pos && pos < f.decl.Recv.End()
}

// A taken function is one that is used as a value, of this type.
type taken struct {
	f *function
	t types.Type
}

// takes finds the functions of the program that are used as values.
func (p *program) takes() {
	for pkg, syntax := range p.syntax() {
		called := map[*ast.Ident]bool{}
		ends := map[*ast.Ident]*ast.SelectorExpr{} // the selector that an identifier is the end of
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				_, id := callee(pkg.TypesInfo, n)
				called[id] = true
				if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok { // of an interface
					called[sel.Sel] = true
				}
			case *ast.SelectorExpr:
				ends[n.Sel] = n
			case *ast.Ident:
				obj, _ := pkg.TypesInfo.Uses[n].(*types.Func)
				if obj == nil || called[n] {
					break
				}
				x := ast.Expr(n)
				if ends[n] != nil {
					x = ends[n]
				}
				if f := p.funcs[obj.Origin()]; f != nil {
					p.taken = append(p.taken, taken{f, pkg.TypesInfo.TypeOf(x)})
				}
			}
			return true
		})
	}
}

// name returns the name of a function as users write it: path.Func, path.Type.Method.
func (f *function) name() string { return byname.Path(f.obj) }

// named returns the named type that t is, or points at, or nil.
func named(t types.Type) *types.Named { return byname.Type(t) }

// matches reports whether name, as path.Func, path.Type.Method or path.(*Type).Method, names an
// object of a package. The path may lack its beginning.
func matches(name, path, object string) bool {
	name = unstarred.Replace(name)
	full := path + "." + object
	return name == full || strings.HasSuffix(full, "/"+name)
}

// isNamed tells whether the user calls an object of a package name, by the path of the package or
// by its name.
func isNamed(pkg *types.Package, object, name string) bool {
	return matches(name, pkg.Path(), object) || matches(name, pkg.Name(), object)
}

var unstarred = strings.NewReplacer("(*", "", "(", "", ")", "")

// find returns the function that the user calls name, by the path of its package, or else by the
// package's name, or else alone.
func (p *program) find(name string) (*function, error) {
	var found, byName, alone []*function
	for _, f := range p.order {
		switch object := strings.TrimPrefix(f.name(), f.pkg.PkgPath+"."); {
		case f.literal != nil:
		case matches(name, f.pkg.PkgPath, object):
			found = append(found, f)
		case matches(name, f.pkg.Name, object):
			byName = append(byName, f)
		case unstarred.Replace(name) == object:
			alone = append(alone, f)
		}
	}
	if len(found) == 0 {
		found = byName // main.F in profiles, or yaml.F of example.com/yaml/v4
	}
	if len(found) == 0 {
		found = alone
	}
	switch len(found) {
	case 0:
		if p.wrong != nil {
			return nil, fmt.Errorf("arena fix: -root %s: no such function in the packages that compile: %w", name, p.wrong)
		}
		if file := p.generatedFile(name); file != "" {
			return nil, fmt.Errorf("arena fix: -root %s: it is in %s, which a program has made; try -generated", name, file)
		}
		return nil, fmt.Errorf("arena fix: -root %s: no such function in the packages; write it as example.com/path.Func or example.com/path.Type.Method; if it is in another module, give -copy, -w and its package", name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("arena fix: -root %s: is both %s and %s; write more of the path", name, found[0].name(), found[1].name())
}

// generatedFile returns the first file that stays unchanged and has a function of this name, or "".
func (p *program) generatedFile(name string) string {
	for pkg, syntax := range p.syntax() {
		if !p.files[syntax].fixed {
			continue
		}
		for _, d := range syntax.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			f := pkg.TypesInfo.Defs[d.Name].(*types.Func)
			object := strings.TrimPrefix(byname.Path(f), pkg.PkgPath+".")
			if isNamed(pkg.Types, object, name) {
				return filepath.Base(p.fset.PositionFor(f.Pos(), false).Filename)
			}
		}
	}
	return ""
}

// callee returns the function that a call calls for certain, and the identifier that names it, or
// nil.
func callee(info *types.Info, c *ast.CallExpr) (*types.Func, *ast.Ident) {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
		if s := info.Selections[x]; s != nil && s.Kind() != types.FieldVal && types.IsInterface(interfaceOf(s)) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	f, _ := info.Uses[id].(*types.Func)
	if f == nil {
		return nil, nil
	}
	return f.Origin(), id
}

// reach marks the functions that are called from the roots, as far as calls are known, and those
// which need an arena. Those whose results are kept count when carriers are looked for: the other
// functions with the same carrier may not be kept.
func (p *program) reach(dropped bool) {
	for _, f := range p.order {
		f.reached, f.needs = false, false
	}
	var todo []*function
	mark := func(f *function) {
		if !f.reached {
			f.reached = true
			todo = append(todo, f)
		}
	}
	for _, f := range p.order {
		if f.root {
			mark(f)
		}
		if r := f.obj.Signature().Recv(); dropped && r != nil && named(r.Type()) != nil && f.obj.Exported() && p.steps[named(r.Type()).Obj()] {
			mark(f)
		}
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range f.calls {
			if !c.dropped || dropped && !c.later && !c.stacked {
				mark(c.to)
			}
		}
		for _, c := range f.other { // which has the arena if it is given a carrier
			if dropped && c.to.given(p.structs) != nil || c.to.carrier != nil && c.to.carrier.reached() {
				mark(c.to)
			}
		}
		// What has the arena in a struct is reached by whoever has that struct: through interfaces
		// and function values, too.
		for _, g := range p.order {
			if g.carrier != nil && !g.reached && g.carrier.given() {
				mark(g)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.order {
			if f.needs {
				continue
			}
			if slices.ContainsFunc(f.sites, func(s *site) bool { return !s.why.stays() }) || f.twice && p.isGiven(f) ||
				slices.ContainsFunc(f.calls, func(c *call) bool {
					return !c.dropped && c.to.needs && (c.to.carrier == nil || c.to.twice || c.to.entry)
				}) {
				f.needs, changed = true, true
			}
		}
	}
}
