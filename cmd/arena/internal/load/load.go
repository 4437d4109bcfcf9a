// Package load loads packages for arenavet.
//
// Only what arenavet looks at is loaded from source: the packages that are asked for, and those
// they import that use arenas or a sync.Pool, or are of the same module. Of everything else the go
// command has compiled the declarations.
package load

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// Config says what to load.
type Config struct {
	Dir   string // the directory of the go command; "" is the current one
	Env   []string
	Tests bool     // the tests of the packages, too
	Flags []string // for the go command, such as -tags
}

// maxFiles is how many files of the packages that are asked for are loaded at once. More take more
// memory, and fewer have what they import loaded more often.
const maxFiles = 800

// Packages loads the packages that match the patterns. Their Imports have only what was loaded from
// source. Packages with errors are among the result, with their Errors. A file stands for its
// package.
func Packages(c Config, patterns ...string) (result []*packages.Package, err error) {
	l, err := list(c, patterns)
	if err != nil {
		return nil, err
	}
	result, err = l.load(l.patterns, l.roots)
	l.victims.blame()
	return result, err
}

// Sources loads the packages that match the patterns. If deps is set they have the sources of all
// that they import, and else its declarations. Broken are all loaded packages with errors, imports
// included.
func Sources(config packages.Config, deps bool, patterns ...string) (all, broken []*packages.Package, err error) {
	config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedImports | packages.NeedModule
	if deps {
		config.Mode |= packages.NeedDeps
	} else {
		config.Mode |= packages.NeedExportFile
	}
	all, err = found(&config, patterns...)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		if len(p.Errors) > 0 {
			broken = append(broken, p)
		}
	})
	return all, broken, err
}

// Each loads the packages that match the patterns, some at a time, and calls f with the packages
// that have no errors: nothing of them is kept when f returns. Each returns the other packages,
// without their loaded parts.
func Each(c Config, patterns []string, f func([]*packages.Package) error) (broken []*packages.Package, err error) {
	l, err := list(c, patterns)
	if err != nil {
		return nil, err
	}
	for patterns, roots := range l.parts() {
		loaded, err := l.load(patterns, roots)
		if err != nil {
			return nil, err
		}
		for _, p := range loaded {
			if faulty(p) {
				p.Imports, p.Syntax, p.Types, p.TypesInfo = nil, nil, nil, nil
				broken = append(broken, p)
			}
		}
		if err := f(slices.DeleteFunc(loaded, faulty)); err != nil {
			return nil, err
		}
	}
	l.victims.blame()
	return broken, nil
}

// found is packages.Load. The error says what to do about a go.work file that names modules which
// are not there, as those in the module cache do.
func found(c *packages.Config, patterns ...string) ([]*packages.Package, error) {
	all, err := packages.Load(c, patterns...)
	if err != nil && strings.Contains(err.Error(), "listed in go.work") {
		err = fmt.Errorf("%w; with GOWORK=off in the environment, the go command does not read that file", err)
	}
	return all, err
}

// faulty reports whether a package cannot be analyzed.
func faulty(p *packages.Package) bool { return len(p.Errors) > 0 || p.IllTyped }

// A listing has the packages that match patterns, of which nothing is loaded yet.
type listing struct {
	config   packages.Config
	patterns []string
	roots    []*packages.Package
	victims  victims
}

// list finds the packages that match the patterns, and what they import.
func list(c Config, patterns []string) (*listing, error) { return listWith(c, patterns, 0) }

// listWith is list, and asks for more of the packages.
func listWith(c Config, patterns []string, more packages.LoadMode) (*listing, error) {
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
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | more,
		Dir:  c.Dir, Env: c.Env, Tests: c.Tests, BuildFlags: c.Flags,
	}
	roots, err := found(&config, patterns...)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	return &listing{config, patterns, roots, victims{}}, nil
}

// parts yields patterns and the packages that match them, until all were there. A package and its
// tests are together.
func (l *listing) parts() iter.Seq2[[]string, []*packages.Package] {
	return func(yield func([]string, []*packages.Package) bool) {
		if slices.ContainsFunc(l.patterns, func(name string) bool { return strings.Contains(name, "=") }) {
			yield(l.patterns, l.roots) // files have no other names
			return
		}
		byPath := map[string][]*packages.Package{}
		var paths []string
		for _, p := range l.roots {
			path := strings.TrimSuffix(p.PkgPath, ".test")
			if strings.HasSuffix(p.ID, ".test]") {
				_, path, _ = strings.Cut(strings.TrimSuffix(p.ID, ".test]"), " [")
			}
			if byPath[path] == nil {
				paths = append(paths, path)
			}
			byPath[path] = append(byPath[path], p)
		}
		var names []string
		var roots []*packages.Package
		files := 0
		for n, path := range paths {
			names, roots = append(names, path), append(roots, byPath[path]...)
			for _, p := range byPath[path] {
				files += len(p.GoFiles)
			}
			if n == len(paths)-1 && len(names) == len(paths) {
				names = l.patterns
			} else if files < maxFiles && n < len(paths)-1 {
				continue
			}
			if !yield(names, roots) {
				return
			}
			names, roots, files = nil, nil, 0
		}
	}
}

// load loads roots, which match the patterns.
func (l *listing) load(patterns []string, roots []*packages.Package) ([]*packages.Package, error) {
	wanted := map[string]bool{}
	for _, p := range roots {
		wanted[p.ID] = true
	}
	config := l.config
	config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedModule | packages.NeedExportFile |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo
	sources, _ := relevant(roots, wanted)
	loaded, err := found(&config, slices.Concat(patterns, sources)...)
	if err != nil {
		return nil, err
	}
	whole := map[*packages.Package]bool{} // the others have no bodies
	for _, p := range loaded {
		whole[p] = true
	}
	for _, p := range loaded {
		if dep := culprit(p); dep != nil && dep != p {
			l.victims.add(p, dep)
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

// victims are packages that cannot be analyzed because of another one that they import, by the path
// of that one.
type victims map[string]*victim

type victim struct {
	why   string   // the first error of the other one
	names []string // of those that cannot be analyzed, each once
	who   []*packages.Package
}

func (v victims) add(p, culprit *packages.Package) {
	all := v[culprit.PkgPath]
	if all == nil {
		all = &victim{why: culprit.Errors[0].Msg}
		v[culprit.PkgPath] = all
	}
	all.who = append(all.who, p)
	if !slices.Contains(all.names, p.PkgPath) {
		all.names = append(all.names, p.PkgPath)
	}
}

// blame gives each of them an error that names the other one.
func (v victims) blame() {
	for path, all := range v {
		who := all.names[0] + " is"
		if n := len(all.names) - 1; n > 0 {
			who = fmt.Sprintf("%s, and %d more, are", all.names[0], n)
		}
		for _, p := range all.who {
			p.Errors = []packages.Error{{Msg: fmt.Sprintf("%s not looked at, because of an import of %s, which has errors: %s", who, path, all.why)}}
		}
	}
}

// culprit returns the package with errors for which p cannot be analyzed: p, or one that it
// imports, by others too. It is nil if p can be.
func culprit(p *packages.Package) *packages.Package {
	if len(p.Errors) > 0 {
		return p
	}
	if !p.IllTyped {
		return nil
	}
	for _, path := range sorted(p.Imports) {
		if dep := culprit(p.Imports[path]); dep != nil {
			return dep
		}
	}
	return nil
}

// sorted returns the import paths of packages.
func sorted(imports map[string]*packages.Package) []string { return slices.Sorted(maps.Keys(imports)) }

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

// relevant returns the packages that the roots import and that have to be loaded from source: they
// use arenas or a sync.Pool, or are of the module of a root that uses arenas. If there is such a
// root, keepers are what keep adds.
func relevant(roots []*packages.Package, wanted map[string]bool) (paths, keepers []string) {
	var helpers []string
	known := map[*packages.Package]bool{}
	seen := map[*packages.Package]bool{}
	var visit func(p *packages.Package) bool // reports whether the package uses arenas
	visit = func(p *packages.Package) bool {
		if seen[p] {
			return known[p]
		}
		seen[p] = true
		uses := p.PkgPath == names.Core
		for _, dep := range p.Imports {
			uses = visit(dep) || uses
		}
		known[p] = uses
		switch {
		case wanted[p.ID] || p.PkgPath == names.Core || p.Module == nil || strings.Contains(p.ID, " "):
		case uses || hasPool(p):
			paths = append(paths, p.PkgPath)
		case p.Module.Main:
			helpers = append(helpers, p.PkgPath)
		}
		return uses
	}
	used := false
	for _, p := range roots {
		used = visit(p) || used
	}
	if used {
		paths = append(paths, helpers...)
		kept := map[*packages.Package]bool{}
		for p := range seen {
			if p.Module != nil && p.Module.Main {
				keep(p, known, kept)
			}
		}
		for p := range kept {
			keepers = append(keepers, p.PkgPath)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), keepers
}

// keep adds the packages of other modules that one of the main module imports, and the generic ones
// that these import of their own module: they may be containers, or keep texts and functions.
func keep(p *packages.Package, arenas, kept map[*packages.Package]bool) {
	var add func(p *packages.Package)
	add = func(p *packages.Package) {
		if kept[p] {
			return
		}
		kept[p] = true
		for _, dep := range p.Imports {
			if dep.Module != nil && dep.Module.Path == p.Module.Path && !arenas[dep] && has(dep, generic.Match) {
				add(dep)
			}
		}
	}
	for _, dep := range p.Imports {
		if dep.Module != nil && !dep.Module.Main && !arenas[dep] {
			add(dep)
		}
	}
}

// hasPool reports whether a package names sync.Pool.
func hasPool(p *packages.Package) bool {
	return p.Imports["sync"] != nil && has(p, func(text []byte) bool { return bytes.Contains(text, []byte("sync.Pool")) })
}

// generic matches the declaration of a generic struct.
var generic = regexp.MustCompile(`(?m)^(type |\t)\w+\[\w[^\]]* [^\]]+\] struct`)

// has reports whether a file of a package is so.
func has(p *packages.Package, is func(text []byte) bool) bool {
	return slices.ContainsFunc(p.GoFiles, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && is(text)
	})
}
