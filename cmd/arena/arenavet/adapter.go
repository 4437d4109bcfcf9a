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
		fn, bindings := f.functionOf(s, arg)
		if fn == nil {
			continue
		}
		sum := f.c.summaryOf(fn)
		if sum == nil {
			continue
		}
		v := made(s.get(args[0]), at)
		s.mem.set(place.add(stepAll), v)
		v.ptr = place
		params := []av{v}
		for len(params) < len(fn.Params) {
			params = append(params, unknown)
		}
		for _, b := range bindings {
			params = append(params, s.get(b))
		}
		f.applyValues(s, sum, params, at, nil, nil, false)
	}
}
