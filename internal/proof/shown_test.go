package proof

import (
	"go/ast"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// others are the methods that programs seldom call by themselves: other packages do, such as fmt
// and encoding/json. An example with the name of such a method shows it, as ExampleBuilder_ReadFrom
// does.
var others = []string{"Error", "Format", "MarshalJSON", "MarshalJSONTo", "MarshalText", "ReadFrom", "String", "UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText", "Unwrap"}

// TestShown checks that each exported function of these packages, and each exported method of their
// types, is used in an example that is run.
func TestShown(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command: not in short mode")
	}
	exports := exportData(t)
	for _, path := range []string{module, module + "/arenahttp", module + "/arenastrings"} {
		tests, err := filepath.Glob(filepath.Join(root, strings.TrimPrefix(path, module), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range tests {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		compiled := importer.ForCompiler(fset, "gc", lookup(exports))
		pkg, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range unshown(pkg, compiled, fset, files) {
			t.Errorf("no example uses %s.%s", pkg.Name(), name)
		}
	}
}

// unshown returns the functions and methods of a package that none of its examples uses: of what
// pkg.go.dev shows as the code of an example, and with an output, without which go test does not
// run it. An example in the package itself, not outside it, does not count.
func unshown(pkg *types.Package, from types.Importer, fset *token.FileSet, tests []*ast.File) (names []string) {
	all := map[*types.Func]string{}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			all[o] = name
		case *types.TypeName:
			for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
				// The methods of notText only refuse to encode what means nothing without its
				// arena.
				f := m.Obj().(*types.Func).Origin()
				_, function := pkg.Scope().Lookup(f.Name()).(*types.Func)                            // as in methods.go, with Go 1.27
				if f.Exported() && receiver(f) != "notText" && f.Name() != "Internal" && !function { // that is for other packages of the module
					all[f] = name + "." + f.Name()
				}
			}
		}
	}

	tests = slices.DeleteFunc(slices.Clone(tests), func(f *ast.File) bool { return f.Name.Name != pkg.Name()+"_test" })
	var code []ast.Node
	kept := map[*ast.BlockStmt]bool{}
	for _, e := range doc.Examples(tests...) {
		if e.Output == "" && !e.EmptyOutput {
			continue
		}
		code = append(code, e.Code)
		for o, name := range all {
			if slices.Contains(others, o.Name()) && e.Name == shownBy.Replace(name) {
				delete(all, o)
			}
		}
		ast.Inspect(e.Code, func(n ast.Node) bool {
			if b, ok := n.(*ast.BlockStmt); ok {
				kept[b] = true
			}
			return true
		})
	}
	for _, f := range tests { // The checker need not look at what is no example.
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && !kept[d.Body] {
				d.Body = nil
			}
		}
	}
	used := map[*ast.Ident]types.Object{}
	conf := types.Config{Importer: from, Error: func(error) {}} // errors are of what is no example
	conf.Check(pkg.Path()+"_test", fset, tests, &types.Info{Uses: used})
	for _, n := range code {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if f, ok := used[id].(*types.Func); ok {
					delete(all, f.Origin())
				}
			}
			return true
		})
	}
	for _, name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// shownBy turns the name of a method into the name of the example that shows it.
var shownBy = strings.NewReplacer(".", "_", "JSONTo", "JSON", "JSONFrom", "JSON")

// receiver returns the name of the type that a method was declared with.
func receiver(method *types.Func) string {
	t := method.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// TestShownHolds checks that TestShown finds what it is there for.
func TestShownHolds(t *testing.T) {
	fset := token.NewFileSet()
	parse := func(name, source string) *ast.File {
		f, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{parse("p.go", `package p
func Shown() {}
func Helped() {}
func Unrun() {}
func Inside() {}
func Tested() {}
func Generic[T any](T) {}
func hidden() {}
type T[E any] struct { notText; inner[E] }
func (*T[E]) Called() {}
func (T[E]) Never() {}
func (T[E]) String() string { return "" }
func (T[E]) Error() string { return "" }
type inner[E any] struct{}
func (inner[E]) Promoted() {}
func (inner[E]) Forgotten() {}
type notText struct{}
func (notText) MarshalText() {}
type I interface { Method() }
`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := unshown(pkg, only{pkg}, fset, []*ast.File{
		parse("a_test.go", `package p_test
import "p"
func Example() {
	p.Shown()
	p.Generic(1)
	helper()
	var t p.T[int]
	t.Called()
	t.Promoted()
	// Output:
}
func ExampleUnrun() { p.Unrun() }
func ExampleT_String() {
	// Output:
}
func ExampleT_Never() {
	// Output:
}
func helper() { p.Helped() }
func TestTested() { p.Tested() }
`),
		parse("b_test.go", `package p
func ExampleInside() {
	Inside()
	// Output:
}
`)})
	want := []string{"Helped", "Inside", "T.Error", "T.Forgotten", "T.Never", "Tested", "Unrun"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	got = unshown(pkg, only{pkg}, fset, []*ast.File{parse("c_test.go", `package p_test
import "p"
type value struct{}
func (value) help() { p.Helped() } // pkg.go.dev shows all of a file with one example
func Example() {
	value{}.help()
	// Output:
}
`)})
	if slices.Contains(got, "Helped") || !slices.Contains(got, "Shown") {
		t.Errorf("of a file that is an example as a whole: %q", got)
	}
}

// only has one package.
type only struct{ pkg *types.Package }

func (o only) Import(string) (*types.Package, error) { return o.pkg, nil }
