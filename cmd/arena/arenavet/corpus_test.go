package arenavet_test

import (
	"flag"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis/checker"

	"github.com/arena-go/arena/cmd/arena/arenavet"
	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// TestCorpus analyzes programs with mistakes, each of which has a comment that says what is to be
// found, and innocent ones. The comments have the syntax of analysistest. It prints a table: for
// each code at least ten mistakes are there, and at least ten innocent functions in the directory
// of that name; the other directories have programs of many shapes, and mistakes of all codes.
func TestCorpus(t *testing.T) {
	graph := corpus(t)
	var files []*ast.File
	var fset = graph.Roots[0].Package.Fset
	got := map[string][]string{}
	for act := range graph.All() {
		if act.Err != nil {
			t.Error(act.Package, act.Err)
		}
		if !act.IsRoot {
			continue
		}
		if act.Analyzer == arenavet.Analyzers[0] {
			files = append(files, act.Package.Syntax...) // once
		}
		for _, d := range act.Diagnostics {
			p := fset.Position(d.Pos)
			key := fmt.Sprintf("%s:%d", p.Filename, p.Line)
			got[key] = append(got[key], d.Message)
		}
	}
	wanted, found, innocent := map[string]int{}, map[string]int{}, map[string]int{}
	for _, f := range files {
		if name := fset.Position(f.Pos()).Filename; filepath.Base(name) == "innocent.go" {
			for _, d := range f.Decls {
				if _, ok := d.(*ast.FuncDecl); ok {
					innocent[filepath.Base(filepath.Dir(name))]++
				}
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				_, text, ok := strings.Cut(c.Text, "// want ")
				if !ok {
					continue
				}
				p := fset.Position(c.Pos())
				key := fmt.Sprintf("%s:%d", p.Filename, p.Line)
				for _, quoted := range regexp.MustCompile("`[^`]*`").FindAllString(text, -1) {
					code, _, _ := strings.Cut(strings.Trim(quoted, "`"), ":")
					wanted[code]++
					pattern, err := strconv.Unquote(quoted)
					if err != nil {
						t.Fatal(err)
					}
					missed := true
					for i, message := range got[key] {
						if regexp.MustCompile(pattern).MatchString(message) {
							got[key] = append(got[key][:i:i], got[key][i+1:]...)
							missed = false
							break
						}
					}
					if missed {
						t.Errorf("%s: %s is not reported", where(p.Filename, p.Line), quoted)
					} else {
						found[code]++
					}
				}
			}
		}
	}
	for key, messages := range got {
		for _, m := range messages {
			t.Errorf("%s: is innocent: %s", strings.TrimPrefix(key, where("", 0)), m)
		}
	}
	t.Logf("%-10s %8s %8s %8s", "", "mistakes", "found", "innocent")
	var sum [3]int
	for _, code := range slices.Sorted(maps.Keys(unionInts(wanted, innocent))) {
		t.Logf("%-10s %8d %8d %8d", code, wanted[code], found[code], innocent[code])
		sum[0], sum[1], sum[2] = sum[0]+wanted[code], sum[1]+found[code], sum[2]+innocent[code]
	}
	t.Logf("%-10s %8d %8d %8d", "all", sum[0], sum[1], sum[2])
	for _, code := range arenavet.Codes() {
		if code != "keep" && (wanted[code] < 10 || innocent[code] < 10) {
			t.Errorf("%s: the corpus has %d mistakes and %d innocent functions, want ten of each", code, wanted[code], innocent[code])
		}
	}
}

func unionInts(a, b map[string]int) map[string]int {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func where(name string, line int) string {
	dir, _ := os.Getwd()
	if rel, err := filepath.Rel(dir, name); err == nil {
		name = rel
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// corpus analyzes the corpus, once for all tests.
func corpus(t *testing.T) *checker.Graph {
	t.Helper()
	graph, err := analyzed()
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

var analyzed = sync.OnceValues(func() (*checker.Graph, error) {
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	all, err := load.Packages(load.Config{Dir: "testdata/corpus", Env: env}, "./...", "../pools/...")
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
	}
	return checker.Analyze(arenavet.Analyzers, all, &checker.Options{SanityCheck: true})
})

var update = flag.Bool("update", false, "write testdata/fixes.golden")

// TestFixes compares the fixes that are offered for the corpus with testdata/fixes.golden. Before
// it offers a fix, arenavet checks that the fix compiles and removes its finding.
func TestFixes(t *testing.T) {
	var all []string
	for act := range corpus(t).All() {
		if !act.IsRoot {
			continue
		}
		fset := act.Package.Fset
		for _, d := range act.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				p := fset.Position(d.Pos)
				text := fmt.Sprintf("%s: %s: %s\n", where(p.Filename, p.Line), d.Category, fix.Message)
				for _, e := range fix.TextEdits {
					q := fset.Position(e.Pos)
					text += fmt.Sprintf("\t%d:%d, %d bytes: %q\n", q.Line, q.Column, e.End-e.Pos, e.NewText)
				}
				all = append(all, text)
			}
		}
	}
	slices.Sort(all)
	got := strings.Join(all, "")
	const name = "testdata/fixes.golden"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r", "") {
		t.Errorf("the fixes are others than %s says; look at them, and run the test with -update:\n%s", name, got)
	}
}

// TestExplain checks that each code has its section, and that there are no others.
func TestExplain(t *testing.T) {
	for _, code := range arenavet.Codes() {
		if text, ok := arenavet.Explain(code); !ok || len(text) < 100 {
			t.Errorf("%s: %q", code, text)
		}
	}
	page, err := os.ReadFile("codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(page), -1) {
		if !slices.Contains(arenavet.Codes(), m[1]) {
			t.Errorf("codes.md has %q, which is no code", m[1])
		}
	}
	if _, ok := arenavet.Explain("nothing"); ok {
		t.Error("a code that there is not is explained")
	}
}
