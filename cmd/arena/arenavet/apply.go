package arenavet

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// apply does what a function does that has a summary. If sure is false, the function may not be called at all.
func (f *flow) apply(s *state, sum *summary, args []ssa.Value, at ssa.Instruction, set func(av), value *ssa.Call, sure bool) {
	params := make([]av, len(args))
	for n, a := range args {
		params[n] = unknown
		if a != nil {
			params[n] = s.get(a)
		}
	}
	f.applyValues(s, sum, params, at, set, value, sure)
}

// at returns what lies at a place of a call.
func (f *flow) at(s *state, params []av, p place, wantArena bool) av {
	v := f.lies(s, params, p, wantArena)
	if p.Param >= 0 && p.Param < len(params) {
		v = f.through(params[p.Param], v)
	}
	return v
}

func (f *flow) lies(s *state, params []av, p place, wantArena bool) av {
	var base loc
	switch {
	case p.Param >= len(params) || p.Param == -2:
		return unknown
	case p.Param == -1:
		g := f.c.global(p.Global)
		if g == nil {
			return unknown
		}
		base = loc{g, strings.TrimSuffix(p.Path, stepValue)}
	default:
		if p.Path == "" {
			return params[p.Param]
		}
		if v, ok := params[p.Param].sub[p.Path]; ok {
			return v
		}
		base = params[p.Param].ptr
		if base.root == nil {
			if params[p.Param].zero() {
				return av{}
			}
			return unknown
		}
		var null bool
		if base, null = s.follow(base, strings.TrimSuffix(p.Path, stepValue)); null {
			return av{}
		}
	}
	if !base.known() {
		return unknown
	}
	if path, ok := strings.CutSuffix(base.path, stepAddr); ok {
		base.path = path
		l := f.newLife(lifeKey{base.root, path + stepAddr}, lifeFound, nil)
		return av{tags: []tag{{life: l, kind: isArena}}, ptr: base}
	}
	if v, ok := s.mem.get(base); ok {
		return v
	}
	if strings.HasSuffix(base.path, stepElem) {
		return f.element(s, loc{base.root, strings.TrimSuffix(base.path, stepElem)}, stepElem, types.Typ[types.String])
	}
	if wantArena && !strings.Contains(base.path, "[") {
		for path, ok := base.path, true; ok; path, ok = parentPath(path) {
			if _, found := s.mem.get(loc{base.root, path + stepAll}); found {
				return unknown
			}
		}
		return av{tags: []tag{{life: f.lifeAt(base), kind: isArena}}, ptr: base.add(stepDeref)}
	}
	return f.load(s, base, types.Typ[types.String])
}

// follow returns the place at the end of a path. Where a pointer is known it goes on at what that points to. It reports whether the
// path goes through a pointer or a slice that is surely nil.
func (s *state) follow(l loc, path string) (_ loc, null bool) {
	for {
		before, after, found := strings.Cut(path, stepDeref)
		l = l.add(before)
		if !found {
			return l, null
		}
		v, ok := s.mem.get(l)
		if !ok && l.path == "" {
			_, ok = l.root.(*ssa.Alloc) // which is zero
			ok = ok && len(s.mem[l.root]) == 0
		}
		if ok && v.ptr.root != nil {
			l = v.ptr
		} else {
			null = null || ok && v.zero()
			l = l.add(stepDeref)
		}
		path = after
	}
}

func (f *flow) applyValues(s *state, sum *summary, params []av, at ssa.Instruction, set func(av), value *ssa.Call, sure bool) {
	for _, p := range sum.Allocs {
		f.perhaps = slices.Contains(sum.Perhaps, p)
		f.allocates(s, f.at(s, params, p, true), at)
	}
	for _, p := range sum.Reads {
		f.perhaps = slices.Contains(sum.Perhaps, p)
		f.useValue(s, f.at(s, params, p, false), at, func(s *state) av { return f.at(s, params, p, false) })
	}
	f.perhaps = false
	if sum.Waits {
		s.waited()
	}
	if sum.Lends {
		for _, p := range params {
			f.lend(s, p, at)
		}
	}
	for _, e := range sum.Ends {
		v := f.at(s, params, e.At, !e.Sync)
		all := arenas(v)
		if e.Sync {
			all = nil
			for _, l := range holders(v) {
				if l.kind == lifeSync {
					all = append(all, l)
				}
			}
			if len(v.tags) == 1 && v.tags[0].kind == ofParam && !v.other && f.looking && f.probe == nil && e.Sure {
				f.sum.putParam(v.tags[0], at)
			}
		}
		what := e.What
		if call, ok := at.(ssa.CallInstruction); ok {
			what = f.callee(call) + ", which calls " + e.What
		}
		if i := strings.Index(what, ", which calls "); i >= 0 {
			if j := strings.LastIndex(what, ", which calls "); j > i {
				what = what[:i] + what[j:]
			}
		}
		for _, l := range all {
			f.finish(s, l, at, what, e.Closes, e.Soft, sure && e.Sure && len(all) == 1 && !v.other)
		}
	}
	for _, p := range sum.Clears {
		switch {
		case p.Param == -1:
			if g := f.c.global(p.Global); g != nil {
				s.clear(loc{g, p.Path})
				f.clears(loc{g, p.Path})
			}
		case p.Param < len(params) && params[p.Param].ptr.root != nil:
			l, _ := s.follow(params[p.Param].ptr, p.Path)
			s.clear(l)
			f.clears(l)
		}
	}
	lives := map[int]*life{}
	captured := false // what a function literal stores in a variable of its caller is reported there
	decode := func(v sumValue) av {
		r := av{other: v.Other}
		for _, t := range v.Tags {
			if t.New != lifeFound {
				l := lives[t.N]
				if l == nil {
					root := valueOf(at)
					if root == nil {
						r.other = true
						continue
					}
					var parent *life
					if t.New == lifeMember {
						parent = f.groupOf(f.at(s, params, t.Of, true))
					}
					l = f.newLife(lifeKey{root, "new" + string(rune('0'+t.N))}, t.New, parent)
					lives[t.N] = l
					s.renew(l, at)
					if t.Kind != isArena || value == nil || !handle(value.Type()) {
						// The arena is somebody else's, or there may be none.
						s.lend(l)
					}
				}
				if t.Lent {
					s.lend(l)
				}
				made := tag{life: l, kind: t.Kind, made: at}
				if t.Stale && captured {
					made.end = f.endOf(at, l)
					r.other = r.other || !sure // it may not have been called so far
				}
				r = r.with(made)
				continue
			}
			x := f.at(s, params, t.Of, t.Kind != ofParam)
			switch t.Kind {
			case ofParam:
				r = joinValues(r, av{tags: x.tags, other: x.other, ptr: x.ptr, sub: x.sub})
			case isArena:
				r = r.with(x.only(func(t tag) bool { return t.kind == isArena })...)
				r.other = r.other || x.other
			case inMemory:
				m := made(x, at)
				if t.Stale {
					for i := range m.tags {
						m.tags[i].end = f.endOf(at, m.tags[i].life)
					}
				}
				r = r.with(m.tags...)
				r.other = r.other || m.other
			}
		}
		return r
	}
	whole := func(v sumValue) (r av, below map[string]av) {
		r = decode(v)
		for path, x := range v.Below {
			if below == nil {
				below = map[string]av{}
			}
			below[path] = decode(x)
		}
		return r, below
	}
	type write struct {
		l    loc
		v    av
		weak bool
		at   ssa.Instruction

		below map[string]av // what is in memory that the function has made
	}
	var writes []write
	for _, st := range sum.Stores {
		var base loc
		switch {
		case st.At.Param == -1:
			g := f.c.global(st.At.Global)
			if g == nil {
				continue
			}
			base = loc{g, st.At.Path}
		case st.At.Param < len(params) && params[st.At.Param].ptr.root != nil:
			base, _ = s.follow(params[st.At.Param].ptr, st.At.Path)
		default:
			continue
		}
		w := write{l: base, weak: st.Weak || !sure, at: st.at}
		captured = st.At.Param >= sum.Params
		w.v, w.below = whole(st.Value)
		captured = false
		writes = append(writes, w)
	}
	// Results, too, are said in terms of what was there when the function began.
	results := make([]write, len(sum.Results))
	for n, v := range sum.Results {
		results[n].v, results[n].below = whole(v)
	}
	for _, w := range writes {
		if !w.l.known() {
			continue
		}
		if w.v.ptr.root == nil && (!w.v.zero() || len(w.below) > 0) {
			w.v.ptr = w.l.add(stepDeref)
		}
		if f.note(s, w.l, w.v, at); w.at != nil {
			f.stored(w.l, w.v, w.at)
		}
		if w.weak {
			old, ok := s.mem.get(w.l)
			if !ok {
				old = s.absent(w.l)
			}
			s.mem.set(w.l, joinValues(old, w.v))
		} else {
			s.store(w.l, w.v)
		}
		if _, anew := w.below[stepAll]; anew && !w.weak && w.v.ptr.root != nil {
			s.forget(w.v.ptr.add(stepElem)) // as for x = x[:0]
		}
		for path, x := range w.below {
			l := w.v.ptr.add(path)
			if !l.known() {
				continue
			}
			f.note(s, l, x, at)
			s.mem.set(l, x)
		}
	}
	for _, p := range sum.Goes {
		if all := arenas(f.at(s, params, p, true)); len(all) == 1 {
			s.gos[f.goroutine(at, all, nil)] = true
		}
	}
	if set == nil || value == nil {
		return
	}
	one := func(n int, t types.Type) av {
		v, below := results[n].v, results[n].below
		root := loc{value, ""}
		if n > 0 {
			root = root.add(".#" + extracted(n))
		}
		if v.ptr.root == nil && !v.zero() || len(below) > 0 {
			v.ptr = root
		}
		if isStruct(t) && len(below) > 0 {
			v.sub = maps.Clone(v.sub)
			if v.sub == nil {
				v.sub = map[string]av{}
			}
		}
		for path, x := range below {
			if isStruct(t) && strings.Count(path, ".") == 1 && !strings.ContainsAny(path, "[^*") {
				v.sub[path] = x
			}
			s.mem.set(root.add(path), x)
		}
		return v
	}
	if t, ok := value.Type().(*types.Tuple); ok {
		sub := map[string]av{}
		for n := range t.Len() {
			if n < len(sum.Results) && carries(t.At(n).Type()) {
				sub[extracted(n)] = one(n, t.At(n).Type())
			}
		}
		s.val[value] = av{sub: sub}
		return
	}
	if len(sum.Results) == 1 && carries(value.Type()) {
		set(one(0, value.Type()))
		return
	}
	set(unknown)
}

func (f *flow) endOf(at ssa.Instruction, l *life) *end {
	k := endKey{at, l}
	if f.endAt[k] == nil {
		f.endAt[k] = &end{at: at, what: "the end of the arena in " + f.c.nameAt(at), life: l}
	}
	return f.endAt[k]
}
