package arenavet_test

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/arenavet"
	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// TestCorpus analyzes programs with mistakes, each of which has a comment that says what is to be found, and innocent ones.
// The comments are those of analysistest.
func TestCorpus(t *testing.T) {
	graph := analyze(t, "testdata/corpus", "./...")
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
		files = append(files, act.Package.Syntax...)
		for _, d := range act.Diagnostics {
			p := fset.Position(d.Pos)
			key := fmt.Sprintf("%s:%d", p.Filename, p.Line)
			got[key] = append(got[key], d.Message)
		}
	}
	wanted, found := 0, 0
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				_, text, ok := strings.Cut(c.Text, "// want ")
				if !ok {
					continue
				}
				p := fset.Position(c.Pos())
				key := fmt.Sprintf("%s:%d", p.Filename, p.Line)
				for _, quoted := range regexp.MustCompile("`[^`]*`").FindAllString(text, -1) {
					wanted++
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
						found++
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
	t.Logf("%d of %d mistakes are found", found, wanted)
}

func where(name string, line int) string {
	dir, _ := os.Getwd()
	if rel, err := filepath.Rel(dir, name); err == nil {
		name = rel
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// analyze analyzes packages of a module.
func analyze(t *testing.T, dir string, patterns ...string) *checker.Graph {
	t.Helper()
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	all, err := load.Packages(load.Config{Dir: dir, Env: env}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	packages.PrintErrors(all)
	graph, err := checker.Analyze([]*analysis.Analyzer{arenavet.Analyzer}, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}
