package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/cmd/arena/arenavet"
	"github.com/arena-go/arena/cmd/arena/internal/load"
	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

func TestMain(m *testing.M) {
	code := testrun.Run(m)
	if built != "" {
		os.RemoveAll(filepath.Dir(built))
	}
	os.Exit(code)
}

// sample is a module with one mistake in each of two packages. The one in the first is seen with a
// fact of the second.
var sample = map[string]string{
	"go.mod": "module example.com/sample\n\ngo 1.26.0\n\nrequire github.com/arena-go/arena v0.0.0\n\nreplace github.com/arena-go/arena => STUB\n",
	"a/a.go": `package a

import (
	"example.com/sample/b"
	"github.com/arena-go/arena"
)

func f(a *arena.Arena, text []byte) int {
	s := b.Text(a, text)
	a.Reset()
	return len(s + "!")
}

func g(a *arena.Arena, text []byte) string {
	return arena.String(a, string(text))
}
`,
	"b/b.go": `package b

import "github.com/arena-go/arena"

func Text(a *arena.Arena, b []byte) string { return arena.String(a, b) }

func kept(a *arena.Arena, b []byte) string {
	s := Text(a, b)
	a.Reset()
	return s + "!" //arena:keep for the test
}

func maybe(a *arena.Arena, b []byte, x bool) string {
	s := Text(a, b)
	if x {
		a.Reset()
	}
	if !x {
		return s + "!"
	}
	return ""
}
`,
}

// tree writes the sample, and returns its directory.
func tree(t *testing.T, more map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	stub, err := filepath.Abs("arenavet/testdata/stub")
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range []map[string]string{sample, more} {
		for name, text := range files {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "STUB", filepath.ToSlash(stub))), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	return dir
}

var (
	built string // the command
	once  sync.Once
)

// build builds the command, once for all tests.
func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command: not in short mode")
	}
	once.Do(func() {
		dir, err := os.MkdirTemp("", "arena-test-")
		if err != nil {
			t.Fatal(err)
		}
		built = filepath.Join(dir, "arena.exe")
		if out, err := exec.Command("go", "build", "-o", built, ".").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	if _, err := os.Stat(built); err != nil {
		t.Fatal(err)
	}
	return built
}

func runIn(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestVet runs the subcommand, with its own loader.
func TestVet(t *testing.T) {
	t.Chdir(tree(t, nil))
	vetted := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		code, err := run(append([]string{"vet"}, args...), &stdout, &stderr)
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return code, stdout.String(), stderr.String()
	}
	code, _, text := vetted("./...")
	if code != 1 || !strings.Contains(text, filepath.FromSlash("a/a.go")+":11:15: stale: the result of b.Text (line 9) is used after Reset (line 10)\n") || strings.Contains(text, "b.go") {
		t.Errorf("%d: %s", code, text)
	}
	code, text, _ = vetted("-json", "./...")
	var all []finding
	if err := json.Unmarshal([]byte(text), &all); err != nil || code != 0 || len(all) != 2 || all[0].Code != "stale" || len(all[0].Flow) != 2 || all[0].URL == "" {
		t.Errorf("%d, %v: %s", code, err, text)
	}
	if _, text, _ = vetted("-explain", "stale"); !strings.Contains(text, "Reset") {
		t.Errorf("explain: %s", text)
	}
	if code, err := run([]string{"vet", "-explain", "nothing"}, &bytes.Buffer{}, &bytes.Buffer{}); code != 2 || err == nil {
		t.Error("a code that there is not is explained")
	}
}

// TestUnits finds the same in packages that are analyzed one at a time as in packages that are
// loaded together.
func TestUnits(t *testing.T) {
	t.Chdir("arenavet/testdata/corpus")
	t.Setenv("GOWORK", "")
	config, patterns := load.Config{Tests: true}, []string{"./lib/...", "./stale", "./syncpool", "./orders", "./shared"}
	analyzers, err := arenavet.Select()
	if err != nil {
		t.Fatal(err)
	}
	single, err := vetUnits(config, patterns, analyzers)
	if err != nil {
		t.Fatal(err)
	}
	together, broken, failed, err := vetParts(config, patterns, analyzers, t.Output())
	if err != nil || failed || len(broken) > 0 {
		t.Fatal(err, failed, broken)
	}
	lines := func(all []finding) (lines []string) {
		for _, f := range all {
			lines = append(lines, fmt.Sprint(f.Pos, f.Code, f.Message, f.URL, f.Fixes))
		}
		slices.Sort(lines)
		return lines
	}
	if s, l := lines(single), lines(together); len(s) < 20 || !slices.Equal(s, l) {
		t.Errorf("one at a time:\n%s\ntogether:\n%s", strings.Join(s, "\n"), strings.Join(l, "\n"))
	}
}

// TestKeepers: a container, and a function that only hands on, may be in other modules.
func TestKeepers(t *testing.T) {
	t.Chdir(tree(t, map[string]string{
		"go.mod":           sample["go.mod"] + "\nrequire (\n\texample.com/lru v0.0.0\n\texample.com/logs v0.0.0\n)\n\nreplace (\n\texample.com/lru => ./lru\n\texample.com/logs => ./logs\n)\n",
		"lru/go.mod":       "module example.com/lru\n\ngo 1.26.0\n",
		"lru/lru.go":       "package lru\n\nimport \"example.com/lru/list\"\n\ntype Cache[K comparable, V any] struct{ l list.List[K, V] }\n\nfunc (c *Cache[K, V]) Add(k K, v V) { c.l.Push(k, v) }\n",
		"lru/list/list.go": "package list\n\ntype entry[K comparable, V any] struct {\n\tkey K\n\tval V\n}\n\ntype List[K comparable, V any] struct{ all map[K]*entry[K, V] }\n\nfunc (l *List[K, V]) Push(k K, v V) { l.all[k] = &entry[K, V]{k, v} }\n",
		"logs/go.mod":      "module example.com/logs\n\ngo 1.26.0\n",
		"logs/logs.go":     "package logs\n\ntype Field struct{ Key, Val string }\n\nfunc String(key, val string) Field { return Field{key, val} }\n",
		"a/a.go": `package a

import (
	"example.com/logs"
	"example.com/lru"
	"github.com/arena-go/arena"
)

var (
	pool   arena.Pool
	fields []logs.Field
)

func cached(c *lru.Cache[int, string], line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	c.Add(1, arena.String(a, line))
}

func logged(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	fields = append(fields, logs.String("line", arena.String(a, line)))
}
`,
	}))
	var stderr bytes.Buffer
	code, err := run([]string{"vet", "./a"}, &bytes.Buffer{}, &stderr)
	if err != nil || code != 1 || strings.Count(stderr.String(), "outlives: ") != 2 {
		t.Errorf("%d, %v: %s; want two findings", code, err, &stderr)
	}
}

// TestFiles names files instead of packages: some of a module whose name is like one of the
// standard library, and one that is in no package.
func TestFiles(t *testing.T) {
	const use = `

import (
	"github.com/arena-go/arena"
	"words/lib"
)

func f(a *arena.Arena, text []byte) int {
	s := lib.Text(a, text)
	a.Reset()
	return len(s + "!")
}
`
	tool := ""
	if !testing.Short() {
		tool = build(t)
	}
	dir := tree(t, map[string]string{
		"go.mod":     strings.Replace(sample["go.mod"], "example.com/sample", "words", 1),
		"a/a.go":     "package a" + use,
		"b/b.go":     "package b",
		"c.go":       "//go:build ignore\n\npackage main" + use + "\nfunc main() {}\n",
		"lib/lib.go": "package lib\n\nimport \"github.com/arena-go/arena\"\n\nfunc Text(a *arena.Arena, b []byte) string { return arena.String(a, b) }\n",
	})
	t.Chdir(dir)
	const stale = "stale: the result of lib.Text"
	for _, test := range []struct {
		args string
		want int
	}{{"a/a.go", 1}, {"./a/a.go ./lib", 1}, {"c.go", 1}, {"c.go ./a", 2}, {"lib/lib.go", 0}, {"./...", 1}} {
		var stderr bytes.Buffer
		code, err := run(append([]string{"vet"}, strings.Fields(test.args)...), &bytes.Buffer{}, &stderr)
		if code != min(test.want, 1) || err != nil || strings.Count(stderr.String(), stale) != test.want {
			t.Errorf("%s: %d, %v: %s; want %d findings", test.args, code, err, &stderr, test.want)
		}
	}
	if tool == "" {
		return
	}
	for _, arg := range []string{"c.go", "./a", "a/a.go"} {
		if out, err := runIn(dir, "go", "vet", "-vettool="+tool, arg); err == nil || !strings.Contains(out, stale) {
			t.Errorf("go vet %s: %v: %s", arg, err, out)
		}
	}
}

// TestErrors checks what is said of packages that do not compile, and that others are analyzed.
func TestErrors(t *testing.T) {
	t.Chdir(tree(t, map[string]string{
		"c/c.go": "package c\n\nfunc F() int { return nothing }\n",
		"d/d.go": "package d\n\nimport (\n\t\"example.com/sample/c\"\n\t\"github.com/arena-go/arena\"\n)\n\nfunc f(a *arena.Arena) *int { return arena.Ptr(a, c.F()) }\n",
	}))
	var stderr bytes.Buffer
	code, err := run([]string{"vet", "./..."}, &bytes.Buffer{}, &stderr)
	if code != 2 || err != nil || !strings.Contains(stderr.String(), "nothing") || !strings.Contains(stderr.String(), "stale") {
		t.Errorf("%d, %v: %s", code, err, &stderr)
	}
	stderr.Reset()
	code, err = run([]string{"vet", "./d"}, &bytes.Buffer{}, &stderr)
	if code != 2 || err != nil || !strings.Contains(stderr.String(), "sample/d is not looked at, because of an import of example.com/sample/c, which has errors: ") {
		t.Errorf("a package that imports one with errors: %d, %v: %s", code, err, &stderr)
	}
	t.Chdir(tree(t, map[string]string{
		"e/e.go": "package e\n\nimport _ \"example.org/none\"\n",
		"f/f.go": "package f\n\nimport _ \"example.org/none\"\n",
		"g/g.go": "package g\n\nimport _ \"example.org/none\"\n",
	}))
	stderr.Reset()
	run([]string{"vet", "./..."}, &bytes.Buffer{}, &stderr)
	if n := strings.Count(stderr.String(), "example.org/none:"); n > 1 || !strings.Contains(stderr.String(), "(and in 2 other places)") {
		t.Errorf("a module that is missing is told %d times:\n%s", n, &stderr)
	}
	if code, err := run([]string{"vet", "./nowhere"}, &bytes.Buffer{}, &stderr); code != 2 {
		t.Errorf("no package: %d, %v", code, err)
	}
}

// TestPrintsText checks when fixes are left out, which take long to try.
func TestPrintsText(t *testing.T) {
	for args, want := range map[string]bool{
		"x.cfg": true, "-arena.maybe x.cfg": true, "-json x.cfg": false, "-fix -diff x.cfg": false, "-json=false x.cfg": true, "-flags": false,
	} {
		if got := printsText(strings.Fields(args)); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}

// TestTooOld checks the report about packages that are for a newer Go than the command's: none
// about packages that others import, because the importers report it.
func TestTooOld(t *testing.T) {
	for config, want := range map[string]bool{
		`"GoVersion": "go1.24"`: false, `"GoVersion": "go1.99"`: true, `"GoVersion": ""`: false, `"GoVersion": "` + version.Lang(runtime.Version()) + `"`: false,
		`"PackageFile": {"fmt": "a"}, "PackageVetx": {"fmt": "b"}`: false, `"PackageFile": {"fmt": "a"}, "PackageVetx": {}`: true,
		`"PackageFile": {"example.com/p": "a"}, "PackageVetx": {}`: true, `"PackageFile": {"unsafe": "a"}, "PackageVetx": {}`: false,
	} {
		for _, imported := range []bool{false, true} {
			name := filepath.Join(t.TempDir(), "vet.cfg")
			if err := os.WriteFile(name, fmt.Appendf(nil, `{"ImportPath": "p", "VetxOnly": %t, %s}`, imported, config), 0o666); err != nil {
				t.Fatal(err)
			}
			if silent, err := tooOld(name); (err != nil) != want || silent != (want && imported) {
				t.Errorf("%s: %v, %t", config, err, silent)
			}
		}
	}
	if silent, err := tooOld("-flags"); err != nil || silent {
		t.Error(err, silent)
	}
	if err := load.TooNew("", runtime.Version()); err != nil {
		t.Error(err)
	}
	if err := load.TooNew("", "go1.20"); err == nil || !strings.Contains(err.Error(), "was built with go1.20") {
		t.Errorf("a go command that is newer: %v", err)
	}
}

// TestHelp checks the usage, and the exit codes.
func TestHelp(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-h"}, 0, "vet"}, {[]string{"help"}, 0, "vet"}, {[]string{"help", "fix"}, 0, "-carrier"}, {[]string{"help", "nothing"}, 2, "usage"}, {[]string{"vet", "-h"}, 0, "-explain"}, {nil, 2, "usage"}, {[]string{"nothing"}, 2, "usage"},
		{[]string{"vet", "-nothing"}, 2, "not defined"},
	} {
		var out bytes.Buffer
		if code, _ := run(test.args, &out, &out); code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("%q: %d, want %d: %s", test.args, code, test.code, &out)
		}
	}
}

// TestVetTool runs the command by go vet: with facts of other packages, and once more without a
// change.
func TestVetTool(t *testing.T) {
	tool := build(t)
	dir := tree(t, nil)
	for range 2 {
		out, err := runIn(dir, "go", "vet", "-vettool="+tool, "./...")
		if err == nil || !strings.Contains(out, "a.go:11:15: stale: ") || strings.Contains(out, "b.go") {
			t.Errorf("%v: %s", err, out)
		}
	}
	out, _ := runIn(dir, "go", "vet", "-vettool="+tool, "-arena.maybe", "./...")
	if !strings.Contains(out, "stale (maybe): ") {
		t.Errorf("-arena.maybe: %s", out)
	}
	if out, err := runIn(dir, "go", "vet", "-vettool="+tool, "-stale=false", "./..."); strings.Contains(out, "stale: ") {
		t.Errorf("without stale: %v: %s", err, out)
	}
	if out, err := runIn(dir, "go", "vet", "-vettool="+tool, "-syncpool", "./..."); err != nil {
		t.Errorf("only syncpool: %v: %s", err, out)
	}
	// A change is noticed.
	name := filepath.Join(dir, "b", "b.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte("return arena.String(a, b)"), []byte("return arena.Clone(arena.String(a, b))"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, _ := runIn(dir, "go", "vet", "-vettool="+tool, "./..."); strings.Contains(out, "stale") {
		t.Errorf("after the change: %s", out)
	}
}

// TestVendored vets a module whose dependencies are in its directory vendor: one of them has
// arenas, too.
func TestVendored(t *testing.T) {
	tool := build(t)
	dir := tree(t, map[string]string{
		"go.mod": "module example.com/sample\n\ngo 1.26.0\n\nrequire github.com/arena-go/arena v0.0.0\n\nrequire example.com/other v0.0.0\n\n" +
			"replace github.com/arena-go/arena => STUB\n\nreplace example.com/other => ./other\n",
		"other/go.mod":   "module example.com/other\n\ngo 1.26.0\n\nrequire github.com/arena-go/arena v0.0.0\n",
		"other/other.go": "package other\n\nimport \"github.com/arena-go/arena\"\n\nfunc Text(a *arena.Arena, b []byte) string { return arena.String(a, b) }\n",
		"c/c.go": `package c

import (
	"example.com/other"
	"github.com/arena-go/arena"
)

func f(a *arena.Arena, text []byte) int {
	s := other.Text(a, text)
	a.Reset()
	return len(s + "!")
}
`,
	})
	if out, err := runIn(dir, "go", "mod", "vendor"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("GOFLAGS", "-mod=vendor")
	for _, args := range [][]string{{tool, "vet", "./..."}, {"go", "vet", "-vettool=" + tool, "./..."}} {
		out, err := runIn(dir, args[0], args[1:]...)
		for _, want := range []string{"a.go:11:15: stale: ", "c.go:11:15: stale: the result of other.Text"} {
			if err == nil || !strings.Contains(out, want) {
				t.Errorf("%q: %v: %s; want %q", args, err, out, want)
			}
		}
	}
}

// TestCgo vets a package with C in it, whose Go sources the go command makes anew.
func TestCgo(t *testing.T) {
	tool := build(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		testrun.Need(t, "gcc (Debian package gcc)")
	}
	t.Setenv("CGO_ENABLED", "1")
	dir := tree(t, map[string]string{"c/c.go": `package c

// int twice(int n) { return 2 * n; }
import "C"

import "github.com/arena-go/arena"

func f(a *arena.Arena, text []byte) int {
	s := arena.String(a, text)
	n := C.twice(C.int(len(s)))
	a.Reset()
	return len(s+"!") + int(n)
}
`})
	for _, args := range [][]string{{tool, "vet", "./..."}, {"go", "vet", "-vettool=" + tool, "./..."}} {
		if out, err := runIn(dir, args[0], args[1:]...); err == nil || !strings.Contains(out, "c.go:12:14: stale: ") {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
}

// TestFixesOfWrittenFiles checks that the edits of a fix fit the file that they name, and that
// there is none for what cgo or another program has made of a file.
func TestFixesOfWrittenFiles(t *testing.T) {
	const text = `

import "github.com/arena-go/arena"

func g(a *arena.Arena, text []byte) string {
	return arena.String(a, string(text))
}
`
	files := map[string]string{"c/c.go": "package c" + text, "l/l.go": strings.Replace("package l"+text, "func", "//line l.src:10\nfunc", 1)}
	want := map[string]int{"c": 1, "l": 0}
	if _, err := exec.LookPath("gcc"); err == nil {
		t.Setenv("CGO_ENABLED", "1")
		files["x/x.go"], want["x"] = "package x\n\n// int one() { return 1; }\nimport \"C\""+text+"\nvar n = C.one()\n", 0
	}
	dir := tree(t, files)
	t.Chdir(dir)
	for name, n := range want {
		var stdout, stderr bytes.Buffer
		if code, err := run([]string{"vet", "-json", "./" + name}, &stdout, &stderr); code != 0 || err != nil {
			t.Fatalf("%d, %v: %s", code, err, &stderr)
		}
		var all []finding
		if err := json.Unmarshal(stdout.Bytes(), &all); err != nil || len(all) != 1 || len(all[0].Fixes) != n {
			t.Errorf("%s: %v: %s; want %d fixes", name, err, &stdout, n)
		}
		for _, d := range all {
			for _, f := range d.Fixes {
				e := f.Edits[0]
				source, err := os.ReadFile(e.File)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(source[e.Start:e.End]); got != "string(text)" || e.New != "text" {
					t.Errorf("%s: the fix replaces %q by %q", name, got, e.New)
				}
			}
		}
	}
}

// TestFixTool runs the command by go fix, and as arena vet -fix.
func TestFixTool(t *testing.T) {
	tool := build(t)
	dir := tree(t, nil)
	out, err := runIn(dir, tool, "vet", "-diff", "./...")
	if !strings.Contains(out, "+	return arena.String(a, text)") {
		t.Errorf("-diff: %v: %s", err, out)
	}
	if out, err := runIn(dir, "go", "fix", "-fixtool="+tool, "./..."); err != nil {
		t.Errorf("go fix: %v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "a", "a.go"))
	if err != nil || !strings.Contains(string(text), "return arena.String(a, text)") {
		t.Errorf("%v: %s", err, text)
	}
	out, _ = runIn(dir, tool, "vet", "./...")
	if !strings.Contains(out, "stale") || strings.Contains(out, "useless") {
		t.Errorf("after go fix: %s", out)
	}
}

// TestFixesOverlap checks that only one of two nested fixes is applied at a time.
func TestFixesOverlap(t *testing.T) {
	tool := build(t)
	dir := tree(t, map[string]string{"c/c.go": `package c

import (
	"fmt"

	"github.com/arena-go/arena"
)

func f(a *arena.Arena, text []byte) string {
	return arena.String(a, fmt.Sprintf("<%s>", arena.String(a, string(text))))
}
`})
	if out, err := runIn(dir, tool, "vet", "./c"); err == nil || strings.Count(out, "useless: ") != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	for range 2 {
		if out, err := runIn(dir, tool, "vet", "-fix", "./c"); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		// What it has written compiles, but for an import that is not used any more.
		name := filepath.Join(dir, "c", "c.go")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("fmt.")) {
			text = bytes.Replace(text, []byte("\t\"fmt\"\n\n"), nil, 1)
			if err := os.WriteFile(name, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := runIn(dir, "go", "build", "./c"); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, text)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "c", "c.go"))
	if want := `return arena.Sprintf(a, "<%s>", arena.String(a, text))`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v: %s; want %s", err, text, want)
	}
}

// TestHelpers checks that packages of the module that were not named are known, though they import
// no arenas.
func TestHelpers(t *testing.T) {
	t.Chdir(tree(t, map[string]string{
		"first/first.go": "package first\n\nfunc Of(s string) string { return s[:1] }\n",
		"one/one.go": `package one

import (
	"example.com/sample/first"
	"github.com/arena-go/arena"
)

func f(a *arena.Arena, b []byte) string {
	s := first.Of(arena.String(a, b))
	a.Reset()
	return s
}
`,
	}))
	var stderr bytes.Buffer
	code, err := run([]string{"vet", "./one"}, &bytes.Buffer{}, &stderr)
	if code != 1 || err != nil || !strings.Contains(stderr.String(), "one.go:11:2: outlives: ") {
		t.Errorf("%d, %v: %s", code, err, &stderr)
	}
}
