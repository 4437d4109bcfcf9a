package lives

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A direction is one in which ways through a function go.
type direction struct {
	instrs func([]ssa.Instruction) iter.Seq2[int, ssa.Instruction]
	next   func(*ssa.BasicBlock) []*ssa.BasicBlock
}

var (
	forward  = direction{slices.All[[]ssa.Instruction], func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs }}
	backward = direction{slices.Backward[[]ssa.Instruction], func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Preds }}
)

func never(ssa.Instruction) bool { return false }

// behind returns the instructions of a function to which ways lead from behind one of them, or from
// the beginning if that is nil. A way ends at an instruction for which stops is true.
func (a *analysis) behind(fn *ssa.Function, from ssa.Instruction, stops func(ssa.Instruction) bool) map[ssa.Instruction]bool {
	var open []*ssa.BasicBlock
	if from == nil {
		open = fn.Blocks[:1]
	}
	return a.along(forward, fn, open, func(i ssa.Instruction) bool { return i == from }, stops)
}

// before returns the instructions of a function from behind which ways lead to one of others. A way
// ends at stop.
func (a *analysis) before(fn *ssa.Function, to map[ssa.Instruction]bool, stop ssa.Instruction) map[ssa.Instruction]bool {
	return a.along(backward, fn, nil, func(i ssa.Instruction) bool { return to[i] }, func(i ssa.Instruction) bool { return i == stop })
}

// along returns the instructions that ways pass, with those where the ways end. They begin in the
// blocks that are open, and behind each instruction for which starts is true. Each instruction is
// looked at twice at most: for itself, and because ways enter its block.
func (a *analysis) along(d direction, fn *ssa.Function, open []*ssa.BasicBlock, starts, stops func(ssa.Instruction) bool) map[ssa.Instruction]bool {
	passed := map[ssa.Instruction]bool{}
	entered := map[*ssa.BasicBlock]bool{}
	var todo []*ssa.BasicBlock
	enter := func(blocks []*ssa.BasicBlock) {
		for _, b := range blocks {
			if !entered[b] {
				entered[b] = true
				todo = append(todo, b)
			}
		}
	}
	follow := func(b *ssa.BasicBlock) {
		on := entered[b]
		for _, i := range d.instrs(b.Instrs) {
			a.looked++
			if on {
				passed[i] = true
				on = !stops(i)
			}
			on = on || starts(i)
		}
		if on {
			enter(d.next(b))
		}
	}
	enter(open)
	for _, b := range fn.Blocks {
		follow(b)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		follow(b)
	}
	return passed
}
