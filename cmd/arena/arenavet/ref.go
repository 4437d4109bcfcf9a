package arenavet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// refGet follows a reference in the arena that is given with it.
func (f *flow) refGet(s *state, args []ssa.Value, at ssa.Instruction, place loc, result func(av)) {
	if len(args) < 2 {
		result(unknown)
		return
	}
	a := s.get(args[1])
	ref := args[0]
	if e, ok := ref.(*ssa.Extract); ok {
		ref = e.Tuple
	}
	if l := f.refs[ref]; l != nil {
		f.otherArena(l, a, at, ref.(ssa.Instruction))
	}
	if in, ok := s.mem.get(refPlace(s, args[0]).add(pathIn)); ok && !in.other && len(in.tags) == 1 {
		f.otherArena(in.tags[0].life, a, at, in.tags[0].made)
	}
	v := made(a, at)
	v = v.with(s.get(args[0]).only(func(t tag) bool { return t.life.kind == lifeTable })...)
	v.ptr = place
	result(v)
}

// pathIn is the path of the arena in which a Map or a List has its memory.
const pathIn = "~in"

// refIn is for a Map or a List that gets an entry, for which it needs an arena.
func (f *flow) refIn(s *state, args []ssa.Value, at ssa.Instruction, place loc, result func(av)) {
	if len(args) < 2 {
		result(unknown)
		return
	}
	f.allocates(s, s.get(args[1]), at)
	f.refGet(s, args, at, place, result)
	in := refPlace(s, args[0]).add(pathIn)
	v := av{other: s.get(args[1]).other}
	for _, l := range arenas(s.get(args[1])) {
		v = v.with(tag{life: l, kind: isArena, made: at})
	}
	s.mem.set(in, v)
}

// refPlace returns where a Map or a List lies.
func refPlace(s *state, v ssa.Value) loc {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	return s.get(v).ptr
}

// otherArena reports a reference of one arena that is used with another one, if both were made
// here.
func (f *flow) otherArena(l *life, a av, at, made ssa.Instruction) {
	all := arenas(a)
	if len(all) == 1 && !a.other && all[0] != l && madeHere(all[0]) && madeHere(l) {
		f.found(codeContainer, ssas.PosOf(at), false, tag{life: l}, "a reference of one arena (%s) is used with another one", f.line(ssas.PosOf(made)))
	}
}

// madeHere reports whether an arena was surely made here.
func madeHere(l *life) bool { return l.kind == lifeMade || l.kind == lifePool || l.kind == lifeMemory }

// mayEnd returns v, which also ends by an operation of something at a place, if the function has
// one.
func (f *flow) mayEnd(v av, l loc, at ssa.Instruction, o op) av {
	for i := range ssas.Instrs(f.fn) {
		if call, ok := i.(ssa.CallInstruction); ok && l.known() && f.opOf(call) == o {
			return v.with(tag{life: f.newLife(lifeKey(l.add(pathTable)), lifeTable, nil), kind: inMemory, made: at})
		}
	}
	return v
}

// stepCut is below a Builder of which nothing is left: the next write is where it has written
// before.
const stepCut = "%cut"

// rewrites is for a write of a Builder.
func (f *flow) rewrites(s *state, b loc, at ssa.Instruction) {
	if v, _ := s.mem.get(b.add(stepCut)); v.other && b.known() {
		f.finish(s, f.newLife(lifeKey(b.add(pathTable)), lifeTable, nil), at, "Builder.Truncate and "+f.calleeAt(at), false, false, true)
		s.mem.set(b.add(stepCut), av{})
	}
}
