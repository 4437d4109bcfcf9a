package arenavet

import "golang.org/x/tools/go/ssa"

// fill is for a function that fills what its last argument leads to with v: a pointer, or several.
func (f *flow) fill(s *state, target ssa.Value, v av) {
	one := func(x av) {
		if x.ptr.known() {
			s.forget(x.ptr)
			s.mem.set(x.ptr.add(stepAll), v)
		}
	}
	for _, arg := range varargs(target) {
		if text, ok := pointee(arg); ok && !carries(text) {
			continue // numbers are in no arena
		}
		one(s.get(arg))
	}
}

// each is for a function that calls another one with a pointer to what lies in an arena, once for
// each row.
func (f *flow) each(s *state, args []ssa.Value, at ssa.Instruction, place loc) {
	for _, arg := range args[1:] {
		if targets := f.targets(s, s.get(arg)); targets != nil {
			v := made(s.get(args[0]), at)
			s.mem.set(place.add(stepAll), v)
			v.ptr = place
			f.invoke(s, targets, []av{v}, at, loc{}, nil, false)
		}
	}
}
