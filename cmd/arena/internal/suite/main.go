// Suite runs arena fix -test on modules of others, which it fetches through the module proxy: their
// own tests, with arenas of all kinds.
//
//	go run ./cmd/arena/internal/suite [-short] [-twice] [-bench pattern] [-arena directory] [name ...]
//
// Without names it runs all of the parsers below. Nothing is changed by hand. A test that fails
// with arenas and passes without is a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
	"github.com/arena-go/arena/cmd/arena/internal/modules"
)

// A parser is a module, and the arguments of arena fix for it.
type parser struct {
	name, module, version string
	roots, packages       []string
	skip                  string // tests that measure time or bytes
}

var parsers = []parser{
	{name: "gqlparser", module: "github.com/vektah/gqlparser/v2", version: "v2.5.64",
		roots: []string{"parser.ParseQuery", "parser.ParseSchema"}, packages: []string{"./parser", "./lexer", "./ast"}},
	{name: "goja", module: "github.com/dop251/goja", version: "v0.0.0-20260917113740-793a2a65c13b",
		roots: []string{"goja/parser.ParseFile"}, packages: []string{"./parser", "./ast", "./file", "./unistring"}},
	{name: "expr", module: "github.com/expr-lang/expr", version: "v1.17.8",
		roots: []string{"expr/parser.Parse"}, packages: []string{"./parser", "./parser/lexer", "./ast", "./file"}},
	{name: "goldmark", module: "github.com/yuin/goldmark", version: "v1.8.7",
		roots: []string{"parser.parser.Parse"}, packages: []string{"./..."}, skip: "Performance$"},
	{name: "html", module: "golang.org/x/net", version: "v0.62.0",
		roots: []string{"html.Parse"}, packages: []string{"./html"}, skip: "^TestTextNodeCoalescing$"},
	{name: "yaml", module: "gopkg.in/yaml.v3", version: "v3.0.1", roots: []string{"yaml.v3.unmarshal"}, packages: []string{"."}},
	{name: "hcl", module: "github.com/hashicorp/hcl/v2", version: "v2.25.0",
		roots: []string{"hclsyntax.ParseConfig"}, packages: []string{"./hclsyntax"}},
	{name: "toml", module: "github.com/BurntSushi/toml", version: "v1.6.0", roots: []string{"BurntSushi/toml.parse"}, packages: []string{"."}},
	{name: "js", module: "github.com/tdewolff/parse/v2", version: "v2.8.20", roots: []string{"parse/v2/js.Parse"}, packages: []string{"./js", "."}, skip: "^TestVariableLookup$"},
	{name: "graphql", module: "github.com/graphql-go/graphql", version: "v0.8.1",
		roots: []string{"language/parser.Parse"}, packages: []string{"./language/parser", "./language/lexer", "./language/ast", "./language/source"}},
	{name: "sqlparser", module: "github.com/xwb1989/sqlparser", version: "v0.0.0-20180606152119-120387863bf2", roots: []string{"sqlparser.Parse"}, packages: []string{"."}},
}

func main() {
	short := flag.Bool("short", false, "only on the heap, and with arenas that are reset")
	twice := flag.Bool("twice", false, "keep the former functions, as arena fix -twice does")
	bench := flag.String("bench", "", "run these benchmarks, too")
	arena := flag.String("arena", ".", "the sources of package arena")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *bench, *arena, *short, *twice); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, bench, arena string, short, twice bool) error {
	chosen := slices.DeleteFunc(slices.Clone(parsers), func(p parser) bool {
		return len(names) > 0 && !slices.Contains(names, p.name)
	})
	if len(chosen) < len(names) || len(chosen) == 0 {
		return fmt.Errorf("%s: not all are in the table", strings.Join(names, " "))
	}
	// What is fetched is another module, and not part of the workspace.
	os.Setenv("GOWORK", "off")
	os.Setenv("GOFLAGS", "-mod=mod")
	var all []error
	for _, p := range chosen {
		if err := p.test(ctx, bench, arena, short, twice); err != nil {
			all = append(all, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	return errors.Join(all...)
}

// test fetches the module, and runs its tests.
func (p parser) test(ctx context.Context, bench, arena string, short, twice bool) error {
	dir, err := os.MkdirTemp("", "arena-fix-suite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	src, err := modules.Fetch(ctx, p.module+"@"+p.version, dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(src, "go.mod")); errors.Is(err, fs.ErrNotExist) { // older than modules
		if err := os.WriteFile(filepath.Join(src, "go.mod"), fmt.Appendf(nil, "module %s\n\ngo 1.26\n", p.module), 0o666); err != nil {
			return err
		}
	}
	arena, err = filepath.Abs(arena)
	if err != nil {
		return err
	}
	fmt.Printf("# %s %s: -root %s %s\n\n", p.module, p.version, strings.Join(p.roots, " -root "), strings.Join(p.packages, " "))
	err = fix.Test(ctx, fix.TestOptions{
		Options: fix.Options{Dir: src, Roots: p.roots, Patterns: p.packages, Twice: twice},
		Bench:   bench, Count: 6, Arena: arena, Short: short, Skip: p.skip,
	}, os.Stdout, os.Stderr)
	fmt.Println()
	return err
}
