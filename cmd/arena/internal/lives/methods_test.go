//go:build go1.27

package lives

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// methods are the functions of package arena that are methods of an Arena, too.
var methods = strings.Fields("New Ptr Box SlabOf NewMap MakeSlice SliceOf Append Push Grow Collect String Bytes")

// TestEndsOfMethods is TestEnds where the programs call methods of arenas instead of functions.
func TestEndsOfMethods(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/ends")); err != nil {
		t.Fatal(err)
	}
	stub, err := filepath.Abs("../../arenavet/testdata/stub")
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/ends\n\ngo 1.27\n\nrequire github.com/arena-go/arena v0.0.0\n\nreplace github.com/arena-go/arena => " + stub + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, file := range files {
		text, n := asMethods(t, file)
		changed += n
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if changed < 90 {
		t.Errorf("%d calls became calls of methods, want 90", changed)
	}
	testEnds(t, dir)
}

// asMethods returns the text of a file with calls of methods instead of those functions, in the
// same lines, and the number of calls.
func asMethods(t *testing.T, file string) (text string, calls int) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		fn := call.Fun
		switch x := fn.(type) {
		case *ast.IndexExpr:
			fn = x.X
		case *ast.IndexListExpr:
			fn = x.X
		}
		sel, ok := fn.(*ast.SelectorExpr)
		if !ok || !slices.Contains(methods, sel.Sel.Name) {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "arena" {
			return true
		}
		if id, ok := call.Args[0].(*ast.Ident); !ok || id.Name == "nil" {
			return true
		}
		first := call.Args[0]
		end := at(call.Rparen)
		if len(call.Args) > 1 {
			end = at(call.Args[1].Pos())
		}
		edits = append(edits, edit{at(sel.X.Pos()), at(sel.X.End()), string(b[at(first.Pos()):at(first.End())])}, edit{at(first.Pos()), end, ""})
		calls++
		return true
	})
	slices.SortFunc(edits, func(x, y edit) int { return y.from - x.from })
	for _, e := range edits {
		b = slices.Concat(b[:e.from], []byte(e.text), b[e.to:])
	}
	return string(b), calls
}
