package arenavet

import (
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

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
	case p.Param == ofCall:
		if v, ok := f.results[p.Path]; ok {
			return v
		}
		return unknown
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
	if strings.HasSuffix(base.path, pathTable) {
		return av{tags: []tag{{life: f.newLife(lifeKey(base), lifeTable, nil), kind: inMemory}}}
	}
	if path, ok := strings.CutSuffix(base.path, stepAddr); ok {
		base.path = path
		l := f.newLife(lifeKey{base.root, path + stepAddr}, lifeFound, nil)
		return av{tags: []tag{{life: l, kind: isArena}}, ptr: base}
	}
	v, ok := s.mem.get(base)
	if v.sub == nil && (ok || strings.HasSuffix(p.Path, stepValue)) {
		if v.sub = s.fields(base); len(v.sub) > 0 {
			return v
		}
		v.sub = nil
	}
	if ok {
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

// fields returns what is known of the fields of a struct that lies at a place.
func (s *state) fields(l loc) map[string]av {
	all := map[string]av{}
	s.below(l, func(k loc, x av) {
		if field := k.path[len(l.path):]; strings.HasPrefix(field, ".") && !strings.ContainsAny(field, stepDeref+"[") {
			all[field] = x
		}
	})
	return all
}

// follow returns the place at the end of a path. Where a pointer is known it goes on at what that
// points to. It reports whether the path goes through a pointer or a slice that is surely nil.
func (s *state) follow(l loc, path string) (_ loc, null bool) {
	for {
		before, after, found := strings.Cut(path, stepDeref)
		l = l.add(before)
		if !found {
			return l, null
		}
		v, ok := s.mem.get(l)
		if before, elem := strings.CutSuffix(l.path, stepElem); elem && !ok {
			v = s.f.element(s, loc{l.root, before}, stepElem, types.Typ[types.String])
			ok = v.ptr.root != nil && v.ptr.root != l.root
		}
		if !ok && l.path == "" {
			_, ok = l.root.(*ssa.Alloc) // which is zero
			ok = ok && len(s.mem.roots[l.root]) == 0
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

// apply does what a function does that has a summary, and returns its results, which are of type
// typ. What these lead to lies at root. If sure is false, the function may not be called at all.
func (f *flow) apply(s *state, sum *summary, params []av, at ssa.Instruction, root loc, typ types.Type, sure bool) []av {
	f.steps += sum.steps()
	if call, ok := at.(*ssa.Call); ok && len(sum.Outcomes) > 0 && f.nest == "" {
		f.decides[call] = true
		if f.said.call == call {
			sum = sum.saying(f.said.outcome)
		}
	}
	if call, ok := at.(*ssa.Call); ok && (len(sum.Ways) > 0 || sum.mayEnd()) {
		if f.taken.sum == sum && f.taken.call == call {
			if sure = true; f.taken.ends {
				sum = sum.ending()
			} else {
				sum = sum.on(f.taken.sumWay)
			}
		} else if !slices.Contains(f.ways[call], sum) {
			f.ways[call] = append(f.ways[call], sum)
		}
	}
	for _, p := range sum.Allocs {
		f.perhaps = slices.Contains(sum.Perhaps, p)
		f.allocates(s, f.at(s, params, p, true), at)
	}
	for _, p := range sum.Reads {
		f.perhaps = slices.Contains(sum.Perhaps, p)
		look := func(s *state) av { return f.at(s, params, p, false) }
		if strings.Contains(p.Path, stepKey) {
			f.useKey(s, at, look)
			continue
		}
		v := look(s)
		f.useAs(isUsed, v, at, slices.Contains(sum.Each, p) && !v.ofPool(), look)
	}
	f.usedAfter(s, sum, params, at)
	f.perhaps = false
	if sum.Waits {
		f.sum.Waits = true
		s.waited()
		defer func(before bool) { f.waits = before }(f.waits)
		f.waits = true
	}
	if sum.Locks {
		s.locked()
	}
	if sum.Lends {
		for _, p := range params {
			f.lend(s, p)
		}
	}
	f.handedOn(s, sum, params, at, sure)
	lives := map[int]*life{}
	decode := func(v sumValue, in bool) av {
		r := av{other: v.Other, none: v.None, dyn: f.c.decodeTypes(v.Dyn)}
		for _, t := range v.Tags {
			if t.New != lifeFound {
				l := lives[sum.oneOfPools(t)]
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
					n := sum.oneOfPools(t)
					l = f.newLife(lifeKey{root, f.nest + "new" + string(rune('0'+n))}, t.New, parent)
					lives[n] = l
					s.renew(l, at)
					if t.New == lifeMark {
						s.begins(at)
					}
					inside := t.New == lifePool && f.nest == "" && sum.gives(t)
					if f.held[l] = inside; !inside && (t.Kind != isArena || typ == nil || !handle(typ)) {
						// The arena is somebody else's, or there may be none.
						s.lend(l)
					}
				}
				if t.Lent {
					s.lend(l)
				}
				made := tag{life: l, kind: t.Kind, made: at, some: t.Some, deep: t.Deep}
				if t.Stale {
					made.end = f.endIn(at, l)
					r.other = r.other || !sure && !in // it may not have been called so far
				}
				r = r.with(made)
				continue
			}
			x := f.at(s, params, t.Of, t.Kind != ofParam)
			if a := arenas(f.at(s, params, t.Lay, true)); t.Kind == ofParam && t.Stale && len(a) == 1 {
				x, _ = x.ending(f.rewindIn(at, a[0]), true)
			}
			if t.Some {
				x, _ = x.change(true, func(t tag) tag { t.some = true; return t })
			}
			if t.Deep && t.Kind == ofParam {
				for _, t := range x.tags {
					if t.deep = true; t.life.kind != lifeSync { // what refers to a pooled value is seldom pooled itself
						r = r.with(t)
					}
				}
				continue
			}
			switch t.Kind {
			case ofParam:
				x = av{tags: x.tags, other: x.other, ptr: x.ptr, sub: x.sub, fns: x.fns, dyn: x.dyn}
				if len(v.Tags) > 1 { // the value may be another one, with other fields
					x.sub = maps.Clone(x.sub)
					for field, part := range x.sub {
						part.other = true
						x.sub[field] = part
					}
				}
				if v.Parts && x.sub != nil { // or some fields are others
					x.sub = maps.Clone(x.sub)
					maps.DeleteFunc(x.sub, func(step string, _ av) bool { _, set := v.Below[step]; return set })
				}
				if in {
					r = joinElements(r, x)
				} else {
					r = joinValues(r, x)
				}
			case isArena:
				r = r.with(x.only(func(t tag) bool { return t.kind == isArena })...)
				r.other = r.other || x.other
			case inMemory:
				m, old := made(x, at), t.Old && !t.Stale
				if lay := f.at(s, params, t.Lay, false); t.Lay.Path != "" && len(x.tags) == 1 && slices.ContainsFunc(lay.tags, func(x tag) bool { return isStale(x) || x.kind == inMemory && !strings.Contains(t.Lay.Path, "[") }) {
					m, old = av{tags: lay.tags, other: lay.other}, false
				}
				if strings.HasSuffix(t.Of.Path, pathTable) && len(x.tags) == 1 {
					m = av{tags: []tag{{life: x.tags[0].life, kind: inMemory, made: at}}}
				}
				if old {
					for i, tag := range m.tags {
						if c := s.lives[tag.life]; c.ended != nil && !c.open {
							m.tags[i].end = c.ended
						}
					}
				}
				if t.Stale {
					for i := range m.tags {
						m.tags[i].end = f.endIn(at, m.tags[i].life)
					}
				}
				for i := range m.tags {
					m.tags[i].deep = m.tags[i].deep || t.Deep
					if t.Grown {
						m.tags[i].grown = f.grownFrom(f.at(s, params, t.From, false))
					}
				}
				r = r.with(m.tags...)
				r.other = r.other || m.other
			}
		}
		return r
	}
	made := memoryOf{loc{valueOf(at), f.nest}, decode}
	outer := f.results
	f.results = map[string]av{}
	defer func() { f.results = outer }()
	if slices.ContainsFunc(sum.Calls, func(c sumCall) bool { return len(c.Scopes) > 0 }) {
		s.begins(at)
	}
	behind := f.behind
	f.behind = nil
	for n, call := range sum.Calls {
		f.results[strconv.Itoa(n)] = f.applyCall(s, sum, n, call, params, at, made, lives, sure)
	}
	for _, end := range f.behind {
		end()
	}
	f.behind = behind
	for _, st := range sum.Stores {
		if n := st.At.Param; n >= 0 && n < len(params) && st.At.Path != "" && len(st.Value.Tags) == 0 {
			s.overwrites(params[n])
		}
		if sure && !st.Weak && st.At.Param >= 0 && st.At.Param < len(params) && st.Value.isNew() {
			f.empties(s, params[st.At.Param], st.At.Path, sum.paramType(st.At.Param, at))
		}
	}
	live := make([]bool, len(sum.Ends))
	for n, e := range sum.Ends {
		live[n] = e.With && !slices.ContainsFunc(f.at(s, params, e.At, false).tags, isStale)
	}
	for n, e := range sum.Ends {
		v := f.at(s, params, e.At, !e.Sync)
		if e.Sync {
			once := f.once
			f.once, f.with = once || e.Once || live[n], e.With
			f.puts(s, func(s *state) av { return f.at(s, params, e.At, false) }, at, f.whichCalls(at, e.What), sure && e.Sure, strings.Contains(e.At.Path, "["), e.When)
			f.once, f.with = once, false
			if call, ok := at.(ssa.CallInstruction); ok && sure && f.nest == "" && call.Common().StaticCallee() != nil {
				if x := e.putBy(call.Common()); x != nil {
					f.gone(s, x, at, f.whichCalls(at, e.What))
				}
			}
			continue
		}
		if strings.HasSuffix(e.At.Path, pathTable) {
			f.addsKeyIn(s, v, e, at, sure && e.Sure)
			continue
		}
		all := arenas(v)
		for _, l := range all {
			what, sure := f.whichCalls(at, e.What), sure && e.Sure && len(all) == 1 && !v.other
			f.endOf(end{at: at, what: what, life: l, soft: e.Soft}).when = e.When
			f.finish(s, l, at, what, e.Closes, e.Soft, sure)
			params = slices.Clone(params)
			for n, p := range params { // which the function may return
				params[n], _ = p.ending(f.endOf(end{at: at, what: what, life: l, soft: e.Soft}), sure)
			}
		}
	}
	for _, r := range sum.Rewinds {
		f.rewinds(s, f.at(s, params, r.Arena, true), f.at(s, params, r.Mark, false), at, f.whichCalls(at, r.What), sure && r.Sure)
	}
	for _, p := range sum.Clears {
		switch {
		case p.Param == -1:
			if g := f.c.global(p.Global); g != nil {
				f.empty(s, loc{g, p.Path})
			}
		case p.Param < len(params) && params[p.Param].ptr.root != nil:
			l, _ := s.follow(params[p.Param].ptr, p.Path)
			f.empty(s, l)
		}
	}
	type write struct {
		l    loc
		null bool // it is below something that the function may make
		sumStore
		v resolved
	}
	var writes []write
	for _, st := range sum.Stores {
		var base loc
		var null bool
		switch {
		case st.At.Param == -1:
			g := f.c.global(st.At.Global)
			if g == nil {
				continue
			}
			base = loc{g, st.At.Path}
		case st.At.Param < len(params) && params[st.At.Param].ptr.root != nil:
			base, null = s.follow(params[st.At.Param].ptr, st.At.Path)
		default:
			continue
		}
		if st.Finds {
			if p, ok := f.sum.placeOf(lifeKey(base)); ok {
				f.finds[p] = true
			}
			if old, ok := s.mem.get(base); ok && old.ptr.root != nil {
				continue // what may be made is like what was there
			}
		}
		writes = append(writes, write{base, null, st, made.resolve(st.Value, strings.Contains(st.At.Path, "["))})
	}
	// Results, too, are said in terms of what was there when the function began.
	results, found := make([]resolved, len(sum.Results)), make([]av, len(sum.Results))
	for n, v := range sum.Results {
		results[n] = made.resolve(v, false)
		if t := resultAt(typ, n); v.ofField() && t != nil && types.IsInterface(t) {
			results[n].v.tags = results[n].v.only(notPooled) // as fallback has it
		} else if p, ok := v.pointer(); ok && t != nil && isSlice(t) {
			results[n].v = results[n].v.behind(f.at(s, params, p, false))
		}
		if v.finds() {
			found[n] = f.at(s, params, *v.Lies, false)
		}
	}
	for _, w := range writes {
		if w.null {
			w.l, _ = s.follow(params[w.At.Param].ptr, w.At.Path)
		}
		if !w.l.known() {
			continue
		}
		weak := w.Weak || !sure
		if _, anew := w.Value.Below[stepAll]; anew && !weak {
			s.forget(w.l.add(stepDeref + stepElem)) // as for x = x[:0]
		}
		v := f.place(s, w.v, w.l.add(stepDeref), made)
		if old, ok := s.mem.get(w.l); ok && slices.ContainsFunc(w.Value.Tags, func(t sumTag) bool {
			return t.Kind == ofParam && t.Of.Param == w.At.Param && strings.TrimSuffix(t.Of.Path, stepValue) == w.At.Path
		}) {
			v.from = old.ptr // what was there has grown
		}
		if n := w.At.Param; n >= 0 && v.ptr == params[n].ptr {
			if t := sum.paramType(n, at); t != nil && isSliceField(fieldAlong(t, w.At.Path)) {
				v.ptr = w.l.add(stepDeref) // it is of the pool as the struct is, and not the struct
			}
		}
		if f.note(s, w.l, v, at); w.at != nil {
			f.stored(w.l, v, w.at)
		}
		if weak {
			s.perhaps(w.l, v)
		} else {
			s.store(w.l, v)
		}
		if len(w.Value.Below) > 0 && v.ptr.root != nil {
			s.below(v.ptr, func(l loc, x av) {
				if l == v.ptr {
					return
				}
				if f.note(s, l, x, at); w.at != nil && isIn(w.at.Parent(), f.fn) {
					f.stored(l, x, w.at)
				}
			})
		}
	}
	f.sends(s, sum, params, at, sure)
	if root.root == nil {
		return nil
	}
	all := make([]av, len(results))
	for n, r := range results {
		l := root
		if n > 0 {
			l = root.add(".#" + extracted(n))
		}
		t := resultAt(typ, n)
		v := f.place(s, r, l, made)
		if t != nil && isStruct(t) {
			v = s.withFields(v, sum.Results[n])
		}
		if cell := sum.Results[n].Cell; cell > 0 {
			if t != nil && isStruct(t) {
				v = joinValues(f.load(s, made.cell(cell), t), v)
			} else if x, ok := s.mem.get(made.cell(cell)); ok {
				v = joinValues(x, v)
			}
		}
		if sum.Results[n].finds() && (v.ptr.root == nil || v.ptr == l.add(stepDeref) || v.ptr == l) {
			x := f.at(s, params, *sum.Results[n].Lies, false)
			if x.lost {
				x = found[n]
			}
			if x.ptr.root != nil {
				v = x
			}
		}
		all[n] = v
	}
	return all
}

// ofField reports whether a value is what lies in a field of a parameter.
func (v sumValue) ofField() bool {
	return len(v.Tags) == 1 && v.Tags[0].Kind == ofParam && strings.Contains(v.Tags[0].Of.Path, ".")
}

// pointer returns the place of the pointer that leads to what a function returns.
func (v sumValue) pointer() (p place, ok bool) {
	if len(v.Tags) != 1 || v.Tags[0].Kind != ofParam {
		return p, false
	}
	p = v.Tags[0].Of
	if p.Path == stepValue {
		p.Path = ""
		return p, true
	}
	p.Path, ok = strings.CutSuffix(p.Path, stepDeref)
	return p, ok
}

// isIn reports whether a function is a literal in another one.
func isIn(fn, outer *ssa.Function) bool {
	for fn != nil && fn != outer {
		fn = fn.Parent()
	}
	return fn != nil
}

func isSliceField(field *types.Var) bool { return field != nil && isSlice(field.Type()) }

// paramType returns the type of a parameter of a function that an instruction calls, or of a
// variable that the function has captured. It returns nil if nothing is known of it.
func (s *summary) paramType(n int, at ssa.Instruction) types.Type {
	if s.fn != nil && n < len(s.fn.Params) {
		return s.fn.Params[n].Type()
	}
	if s.fn != nil && n-len(s.fn.Params) < len(s.fn.FreeVars) {
		return s.fn.FreeVars[n-len(s.fn.Params)].Type()
	}
	if call, ok := at.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil && n < len(call.Common().Args) {
		return call.Common().Args[n].Type()
	}
	return nil
}

// behind returns v, a slice to which a pointer leads: if that is a value of a sync.Pool, the slice
// is of the pool.
func (v av) behind(p av) av {
	switch {
	case !v.other || p.other || len(p.tags) != 1 || p.tags[0].life.kind != lifeSync || p.ptr.root != p.tags[0].life.root:
	case p.ptr.path == "" && v.of(p.tags[0].life):
		v.other = false
	case v.ptr == p.ptr.add(stepDeref): // it was never stored
		v.tags, v.other = p.tags, false
	}
	return v
}

// resultAt returns the type of a result of a call. The results are of type t.
func resultAt(t types.Type, n int) types.Type {
	if tuple, ok := t.(*types.Tuple); ok && n < tuple.Len() {
		return tuple.At(n).Type()
	}
	return t
}

// usedAfter reports what a called function uses when it has ended the arena of that.
func (f *flow) usedAfter(s *state, sum *summary, params []av, at ssa.Instruction) {
	if !f.looking {
		return
	}
	for _, a := range sum.After {
		v, arena := f.at(s, params, a.Read, false), f.at(s, params, a.End, true)
		if len(arena.tags) != 1 || arena.other || arena.tags[0].kind == ofParam {
			continue
		}
		e := f.endOf(end{at: at, what: f.whichCalls(at, a.What), life: arena.tags[0].life})
		look := func(s *state) av {
			v, _ := f.at(s, params, a.Read, false).ending(e, true)
			return v
		}
		if v.given() {
			if p, ok := f.sum.placeOf(v.tags[0].life.lifeKey); ok {
				f.sum.addAfter(p, e.life, e, at, a.Sure && f.isDone(at))
			}
			continue
		}
		f.perhaps, f.inside = !a.Sure, a.at
		f.useAs(isUsed, look(s), at, false, look)
		f.inside = nil
	}
}

// withFields returns v, which is a struct whose fields are known in a summary, with these.
func (s *state) withFields(v av, known sumValue) av {
	v.sub = maps.Clone(v.sub)
	for path := range known.Below {
		if strings.Count(path, ".") == 1 && !strings.ContainsAny(path, "[^*~%") {
			if v.sub == nil {
				v.sub = map[string]av{}
			}
			v.sub[path], _ = s.mem.get(v.ptr.add(path))
		}
	}
	return v
}

// sends is for goroutines of a called function that nobody has waited for.
func (f *flow) sends(s *state, sum *summary, params []av, at ssa.Instruction, sure bool) {
	var holds, uses, calls []*life
	send := len(sum.Runs) == 0 // they are the receivers of a channel
	var args []ssa.Value
	if len(sum.Starts) > 0 {
		args = f.arguments(s, sum, at)
	}
	var ways [][]sumNeed
	free, maybe := false, true // a way asks for nothing; this function may know that none is taken
	starts := func(p place) bool {
		here, may, perhaps := f.starts(s, sum.start(p), args, at)
		ways, free = append(ways, here...), free || may && len(here) == 0
		maybe = maybe && (perhaps || !may)
		return may
	}
	for _, p := range sum.Sends {
		if all := f.heldBy(s, f.at(s, params, p, false)); len(all) > 0 && starts(p) {
			holds, send = append(holds, all...), send && slices.Contains(sum.Sent, p)
		}
	}
	for _, p := range sum.Goes {
		if all := arenas(f.at(s, params, p, true)); len(all) == 1 && starts(p) {
			holds, send = append(holds, all...), false
		}
	}
	for _, p := range sum.Runs {
		if !starts(p) {
			continue
		}
		v := f.at(s, params, p, false)
		if v.given() {
			calls = append(calls, v.tags[0].life)
		}
		for _, t := range f.targets(s, v) {
			has, in := f.runs(s, t.sum, append(slices.Repeat([]av{unknown}, t.sum.Params), t.bound...), at)
			holds, uses = append(holds, has...), append(uses, in...)
		}
	}
	if len(holds)+len(uses)+len(calls) > 0 {
		g := f.goroutine(at, holds, uses)
		if g.ways = ways; free {
			g.ways = nil
		}
		g.maybe = maybe
		g.calls, g.send, g.quiet = calls, send, !sum.Loud && !slices.ContainsFunc(sum.Runs, func(p place) bool { return p.Path == "" })
		g.some, g.when = !sure || sum.Some || sum.GoesIf != anyOutcome && !decides(at), sum.GoesIf
		s.gos.start(g)
	}
}

// addsKeyIn is for a call of a function that adds a key to a Map. The key may be an argument.
func (f *flow) addsKeyIn(s *state, table av, e sumEnd, at ssa.Instruction, sure bool) {
	call, ok := at.(*ssa.Call)
	if !ok || len(table.tags) != 1 || table.tags[0].life.kind != lifeTable {
		return
	}
	var key ssa.Value
	if n := e.Key - 1; n >= 0 && f.nest == "" && call.Call.StaticCallee() != nil && n < len(call.Call.Args) {
		key = call.Call.Args[n]
	}
	f.addsKey(s, table.tags[0].life, key, at, f.whichCalls(at, e.What), sure && key != nil)
	if key != nil {
		s.lastKey(table.tags[0].life, key)
	}
}

// whichCalls names a call by what it calls in the end.
func (f *flow) whichCalls(at ssa.Instruction, what string) string {
	const calls = ", which calls "
	call, ok := at.(ssa.CallInstruction)
	if !ok {
		return what
	}
	callee, what := f.callee(call), what[strings.LastIndex(calls+what, calls):]
	switch {
	case what == nextTurn:
		return callee + ", which begins " + what
	case isLoop(call):
		return "the loop over " + callee + calls + what
	}
	return callee + calls + what
}

// endIn returns the end of an arena, or of a value of a sync.Pool, by a call.
func (f *flow) endIn(at ssa.Instruction, l *life) *end {
	what := "the end of the arena"
	if l.kind == lifeSync {
		what = "sync.Pool.Put"
	}
	where := f.calleeAt(at)
	if call, ok := at.(ssa.CallInstruction); ok && slices.ContainsFunc(call.Common().Args, isFunc) {
		where = "what " + where + " calls"
	}
	return f.endOf(end{at: at, what: what + " in " + where, life: l, within: true})
}

// rewindIn returns the end of a scope by a Rewind in a called function. What that has called lies
// in the scope.
func (f *flow) rewindIn(at ssa.Instruction, l *life) *end {
	return f.endOf(end{at: at, what: "the Rewind in " + f.calleeAt(at), life: l, since: scope{at, true}})
}

// endOf returns the end that an instruction is for a life: always the same one.
func (f *flow) endOf(e end) *end {
	k := endKey{e.at, e.life, e.since}
	if f.endAt[k] == nil {
		f.endAt[k] = &e
	}
	return f.endAt[k]
}
