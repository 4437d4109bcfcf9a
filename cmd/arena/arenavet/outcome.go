package arenavet

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// An outcome is what the last result of a call says, an error or a condition. Some functions give
// a value to a sync.Pool only if they fail.
type outcome uint8

const (
	anyOutcome outcome = iota
	succeeded          // it is nil, or true
	failed
)

func outcomeIf(good bool) outcome {
	if good {
		return succeeded
	}
	return failed
}

// outcomeOf returns what a return surely says.
func outcomeOf(ret *ssa.Return) outcome {
	if len(ret.Results) == 0 {
		return anyOutcome
	}
	last := lastResult(ret)
	switch v := last.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Bool {
			return outcomeIf(constant.BoolVal(v.Value))
		}
		if isError(v.Type()) {
			return outcomeIf(v.Value == nil)
		}
	case *ssa.MakeInterface:
		if isError(v.Type()) {
			return failed
		}
	case *ssa.UnOp:
		if _, global := v.X.(*ssa.Global); global && isError(v.Type()) {
			return failed // one of those that have a name
		}
	case *ssa.Call:
		if fn := ssas.Callee(&v.Call); names.Path(fn) == "fmt.Errorf" || names.Path(fn) == "errors.New" {
			return failed
		}
	}
	for b := ret.Block(); b.Idom() != nil; b = b.Idom() {
		if v, o := decided(b.Idom(), b); v == last && len(b.Preds) == 1 {
			return o
		}
	}
	return anyOutcome
}

// decided returns the error or the condition that decides whether a block is followed by another
// one, and what it is then.
func decided(from, to *ssa.BasicBlock) (ssa.Value, outcome) {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return nil, anyOutcome
	}
	first := to == from.Succs[0]
	if cond, ok := branch.Cond.(*ssa.BinOp); ok {
		c, ok := cond.Y.(*ssa.Const)
		if !ok || c.Value != nil || !isError(cond.X.Type()) {
			return nil, anyOutcome
		}
		return cond.X, outcomeIf((cond.Op == token.EQL) == first)
	}
	return branch.Cond, outcomeIf(first)
}

// callDecides returns the call whose outcome decides which block follows.
func callDecides(from, to *ssa.BasicBlock) (*ssa.Call, outcome) {
	v, o := decided(from, to)
	if e, ok := v.(*ssa.Extract); ok {
		if t := e.Tuple.Type().(*types.Tuple); e.Index == t.Len()-1 {
			v = e.Tuple
		}
	}
	call, ok := v.(*ssa.Call)
	if !ok || call.Block() != from {
		return nil, anyOutcome
	}
	return call, o
}

// came is for a way that is taken if a call has one outcome: what ends only with the other one has
// not ended.
func (f *flow) came(s *state, from, to *ssa.BasicBlock) {
	call, o := callDecides(from, to)
	if call == nil {
		return
	}
	for k, e := range f.endAt {
		if k.at != call || e.when == anyOutcome || e.when == o {
			continue
		}
		s.change(func(v av) (av, bool) {
			return v.change(true, func(t tag) tag {
				if t.end == e {
					t.end = nil
				}
				return t
			})
		})
		if c, ok := s.lives[e.life]; ok {
			if c.ended == e {
				c.ended = nil
			}
			if c.closed == e {
				c.closed = nil
			}
			s.lives[e.life] = c
		}
	}
}

// cameTo reports whether each way on which a call has ended a life, and said so, leads to an
// instruction where something is so.
func (f *flow) cameTo(e *end, at ssa.Instruction, is func(*state) bool) bool {
	from := e.at.Block()
	if e.when == anyOutcome || f.probe != nil || from.Parent() != f.fn || f.in[from] == nil {
		return false
	}
	for n, to := range from.Succs {
		call, o := callDecides(from, to)
		if call != e.at || o != e.when {
			continue
		}
		if first := to.Instrs[0]; first != at && (!f.inevitable(first, at) || f.nextTurn(first, at) != nil) {
			continue
		}
		s, _ := f.try(from.Instrs[len(from.Instrs)-1], false)
		s = f.edge(s, from, to, n)
		s.change(func(v av) (av, bool) {
			ended := v.only(func(t tag) bool { return t.end == e })
			all := v.only(func(t tag) bool { return t.life != e.life || t.end != nil })
			if len(ended) == 0 || len(all) == len(v.tags) {
				return v, false
			}
			v.tags = all
			return v, true
		})
		return f.always(to, 0, s, at, is)
	}
	return false
}
