package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"

	loader "github.com/arena-go/arena/cmd/arena/internal/load"
)

// foreigners are the sources of packages that may not be changed. They are read where a function is
// given to one of theirs.
type foreigners struct {
	dir   string
	pkgs  map[string]*packages.Package // nil if there are no sources
	calls map[string]bool              // see onlyCalls
	asked []string                     // the keys of calls, in order
}

func newForeigners(dir string) foreigners {
	return foreigners{dir: dir, pkgs: map[string]*packages.Package{}, calls: map[string]bool{}}
}

// onlyCalls tells whether a function of another package only calls its parameter i: before it
// returns, and in the same goroutine. What the parameter returns refers to nothing.
func (o *foreigners) onlyCalls(f *types.Func, i int) bool {
	if f == nil || f.Pkg() == nil || isStandard(f.Pkg().Path()) || f.Signature().Variadic() || i < 0 || i >= f.Signature().Params().Len() {
		return false
	}
	sig, ok := f.Signature().Params().At(i).Type().Underlying().(*types.Signature)
	if !ok {
		return false
	}
	for v := range sig.Results().Variables() {
		if refers(v.Type()) && !isError(v.Type()) {
			return false
		}
	}
	key := fmt.Sprint(f.FullName(), " ", i)
	if only, ok := o.calls[key]; ok {
		return only
	}
	n := len(o.asked)
	o.calls[key], o.asked = true, append(o.asked, key) // as far as it calls itself
	if o.looks(f, i) {
		return true
	}
	for _, other := range o.asked[n:] { // which may have relied on this one
		if o.calls[other] {
			delete(o.calls, other)
		}
	}
	o.calls[key] = false
	return false
}

// looks is onlyCalls by the source.
func (o *foreigners) looks(f *types.Func, i int) bool {
	pkg := o.load(f.Pkg().Path())
	if pkg == nil {
		return false
	}
	for _, syntax := range pkg.Syntax {
		for _, decl := range syntax.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			if g, ok := pkg.TypesInfo.Defs[decl.Name].(*types.Func); ok && g.FullName() == f.FullName() {
				return o.looksAt(pkg.TypesInfo, decl.Body, g.Signature().Params().At(i))
			}
		}
	}
	return false
}

// looksAt tells whether a function with that body only calls its parameter v.
func (o *foreigners) looksAt(info *types.Info, body ast.Node, v *types.Var) bool {
	only := true
	visit(body, func(n ast.Node, way []ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == v {
			only = only && o.isCalled(info, way)
			for i, n := range way[:len(way)-1] {
				switch n.(type) {
				case *ast.GoStmt:
					only = false
				case *ast.FuncLit:
					only = only && o.isCalled(info, way[:i+1])
				}
			}
		}
		return only
	})
	return only
}

// isCalled tells whether the function at the end of way is called there, or compared, or given to a
// function that only calls it.
func (o *foreigners) isCalled(info *types.Info, way []ast.Node) bool {
	i := len(way) - 1
	for i > 0 && is[*ast.ParenExpr](way[i-1]) {
		i--
	}
	switch n := way[max(i-1, 0)].(type) {
	case *ast.BinaryExpr: // with nil
		return true
	case *ast.CallExpr:
		if n.Fun == way[i] {
			return true
		}
		g, _ := callee(info, n)
		for j, x := range n.Args {
			if x == way[i] {
				return callsAtOnce(g, j) || o.onlyCalls(g, j)
			}
		}
	}
	return false
}

// load returns a package with its source, or nil.
func (o *foreigners) load(path string) *packages.Package {
	pkg, ok := o.pkgs[path]
	if !ok {
		all, broken, err := loader.Sources(packages.Config{Dir: o.dir, Fset: token.NewFileSet()}, false, path)
		if err == nil && len(broken) == 0 && len(all) == 1 {
			pkg = all[0]
		}
		o.pkgs[path] = pkg
	}
	return pkg
}
