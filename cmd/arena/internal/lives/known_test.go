package lives

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/printer"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// compared are the sources that each entry of known was compared with: a sum of the functions of a package that it names, with all functions of the package that
// these use, without comments, in Go 1.26.8 and, where it differs, 1.27.4. What a function of the list keeps, calls and returns was read in these, and for
// encoding/json of Go 1.27 in encoding/json/v2. Those of package runtime have no operands to keep, but for KeepAlive and Callers.
var compared = map[string][]string{
	"encoding/json":    {"33b7557f90ee6097", "81033907d2255962"},
	"fmt":              {"490f14fd8536046f", "8653e9fed01a7d99"},
	"internal/poll":    {"df6293f6ca28f493", "eb21fe2a045a09b4"},
	"internal/testlog": {"81cc5b4e35ee19df"},
	"reflect":          {"d3608a9a39e320e9"},
	"regexp":           {"c782d92bae89a880", "4a29db7bfa4e38d5"},
	"sort":             {"3b67a1d5dcc61362"},
	"strings":          {"587c958baf13f226"},
	"testing":          {"13cef0f0ca583851", "7ebd6b9da5f8ebd0"},
	"time":             {"d8a81f1c51939f99"},
}

// TestKnown: the functions are there, and are what they were compared with. Where it fails, read what has changed in the functions, and whether the effect is still
// the right one, before the sum goes into the list.
func TestKnown(t *testing.T) {
	paths := slices.Sorted(maps.Keys(effects))
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Env:  append(os.Environ(), "GOWORK=off", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"),
	}, paths...)
	if err != nil || len(pkgs) != len(paths) {
		t.Fatal(err, pkgs)
	}
	for _, pkg := range pkgs {
		decls := map[*types.Func]*ast.FuncDecl{}
		byName := map[string]*types.Func{}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					obj := pkg.TypesInfo.Defs[d.Name].(*types.Func)
					decls[obj] = d
					byName[nameOf(obj)] = obj
				}
			}
		}
		var todo []*types.Func
		for name := range effects[pkg.PkgPath] {
			if name == "*" {
				continue
			}
			if byName[name] == nil {
				t.Errorf("%s has no %s", pkg.PkgPath, name)
				continue
			}
			todo = append(todo, byName[name])
		}
		seen := map[*types.Func]bool{}
		var texts []string
		for len(todo) > 0 {
			obj := todo[0]
			todo = todo[1:]
			if seen[obj] {
				continue
			}
			seen[obj] = true
			var text bytes.Buffer
			d := *decls[obj]
			d.Doc = nil
			if err := printer.Fprint(&text, pkg.Fset, &d); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, nameOf(obj)+text.String())
			ast.Inspect(decls[obj], func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if used, ok := pkg.TypesInfo.Uses[id].(*types.Func); ok && decls[used.Origin()] != nil {
						todo = append(todo, used.Origin())
					}
				}
				return true
			})
		}
		if len(texts) == 0 || strings.HasPrefix(pkg.PkgPath, "runtime") {
			continue
		}
		slices.Sort(texts)
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(texts, "\n"))))[:16]
		if !slices.Contains(compared[pkg.PkgPath], sum) {
			t.Errorf("%s has the sum %q in %s, which the effects in known were not compared with: compare %d functions", pkg.PkgPath, sum, runtime.Version(), len(texts))
		}
	}
}
