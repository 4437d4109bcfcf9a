package arenavet

import (
	"bytes"
	"flag"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

var (
	mutateDir      = flag.String("mutate.dir", "testdata/corpus", "the module whose packages TestMutations mutates")
	mutatePatterns = flag.String("mutate.patterns", "./...", "its packages, with spaces between them")
)

// TestMutations makes mistakes in correct functions, one at a time: it moves a Reset or Put one
// statement up, and takes a copy away. It counts what is found. A mutant may be correct: the
// statement behind the Reset need not use the arena.
func TestMutations(t *testing.T) {
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	if *mutateDir != "testdata/corpus" {
		env = os.Environ()
	}
	all, err := load.Packages(load.Config{Dir: *mutateDir, Env: env}, strings.Fields(*mutatePatterns)...)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string][2]int{}
	for _, p := range all {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		summaries := map[*types.Func]*summary{}
		for _, dep := range p.Imports {
			c := checkerOf(dep, nil)
			c.analyze()
			for fn, sum := range c.summaries {
				if obj, ok := fn.Object().(*types.Func); ok {
					summaries[obj] = sum
				}
			}
		}
		facts := func(fn *types.Func, s *summary) bool {
			sum := summaries[fn]
			if sum != nil {
				*s = *sum
			}
			return sum != nil
		}
		before := sures(checkerOf(p, facts))
		for n, file := range p.Syntax {
			name := p.CompiledGoFiles[n]
			if *mutateDir == "testdata/corpus" && filepath.Base(name) != "innocent.go" {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mutants(source) {
				changed, err := parser.ParseFile(p.Fset, name, m.source, parser.ParseComments)
				if err != nil {
					continue
				}
				mutant := *p
				mutant.Syntax = slices.Clone(p.Syntax)
				mutant.Syntax[n] = changed
				mutant.TypesInfo = &types.Info{
					Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
					Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
					Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
				}
				config := types.Config{Importer: imported(p.Types), Error: func(error) {}}
				mutant.Types, err = config.Check(p.PkgPath, p.Fset, mutant.Syntax, mutant.TypesInfo)
				if err != nil && !strings.Contains(err.Error(), "imported and not used") {
					continue
				}
				count := kinds[m.kind]
				count[1]++
				if sures(checkerOf(&mutant, facts)) > before {
					count[0]++
				} else {
					t.Logf("not found: %s", p.Fset.Position(file.Pos()).Filename+": "+m.what)
				}
				kinds[m.kind] = count
			}
		}
	}
	for kind, n := range kinds {
		t.Logf("%s: %d of %d mutants are found", kind, n[0], n[1])
	}
	if *mutateDir != "testdata/corpus" {
		return
	}
	// Most of what is not found are mutants that are correct: -v lists them.
	for kind, want := range map[string][2]int{"end moved up": {151, 316}, "copy taken away": {171, 215}} {
		if n := kinds[kind]; n != want {
			t.Errorf("%s: %d of %d mutants are found, want %d of %d: look at the others, and write the number here", kind, n[0], n[1], want[0], want[1])
		}
	}
}

func checkerOf(p *packages.Package, facts func(*types.Func, *summary) bool) *checker {
	if facts == nil {
		facts = func(*types.Func, *summary) bool { return false }
	}
	return &checker{fset: p.Fset, pkg: p.Types, files: p.Syntax, info: p.TypesInfo, facts: facts, read: os.ReadFile, sizes: p.TypesSizes}
}

// sures returns the number of certain findings.
func sures(c *checker) (n int) {
	c.analyze()
	for _, d := range c.findings {
		if !d.maybe {
			n++
		}
	}
	return n
}

// A mutant is a source file with one mistake in it.
type mutant struct {
	kind, what string
	source     []byte
}

// mutants returns all mutants of a file.
func mutants(source []byte) (all []mutant) {
	for n := 0; ; n++ {
		// Each mutant is made of the file anew.
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", source, parser.ParseComments)
		if err != nil {
			return all
		}
		kind, what, found, at := "", "", false, 0
		next := func() bool { at++; return at-1 == n }
		ast.Inspect(file, func(node ast.Node) bool {
			if found {
				return false
			}
			switch x := node.(type) {
			case *ast.BlockStmt:
				for i, s := range x.List {
					e, ok := s.(*ast.ExprStmt)
					if !ok || i == 0 || !isEnd(e.X) {
						continue
					}
					if _, decl := x.List[i-1].(*ast.DeclStmt); decl {
						continue
					}
					if next() {
						found, kind, what = true, "end moved up", text(e)+" in front of "+text(x.List[i-1])
						x.List[i-1], x.List[i] = x.List[i], x.List[i-1]
						return false
					}
				}
			case *ast.CallExpr:
				for i, arg := range x.Args {
					if call, ok := arg.(*ast.CallExpr); ok && isCopy(call) && next() {
						found, kind, what = true, "copy taken away", text(call)
						x.Args[i] = call.Args[0]
					}
				}
			case *ast.AssignStmt:
				for i, r := range x.Rhs {
					if call, ok := r.(*ast.CallExpr); ok && isCopy(call) && next() {
						found, kind, what = true, "copy taken away", text(call)
						x.Rhs[i] = call.Args[0]
					}
				}
			case *ast.ReturnStmt:
				for i, r := range x.Results {
					if call, ok := r.(*ast.CallExpr); ok && isCopy(call) && next() {
						found, kind, what = true, "copy taken away", text(call)
						x.Results[i] = call.Args[0]
					}
				}
			case *ast.IndexExpr:
				if call, ok := x.Index.(*ast.CallExpr); ok && isCopy(call) && next() {
					found, kind, what = true, "copy taken away", text(call)
					x.Index = call.Args[0]
				}
			}
			return true
		})
		if !found {
			return all
		}
		file.Comments = nil
		var buf bytes.Buffer
		if err := format.Node(&buf, token.NewFileSet(), file); err != nil {
			continue
		}
		all = append(all, mutant{kind, what, buf.Bytes()})
	}
}

func isEnd(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "Reset" && len(call.Args) == 0 || s.Sel.Name == "Put" && len(call.Args) == 1)
}

func isCopy(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "Clone" || s.Sel.Name == "DeepClone") && len(call.Args) == 1
}

func text(n ast.Node) string {
	var buf bytes.Buffer
	format.Node(&buf, token.NewFileSet(), n)
	line, _, _ := strings.Cut(buf.String(), "\n")
	return line
}
