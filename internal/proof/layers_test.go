package proof

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The core of the root package hands out memory and takes it back. The tools give it memory, keep
// books on it, or look for mistakes. Neither names the other: watch.go is the seam between them.
var (
	core  = []string{"chunk.go", "plain.go", "slab.go", "value.go", "stores.go", "layout.go", "limit.go", "arena.go"}
	tools = []string{"provider.go", "guard.go", "report.go", "kept.go"}

	// across is what crosses without the seam, and why.
	across = map[string]bool{
		"arena.go uses String of report.go": true, // the panic of a freed arena says where it was freed
		"report.go uses Arena of arena.go":  true, // a cleanup on the arena finds that it was lost
	}
)

// TestLayers checks that the core of the root package and its tools meet in watch.go only.
func TestLayers(t *testing.T) {
	p, err := build.ImportDir(root, 0)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(source)
	}
	for _, name := range slices.Concat(core, tools) {
		if sources[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	used := map[string]bool{}
	for _, crossing := range crossings(t, sources) {
		if used[crossing] = true; !across[crossing] {
			t.Errorf("%s: let watch.go say what the core wants of that", crossing)
		}
	}
	for crossing := range across {
		if !used[crossing] {
			t.Errorf("%s: not any more", crossing)
		}
	}
}

// TestLayersHolds checks that TestLayers finds what it is there for.
func TestLayersHolds(t *testing.T) {
	got := crossings(t, map[string]string{
		"slab.go":  "package p\ntype slab[T any] struct{ n int; g *guard }\nfunc (s *slab[T]) look() { s.g.look() }",
		"guard.go": "package p\nimport \"x\"\ntype guard struct{ x.Y }\nfunc (g *guard) look() { other(slab[int]{}.n) }",
		"watch.go": "package p\nfunc other(any) { new(slab[int]).look(); new(guard).look() }",
	})
	want := []string{"guard.go uses n of slab.go", "guard.go uses slab of slab.go", "slab.go uses guard of guard.go", "slab.go uses look of guard.go"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// crossings returns what files of the core use of the tools, and the other way round.
func crossings(t *testing.T, sources map[string]string) (all []string) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, source := range sources {
		f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	uses := map[*ast.Ident]types.Object{}
	conf := types.Config{Importer: onlyUnsafe{}, Error: func(error) {}}
	conf.Check("p", fset, files, &types.Info{Uses: uses}) // errors are of what other packages have
	for id, o := range uses {
		if !o.Pos().IsValid() {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(o.Pos()).Filename
		if slices.Contains(core, from) && slices.Contains(tools, to) || slices.Contains(tools, from) && slices.Contains(core, to) {
			all = append(all, fmt.Sprintf("%s uses %s of %s", from, o.Name(), to))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// onlyUnsafe has no package but unsafe.
type onlyUnsafe struct{}

func (onlyUnsafe) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}
