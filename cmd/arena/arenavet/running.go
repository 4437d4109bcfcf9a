package arenavet

import (
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A running has the goroutines that were started and may still run.
type running struct {
	now  map[*goroutine]bool // on all ways, if each loop has a turn
	turn map[*goroutine]bool // when a turn of the loop ends in which they were started
	done map[*goroutine]bool // somebody has waited for them, on some way
}

func newRunning() running {
	return running{map[*goroutine]bool{}, map[*goroutine]bool{}, map[*goroutine]bool{}}
}

func (r running) clone() running {
	return running{maps.Clone(r.now), maps.Clone(r.turn), maps.Clone(r.done)}
}

func (r running) start(g *goroutine) {
	r.now[g] = true
	delete(r.done, g)
}

// over is for what waits for some goroutines.
func (r running) over(waits func(*goroutine) bool) {
	for _, some := range []map[*goroutine]bool{r.now, r.turn} {
		maps.DeleteFunc(some, func(g *goroutine, _ bool) bool {
			if waits(g) {
				r.done[g] = true
			}
			return r.done[g]
		})
	}
}

// drop is for goroutines that have nothing of this turn of a loop.
func (r running) drop(older func(*goroutine) bool) {
	for _, some := range []map[*goroutine]bool{r.now, r.turn} {
		maps.DeleteFunc(some, func(g *goroutine, _ bool) bool { return older(g) })
	}
}

// join adds what another way to a block has, and reports whether r has changed.
func (r running) join(f *flow, o running, b *ssa.BasicBlock) (changed bool) {
	before := r.clone()
	maps.Copy(r.done, o.done)
	maps.Copy(r.turn, o.turn)
	for _, way := range []struct{ has, other running }{{before, o}, {o, before}} {
		for g := range way.has.now {
			loop := f.heads[b][g.at.Block()]
			switch {
			case way.other.now[g]:
			case way.other.done[g] || !loop && !f.passed(g, b):
				delete(r.now, g)
			case loop:
				delete(r.now, g)
				r.turn[g] = true
			default:
				r.now[g] = true
			}
		}
	}
	maps.DeleteFunc(r.turn, func(g *goroutine, _ bool) bool { return r.done[g] })
	return !maps.Equal(r.now, before.now) || !maps.Equal(r.turn, before.turn) || !maps.Equal(r.done, before.done)
}

// leave is for a way from one block to another one. Behind a loop the goroutines of its turns run.
func (r running) leave(f *flow, from, to *ssa.BasicBlock) {
	for g := range r.turn {
		for _, loop := range f.findLoops() {
			if loop[g.at.Block()] && loop[from] && !loop[to] {
				delete(r.turn, g)
				r.now[g] = true
				break
			}
		}
	}
}

// passed reports whether each way to a block goes through, or past, a loop in which a goroutine is
// started.
func (f *flow) passed(g *goroutine, b *ssa.BasicBlock) bool {
	for head, loop := range f.heads {
		if loop[g.at.Block()] && !loop[b] && head.Idom() != nil && head.Idom().Dominates(b) {
			return true
		}
	}
	return false
}

// surely reports whether a goroutine runs in each call of the function that comes here.
func (s *state) surely(g *goroutine) bool { return s.gos.now[g] && !g.some }

// hasStarted is for a way that is taken if a call has one outcome: with the other one it may have
// started a goroutine.
func (f *flow) hasStarted(s *state, call *ssa.Call, o outcome, way *ssa.BasicBlock) {
	g := f.gos[call]
	switch {
	case g == nil || g.when == anyOutcome:
	case g.when != o:
		s.gos.drop(func(x *goroutine) bool { return x == g })
	case f.probe == nil:
		g.way, g.begin = way, s.clone()
	}
}

// leaves notes that a goroutine runs at an exit.
func (g *goroutine) leaves(x *state) {
	if g.out == nil {
		g.out = map[*state]bool{}
	}
	g.out[x] = x.surely(g)
}

// started finds out what the function says if it leaves goroutines that run, and whether it does so
// in each call that says it.
func (s *summary) started(f *flow) {
	n := 0
	for _, g := range f.gos {
		if len(g.out) == 0 {
			continue
		}
		when := f.outcomeIf(func(x *state) bool { _, runs := g.out[x]; return runs })
		if n++; n > 1 && when != s.GoesIf {
			when, s.Some = anyOutcome, true
		}
		s.GoesIf = when
		for i, x := range f.exits {
			if o := outcomeOf(f.rets[i]); !g.out[x] && (o == anyOutcome || when == anyOutcome || o == when) {
				s.Some = true
			}
		}
	}
}

// An exit is how a function is left behind the start of a goroutine: by returns, or by deferred
// calls.
type exit struct {
	g    *goroutine
	kind reflect.Type
}

// runsOut reports whether a goroutine still runs at each exit behind its start, and whether an
// instruction is one of these exits.
func (f *flow) runsOut(g *goroutine, at ssa.Instruction) bool {
	if f.probe != nil || !f.looking || f.c.quiet || !leaves(at) {
		return false
	}
	k := exit{g, reflect.TypeOf(at)}
	left, known := f.left[k]
	if !known {
		left = map[ssa.Instruction]bool{}
		b, n, from := g.way, 0, g.begin
		if b == nil {
			b = g.at.Block()
			if b.Parent() != f.fn || f.in[b] == nil {
				return false
			}
			from, n = f.try(g.at, true)
		}
		is := func(s *state, i ssa.Instruction) bool {
			left[i] = true
			return s.gos.now[g]
		}
		if !f.alwaysAt(b, n, from, func(i ssa.Instruction) bool { return reflect.TypeOf(i) == k.kind }, is) {
			left = nil
		}
		f.left[k] = left
	}
	return left[at]
}

// leaves reports whether an instruction is a return, or runs the deferred calls.
func leaves(i ssa.Instruction) bool {
	switch i.(type) {
	case *ssa.Return, *ssa.RunDefers:
		return true
	}
	return false
}

// oneOfMany reports whether what comes from a channel in a turn of a loop is of one of several
// goroutines that another loop has started: the others may still run.
func (f *flow) oneOfMany(g *goroutine, i *ssa.UnOp) bool {
	return !g.send && !i.CommaOk && f.repeats(g.at) && f.repeats(i) && !slices.ContainsFunc(f.loops, func(loop map[*ssa.BasicBlock]bool) bool {
		return loop[g.at.Block()] && loop[i.Block()]
	})
}

// receivedAll is for the end of a loop whose condition is false: it has received from as many
// goroutines as there are.
func (f *flow) receivedAll(s *state, from, to *ssa.BasicBlock) {
	if len(s.gos.now) == 0 {
		return
	}
	for head, loop := range f.heads {
		atHead := from == head && strings.HasSuffix(head.Comment, ".loop")
		if !loop[from] || loop[to] || !atHead && !slices.Contains(from.Succs, head) {
			continue
		}
		for b := range loop {
			for _, i := range b.Instrs {
				if i, ok := i.(*ssa.UnOp); ok && i.Op == token.ARROW {
					s.gos.over(func(g *goroutine) bool { return f.oneOfMany(g, i) })
				}
			}
		}
	}
}
