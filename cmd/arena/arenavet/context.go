package arenavet

import (
	"hash/fnv"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// stepCtxValue begins the path of what a context has for a key.
const stepCtxValue = ".Value%"

// ctxValue returns what a context has for a key.
func (f *flow) ctxValue(s *state, ctx av, key ssa.Value) av {
	l := ctxPlace(ctx.ptr, key)
	switch l.root.(type) {
	case nil:
		return unknown
	case *ssa.Parameter, *ssa.FreeVar:
		return f.load(s, l, key.Type())
	}
	if v, ok := s.mem.get(l); ok {
		return v
	}
	return av{other: true, ptr: l}
}

// ctxPlace returns where what a context has for a key lies, or nothing if the key is not known.
func ctxPlace(ctx loc, key ssa.Value) loc {
	m, ok := key.(*ssa.MakeInterface)
	if !ok || ctx.root == nil {
		return loc{}
	}
	name := ""
	switch x := m.X.(type) {
	case *ssa.Const:
		name = x.String()
	case *ssa.Global:
		name = globalName(x)
	case *ssa.UnOp: // a variable of the package, which is taken to be set once
		if g, ok := x.X.(*ssa.Global); ok {
			name = globalName(g)
		}
	}
	if name == "" {
		return loc{}
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return ctx.add(stepCtxValue + strconv.FormatUint(uint64(h.Sum32()), 36))
}

// withValue is for context.WithValue. The new context has its own value, and the values and the
// arena of the other one.
func (f *flow) withValue(s *state, args []ssa.Value, at ssa.Instruction, place loc) av {
	ctx, x := s.get(args[0]), s.get(args[2])
	if place.root == nil {
		return unknown
	}
	arena, ok := s.mem.get(ctx.ptr.add(stepCtx))
	if !ok {
		arena = unknown
		if ctx.ptr.root != nil {
			arena = av{tags: []tag{{life: f.lifeAt(ctx.ptr.add(stepCtx)), kind: isArena}}}
		}
	}
	s.mem.set(place.add(stepCtx), arena)
	if ctx.ptr.root != nil {
		s.below(ctx.ptr, func(l loc, v av) {
			if step := l.path[len(ctx.ptr.path):]; strings.HasPrefix(step, stepCtxValue) {
				s.mem.set(place.add(step), v)
			}
		})
	}
	if l := ctxPlace(place, args[1]); l.root != nil {
		f.assign(s, l, x, at)
	}
	// Of the context, only what is known to lie in an arena counts.
	v := av{ptr: place, tags: ctx.only(func(t tag) bool { return t.kind == inMemory })}
	return v.with(x.only(func(t tag) bool { return t.kind == inMemory || t.kind == ofParam })...)
}
