package arenavet

import "golang.org/x/tools/go/ssa"

// fill is for a function that fills what its last argument leads to with v: a pointer, or several.
func (f *flow) fill(s *state, target ssa.Value, v av) {
	for _, arg := range varargs(target) {
		if t, ok := pointee(arg); ok && !carries(t) {
			continue // numbers are in no arena
		}
		if p := s.get(arg).ptr; p.known() {
			s.forget(p)
			s.mem.set(p.add(stepAll), v)
		}
	}
}

// each is for a function that calls another one with a pointer to what lies in an arena, once for
// each row.
func (f *flow) each(s *state, args []ssa.Value, at ssa.Instruction, place loc) {
	for _, arg := range args[1:] {
		if targets := f.targets(s, s.get(arg)); targets != nil {
			v, row := made(s.get(args[0]), at), place.add("%row") // and not the result
			s.mem.set(row.add(stepAll), v)
			v.ptr = row
			f.invoke(s, targets, []av{v}, at, loc{}, nil, false)
		}
	}
}
