package lives

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// setOnce returns the function that a variable always is, as with var split = splitText, or nil.
// The variable is not exported, and only its declaration sets it. The standard library is left out:
// its packages may set variables of others.
func (p *Program) setOnce(v ssa.Value) *ssa.Function {
	g, ok := v.(*ssa.Global)
	if !ok || g.Pkg == nil || p.standard[g.Pkg.Pkg] || ast.IsExported(g.Name()) {
		return nil
	}
	if _, ok := elem(g.Type()).Underlying().(*types.Signature); !ok {
		return nil
	}
	if p.once[g.Pkg] == nil {
		p.once[g.Pkg] = p.onceIn(g.Pkg)
	}
	return p.once[g.Pkg][g]
}

// onceIn returns the functions that the variables of a package always are. Other variables have nil
// there, or nothing.
func (p *Program) onceIn(pkg *ssa.Package) map[*ssa.Global]*ssa.Function {
	pkg.Build()
	all := map[*ssa.Global]*ssa.Function{}
	var look func(fn *ssa.Function)
	look = func(fn *ssa.Function) {
		for i := range ssas.Instrs(fn) {
			store, _ := i.(*ssa.Store)
			for _, op := range i.Operands(nil) {
				g, ok := (*op).(*ssa.Global)
				if !ok || isLoad(i) {
					continue
				}
				_, known := all[g]
				all[g] = nil
				if store != nil && store.Addr == g && !known && fn == pkg.Func("init") {
					all[g], _ = store.Val.(*ssa.Function)
				}
			}
		}
		for _, anon := range fn.AnonFuncs {
			look(anon)
		}
	}
	for _, m := range pkg.Members {
		switch m := m.(type) {
		case *ssa.Function:
			look(m)
		case *ssa.Type:
			if n, ok := types.Unalias(m.Type()).(*types.Named); ok {
				for method := range n.Methods() {
					if fn := p.prog.FuncValue(method); fn != nil {
						look(fn)
					}
				}
			}
		}
	}
	return all
}

// isLoad tells whether an instruction only reads what a variable is.
func isLoad(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.DebugRef:
		return true
	}
	return false
}
