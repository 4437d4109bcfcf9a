package fix

import (
	"bytes"
	"context"
	"go/ast"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// TestLines: with Lines the code is the same, and each statement has the line of what it is made
// of. So a function has as many lines with statements in both of its forms as before.
func TestLines(t *testing.T) {
	t.Parallel()
	for i, m := range []struct {
		name  string
		roots []string
		twice []bool
	}{
		{"inner", []string{"inner.Words", "inner.Again", "inner.Anew", "inner.Tabs"}, []bool{false, true}}, {"grammar", []string{"grammar.Parse"}, []bool{true}},
		{"grammar", []string{"grammar.Parse"}, []bool{false}}, {"calc", []string{"calc.Parse"}, []bool{false, true}}, {"keeps", []string{"keeps.Run"}, []bool{true}},
		{"twice", []string{"twice.Build"}, []bool{false}}, {"order", []string{"order.Run"}, []bool{true}},
	} {
		if i == 2 && !testrun.Long() {
			break
		}
		for _, twice := range m.twice {
			o := Options{Dir: original(t, m.name), Roots: m.roots, Twice: twice, Generated: true}
			plain, err := Run(o)
			if err != nil {
				t.Fatal(err)
			}
			o.Lines = true
			r, err := Run(o)
			if err != nil {
				t.Fatal(err)
			}
			compared := 0
			for name, src := range r.Files {
				if got, want := tokensOf(src), tokensOf(plain.Files[name]); got != want {
					t.Errorf("%s is\n%s\nand was\n%s", name, src, plain.Files[name])
				}
				was, is := linesOf(t, r.Old[name]), linesOf(t, src)
				for f, lines := range is {
					old, second := was[f], false
					if old == nil && strings.HasSuffix(f, "In") {
						old, second = was[strings.TrimSuffix(f, "In")], true
					}
					switch {
					case old == nil: // it gets the arena of a carrier
					case !second && is[f+"In"] != nil && len(lines) == 1 && lines[0] == old[0]: // it calls the second form
					case !slices.Equal(lines, old):
						t.Errorf("%s, twice %v: %s has statements in the lines %v, and had them in %v", m.name, twice, f, lines, old)
					default:
						compared++
					}
				}
			}
			if compared == 0 {
				t.Errorf("%s: nothing was compared", m.name)
			}
		}
	}
}

// tokensOf returns the tokens of a source.
func tokensOf(src []byte) string {
	var s scanner.Scanner
	var all strings.Builder
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), src, nil, 0)
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return all.String()
		}
		all.WriteString(tok.String() + " " + strings.TrimSpace(text) + "\n")
	}
}

// linesOf returns the lines of each function, as the compiler counts them: where it begins, and
// where its statements and the elements of its literals begin.
func linesOf(t *testing.T, src []byte) map[string][]int {
	t.Helper()
	all := map[string][]int{}
	eachFunction(t, src, func(fset *token.FileSet, name string, f *ast.FuncDecl) {
		lines := map[int]bool{fset.Position(f.Pos()).Line: true}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case ast.Stmt:
				lines[fset.Position(n.Pos()).Line] = true
			case *ast.CompositeLit:
				for _, e := range n.Elts { // which may become statements
					lines[fset.Position(e.Pos()).Line] = true
				}
			}
			return true
		})
		all[name] = slices.Sorted(maps.Keys(lines))
	})
	return all
}

// TestTraces: a stack trace of a program that was built with -overlay has the files and the lines
// of the sources.
func TestTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	arena := sources(t)
	dir := t.TempDir()
	const source = `package main

import "os"

type node struct {
	text  string
	nodes []*node
}

// Build makes a tree, and looks for a node that is not there.
func Build(words []string) *node {
	top := &node{text: "top"}
	for _, w := range words {
		n := &node{
			text: w + "!",
		}
		top.nodes = append(top.nodes, n)
	}
	return deepest(
		top,
		len(words),
	)
}

func deepest(n *node, depth int) *node {
	n = &node{nodes: append([]*node{}, n)}
	if depth == 0 {
		return n.nodes[len(n.text)+1]
	}
	return deepest(n, depth-1)
}

func main() {
	if Build(os.Args[1:]) != nil {
		println("found")
	}
}
`
	for name, text := range map[string]string{"go.mod": "module example.com/main\n\ngo 1.26\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	if err := require(context.Background(), dir, "", arena); err != nil {
		t.Fatal(err)
	}
	frame := regexp.MustCompile(`(?m)^\t\S+\.go:\d+`)
	trace := func(args ...string) []string {
		t.Helper()
		out, _ := exec.Command("go", append(append([]string{"run"}, args...), ".", "a", "b")...).CombinedOutput()
		frames := frame.FindAllString(string(out), -1)
		if !bytes.Contains(out, []byte("index out of range")) || len(frames) < 5 {
			t.Fatalf("go run %v: %s", args, out)
		}
		return frames
	}
	forms, builds := [][]string{nil}, [][]string{nil}
	if testrun.Long() {
		forms, builds = [][]string{nil, {"-once"}}, [][]string{nil, {"-trimpath"}}
	}
	for _, args := range forms {
		var out, log bytes.Buffer
		if status := Main(context.Background(), append(args, "-root", "main.Build", "-overlay", "o.json"), &out, &log); status != 0 {
			t.Fatalf("status %d\n%s", status, &log)
		}
		for _, build := range builds {
			was, is := trace(build...), trace(append(build, "-overlay", "o.json")...)
			want := was
			if args != nil { // the former function calls the second form
				want = slices.Insert(slices.Clone(was), len(was)-1, strings.Replace(was[0], ":28", ":11", 1))
			}
			if !slices.Equal(is, want) {
				t.Errorf("go run %v, fix %v: the trace is %q, and not %q", build, args, is, want)
			}
		}
	}
}
