package proof

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// notPortable are the tests of the standard library's arenas that cannot pass
// with this package, with the reason. All others run; but see onlyStandard.
var notPortable = map[string]string{
	"TestUserArenaClonePanic": "it wants a panic for a struct, which this package's Clone copies",
}

// onlyStandard is the text of the checks that are cut out of the tests of the standard library: its
// Clone knows which values are in an arena, and returns all others unchanged. Ours always copies.
const onlyStandard = "should not have made a copy"

// onlyStandardChecks is the number of those checks, in three tests of Clone.
const onlyStandardChecks = 4

// TestStandard proves that the standard library's own tests of its experimental arenas pass with
// this package: the tests of package arena with the import changed, and the tests of the runtime
// with an adapter, testdata/std/runtime.go. They come from the Go installation that runs this test.
func TestStandard(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and runs other tests: not in short mode")
	}
	goroot := goEnv(t, "GOROOT")
	read := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			testrun.Need(t, "the source of the standard library")
		} else if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	adapter, err := os.ReadFile(filepath.Join("testdata", "std", "runtime.go"))
	if err != nil {
		t.Fatal(err)
	}
	arenaTest, runtimeTest := read("arena/arena_test.go"), read("runtime/arena_test.go")
	runtimeTest, cut := cutChecks(t, runtimeTest, onlyStandard)
	if cut != onlyStandardChecks {
		t.Errorf("%d checks of Clone were left out, want %d", cut, onlyStandardChecks)
	}
	dir := t.TempDir()
	file := func(name, source string) {
		t.Helper()
		write(t, filepath.Join(dir, filepath.FromSlash(name)), source)
	}
	file("go.mod", fmt.Sprintf("module std\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n", module, here))
	file("goarch/goarch.go", "package goarch\n\nconst PtrSize = 4 << (^uintptr(0) >> 63)\n")
	file("arena/arena_test.go", strings.NewReplacer(
		"//go:build goexperiment.arenas\n", "",
		`"arena"`, `"`+module+`"`,
	).Replace(arenaTest))
	file("runtime/arena_test.go", strings.NewReplacer(
		"package runtime_test\n", "package std\n",
		`"internal/goarch"`, `"std/goarch"`,
		`"internal/runtime/atomic"`, `"sync/atomic"`,
	).Replace(runtimeTest))
	file("runtime/adapter_test.go", string(adapter))

	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-vet=off", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "GOEXPERIMENT=")
	out, err := cmd.CombinedOutput()
	tests := regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(arenaTest+runtimeTest, -1)
	if len(tests) < 8 {
		t.Errorf("the standard library has %d tests, want 8 at least", len(tests))
	}
	for _, test := range tests {
		passed := strings.Contains(string(out), "--- PASS: "+test[1]+" (")
		if reason, ok := notPortable[test[1]]; passed == ok {
			t.Errorf("%s: passed: %t; said not to be portable: %q", test[1], passed, reason)
		}
	}
	if t.Failed() {
		t.Logf("the tests ended with %v\n%s", err, out)
	}
}

// cutChecks returns source without the if statements whose body has text in a
// string, and how many those are.
func cutChecks(t *testing.T, source, text string) (string, int) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var checks []*ast.IfStmt
	ast.Inspect(file, func(n ast.Node) bool {
		stmt, ok := n.(*ast.IfStmt)
		if !ok || stmt.Else != nil || len(stmt.Body.List) != 1 {
			return true
		}
		ast.Inspect(stmt.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && strings.Contains(lit.Value, text) {
				checks = append(checks, stmt)
			}
			return true
		})
		return true
	})
	for i := len(checks) - 1; i >= 0; i-- {
		from, to := fset.Position(checks[i].Pos()).Offset, fset.Position(checks[i].Body.Pos()).Offset
		// The condition uses the copy: keep it, with nothing to do.
		end := fset.Position(checks[i].End()).Offset
		source = source[:from] + source[from:to] + "{ /* not so here */ }" + source[end:]
	}
	return source, len(checks)
}

// goEnv returns a variable of the go command, without which the test is skipped.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		testrun.Need(t, "go (https://go.dev/dl)")
	}
	return strings.TrimSpace(string(out))
}
