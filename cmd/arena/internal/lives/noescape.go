package lives

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// sources returns the files of packages, and of what they import.
func sources(pkgs []*packages.Package) map[*types.Package][]*ast.File {
	all := map[*types.Package][]*ast.File{}
	packages.Visit(pkgs, nil, func(p *packages.Package) { all[p.Types] = p.Syntax })
	return all
}

// isNoescape tells whether a function that is not written in Go has a directive for the compiler
// which says that nothing escapes by it. The directive is somewhere before the declaration and
// behind the last one.
func (p *Program) isNoescape(fn *ssa.Function) bool {
	for _, f := range p.files[packageOf(fn)] {
		if !(f.FileStart <= fn.Pos() && fn.Pos() < f.FileEnd) {
			continue
		}
		last := token.NoPos
		for _, d := range f.Decls {
			if d.End() <= fn.Pos() {
				last = d.End()
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if last <= c.Pos() && c.Pos() < fn.Pos() && c.Text == "//go:noescape" {
					return true
				}
			}
		}
	}
	return false
}
