package lives

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Turn is the place where a turn of a loop begins.
type Turn struct {
	Call  token.Pos // the left parenthesis of a call that the loop is the innermost one of
	Head  Span      // of the loop
	Body  Span
	Inner []Span // bodies of loops in it
}

// A Span is a part of the source.
type Span struct{ From, To token.Pos }

func (s Span) has(p token.Pos) bool { return s.From < p && p < s.To }

// turn tells whether nothing of the arena is left when a turn of a loop begins: it is in no value
// that is used later, in no deferred call, and not part of the old object.
func (a *analysis) turn(fn *ssa.Function, t Turn) bool {
	body := bodyOf(fn, t)
	if body == nil {
		return false
	}
	if defers(fn.AnonFuncs) {
		return false
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok {
				for _, v := range append(slices.Clone(d.Call.Args), d.Call.Value) {
					if a.holds(v) {
						return false
					}
				}
			}
			if v, ok := i.(ssa.Value); ok && liveAt(v, b, body) && a.holds(v) {
				return false
			}
		}
	}
	return true
}

// defers tells whether a body of a sequence defers a call to the end of the function that it is in.
func defers(fns []*ssa.Function) bool {
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return defers(fn.AnonFuncs) || slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
			return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
				d, ok := i.(*ssa.Defer)
				return ok && d.DeferStack != nil
			})
		})
	})
}

// holds tells whether a value of the function in question leads to something of the arena.
func (a *analysis) holds(v ssa.Value) bool {
	if v == nil {
		return false
	}
	from := &set{}
	for p, s := range a.top.values {
		if p.v == v {
			from.UnionWith(s)
		}
	}
	return a.arenaIn(a.reach(from)) != old
}

// loops are the comments of blocks where bodies of loops begin. Bodies of switches have other
// comments.
var loops = []string{"for.body", "rangeindex.body", "rangeiter.body", "rangechan.body", "rangeint.body"}

// bodyOf returns the block where the body of a loop begins, if that is certain.
func bodyOf(fn *ssa.Function, t Turn) *ssa.BasicBlock {
	var b *ssa.BasicBlock
	for _, block := range fn.Blocks {
		for _, i := range block.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && c.Pos() == t.Call {
				b = block
			}
		}
	}
	for ; b != nil; b = b.Idom() {
		if !slices.Contains(loops, b.Comment) {
			continue
		}
		for _, i := range b.Instrs {
			p := i.Pos()
			if !p.IsValid() || t.Head.has(p) {
				continue // what it ranges over, or a variable that is declared there
			}
			if !t.Body.has(p) || slices.ContainsFunc(t.Inner, func(s Span) bool { return s.has(p) }) {
				return nil
			}
			return b
		}
		return nil
	}
	return nil
}

// liveAt tells whether a value, which is computed in block def, is used on a way from the beginning
// of block at on which it is not computed again.
func liveAt(v ssa.Value, def, at *ssa.BasicBlock) bool {
	refs := v.Referrers()
	if refs == nil || len(*refs) == 0 {
		return false
	}
	if _, phi := v.(*ssa.Phi); phi && def == at {
		return true // the turn begins with it
	}
	seen := map[*ssa.BasicBlock]bool{}
	var live func(b *ssa.BasicBlock) bool // is it live where b begins?
	live = func(b *ssa.BasicBlock) bool {
		if b == def {
			return false
		}
		if b == at {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		for _, p := range b.Preds {
			if endsLive(p, def, at, live) {
				return true
			}
		}
		return false
	}
	for _, ref := range *refs {
		if phi, ok := ref.(*ssa.Phi); ok {
			for n, edge := range phi.Edges {
				if edge == v && endsLive(phi.Block().Preds[n], def, at, live) {
					return true
				}
			}
			continue
		}
		b := ref.Block()
		if b == def {
			continue // behind it
		}
		if b == at || live(b) {
			return true
		}
	}
	return false
}

// endsLive tells whether a value that is used where p ends is live where block at begins.
func endsLive(p, def, at *ssa.BasicBlock, live func(*ssa.BasicBlock) bool) bool {
	if p == def {
		return false
	}
	return p == at || live(p)
}
