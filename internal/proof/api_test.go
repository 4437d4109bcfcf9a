package proof

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write api/next.txt from the sources")

// TestAPI checks that api/next.txt has the exported names of all packages that others may import, with their types. So a diff of
// that file shows what a change does to the API.
func TestAPI(t *testing.T) {
	now := api(t)
	name := filepath.Join(root, "api", "next.txt")
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(now, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	gone, came := compare(fileLines(t, name), now)
	for _, line := range gone {
		t.Errorf("is in api/next.txt only: %s", line)
	}
	for _, line := range came {
		t.Errorf("is not in api/next.txt: %s", line)
	}
	if len(gone)+len(came) > 0 {
		t.Error("go test ./internal/proof -run TestAPI -update writes the file")
	}
}

// TestAPIChanges checks that the changelog names what changed in the API since the last release, whose API is in api/released.txt.
func TestAPIChanges(t *testing.T) {
	released := fileLines(t, filepath.Join(root, "api", "released.txt"))
	if len(released) == 0 {
		return // no release yet
	}
	log, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range unnamed(released, api(t), unreleased(string(log))) {
		t.Error(problem)
	}
}

// fileLines returns the lines of a file: none if there is no such file.
func fileLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
}

// compare returns what only the one list has, and what only the other one has.
func compare(was, now []string) (gone, came []string) {
	without := func(all, these []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(line string) bool { return slices.Contains(these, line) })
	}
	return without(was, now), without(now, was)
}

// unreleased returns the first section of the changelog.
func unreleased(log string) string {
	_, text, _ := strings.Cut(log, "\n## Unreleased\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// unnamed returns a problem for each name that a text does not have: a name that is gone or that changed, and a new name at the top of a package.
// Members of a type that is new or gone need not be named.
func unnamed(was, now []string, text string) (problems []string) {
	tops := func(lines []string) map[string]bool {
		all := map[string]bool{}
		for _, line := range lines {
			pkg, top, _ := key(line)
			all[pkg+"."+top] = true
		}
		return all
	}
	before, after := tops(was), tops(now)
	gone, came := compare(was, now)
	seen := map[string]bool{}
	need := func(what, line, name string) {
		// It may have the name of a package in front, and not that of a type, which makes it another name.
		there := regexp.MustCompile(`(^|[^\w.]|\b[a-z]\w*\.)` + regexp.QuoteMeta(name) + `\b`)
		if !seen[what+name] && !there.MatchString(text) {
			problems = append(problems, fmt.Sprintf("%s: %s; name %s in CHANGELOG.md, under Unreleased", what, line, name))
		}
		seen[what+name] = true
	}
	for _, line := range gone {
		pkg, top, member := key(line)
		if member != "" && after[pkg+"."+top] {
			top += "." + member
		}
		need("gone or changed", line, top)
	}
	for _, line := range came {
		if pkg, top, _ := key(line); !before[pkg+"."+top] {
			need("new", line, top)
		}
	}
	return problems
}

var keyed = regexp.MustCompile(`^pkg (\S+), (?:(?:const|var|func|type) (\w+)|method \(\*?(\w+)[^)]*\) (\w+)|member (\w+)(?:\.(\w+))?)`)

// key returns the package of a line, the name at the top of it that the line is about, and the member of that.
func key(line string) (pkg, top, member string) {
	m := keyed.FindStringSubmatch(line)
	if m == nil {
		return "", line, ""
	}
	return m[1], m[2] + m[3] + m[5], m[4] + m[6]
}

// api returns a line for each exported name of the packages that others may import: on all systems, and with all build tags. A type is as
// the sources have it, without the names of parameters.
func api(t *testing.T) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir():
			return nil
		case path != root && strings.HasPrefix(e.Name(), "."), slices.Contains([]string{"testdata", "internal", "bench", "examples"}, e.Name()):
			return filepath.SkipDir
		}
		sources, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		var files []*ast.File
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if f.Name.Name != "main" {
				files = append(files, f)
			}
		}
		dir, err := filepath.Rel(root, path)
		for _, line := range exported(files) {
			lines = append(lines, fmt.Sprintf("pkg %s, %s", strings.TrimSuffix("arena/"+filepath.ToSlash(dir), "/."), line))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// A pack is the declarations of a package, by name. There are several of one name, for different systems.
type pack struct {
	types   map[string][]*ast.TypeSpec
	methods map[string][]*ast.FuncDecl // by the type of the receiver
	lines   []string
}

// exported returns the lines of a package.
func exported(files []*ast.File) []string {
	p := &pack{types: map[string][]*ast.TypeSpec{}, methods: map[string][]*ast.FuncDecl{}}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					of := base(d.Recv.List[0].Type)
					p.methods[of] = append(p.methods[of], d)
				} else if d.Name.IsExported() {
					p.add("func %s%s%s", d.Name.Name, parameters(d.Type.TypeParams, nil), signature(d.Type, nil))
				}
			case *ast.GenDecl:
				p.values(d)
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						p.types[s.Name.Name] = append(p.types[s.Name.Name], s)
					}
				}
			}
		}
	}
	for name, specs := range p.types {
		for _, s := range specs {
			if token.IsExported(name) {
				p.declare(s)
			}
		}
	}
	return p.lines
}

func (p *pack) add(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

// values adds the constants and variables of a declaration.
func (p *pack) values(d *ast.GenDecl) {
	var typ ast.Expr
	var values []ast.Expr
	for i, s := range d.Specs {
		s, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if d.Tok == token.VAR || s.Type != nil || s.Values != nil {
			typ, values = s.Type, s.Values
		}
		for j, name := range s.Names {
			if !name.IsExported() {
				continue
			}
			line := d.Tok.String() + " " + name.Name
			if typ != nil {
				line += " " + show(typ, nil)
			}
			switch {
			case d.Tok == token.CONST && j < len(values):
				line += " = " + show(values[j], map[string]string{"iota": strconv.Itoa(i)})
			case typ == nil && len(values) == 1:
				line += " = " + made(values[0])
			case typ == nil && j < len(values):
				line += " = " + made(values[j])
			}
			p.lines = append(p.lines, line)
		}
	}
}

// made says of what type a value is, as far as its expression tells.
func made(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		return show(e.Fun, nil) + "()"
	case *ast.CompositeLit:
		return show(e.Type, nil) + "{}"
	case *ast.FuncLit:
		return show(e.Type, nil)
	case *ast.UnaryExpr:
		return e.Op.String() + made(e.X)
	}
	return show(e, nil)
}

// declare adds a type, its members, and its methods.
func (p *pack) declare(s *ast.TypeSpec) {
	head := "type " + s.Name.Name + parameters(s.TypeParams, nil)
	switch t := s.Type.(type) {
	case *ast.StructType:
		p.add("%s struct", head)
	case *ast.InterfaceType:
		p.add("%s interface", head)
		for _, part := range elements(t, nil) {
			dot := "."
			if f := part[0]; !strings.Contains(part, "(") || f == '~' || f == '*' {
				dot = " "
			}
			p.add("member %s%s%s", s.Name.Name, dot, part)
		}
	default:
		if s.Assign.IsValid() {
			head += " ="
		}
		p.add("%s %s", head, show(t, nil))
	}
	p.members(s, s, nil, "", map[string]bool{})
}

// members adds the fields and methods of a type, and those that it has from types that it embeds and that are not exported: these nobody
// would find otherwise. Seen are the names that are taken; with has what the parameters of the type stand for.
func (p *pack) members(outer, s *ast.TypeSpec, with map[string]string, star string, seen map[string]bool) {
	type embedded struct {
		name string
		args []ast.Expr
		star string
	}
	var below []embedded
	take := func(name string) bool {
		if !token.IsExported(name) || outer != s && seen[name] {
			return false
		}
		seen[name] = true
		return true
	}
	if t, ok := s.Type.(*ast.StructType); ok {
		for _, f := range t.Fields.List {
			for _, name := range f.Names {
				if take(name.Name) {
					p.add("member %s.%s %s", outer.Name.Name, name.Name, show(f.Type, with))
				}
			}
			if f.Names != nil {
				continue
			}
			name := base(f.Type)
			if take(name) {
				p.add("member %s.%s embedded %s", outer.Name.Name, name, show(f.Type, with))
				continue
			}
			e := embedded{name, arguments(f.Type), "*"}
			if s, ok := f.Type.(*ast.StarExpr); ok {
				e.args, e.star = arguments(s.X), ""
			}
			below = append(below, e)
		}
	}
	for _, d := range p.methods[s.Name.Name] {
		if !take(d.Name.Name) {
			continue
		}
		if outer == s {
			p.add("method (%s) %s%s", show(d.Recv.List[0].Type, nil), d.Name.Name, signature(d.Type, nil))
			continue
		}
		inner := maps.Clone(with) // the receiver may have other names for the parameters
		if inner == nil {
			inner = map[string]string{}
		}
		typ, pointer := d.Recv.List[0].Type, ""
		if s, ok := typ.(*ast.StarExpr); ok {
			typ, pointer = s.X, star
		}
		for i, name := range arguments(typ) {
			inner[show(name, nil)] = with[parameterNames(s.TypeParams)[i]]
		}
		of := outer.Name.Name
		if names := parameterNames(outer.TypeParams); names != nil {
			of += "[" + strings.Join(names, ", ") + "]"
		}
		p.add("method (%s%s) %s%s", pointer, of, d.Name.Name, signature(d.Type, inner))
	}
	for _, e := range below {
		for _, s := range p.types[e.name] {
			inner := map[string]string{}
			for i, name := range parameterNames(s.TypeParams) {
				inner[name] = show(e.args[i], with)
			}
			p.members(outer, s, inner, e.star, seen)
		}
	}
}

// arguments returns what stands between the brackets of a type.
func arguments(t ast.Expr) []ast.Expr {
	switch t := t.(type) {
	case *ast.IndexExpr:
		return []ast.Expr{t.Index}
	case *ast.IndexListExpr:
		return t.Indices
	}
	return nil
}

func parameterNames(list *ast.FieldList) (names []string) {
	if list != nil {
		for _, f := range list.List {
			for _, name := range f.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// parameters prints type parameters with their constraints.
func parameters(list *ast.FieldList, with map[string]string) string {
	if list == nil {
		return ""
	}
	var all []string
	for _, f := range list.List {
		for _, name := range f.Names {
			all = append(all, name.Name+" "+show(f.Type, with))
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// signature prints the types of parameters and results.
func signature(f *ast.FuncType, with map[string]string) string {
	results := list(f.Results, with)
	text := "(" + strings.Join(list(f.Params, with), ", ") + ")"
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

func list(fields *ast.FieldList, with map[string]string) (all []string) {
	if fields != nil {
		for _, f := range fields.List {
			for range max(1, len(f.Names)) {
				all = append(all, show(f.Type, with))
			}
		}
	}
	return all
}

// elements prints what an interface consists of. Others need not know the names of methods that they cannot have.
func elements(t *ast.InterfaceType, with map[string]string) (all []string) {
	for _, f := range t.Methods.List {
		switch {
		case f.Names == nil:
			all = append(all, show(f.Type, with))
		case f.Names[0].IsExported():
			all = append(all, f.Names[0].Name+signature(f.Type.(*ast.FuncType), with))
		case !slices.Contains(all, "unexported methods"):
			all = append(all, "unexported methods")
		}
	}
	return all
}

// show prints a type or a constant, with other text for some names.
func show(e ast.Expr, with map[string]string) string {
	all := func(list []ast.Expr) string {
		var texts []string
		for _, e := range list {
			texts = append(texts, show(e, with))
		}
		return strings.Join(texts, ", ")
	}
	switch e := e.(type) {
	case nil:
		return ""
	case *ast.Ident:
		if text, ok := with[e.Name]; ok {
			return text
		}
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.SelectorExpr:
		return show(e.X, nil) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + show(e.X, with)
	case *ast.ParenExpr:
		return "(" + show(e.X, with) + ")"
	case *ast.UnaryExpr:
		return e.Op.String() + show(e.X, with)
	case *ast.BinaryExpr:
		return show(e.X, with) + " " + e.Op.String() + " " + show(e.Y, with)
	case *ast.CallExpr:
		return show(e.Fun, with) + "(" + all(e.Args) + ")"
	case *ast.IndexExpr:
		return show(e.X, with) + "[" + show(e.Index, with) + "]"
	case *ast.IndexListExpr:
		return show(e.X, with) + "[" + all(e.Indices) + "]"
	case *ast.Ellipsis:
		return "..." + show(e.Elt, with)
	case *ast.ArrayType:
		return "[" + show(e.Len, with) + "]" + show(e.Elt, with)
	case *ast.MapType:
		return "map[" + show(e.Key, with) + "]" + show(e.Value, with)
	case *ast.ChanType:
		return map[ast.ChanDir]string{ast.SEND: "chan<- ", ast.RECV: "<-chan ", ast.SEND | ast.RECV: "chan "}[e.Dir] + show(e.Value, with)
	case *ast.FuncType:
		return "func" + signature(e, with)
	case *ast.InterfaceType:
		return "interface{ " + strings.Join(elements(e, with), "; ") + " }"
	case *ast.StructType:
		var fields []string
		for _, f := range e.Fields.List {
			for _, name := range f.Names {
				fields = append(fields, name.Name+" "+show(f.Type, with))
			}
			if f.Names == nil {
				fields = append(fields, show(f.Type, with))
			}
		}
		return "struct{ " + strings.Join(fields, "; ") + " }"
	}
	panic(fmt.Sprintf("the API has a %T, which is not known here", e))
}

// TestAPIChecks proves that each kind of name gets its line, and that names are missed in a changelog.
func TestAPIChecks(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p

import "io"

const (
	A Kind = iota << 1
	B
	c
)

const D, E = 1, "e"

var F, g int
var H = errors.New("message")

type Kind uint8

func (k Kind) String() string { return "" }
func (k Kind) other() {}

type List[T any, U ~[]T | int] struct {
	Names, More []T
	io.Reader
	*table[U, string]
	hidden int
}

func (l *List[X, Y]) Get(i, j int) (x X, ok bool) { return }

type table[K, V any] struct {
	Inner map[K]V
	below[V]
	Names int // List has its own
}

func (t *table[A, B]) Put(key A, value B) {}
func (t table[A, B]) Get() {}

type below[V any] struct{}

func (below[V]) All(yield func(V) bool) {}

type Store interface {
	io.Closer
	Alloc(n int) (b []byte, err error)
	own()
}

type Number interface{ ~int | ~float64 }
type Same = Kind
type Call func(a int, rest ...string) <-chan struct{ X int }

func Make[T any, L List[T, int]](size int) *L { return nil }
func secret() {}
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(exported([]*ast.File{f})))
	want := []string{
		"const A Kind = 0 << 1",
		"const B Kind = 1 << 1",
		"const D = 1",
		`const E = "e"`,
		"func Make[T any, L List[T, int]](int) *L",
		"member List.Inner map[U]string",
		"member List.More []T",
		"member List.Names []T",
		"member List.Reader embedded io.Reader",
		"member Number ~int | ~float64",
		"member Store io.Closer",
		"member Store unexported methods",
		"member Store.Alloc(int) ([]byte, error)",
		"method (*List[X, Y]) Get(int, int) (X, bool)",
		"method (Kind) String() string",
		"method (List[T, U]) All(func(string) bool)",
		"method (List[T, U]) Put(U, string)",
		"type Call func(int, ...string) <-chan struct{ X int }",
		"type Kind uint8",
		"type List[T any, U ~[]T | int] struct",
		"type Number interface",
		"type Same = Kind",
		"type Store interface",
		"var F int",
		"var H = errors.New()",
	}
	gone, came := compare(want, got)
	for _, line := range gone {
		t.Errorf("there is no line %s", line)
	}
	for _, line := range came {
		t.Errorf("there is a line %s", line)
	}

	was := []string{"pkg p, func Gone(int)", "pkg p, func Changed(int)", "pkg p, type Old struct", "pkg p, member Old.Field int", "pkg p, type Kept struct",
		"pkg p, method (*Kept[K, V]) Gone(K) *V", "pkg p, member Kept.Field int", "pkg p, func Same()"}
	now := []string{"pkg p, func Changed(string)", "pkg p, type Kept struct", "pkg p, member Kept.Other int", "pkg p, type New struct", "pkg p, member New.Field int",
		"pkg p, func Same()"}
	all := []string{"Gone", "Changed", "Old", "Kept.Gone", "Kept.Field", "New"}
	problems := unnamed(was, now, unreleased("# Changelog\n\n## Unreleased\n\nNothing, Kept, Other.New, NewLine and Gone1.\n\n## v0.1.0\n\nGone\n"))
	for _, name := range all {
		if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "; name "+name+" in ") }) {
			t.Errorf("that %s is not named was not noticed", name)
		}
	}
	if len(problems) != len(all) {
		t.Errorf("there are %d problems, want %d: %q", len(problems), len(all), problems)
	}
	if problems = unnamed(was, now, "p."+strings.Join(all, ", ")+"."); len(problems) > 0 {
		t.Errorf("all are named: %q", problems)
	}
}
