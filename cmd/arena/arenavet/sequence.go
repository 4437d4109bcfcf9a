package arenavet

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// stepYield is the path of what a sequence gives to its yield function: its first and second
// argument have a digit behind it.
const stepYield = ".yield"

// nextTurn is the end of what a function of iter.Pull has returned.
const nextTurn = "the next turn"

// yields returns the parameters of the yield function of a sequence, or nil if t is not the type of
// one.
func yields(t types.Type) *types.Tuple {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 1 || sig.Results().Len() > 0 {
		return nil
	}
	yield, ok := sig.Params().At(0).Type().Underlying().(*types.Signature)
	if !ok || yield.Results().Len() != 1 {
		return nil
	}
	return yield.Params()
}

// sequenceOf notes what the sequence at a place gives, which is made of a value.
func (f *flow) sequenceOf(s *state, place loc, from ssa.Value, name string, t types.Type) {
	params := yields(t)
	if params == nil {
		return
	}
	v := s.get(from)
	give := func(n int, x av) {
		if carries(params.At(n).Type()) {
			x.sub = nil
			s.mem.set(place.add(stepYield+string(rune('0'+n))), x)
		}
	}
	elem := func() av { return f.element(s, v.ptr, stepElem, elementType(from.Type())) }
	key := func() av { return f.element(s, v.ptr, stepKey, types.Typ[types.String]) }
	last := params.Len() - 1
	switch {
	case last < 0:
	case coreType(from.Type()) == "Map" && name != "Map.Values" || isMap(from.Type()) && name != "maps.Values":
		give(0, key())
		if last > 0 {
			give(1, elem())
		}
	case isText(from.Type()):
		give(last, av{tags: v.tags, other: v.other})
	default:
		give(last, elem())
	}
}

// pull is for iter.Pull. What the sequence makes is made when the first result is called. What has
// ended when it is over ends when the second one is called.
func (f *flow) pull(s *state, v av, call *ssa.Call) {
	seq, result := yields(call.Call.Args[0].Type()), loc{call, ""}
	next, stop := &summary{Bound: 2 * seq.Len()}, &summary{}
	at, end := result.add("%f"), result.add("%stop")
	var list types.Type = types.NewSlice(types.Typ[types.String])
	if seq.Len() > 1 {
		list = types.NewMap(types.Typ[types.String], types.Typ[types.String])
	}
	known := f.collect(s, v, call, result, seq, list)
	for n := range seq.Len() {
		x := s.given(v, n)
		if known {
			x, _ = s.mem.get(result.add([]string{stepKey, stepElem}[2-seq.Len()+n]))
		}
		r, old, now := sumValue{Other: x.other}, x, av{}
		old.tags = x.only(func(t tag) bool { return t.kind != inMemory || t.made != call })
		if len(old.tags) > 0 {
			r.Tags = append(r.Tags, sumTag{Kind: ofParam, Of: place{Param: 2 * n}})
		}
		for _, t := range x.only(func(t tag) bool { return t.kind == inMemory && t.made == call }) {
			if t.end != nil && t.end.turn { // what it gives is valid until it is called again
				l := f.newLife(lifeKey{call, "turn" + strconv.Itoa(n)}, lifeMember, t.life)
				now = now.with(tag{life: l, kind: isArena})
				next.Ends = append(next.Ends, sumEnd{At: place{Param: 2*n + 1}, What: nextTurn, Sure: true})
				continue
			}
			now = now.with(tag{life: t.life, kind: isArena})
			if t.end != nil && s.lives[t.life].closed != nil {
				s.lives[t.life] = condition{made: call, open: true, lent: true}
				s.mem.set(boundAt(end, stop.Bound), av{tags: []tag{{life: t.life, kind: isArena}}})
				stop.Ends = append(stop.Ends, sumEnd{At: place{Param: stop.Bound}, What: "the second result of iter.Pull", Sure: true})
				stop.Bound++
			}
		}
		if len(now.tags) > 0 {
			r.Tags = append(r.Tags, sumTag{Kind: inMemory, Of: place{Param: 2*n + 1}})
		}
		s.mem.set(boundAt(at, 2*n), old)
		s.mem.set(boundAt(at, 2*n+1), now)
		next.Results = append(next.Results, r)
	}
	s.val[call] = av{sub: map[string]av{"#0": {ptr: at, fns: []fnValue{{sum: next, at: at}}}, "#1": {ptr: end, fns: []fnValue{{sum: stop, at: end}}}}}
}

// heap is for functions of package container/heap, which call methods of the heap. It returns false
// for other functions, and if these methods are not known.
func (f *flow) heap(s *state, call ssa.CallInstruction, at ssa.Instruction, set func(av)) bool {
	c := call.Common()
	fn := c.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "container/heap" {
		return false
	}
	name, args := fn.Name(), []av{s.get(c.Args[0])}
	switch name {
	case "Push":
		args = append(args, s.get(c.Args[1]))
	case "Remove":
		name = "Pop"
	}
	methods := func(name string) []target {
		m, _, _ := types.LookupFieldOrMethod(c.Args[0].Type(), false, nil, name)
		method, ok := m.(*types.Func)
		if !ok {
			return nil
		}
		return f.methods(args[0], &ssa.CallCommon{Value: c.Args[0], Method: method})
	}
	f.invoke(s, methods("Less"), args[:1], at, loc{}, nil, false)
	targets := methods(name)
	if leavesSome(at, c.Args[0]) {
		s = s.clone() // those that are left are what they were
	}
	results, ok := f.invoke(s, targets, args, at, loc{valueOf(at), f.nest}, types.NewInterfaceType(nil, nil), true)
	if len(results) == 1 {
		set(results[0])
	}
	return ok
}

// nodes is for lists and rings. All elements of a list are in one place. So are all of a ring,
// which is one of its elements.
func (f *flow) nodes(s *state, name string, args []ssa.Value, at ssa.Instruction, place loc, result func(av)) {
	l := unknown
	if len(args) > 0 {
		l = s.get(args[0])
	}
	one := l
	if strings.HasPrefix(name, "List.") {
		one.tags, one.ptr = nil, l.ptr.add(stepElem)
	}
	value := one.ptr.add(".Value")
	switch _, name, _ := strings.Cut(name, "."); name {
	case "New":
		if place.root == nil {
			return
		}
		s.mem.set(place.add(stepAll), av{})
		if len(args) > 0 {
			place = place.add(stepElem) // of a ring
		}
		result(av{ptr: place})
	case "Init":
		s.clearBelow(l.ptr, "")
		result(l)
	case "PushBack", "PushFront", "InsertBefore", "InsertAfter":
		f.assign(s, value, s.get(args[1]), at)
		result(one)
	case "Remove":
		result(f.load(s, value, types.NewInterfaceType(nil, nil)))
		f.shortened(s, value, at)
	case "Do":
		v := f.load(s, value, types.NewInterfaceType(nil, nil))
		f.invoke(s, f.targets(s, s.get(args[1])), []av{v}, at, loc{}, nil, true)
	case "Next", "Prev", "Move", "Link", "Unlink":
		if v, ok := s.mem.get(value); ok && !strings.Contains(value.path, stepElem) {
			v.other = true // it is known of one element only
			s.mem.set(value, v)
		}
		result(one)
	default:
		result(one)
	}
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// gives reports whether c calls a sequence whose values are known.
func (s *state) gives(c *ssa.CallCommon) bool {
	if c.IsInvoke() || len(c.Args) != 1 || yields(c.Value.Type()) == nil {
		return false
	}
	if p := s.get(c.Value).ptr; p.root != nil {
		for n := range 2 {
			if _, ok := s.mem.get(p.add(stepYield + string(rune('0'+n)))); ok {
				return true
			}
		}
	}
	return false
}

// given returns what a sequence gives as its nth value.
func (s *state) given(v av, n int) av {
	if v.ptr.root != nil {
		if x, ok := s.mem.get(v.ptr.add(stepYield + string(rune('0'+n)))); ok {
			return x
		}
	}
	return av{tags: v.tags, other: true}
}

// sequence is for a call of a sequence that is known by what it gives: the yield function gets
// that.
func (f *flow) sequence(s *state, c *ssa.CallCommon, at ssa.Instruction) bool {
	if !s.gives(c) {
		return false
	}
	targets := f.targets(s, s.get(c.Args[0]))
	v := s.get(c.Value)
	args := slices.Repeat([]av{unknown}, yields(c.Value.Type()).Len())
	for n := range args {
		x, ok := s.mem.get(v.ptr.add(stepYield + string(rune('0'+n))))
		if ok && len(v.only(isStale)) == 0 { // or the sequence was reported
			args[n] = x
		}
	}
	_, ok := f.invoke(s, targets, args, at, loc{}, nil, false)
	return ok
}
