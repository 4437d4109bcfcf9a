package arenavet

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }

// TestNames checks that the names this package knows of the project's packages are there, and that
// nothing was forgotten: no function and no method whose first parameter is an arena.
func TestNames(t *testing.T) {
	root := "../../.."
	if _, err := os.Stat(filepath.Join(root, "arena.go")); err != nil {
		testrun.Need(t, "the repository around the module (git clone)")
	}
	declared := map[string]*ast.FuncDecl{}
	packages := map[string]bool{corePath: true}
	for name := range known {
		if i := strings.LastIndex(name, "/"); strings.HasPrefix(name, corePath) {
			pkg, _, _ := strings.Cut(name[i+1:], ".")
			packages[name[:i+1]+pkg] = true
		}
	}
	for pkg := range packages {
		files, err := filepath.Glob(filepath.Join(root, strings.TrimPrefix(pkg, corePath), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			match, err := build.Default.MatchFile(filepath.Split(name))
			if err != nil {
				t.Fatal(err)
			}
			if !match || strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || !fn.Name.IsExported() {
					continue
				}
				// Methods of types without an exported name are not called from elsewhere.
				if typ, _, ok := strings.Cut(declaredName(fn), "."); !ok || token.IsExported(typ) {
					declared[pkg+"."+declaredName(fn)] = fn
				}
			}
		}
	}
	for name := range known {
		// A package of the list may not be here yet.
		pkg, _, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ".")
		dir := strings.TrimPrefix(name[:strings.LastIndex(name, "/")+1]+pkg, corePath)
		if _, err := os.Stat(filepath.Join(root, dir)); !strings.HasPrefix(name, corePath) || err != nil {
			continue
		}
		if function := strings.Replace(name, "arena.Arena.", "arena.", 1); declared[name] == nil && (slices.Contains(build.Default.ReleaseTags, "go1.27") || declared[function] == nil) {
			t.Errorf("there is no %s", name) // with Go 1.27 some functions are methods, too
		}
	}
	for name, fn := range declared {
		short := strings.TrimLeft(strings.TrimPrefix(name, corePath), "./")
		if known[name] != opNone {
			continue
		}
		if len(fn.Type.Params.List) > 0 && isArenaParam(fn.Type.Params.List[0].Type) && !ignored[short] {
			t.Errorf("%s takes an arena, and names.go does not know it", name)
		}
	}
}

// ignored are functions with an arena whose results are not followed.
var ignored = map[string]bool{"ref.Copy": true, "arenakit.Local": true, "Map.CopyFrom": true, "arenagrpc.Into": true, "arenascope.Scope.Adopt": true,
	"arenaarrow/build.NewRecordBuilder": true, "arenaarrow/build.NewRows": true,
	"arenakit.Slab.For": true}

func declaredName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

func isArenaParam(t ast.Expr) bool {
	if x, ok := t.(*ast.Ident); ok && x.Name == "Space" { // of package ref
		return true
	}
	star, ok := t.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.Ident:
		return x.Name == "Arena"
	case *ast.SelectorExpr: // in another package of the project
		return x.Sel.Name == "Arena"
	}
	return false
}
