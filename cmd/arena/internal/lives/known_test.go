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
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// compared are the sources that each entry of known was compared with: a sum of the functions of a
// package that it names, with all functions of the package that these use, without comments, in the
// versions of versions. What a function of the list keeps, calls and returns was read in these, and
// for encoding/json of Go 1.27 in encoding/json/v2. The functions of package runtime have no
// operands to keep, except KeepAlive and Callers.
var compared = map[string][]string{
	"encoding/json":                  {"8b21576a348e80ae", "e58542da2f73d762"},
	"encoding/xml":                   {"bc9b2d6ecbcf27f9"},
	"errors":                         {"d7b3e15dadb7412d"},
	"fmt":                            {"490f14fd8536046f", "8653e9fed01a7d99"},
	"hash/crc32":                     {"06b84089c62b9bb2"},
	"hash/maphash":                   {"d80129046aa492df"},
	"internal/poll":                  {"df6293f6ca28f493", "eb21fe2a045a09b4"},
	"internal/runtime/syscall/linux": {"9dd23ff58f5a0ead"},
	"internal/testlog":               {"81cc5b4e35ee19df"},
	"log":                            {"7b93978abe676d58"},
	"log/slog":                       {"54301887b9ecd29e"},
	"maps":                           {"c9d21c7262283c9b"},
	"net/http":                       {"3b921c8653c3c86b"},
	"reflect":                        {"525ab699a20bb146", "d3608a9a39e320e9"},
	"regexp":                         {"c782d92bae89a880", "4a29db7bfa4e38d5"},
	"slices":                         {"4dc848b1c11c60c5"},
	"sort":                           {"3b67a1d5dcc61362"},
	"strings":                        {"587c958baf13f226"},
	"sync":                           {"38fd31c76f076595"},
	"sync/atomic":                    {"22c948d58c0ad44f"},
	"syscall":                        {"9805beab2190007c"},
	"testing":                        {"13cef0f0ca583851", "7ebd6b9da5f8ebd0", "ae2ec3b06b538247"},
	"time":                           {"d8a81f1c51939f99"},
	"unique":                         {"7b2cd23fd6fd321b"},
}

// versions are the releases whose sources were read, by the last patch of each.
var versions = map[string]int{"go1.26": 8, "go1.27": 4}

// wasRead tells whether the sources of a version of Go were read.
func wasRead(version string) bool {
	release, last := version, "0"
	if i := strings.LastIndexByte(version, '.'); i > len("go1") {
		release, last = version[:i], version[i+1:]
	}
	newest, ok := versions[release]
	patch, err := strconv.Atoi(last)
	return ok && err == nil && patch <= newest
}

func TestWasRead(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26": true, "go1.26.0": true, "go1.26.8": true, "go1.26.9": false, "go1.27.4": true, "go1.27.10": false, "go1.28": false, "go1.28.1": false,
		"go1.27rc1": false, "go1.26.8-X:jsonv2": false, "devel go1.28-1234": false,
	} {
		if wasRead(version) != want {
			t.Errorf("%s was read: %t, want %t", version, !want, want)
		}
	}
}

// TestKnown: the functions are there, and are what they were compared with. Where it fails, or is
// skipped because of a newer release, read what has changed in the functions, and whether the
// effect is still the right one, before the sum goes into the list.
func TestKnown(t *testing.T) {
	paths := slices.Sorted(maps.Keys(effects))
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Env:  append(os.Environ(), "GOWORK=off", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"),
	}, paths...)
	if err != nil || len(pkgs) != len(paths) {
		t.Fatal(err, pkgs)
	}
	var unread []string
	for _, pkg := range pkgs {
		decls := map[*types.Func]*ast.FuncDecl{}
		byName := map[string]*types.Func{}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					obj := pkg.TypesInfo.Defs[d.Name].(*types.Func)
					decls[obj] = d
					byName[names.Local(obj)] = obj
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
			texts = append(texts, names.Local(obj)+text.String())
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
			unread = append(unread, fmt.Sprintf("%s has the sum %q: compare %d functions", pkg.PkgPath, sum, len(texts)))
		}
	}
	switch {
	case len(unread) > 0 && wasRead(runtime.Version()):
		t.Errorf("functions of %s differ from those that the effects were compared with:\n%s", runtime.Version(), strings.Join(unread, "\n"))
	case len(unread) > 0:
		t.Skipf("needs one of the versions of Go that were read, or somebody who reads what has changed in %s:\n%s", runtime.Version(), strings.Join(unread, "\n"))
	}
}
