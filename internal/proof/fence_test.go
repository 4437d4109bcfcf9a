package proof

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unsafeFiles are the only files of the root's module that may import unsafe.
var unsafeFiles = []string{
	"unsafe.go", "unsafe_value.go",
	"watch_race_on.go", "arenastrings/unsafe.go",
	"internal/vm/vm.go", "internal/vm/vm_windows.go", "internal/vm/protect_windows.go", "internal/vm/unsafe_linux.go", "internal/vm/unsafe_pool_linux.go",
	"offheap/mimalloc_on.go", "offheap/jemalloc_on.go",
	"internal/fault/fault_linux.go", "internal/deepclone/unsafe.go", "internal/share/memory.go", "internal/share/unsafe_slab.go", "arenakit/unsafe.go", "arenascope/unsafe.go",
	"internal/guard/unsafe.go", "internal/guard/unsafe_aim.go", "internal/kept/unsafe.go", "internal/jsonwire/unsafe.go",
	"ref/unsafe.go", "ref/unsafe_map.go", "internal/region/unsafe.go", "internal/mem/unsafe.go", "internal/swiss/unsafe.go", "internal/tools/asan_on.go", "internal/tools/race_on.go",
}

// cgoFiles are the only ones that may import C. Programs that are built as usual have none of them.
var cgoFiles = []string{"internal/tools/asan_on.go", "offheap/mimalloc_on.go", "offheap/jemalloc_on.go"}

// internalUsers are the directories whose packages may import internal packages, in addition to the
// internal packages themselves.
var internalUsers = []string{".", "ref", "offheap", "arenabufio", "arenadebug", "arenakit", "arenascope", "arenastrings", "arenatest", "arenahttp/arenahttptest"}

// testPackages are internal packages that only tests import. Tests of all modules may.
var testPackages = []string{childPackage, module + "/internal/fake", module + "/internal/testrun", module + "/internal/growth"}

// sharedPackages are internal packages that other modules share, by the directories of these: the
// syntax of JSON, which knows no arena, and the figures that exporters export.
var sharedPackages = map[string][]string{
	module + "/internal/jsonwire": {"arenajson", "arenapb"},
	module + "/internal/metrics":  {"arenaprom", "arenaotel"},
}

// childPackage starts tests in processes of their own. All tests of this module use it, so that
// they can be run where programs need another one that runs them.
const childPackage = module + "/internal/child"

// ownFile reads the symbols in the file of the program that runs.
const ownFile = "internal/heapdump/symbols.go"

// harmless are the members of unsafe that only compute a number.
var harmless = []string{"Sizeof", "Alignof"}

// backDoors are the members of reflect that make pointers from addresses, or
// typed pointers from untyped ones, without an import of unsafe.
var backDoors = []string{"NewAt", "SliceAt", "UnsafePointer"}

// forbidden are compiler directives that reach around the type system.
var forbidden = []string{"//go:linkname", "//go:nocheckptr"}

// A fencedFile is a source file and where it is in the repository.
type fencedFile struct {
	path   string // from the root, with slashes
	nested bool   // it belongs to another module of the repository
	fset   *token.FileSet
	*ast.File
}

// TestFence checks that unsafe stays in unsafeFiles and says why it is sound
// there, that this module imports nothing but the standard library and itself, and
// that internal packages stay internal.
func TestFence(t *testing.T) {
	files := 0
	modules := map[string]bool{} // whether a directory is part of another module
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == "." {
				return nil
			}
			if base := d.Name(); base == "testdata" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			modules[name] = err == nil || modules[filepath.Dir(name)]
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if isNewer(t, path) {
			if strings.Contains(string(source), "unsafe") {
				t.Errorf("%s: a file for a newer Go than the minimum must do without unsafe: it cannot be checked here", name)
			}
			return nil
		}
		f := fencedFile{path: filepath.ToSlash(name), nested: modules[filepath.Dir(name)]}
		for _, complaint := range f.check(t, string(source)) {
			t.Error(complaint)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Error("no files were checked")
	}
}

// TestNoRequire checks that go.mod asks for nothing.
func TestNoRequire(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(module) + `$`).Match(mod) {
		t.Errorf("go.mod is not that of %s", module)
	}
	if line := regexp.MustCompile(`(?m)^\s*(require|replace|exclude|tool)\b.*`).Find(mod); line != nil {
		t.Errorf("go.mod: %s: the core depends on nothing; what does goes into a module of its own", line)
	}
}

// TestFenceHolds checks that TestFence finds what it is there for.
func TestFenceHolds(t *testing.T) {
	const ptr = "func f(p *int) unsafe.Pointer { return unsafe.Pointer(p) }\n"
	const use = `import "unsafe"` + "\n" + ptr
	for _, test := range []struct {
		path   string
		nested bool
		source string
		want   string // part of the complaint, or none
	}{
		{"slab.go", false, "import \"fmt\"\nvar _ = fmt.Sprint", ""},
		{"slab.go", false, `import "unsafe"` + "\n// SAFETY: it is a pointer already.\n" + ptr, "imports unsafe"},
		{"slab.go", false, `import "unsafe"` + "\nvar _ = unsafe.Sizeof(0)", "imports unsafe"},
		{"other/unsafe.go", false, `import "unsafe"`, "imports unsafe"},
		{"slab_test.go", false, use, ""},
		{"examples/x/x.go", true, use, ""},
		{"unsafe.go", false, use, "f uses unsafe without"},
		{"unsafe.go", false, `import "unsafe"` + "\n// SAFETY:\n" + ptr, "f uses unsafe without"},
		{"unsafe.go", false, `import "unsafe"` + "\n// SAFETY: it is a pointer already.\n\nvar x int\n" + ptr, "f uses unsafe without"},
		{"unsafe.go", false, `import "unsafe"` + "\n// SAFETY: it is a pointer already.\n" + ptr, ""},
		{"unsafe.go", false, `import "unsafe"` + "\nfunc f(p *int) any {\n// SAFETY: it is a pointer already.\nreturn unsafe.Pointer(p)\n}", ""},
		{"unsafe.go", false, `import "unsafe"` + "\nfunc f() any { return unsafe.Sizeof(0) + unsafe.Alignof(0) }", ""},
		{"unsafe.go", false, `import "unsafe"` + "\nvar p unsafe.Pointer", "p uses unsafe without"},
		{"unsafe.go", false, `import "unsafe"` + "\ntype t struct{ p unsafe.Pointer }", ""},
		{"unsafe.go", false, `import u "unsafe"`, "under another name"},
		{"unsafe.go", false, `import "unsafe"` + "\ntype pointer = unsafe.Pointer", "pointer is unsafe.Pointer by another name"},
		{"unsafe.go", false, `import "unsafe"` + "\ntype pointer (unsafe.Pointer)", "pointer is unsafe.Pointer by another name"},
		{"unsafe.go", false, `import "unsafe"` + "\nfunc f() { type pointer unsafe.Pointer }", "f uses unsafe without"},
		{"slab.go", false, `import "reflect"` + "\nfunc f(v reflect.Value) any { return v.UnsafePointer() }", "as good as unsafe"},
		{"unsafe.go", false, `import "reflect"` + "\nfunc f(v reflect.Value) any { return v.UnsafePointer() }", ""},
		{"slab_test.go", false, `import "reflect"` + "\nfunc f(v reflect.Value) any { return v.UnsafePointer() }", ""},
		{"slab.go", false, `import "reflect"` + "\nvar _ = reflect.UnsafePointer", ""},
		{"slab.go", false, `import "reflect"` + "\nvar _ = reflect.NewAt", "as good as unsafe"},
		{"slab.go", false, "//go:linkname f runtime.f\nfunc f()", "//go:linkname"},
		{"slab_test.go", false, "//go:nocheckptr\nfunc f()", "//go:nocheckptr"},
		{"slab.go", false, `import "C"`, "imports C"},
		{"slab_test.go", false, `import "example.com/x"`, "imports example.com/x"},
		{"other/x.go", false, `import "github.com/arena-go/arena"`, ""},
		{"other/x.go", false, `import "github.com/arena-go/arenas"`, "imports github.com/arena-go/arenas"},
		{"slab.go", false, `import "github.com/arena-go/arena/internal/x"`, ""},
		{"internal/y/y.go", false, `import "github.com/arena-go/arena/internal/x"`, ""},
		{"other/x.go", false, `import "github.com/arena-go/arena/internal/x"`, "is internal"},
		{"examples/x/x_test.go", true, `import "github.com/arena-go/arena/internal"`, "is internal"},
		{"examples/x/x.go", true, `import "example.com/x/internal/y"`, ""},
		{"examples/x/x.go", true, `import "github.com/arena-go/arena/examples/internal/y"`, ""},
		{"examples/x/x.go", true, `import "C"`, ""},
		{"other/x_test.go", false, `import "github.com/arena-go/arena/internal/child"`, ""},
		{"other/x.go", false, `import "github.com/arena-go/arena/internal/child"`, "is internal"},
		{"other/x_test.go", false, `import "github.com/arena-go/arena/internal/fake"`, ""},
		{"slab.go", false, `import "github.com/arena-go/arena/internal/fake"`, "is internal"},
		{"examples/x/x_test.go", true, `import "github.com/arena-go/arena/internal/child"`, ""},
		{"examples/x/x.go", true, `import "github.com/arena-go/arena/internal/child"`, "is internal"},
		{"arenajson/x.go", true, `import "github.com/arena-go/arena/internal/jsonwire"`, ""},
		{"arenajson/x.go", true, `import "github.com/arena-go/arena/internal/guard"`, "is internal"},
		{"examples/x/x.go", true, `import "github.com/arena-go/arena/internal/jsonwire"`, "is internal"},
		{"other/x_test.go", false, "import \"os\"\nvar _ = os.Args[0]", "runs itself"},
		{"other/x_test.go", false, "import \"os\"\nvar _, _ = os.Executable()", "runs itself"},
		{"internal/child/child.go", false, "import \"os\"\nvar _ = os.Args[0]", ""},
		{"internal/heapdump/write.go", false, "import \"os\"\nvar _, _ = os.Executable()", "runs itself"},
		{ownFile, false, "import \"os\"\nvar _, _ = os.Executable()", ""},
		{"examples/x/x_test.go", true, "import \"os\"\nvar _ = os.Args[0]", ""},
	} {
		f := fencedFile{path: test.path, nested: test.nested}
		got := strings.Join(f.check(t, "package p\n"+test.source), "; ")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s, nested %t:\n%s\ngot  %q\nwant %q", test.path, test.nested, test.source, got, test.want)
		}
	}
}

// isRaw reports whether x is unsafe.Pointer.
func isRaw(x ast.Expr) bool {
	s, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Pointer" {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == "unsafe"
}

// isKind reports whether s is reflect.UnsafePointer, which is a number.
func isKind(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "reflect" && s.Sel.Name == "UnsafePointer"
}

// check returns what is wrong with f, whose text is source.
func (f *fencedFile) check(t *testing.T, source string) (complaints []string) {
	f.fset = token.NewFileSet()
	var err error
	f.File, err = parser.ParseFile(f.fset, f.path, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	complain := func(pos token.Pos, format string, args ...any) {
		complaints = append(complaints, fmt.Sprintf("%s: %s", f.fset.Position(pos), fmt.Sprintf(format, args...)))
	}

	// Tests and other modules may use unsafe; they cannot hurt a user.
	fenced := !f.nested && !strings.HasSuffix(f.path, "_test.go")
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(path, "/")
		own := path == module || strings.HasPrefix(path, module+"/")
		switch {
		case path == "unsafe" && fenced && !slices.Contains(unsafeFiles, f.path):
			complain(spec.Pos(), "imports unsafe, which only %s may", strings.Join(unsafeFiles, ", "))
		case path == "unsafe" && fenced && spec.Name != nil:
			complain(spec.Pos(), "imports unsafe under another name")
		case path == "C" && !f.nested && !slices.Contains(cgoFiles, f.path):
			complain(spec.Pos(), "imports C: the core is pure Go")
		case strings.Contains(first, ".") && !own && !f.nested:
			complain(spec.Pos(), "imports %s: the core depends on the standard library only", path)
		case own && f.internal(path):
			complain(spec.Pos(), "%s is internal to the core: use its public names", path)
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			for _, directive := range forbidden {
				if c.Text == directive || strings.HasPrefix(c.Text, directive+" ") {
					complain(c.Pos(), "%s is not used here", directive)
				}
			}
		}
	}
	if !f.nested && !strings.HasPrefix(f.path, "internal/child/") && f.path != ownFile {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok && id.Name == "os" && (s.Sel.Name == "Args" || s.Sel.Name == "Executable") {
					complain(s.Pos(), "a test that runs itself does so by Command of %s", childPackage)
				}
			}
			return true
		})
	}
	if !fenced {
		return complaints
	}
	if !slices.Contains(unsafeFiles, f.path) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(backDoors, s.Sel.Name) && !isKind(s) {
				complain(s.Pos(), "%s is as good as unsafe, which only %s may use", s.Sel.Name, strings.Join(unsafeFiles, " and "))
			}
			return true
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if usesUnsafe(d) && !f.saysWhy(d, d.Doc) {
				complain(d.Pos(), "%s uses unsafe without a SAFETY: comment", d.Name.Name)
			}
		case *ast.GenDecl:
			// A type may have fields that are unsafe.Pointers: what counts
			// is what functions do with them.
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && isRaw(s.Type) {
					complain(s.Pos(), "%s is unsafe.Pointer by another name: make it a struct, in which files without unsafe cannot look", s.Name.Name)
				}
				if v, ok := spec.(*ast.ValueSpec); ok && usesUnsafe(v) && !f.saysWhy(d, d.Doc) {
					complain(v.Pos(), "%s uses unsafe without a SAFETY: comment", v.Names[0].Name)
				}
			}
		}
	}
	return complaints
}

// internal reports whether path is a package that is internal to the core, and one that f may not
// import. Go itself sees to those that are internal to a part of it.
func (f *fencedFile) internal(path string) bool {
	if path != module+"/internal" && !strings.HasPrefix(path, module+"/internal/") {
		return false
	}
	dir := filepath.ToSlash(filepath.Dir(f.path))
	if slices.Contains(testPackages, path) {
		return !strings.HasSuffix(f.path, "_test.go")
	}
	if f.nested {
		return !slices.Contains(sharedPackages[path], dir)
	}
	return !strings.HasPrefix(dir+"/", "internal/") && !slices.Contains(internalUsers, dir)
}

// saysWhy reports whether a comment of n, whose doc comment is doc, gives a reason after SAFETY:.
func (f *fencedFile) saysWhy(n ast.Node, doc *ast.CommentGroup) bool {
	from := n.Pos()
	if doc != nil {
		from = doc.Pos()
	}
	for _, group := range f.Comments {
		if from <= group.Pos() && group.End() <= n.End() {
			if _, why, ok := strings.Cut(group.Text(), "SAFETY:"); ok && strings.TrimSpace(why) != "" {
				return true
			}
		}
	}
	return false
}

// usesUnsafe reports whether n uses unsafe for more than sizes.
func usesUnsafe(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == "unsafe" && !slices.Contains(harmless, s.Sel.Name) {
				found = true
			}
		}
		return !found
	})
	return found
}

// TestFencePointers checks that no file outside the fence has a raw pointer in its hands: a value
// of type unsafe.Pointer, such as a field or the result of a function. It could convert that to any
// other pointer without an import of unsafe.
func TestFencePointers(t *testing.T) {
	t.Parallel()
	dirs := map[string]bool{}
	for _, name := range unsafeFiles {
		dirs[filepath.Dir(name)] = true
	}
	for dir := range dirs {
		for _, tag := range []string{"", "race", "asan", "arenadebug"} {
			context := build.Default
			context.BuildTags, context.CgoEnabled = []string{tag}, tag == "asan"
			p, err := context.ImportDir(filepath.Join(root, dir), 0)
			if err != nil {
				t.Fatal(err)
			}
			sources := map[string]string{}
			for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
				source, err := os.ReadFile(filepath.Join(root, dir, name))
				if err != nil {
					t.Fatal(err)
				}
				sources[filepath.ToSlash(filepath.Join(dir, name))] = string(source)
			}
			for _, complaint := range rawPointers(t, sources) {
				t.Errorf("tag %q: %s", tag, complaint)
			}
		}
	}
}

// TestFencePointersHolds checks that TestFencePointers finds what it is there for.
func TestFencePointersHolds(t *testing.T) {
	const fenced = `import "unsafe"
		type pointer struct { to unsafe.Pointer }
		type alias = unsafe.Pointer
		type block[T any] struct { at unsafe.Pointer }
		func (p pointer) raw() unsafe.Pointer { return p.to }
		func (p pointer) isNil() bool { return p.to == nil }`
	for _, test := range []struct {
		source string
		want   string // part of the complaint, or none
	}{
		{"type t struct { p pointer }; func f(x t) bool { return x.p == pointer{} || x.p.isNil() }", ""},
		{"func f(p pointer) *int { return (*int)(p.to) }", "p.to is an unsafe.Pointer"},
		{"func f(p pointer) *int { return (*int)(p.raw()) }", "p.raw() is an unsafe.Pointer"},
		{"func f(b block[string]) any { q := &b.at; return *q }", "b.at is an unsafe.Pointer"},
		{"type t struct { p alias }", "alias is an unsafe.Pointer"},
		{`import "reflect"` + "\n" + "func f(p pointer) any { return reflect.ValueOf(p.to) }", "p.to is an unsafe.Pointer"},
	} {
		complaints := rawPointers(t, map[string]string{"unsafe.go": "package p\n" + fenced, "slab.go": "package p\n" + test.source})
		got := strings.Join(complaints, "; ")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.source, got, test.want)
		}
	}
}

// rawPointers returns the expressions of type unsafe.Pointer in those files of a package that are
// not in unsafeFiles. It does not look into other packages: backDoors has what returns such
// pointers there.
func rawPointers(t *testing.T, sources map[string]string) (complaints []string) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, source := range sources {
		f, err := parser.ParseFile(fset, name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	found := map[ast.Expr]types.TypeAndValue{}
	conf := types.Config{Importer: onlyUnsafe{}, FakeImportC: true, Error: func(error) {}}
	conf.Check("p", fset, files, &types.Info{Types: found})
	for x, is := range found {
		pos := fset.Position(x.Pos())
		if b, ok := is.Type.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer && !slices.Contains(unsafeFiles, pos.Filename) {
			complaints = append(complaints, fmt.Sprintf("%v: %s is an unsafe.Pointer, in a file that may not use unsafe", pos, types.ExprString(x)))
		}
	}
	slices.Sort(complaints)
	return complaints
}
