package proof

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write api/next.txt and the table of docs/debugging.md from the sources")

// TestAPI checks that api/next.txt has the exported names of all packages that others may import,
// with their types. So a diff of that file shows what a change does to the API. It checks too that
// the changelog names what changed since the last release, whose API is in api/released.txt.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command: not in short mode")
	}
	needs(t, "make")
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
	if t.Failed() {
		t.Error("go test ./internal/proof -run TestAPI -update writes the file")
	}

	released := fileLines(t, filepath.Join(root, "api", "released.txt"))
	if released == nil {
		return // no release yet
	}
	log, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range unnamed(released, now, unreleased(string(log))) {
		t.Error(problem)
	}
}

// fileLines returns the lines of a file: none if there is no such file.
func fileLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r", "")), "\n")
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

// unnamed returns a problem for each name that a text does not have: a name that is gone or that
// changed, and a new name at the top of a package. Members of a type that is new or gone need not
// be named.
func unnamed(was, now []string, text string) (problems []string) {
	has := func(lines []string, name string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+" ") })
	}
	need := func(line, pkg, name string) {
		// It may follow the name of its package, but not the name of a type, which makes it another
		// name.
		there := regexp.MustCompile(`(^|[^\w.]|\b` + pkg[strings.LastIndex(pkg, "/")+1:] + `\.)` + regexp.QuoteMeta(name) + `\b`)
		if !there.MatchString(text) {
			problems = append(problems, fmt.Sprintf("CHANGELOG.md does not name %s under Unreleased: %s", name, line))
		}
	}
	gone, came := compare(was, now)
	for _, line := range gone {
		pkg, top, member := key(line)
		switch {
		case member == "":
			need("gone or changed: "+line, pkg, top)
		case has(now, pkg+"."+top):
			need("gone or changed: "+line, pkg, top+"."+member)
		}
	}
	for _, line := range came {
		if pkg, top, member := key(line); member == "" && !has(was, pkg+"."+top) {
			need("new: "+line, pkg, top)
		}
	}
	return problems
}

// key returns the package of a line, the name at the top of it that the line is about, and the
// member of that.
func key(line string) (pkg, top, member string) {
	name, _, _ := strings.Cut(line, " ")
	at := strings.LastIndex(name, "/") + 1
	pkg, name, _ = strings.Cut(name[at:], ".")
	top, member, _ = strings.Cut(name, ".")
	return line[:at] + pkg, top, member
}

// api returns a line for each exported name of the packages that others may import. No system and
// no build tag has names of its own, apart from what Go 1.27 has: the methods of encoding/json/v2,
// and methods with type parameters. These are left out.
func api(t *testing.T) (lines []string) {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}={{.Name}}"}
	for dir := range strings.FieldsSeq(output(t, root, "make", "-s", "--no-print-directory", "list-released")) {
		args = append(args, dir+"/...")
	}
	exports := map[string]string{}
	var public []string
	for line := range strings.Lines(outputWith(t, root, []string{"CGO_ENABLED=", "GOEXPERIMENT=", "GOOS=", "GOARCH="}, "go", args...)) {
		f := strings.Split(strings.TrimSpace(line), "=")
		exports[f[0]] = f[1]
		if strings.HasPrefix(f[0]+"/", module+"/") && f[2] != "main" && !strings.Contains(f[0]+"/", "/internal/") {
			public = append(public, f[0])
		}
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", lookup(exports))
	for _, path := range public {
		pkg, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range exported(pkg) {
			if !strings.Contains(line, "jsontext.") {
				lines = append(lines, "arena"+strings.TrimPrefix(path, module)+"."+line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// exported returns the lines of a package: a name, and what it is. Parameters have no names, since
// nobody can depend on them.
func exported(pkg *types.Package) (lines []string) {
	qualifier := func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return p.Name()
	}
	show := func(t types.Type) string { return types.TypeString(t, qualifier) }
	signature := func(t types.Type) string {
		return parameters(t.(*types.Signature).TypeParams(), show) + strings.TrimPrefix(show(nameless(t)), "func")
	}
	add := func(name, format string, args ...any) {
		lines = append(lines, name+" "+fmt.Sprintf(format, args...))
	}
	var fields func(name string, s *types.Struct)
	fields = func(name string, s *types.Struct) {
		for f := range s.Fields() {
			if f.Exported() {
				add(name+"."+f.Name(), "field %s", show(nameless(f.Type())))
			} else if inner, ok := f.Type().Underlying().(*types.Struct); ok && f.Embedded() {
				fields(name, inner)
			}
		}
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch o := object.(type) {
		case *types.Const:
			add(name, "const %s = %s", show(o.Type()), o.Val().ExactString())
		case *types.Var:
			add(name, "var %s", show(o.Type()))
		case *types.Func:
			add(name, "func %s", signature(o.Type()))
		case *types.TypeName:
			if o.IsAlias() {
				add(name, "type = %s", show(types.Unalias(o.Type())))
				continue
			}
			named := o.Type().(*types.Named)
			head := "type" + parameters(named.TypeParams(), show)
			s, isStruct := named.Underlying().(*types.Struct)
			if isStruct {
				add(name, "%s struct", head)
				fields(name, s)
			} else {
				add(name, "%s %s", head, show(nameless(named.Underlying())))
			}
			if types.IsInterface(named) {
				continue
			}
			values := types.NewMethodSet(named)
			for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
				star := "*"
				if values.Lookup(pkg, m.Obj().Name()) != nil {
					star = ""
				}
				if m.Obj().Exported() && m.Type().(*types.Signature).TypeParams() == nil {
					add(name+"."+m.Obj().Name(), "method (%s%s) %s", star, name, signature(m.Type()))
				}
			}
		}
	}
	return lines
}

// parameters prints type parameters with their constraints.
func parameters(list *types.TypeParamList, show func(types.Type) string) string {
	var all []string
	for p := range list.TypeParams() {
		all = append(all, p.Obj().Name()+" "+show(p.Constraint()))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// nameless returns a function's type without the names of its parameters, and without the names of
// their parameters. Other types stay unchanged.
func nameless(t types.Type) types.Type {
	s, ok := t.(*types.Signature)
	if !ok {
		return t
	}
	without := func(list *types.Tuple) *types.Tuple {
		var all []*types.Var
		for v := range list.Variables() {
			all = append(all, types.NewParam(token.NoPos, nil, "", nameless(v.Type())))
		}
		return types.NewTuple(all...)
	}
	return types.NewSignatureType(nil, nil, nil, without(s.Params()), without(s.Results()), s.Variadic())
}

// TestAPIChecks proves that each kind of name gets its line, and that names are missed in a
// changelog.
func TestAPIChecks(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", `package p

const (
	A Kind = iota << 1
	B
	c
)

const D, E = 1, "e"

var F, g int

type Kind uint8

func (k Kind) String() string { return "" }
func (k Kind) other() {}

type List[T any, U ~[]T | int] struct {
	Names, More []T
	Kind
	*table[U, string]
	hidden int
}

func (l *List[X, Y]) Get(i int, f func(j int)) (x X, ok bool) { return }

type table[K comparable, V any] struct { Inner map[K]V }

func (t *table[A, B]) Put(key A, value B) {}

type below struct { Inner int }

func (b *below) Reset() {}

type Outer struct { below }

type Store interface {
	Alloc(int) ([]byte, error)
	own()
}

type Number interface{ ~int | ~float64 }
type Same = Kind
type Call func(a int, b ...string) <-chan struct{ X int }

func Make[T comparable, L List[T, int]](size int) *L { return nil }
func secret() {}
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Error: func(error) {}} // names that nobody uses
	pkg, _ := config.Check("p", fset, []*ast.File{f}, nil)
	got := exported(pkg)
	want := []string{
		"A const Kind = 0",
		"B const Kind = 2",
		"Call type func(int, ...string) <-chan struct{X int}",
		"D const untyped int = 1",
		`E const untyped string = "e"`,
		"F var int",
		"Kind type uint8",
		"Kind.String method (Kind) () string",
		"List type[T any, U ~[]T | int] struct",
		"List.Get method (*List) (int, func(int)) (X, bool)",
		"List.Kind field Kind",
		"List.More field []T",
		"List.Names field []T",
		"List.Put method (List) (U, string)",
		"List.String method (List) () string",
		"Make func [T comparable, L List[T, int]](int) *L",
		"Number type interface{~int | ~float64}",
		"Outer type struct",
		"Outer.Inner field int",
		"Outer.Reset method (*Outer) ()",
		"Same type = Kind",
		"Store type interface{Alloc(int) ([]byte, error); own()}",
	}
	gone, came := compare(want, got)
	for _, line := range gone {
		t.Errorf("there is no line %s", line)
	}
	for _, line := range came {
		t.Errorf("there is a line %s", line)
	}

	was := []string{"p.Gone func (int)", "p.Changed func (int)", "p.Old type struct", "p.Old.Field field int", "p.Kept type struct", "p.Kept.Gone method (*Kept) (K) *V",
		"p.Kept.Field field int", "p.Same func ()"}
	now := []string{"p.Changed func (string)", "p.Kept type struct", "p.Kept.Other field int", "a/p.New type struct", "a/p.New.Field field int", "p.Same func ()"}
	all := []string{"Gone", "Changed", "Old", "Kept.Gone", "Kept.Field", "New"}
	problems := unnamed(was, now, unreleased("# Changelog\n\n## Unreleased\n\nNothing, Kept, Other.New, NewLine and Gone1.\n\n## v0.1.0\n\nGone\n"))
	for _, name := range all {
		if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, " name "+name+" under ") }) {
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
