package load

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Unit is a package before it is loaded and analyzed. It has the names of its files. Each package
// that it imports has the name of a file with the compiled declarations.
type Unit struct {
	*packages.Package
	Wanted bool    // somebody asked for it, and not only for its facts
	Keeps  bool    // it is of another module, and may keep what packages with arenas give it
	Deps   []*Unit // the units among its imports
}

// Units lists the packages that match the patterns, and those they import that arenavet looks at,
// each behind what it imports. It returns none if anything in them may have errors: Each finds out
// what they are.
func Units(c Config, patterns []string) ([]*Unit, error) {
	l, err := listWith(c, patterns, packages.NeedCompiledGoFiles|packages.NeedExportFile|packages.NeedTypesSizes)
	if err != nil {
		return nil, err
	}
	faulty := false
	byPath := map[string]*packages.Package{}
	packages.Visit(l.roots, nil, func(p *packages.Package) {
		faulty = faulty || len(p.Errors) > 0
		if p.ID == p.PkgPath {
			byPath[p.PkgPath] = p
		}
	})
	wanted := map[string]bool{}
	var roots []*packages.Package
	for _, p := range l.roots {
		wanted[p.ID] = true
		if len(p.GoFiles) > 0 && !strings.HasSuffix(p.ID, ".test") {
			roots = append(roots, p)
		}
	}
	reported, sources := map[*packages.Package]bool{}, map[*packages.Package]bool{}
	for _, p := range roots {
		sources[p] = true
	}
	paths, keepers := relevant(l.roots, wanted)
	for _, path := range slices.Concat(paths, keepers) {
		if p := byPath[path]; p != nil {
			sources[p] = true
		}
	}
	roots = withoutTwins(roots)
	for _, p := range roots {
		reported[p] = true
	}

	var units []*Unit
	known := map[*packages.Package]*Unit{}
	var add func(p *packages.Package) *Unit
	add = func(p *packages.Package) *Unit {
		if u := known[p]; u != nil {
			return u
		}
		u := &Unit{Package: p, Wanted: reported[p], Keeps: slices.Contains(keepers, p.PkgPath)}
		known[p] = u
		for _, path := range sorted(p.Imports) {
			dep := p.Imports[path]
			faulty = faulty || dep.ExportFile == "" && dep.PkgPath != "unsafe"
			if sources[dep] {
				u.Deps = append(u.Deps, add(dep))
			}
		}
		units = append(units, u)
		return u
	}
	for _, p := range roots {
		add(p)
	}
	if faulty {
		return nil, nil
	}
	return units, nil
}
