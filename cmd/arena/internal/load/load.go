// Package load loads packages for arenavet.
//
// Only what arenavet looks at is loaded from source: the packages that are asked for, and those they import that use arenas or
// a sync.Pool. Of everything else only the declarations are, and nothing is compiled.
package load

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const corePath = "github.com/arena-go/arena"

// Config says what to load.
type Config struct {
	Dir   string // the directory of the go command; "" is the current one
	Env   []string
	Tests bool     // the tests of the packages, too
	Flags []string // for the go command, such as -tags
}

// Packages loads the packages that match the patterns. Their Imports have only what was loaded from source.
// Packages with errors are among the result, with their Errors. A file stands for its package.
func Packages(c Config, patterns ...string) ([]*packages.Package, error) {
	patterns = slices.Clone(patterns)
	for i, name := range patterns {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "=") {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, name)
		}
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			patterns[i] = "file=" + name // packages and files go together only so
		}
	}
	config := packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Dir:  c.Dir, Env: c.Env, Tests: c.Tests, BuildFlags: c.Flags,
	}
	roots, err := packages.Load(&config, patterns...)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	wanted := map[string]bool{}
	for _, p := range roots {
		wanted[p.ID] = true
	}
	all := slices.Concat(patterns, relevant(roots, wanted))
	config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo
	loaded, err := packages.Load(&config, all...)
	if err != nil {
		return nil, err
	}
	whole := map[*packages.Package]bool{} // the others have no bodies
	for _, p := range loaded {
		whole[p] = true
	}
	culprits := map[*packages.Package]*packages.Package{}
	for _, p := range loaded {
		culprits[p] = culprit(p)
	}
	victims := map[*packages.Package][]string{}
	for _, p := range loaded {
		if dep := culprits[p]; dep != nil && dep != p {
			victims[dep] = append(victims[dep], p.PkgPath)
		}
	}
	for p, dep := range culprits {
		if dep != nil && dep != p {
			who := victims[dep][0] + " is"
			if n := len(victims[dep]) - 1; n > 0 {
				who = fmt.Sprintf("%s, and %d more, are", victims[dep][0], n)
			}
			p.Errors = []packages.Error{{Msg: fmt.Sprintf("%s not looked at, because of an import of %s, which has errors: %s", who, dep.PkgPath, dep.Errors[0].Msg)}}
		}
	}
	var result []*packages.Package
	for _, p := range loaded {
		maps.DeleteFunc(p.Imports, func(_ string, dep *packages.Package) bool { return !whole[dep] })
		if wanted[p.ID] && len(p.Syntax)+len(p.Errors) > 0 && !strings.HasSuffix(p.ID, ".test") {
			result = append(result, p)
		}
	}
	return withoutTwins(result), nil
}

// culprit returns the package with errors for which p cannot be analyzed: p, or one that it imports, by others too. It is nil if p can be.
func culprit(p *packages.Package) *packages.Package {
	if len(p.Errors) > 0 {
		return p
	}
	if !p.IllTyped {
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		if dep := culprit(p.Imports[path]); dep != nil {
			return dep
		}
	}
	return nil
}

// withoutTwins leaves out packages that are there a second time with their tests.
func withoutTwins(all []*packages.Package) []*packages.Package {
	tested := map[string]bool{}
	for _, p := range all {
		if p.ID == p.PkgPath+" ["+p.PkgPath+".test]" {
			tested[p.PkgPath] = true
		}
	}
	return slices.DeleteFunc(all, func(p *packages.Package) bool { return p.ID == p.PkgPath && tested[p.PkgPath] })
}

// relevant returns the packages that the roots import and that have to be loaded from source.
func relevant(roots []*packages.Package, wanted map[string]bool) (paths []string) {
	known := map[*packages.Package]bool{}
	seen := map[*packages.Package]bool{}
	var visit func(p *packages.Package) bool // reports whether the package uses arenas
	visit = func(p *packages.Package) bool {
		if seen[p] {
			return known[p]
		}
		seen[p] = true
		uses := p.PkgPath == corePath
		for _, dep := range p.Imports {
			uses = visit(dep) || uses
		}
		known[p] = uses
		if !wanted[p.ID] && p.PkgPath != corePath && p.Module != nil && !strings.Contains(p.ID, " ") && (uses || hasPool(p)) {
			paths = append(paths, p.PkgPath)
		}
		return uses
	}
	for _, p := range roots {
		visit(p)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// hasPool reports whether a package names sync.Pool.
func hasPool(p *packages.Package) bool {
	if _, ok := p.Imports["sync"]; !ok {
		return false
	}
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(name)
		if err == nil && bytes.Contains(text, []byte("sync.Pool")) {
			return true
		}
	}
	return false
}
