package lives

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// isOnce tells whether a field is set only if it is nil. So the next call finds what this one has
// stored.
func isOnce(s *ssa.Store, addr *ssa.FieldAddr) bool {
	for b := s.Block(); b.Idom() != nil; b = b.Idom() {
		if from := ifNil(b.Idom(), addr); from == b && len(b.Preds) == 1 {
			return true
		}
	}
	return false
}

// ifNil returns the block behind another one that runs if a field is nil, or nil.
func ifNil(b *ssa.BasicBlock, addr *ssa.FieldAddr) *ssa.BasicBlock {
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	is, ok := cond.Cond.(*ssa.BinOp)
	if !ok || !isNil(is.X) && !isNil(is.Y) {
		return nil
	}
	for _, x := range []ssa.Value{is.X, is.Y} {
		load, ok := x.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			continue
		}
		if of, ok := load.X.(*ssa.FieldAddr); ok && of.Field == addr.Field && types.Identical(of.X.Type(), addr.X.Type()) {
			switch is.Op {
			case token.EQL:
				return b.Succs[0]
			case token.NEQ:
				return b.Succs[1]
			}
		}
	}
	return nil
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// clearedBy returns the field that a store sets to nil, or nil.
func clearedBy(s *ssa.Store) *types.Var {
	addr, ok := s.Addr.(*ssa.FieldAddr)
	if !ok || !isNil(s.Val) {
		return nil
	}
	t, ok := elem(addr.X.Type()).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return t.Field(addr.Field).Origin()
}

// always tells whether a block runs in each call of its function that returns.
func always(b *ssa.BasicBlock) bool {
	for _, end := range b.Parent().Blocks {
		if _, ok := end.Instrs[len(end.Instrs)-1].(*ssa.Return); ok && !b.Dominates(end) {
			return false
		}
	}
	return true
}
