package fix

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// look is with what a function begins that looks for an arena, without blanks.
var look = regexp.MustCompile(`\{if\w+\.\w+OrHeap\(\)!=nil\{(return)?[^{}]*?In\([^{}]*\)(return)?\}`)

// TestTwiceKeeps: with -twice each function is as it was, but for the look at the arena with which
// some begin. The others with a carrier are called by second forms only, which have one.
func TestTwiceKeeps(t *testing.T) {
	t.Parallel()
	for i, m := range []struct {
		name, root    string
		second, looks int
	}{{"inner", "inner.Words", 16, 0}, {"keeps", "keeps.Run", 27, 0}, {"calc", "calc.Parse", 11, 0}, {"twice", "twice.Build", 13, 0}} {
		if i == 2 && !testrun.Long() {
			break
		}
		o := Options{Dir: original(t, m.name), Roots: []string{m.root}, Twice: true}
		r, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		second, looks := 0, 0
		for name, src := range r.Files {
			was, is := functionsOf(t, r.Old[name]), functionsOf(t, src)
			for f, text := range was {
				now := is[f]
				if at := look.FindStringIndex(now); at != nil {
					looks++
					now = now[:at[0]+1] + now[at[1]:]
				}
				if strings.Contains(now, "In(nil,") {
					continue // a root whose parameters have no names
				}
				if now != text {
					t.Errorf("%s was\n%s\nand is\n%s", f, text, now)
				}
			}
			for f := range is {
				if was[strings.TrimSuffix(f, "In")] != "" && strings.HasSuffix(f, "In") {
					second++
				}
			}
		}
		if second != m.second || looks != m.looks {
			t.Errorf("%s: %d second forms, and %d functions look for an arena; want %d and %d", m.name, second, looks, m.second, m.looks)
		}
	}
}

// functionsOf returns the functions of a source, without blanks, by receiver and name.
func functionsOf(t *testing.T, src []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	eachFunction(t, src, func(fset *token.FileSet, name string, f *ast.FuncDecl) {
		from, to := fset.Position(f.Type.Func).Offset, fset.Position(f.End()).Offset
		all[name] = strings.Join(strings.Fields(string(src[from:to])), "")
	})
	return all
}

// eachFunction calls do for each function of a source, with its receiver and name.
func eachFunction(t *testing.T, src []byte, do func(fset *token.FileSet, name string, f *ast.FuncDecl)) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "f.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			var recv bytes.Buffer
			if err := format.Node(&recv, fset, f.Recv.List[0].Type); err != nil {
				t.Fatal(err)
			}
			name = recv.String() + "." + name
		}
		do(fset, name, f)
	}
}
