package arenavet

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

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

// decides reports whether the function asks at once what a call says.
func decides(at ssa.Instruction) bool {
	return slices.ContainsFunc(at.Block().Succs, func(to *ssa.BasicBlock) bool {
		call, _ := callDecides(at.Block(), to)
		return call != nil && call == at
	})
}

// A said is what a call has said.
type said struct {
	call *ssa.Call
	outcome
}

// cameOut returns the state at the end of a block on the way to one of its successors. If a call
// decides which one it is, the call has done what it does when it says so.
func (f *flow) cameOut(begin, out *state, b *ssa.BasicBlock, from, succ int) *state {
	call, o := callDecides(b, b.Succs[succ])
	if call == nil || !f.decides[call] || slices.Index(b.Instrs, ssa.Instruction(call)) < from {
		return out
	}
	before, looking := f.said, f.looking
	f.said, f.looking = said{call, o}, false
	defer func() { f.said, f.looking = before, looking }()
	s := begin.clone()
	f.block(s, b, from)
	return s
}

// A sumOutcome is what a function does if its last result says something.
type sumOutcome struct {
	Said    outcome
	Results []sumValue
	Stores  []sumStore
	Ends    []sumEnd
}

// saying returns the summary of a call that has said something.
func (s *summary) saying(o outcome) *summary {
	n := slices.IndexFunc(s.Outcomes, func(x sumOutcome) bool { return x.Said == o })
	if n < 0 {
		return s
	}
	one, x := *s, s.Outcomes[n]
	one.Results, one.Stores, one.Ends, one.Ways, one.Outcomes = x.Results, x.Stores, x.Ends, nil, nil
	return &one
}

// outcomes finds out what the function does if it says something, if that tells whether it has
// ended an arena.
func (s *summary) outcomes(f *flow) (all []sumOutcome) {
	if !slices.ContainsFunc(s.Ends, func(e sumEnd) bool { return e.When != anyOutcome && !e.Sync }) {
		return nil
	}
	for _, o := range []outcome{succeeded, failed} {
		x, count, n := sumOutcome{Said: o}, map[place]int{}, 0
		stores := map[place]sumValue{}
		for i, ret := range f.rets {
			switch outcomeOf(ret) {
			case anyOutcome:
				return nil
			case o:
			default:
				continue
			}
			n++
			x.Results = joinResults(x.Results, s.Ways[i].Results)
			for _, st := range s.Ways[i].Stores {
				stores[st.At] = joinSums(stores[st.At], st.Value)
				count[st.At]++
			}
		}
		for _, st := range s.Stores {
			if v, ok := stores[st.At]; ok {
				st.Value, st.Weak = v, count[st.At] < n
			} else if !strings.Contains(st.At.Path, "[") {
				continue
			}
			x.Stores = append(x.Stores, st)
		}
		x.Ends = s.endsSaying(f, o)
		all = append(all, x)
	}
	return all
}

func joinResults(all, more []sumValue) []sumValue {
	if all == nil {
		all = make([]sumValue, len(more))
	}
	for i, v := range more {
		all[i] = joinSums(all[i], v)
	}
	return all
}

// endsSaying returns what the function has ended if it says something.
func (s *summary) endsSaying(f *flow, o outcome) (all []sumEnd) {
	for _, e := range s.Ends {
		if !e.Sync {
			some, each := false, true
			for i, ret := range f.rets {
				if outcomeOf(ret) == o {
					c := f.overAt(callEnd{Of: e.At}, f.exits[i])
					some, each = some || c.ended != nil, each && c.ended != nil && !c.open
				}
			}
			if !some {
				continue
			}
			e.Sure, e.When = e.Sure || each, anyOutcome
		}
		all = append(all, e)
	}
	return all
}

// came is for a way that is taken if a call has one outcome: what ends only with the other one has
// not ended.
func (f *flow) came(s *state, from, to *ssa.BasicBlock) {
	call, o := callDecides(from, to)
	if call == nil {
		return
	}
	f.hasStarted(s, call, o, to)
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
		if call != e.at || o != e.when || slices.ContainsFunc(call.Call.Args, isConst) {
			continue // what is constant may decide
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
