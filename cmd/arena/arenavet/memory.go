package arenavet

import (
	"cmp"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// store puts v at l. It takes the place of what was there, unless other values may be there, too.
func (s *state) store(l loc, v av) {
	if !l.known() {
		return
	}
	if strings.Contains(l.path, "[") || strings.Contains(l.path, stepAll) {
		s.perhaps(l, v)
		return
	}
	if v.ptr != l.add(stepDeref) { // or it is there already
		s.forget(l)
	}
	sub := v.sub
	v.sub = nil
	s.mem.set(l, v)
	for f, x := range sub {
		s.store(l.add(f), x)
	}
}

// perhaps is store for a value that is there now, or what was there before.
func (s *state) perhaps(l loc, v av) {
	old, ok := s.mem.get(l)
	if !ok {
		old = s.absent(l)
	}
	sub := v.sub
	v.sub = nil
	r := joinValues(old, v)
	if len(sub) == 0 { // or it is a struct, whose fields are known
		r = s.joinPlaces(s, l, old, v)
	}
	r.none = r.none || v.zero() && !old.zero() && !strings.ContainsAny(l.path, "["+stepAll)
	if !ok || !equalValues(r, old) {
		s.mem.set(l, r)
	}
	for f, x := range sub {
		s.perhaps(l.add(f), x)
	}
}

// joinPlaces is joinValues for v on the ways of s, and w on the ways of o, which lie at a place. A
// pointer to one of two things has what lies there.
func (s *state) joinPlaces(o *state, at loc, v, w av) av {
	r := joinValues(v, w)
	if !r.lost || !v.ptr.made() && !w.ptr.made() || at.root != nil && s.f.hasBelow(s, at.add(".")) {
		return r // or it is a struct, which was copied from one of two places
	}
	for _, way := range []struct {
		s *state
		l loc
	}{{s, v.ptr}, {o, w.ptr}} {
		if !way.l.made() {
			continue
		}
		way.s.reachable(way.l, func(_ loc, x av) {
			for _, t := range x.tags {
				if t.deep = true; (t.kind == inMemory || t.kind == ofParam) && t.life.kind != lifeTable && len(r.tags) < maxTags {
					r = r.with(t)
				}
			}
		})
	}
	return r
}

// overwrites is for what v may point to. A part of it is something else from here on, so what it
// had of arenas may be gone.
func (s *state) overwrites(v av) {
	deep := v.only(func(t tag) bool { return t.deep })
	if len(deep) == 0 {
		return
	}
	s.change(func(x av) (av, bool) {
		all := x.only(func(t tag) bool { return !slices.Contains(deep, t) })
		changed := len(all) < len(x.tags)
		x.tags, x.other = all, x.other || changed && len(all) == 0
		return x, changed
	})
}

// absent is what lies at a place that has no entry: what was said of all below a place around it,
// or what missing says.
func (s *state) absent(l loc) av { return s.absentIn(s.mem.roots[l.root], l) }

func (s *state) absentIn(entries map[string]av, l loc) av {
	for path, ok := l.path, len(entries) > 0; ok; path, ok = parentPath(path) {
		if v, found := entries[path+stepAll]; found {
			return v
		}
		if w, whole := entries[path]; whole {
			if w.given() && strings.HasSuffix(path, stepElem) {
				return av{tags: w.tags} // a part of what was there
			}
			break
		}
	}
	element := strings.Contains(l.path, "[")
	if !strings.ContainsAny(l.path, stepAll+stepCtx+stepAddr+"~") {
		switch l.root.(type) {
		case *ssa.FreeVar:
			if !element {
				return s.before(l) // the variable is as it was
			}
		case *ssa.Parameter:
			looked := s.f.lives[lifeKey{l.root, l.path + "~"}] != nil // the function has looked at it
			if element && !looked {
				break
			}
			v, owned := s.f.owned(s, l)
			if !owned {
				v, owned = s.recycled(l)
			}
			if !owned && looked {
				v, owned = s.before(l), true
			}
			if v.ptr = (loc{}); owned && !isStale(v.tags[0]) {
				return v
			}
		}
	}
	if strings.Contains(l.path, stepMade) {
		return av{}
	}
	return missing(l)
}

// before returns what lay at a place of a parameter, or of a captured variable, when the function
// began.
func (s *state) before(l loc) av {
	if v, ok := s.recycled(l); ok {
		return v
	}
	path := l.path
	if path == "" {
		path = stepValue
	}
	t := tag{life: s.f.newLife(lifeKey{l.root, path + "~"}, lifeFound, nil), kind: ofParam}
	if put := s.f.lives[putKey(t.life)]; put != nil && s.lives[put].ended != nil && !s.lives[put].open {
		t = tag{life: put, kind: inMemory, end: s.lives[put].ended}
	}
	return av{tags: []tag{t}, ptr: l.add(stepDeref)}
}

// recycled returns the slice in a field of a parameter, if the slice belongs to the struct, and the
// package puts structs of the type into a sync.Pool.
func (s *state) recycled(l loc) (av, bool) {
	st, p := structOf(l.root.Type()), s.get(l.root)
	if st == nil || !isPointer(l.root.Type()) || !p.given() {
		return av{}, false
	}
	for field := range st.Fields() {
		if "."+field.Name() == l.path && s.f.c.recycles(field) && s.f.c.poolsType(names.Type(l.root.Type())) {
			return av{tags: p.tags, ptr: l.add(stepDeref)}, true
		}
	}
	return av{}, false
}

// setElements makes v what the elements at l are.
func (s *state) setElements(l loc, v av) { s.setWhole(l.add(stepElem), v) }

// setWhole makes v what lies at l, with its fields.
func (s *state) setWhole(l loc, v av) {
	sub := v.sub
	v.sub = nil
	s.mem.set(l, v)
	for f, x := range sub {
		s.setWhole(l.add(f), x)
	}
}

// again is for memory that an instruction makes. In a loop, what points to the memory of earlier
// turns points to one of several things from here on.
func (s *state) again(i ssa.Instruction, v ssa.Value) {
	s.forget(loc{v, ""})
	if !s.f.repeats(i) {
		return
	}
	s.change(func(x av) (av, bool) { return x.several(v) })
}

// several returns v, which points to one of several things if it points to what an instruction has
// made.
func (v av) several(made ssa.Value) (_ av, changed bool) {
	if v.ptr.root == made && !v.many {
		v.many, changed = true, true
	}
	for step, x := range v.sub {
		if x, ch := x.several(made); ch {
			v.sub = maps.Clone(v.sub)
			v.sub[step] = x
			changed = true
		}
	}
	return v, changed
}

// through returns v, which was found through a pointer. If that points to one of several things, v
// belongs to one of them, too: to the arena of one turn of a loop.
func (f *flow) through(p, v av) av {
	if !p.many {
		return v
	}
	if i, ok := v.ptr.root.(ssa.Instruction); ok && f.repeats(i) {
		v.many = true
	}
	for _, t := range v.tags {
		// The arenas of a Group end together.
		if i, ok := t.life.root.(ssa.Instruction); ok && f.repeats(i) && (t.kind == isArena || t.life.parent == nil || t.end != nil && t.end.life == t.life) {
			v.other = true
		}
	}
	if v.sub != nil {
		v.sub = maps.Clone(v.sub)
		for step, x := range v.sub {
			v.sub[step] = f.through(p, x)
		}
	}
	return v
}

// repeats reports whether an instruction is in a loop.
func (f *flow) repeats(i ssa.Instruction) bool {
	f.findLoops()
	return f.inLoop[i.Block()]
}

// forget removes what is known of all that lies at and below l.
func (s *state) forget(l loc) {
	entries := s.mem.entries(l.root)
	if len(entries) == 0 {
		return
	}
	if l.path == "" {
		delete(s.mem.roots, l.root)
		return
	}
	rest := map[string]av{}
	for path, v := range entries {
		if _, ok := under(path, l.path); !ok {
			rest[path] = v
		}
	}
	s.mem.share(l.root, rest)
}

// below yields all entries of memory at and below l, in the order of paths. The function may change
// them.
func (s *state) below(l loc, f func(loc, av)) {
	entries := s.mem.entries(l.root)
	var paths []string
	for path := range entries {
		if rest, ok := under(path, l.path); ok && !strings.HasPrefix(rest, "%") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		f(loc{l.root, path}, entries[path])
	}
}

// reachable yields all entries of memory at and below l, and the entries of everything made here
// that they lead to.
func (s *state) reachable(l loc, yield func(loc, av)) {
	seen := map[loc]bool{}
	var visit func(l loc, many bool)
	visit = func(l loc, many bool) {
		if seen[l] || len(seen) > 20 {
			return
		}
		seen[l] = true
		s.below(l, func(k loc, v av) {
			if many {
				v = s.f.ofOtherTurns(v, l.root)
			}
			yield(k, v)
			if v.ptr.made() && !(k.path == "" && isPointer(k.root.Type()) && isStruct(elementType(k.root.Type()))) { // or it was copied
				visit(v.ptr, v.many || many && v.ptr.root == l.root)
			}
		})
	}
	visit(l, false)
}

// ofOtherTurns returns v without what a Rewind has ended in some turns of a loop that make a root:
// what lies there may be of a turn that has ended nothing.
func (f *flow) ofOtherTurns(v av, root ssa.Value) av {
	site, ok := root.(ssa.Instruction)
	if !ok {
		return v
	}
	v.tags = v.only(func(t tag) bool {
		if t.end == nil || t.end.since.begin == nil {
			return true
		}
		begin := t.end.since.begin
		return !f.repeats(begin) || !follows(begin, site) || f.inevitable(site, t.end.at)
	})
	return v
}

// made reports whether a place is in memory that is not of the caller.
func (l loc) made() bool {
	switch l.root.(type) {
	case nil, *ssa.Global, *ssa.Parameter, *ssa.FreeVar, *ssa.Function, *ssa.MakeClosure:
		return false
	}
	return true
}

// A memory has the values at places, by their roots and paths. States share the maps of single
// roots, so that these are copied before they are changed, unless they were copied already.
type memory struct {
	roots map[ssa.Value]map[string]av
	own   map[ssa.Value]bool // those whose map nobody else has
}

func newMemory() memory {
	return memory{map[ssa.Value]map[string]av{}, map[ssa.Value]bool{}}
}

// clone returns a copy that shares the maps.
func (m memory) clone() memory {
	clear(m.own)
	return memory{maps.Clone(m.roots), map[ssa.Value]bool{}}
}

// entries returns the map of a root, which does not change any more.
func (m memory) entries(root ssa.Value) map[string]av {
	delete(m.own, root)
	return m.roots[root]
}

// share makes a map that others have, too, the one of a root.
func (m memory) share(root ssa.Value, entries map[string]av) {
	delete(m.own, root)
	m.roots[root] = entries
}

func (m memory) get(l loc) (av, bool) {
	v, ok := m.roots[l.root][l.path]
	return v, ok
}

func (m memory) set(l loc, v av) {
	if !l.known() {
		return
	}
	if !m.own[l.root] {
		entries := maps.Clone(m.roots[l.root])
		if entries == nil {
			entries = map[string]av{}
		}
		m.roots[l.root], m.own[l.root] = entries, true
	}
	m.roots[l.root][l.path] = v
}

func (m memory) all() iter.Seq2[loc, av] {
	return func(yield func(loc, av) bool) {
		for root := range m.roots {
			for path, v := range m.entries(root) {
				if !yield(loc{root, path}, v) {
					return
				}
			}
		}
	}
}

// sorted returns the paths of entries, in an order that does not change from run to run: what
// values are joined to does.
func sorted(entries map[string]av) []string {
	if len(entries) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(entries))
}

// matching returns some of the paths of entries, in order.
func matching(entries map[string]av, is func(path string) bool) (all []string) {
	for path := range entries {
		if is(path) {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// inOrder is all for what is reported, in the order of the source.
func (m memory) inOrder() iter.Seq2[loc, av] {
	return func(yield func(loc, av) bool) {
		for _, root := range slices.SortedFunc(maps.Keys(m.roots), bySource) {
			entries := m.entries(root)
			for _, path := range slices.Sorted(maps.Keys(entries)) {
				if !yield(loc{root, path}, entries[path]) {
					return
				}
			}
		}
	}
}

// bySource compares values by where they are in the source.
func bySource(x, y ssa.Value) int {
	return cmp.Or(cmp.Compare(x.Pos(), y.Pos()), cmp.Compare(x.Name(), y.Name()), cmp.Compare(x.String(), y.String()))
}

// livesInOrder returns the lives of a state, in the order of the source.
func (s *state) livesInOrder() []*life {
	return slices.SortedFunc(maps.Keys(s.lives), func(x, y *life) int {
		return cmp.Or(bySource(x.root, y.root), cmp.Compare(x.path, y.path))
	})
}

// lifeAt returns the life of an arena that was there before, at a place.
func (f *flow) lifeAt(l loc) *life {
	if l.path == "" {
		l.path = stepValue
	}
	if lf := f.lives[lifeKey(l)]; lf != nil {
		return lf
	}
	f.root(l.root)
	kind := lifeFound
	if strings.HasSuffix(l.path, stepCtx) {
		kind = lifeCtx
	}
	return f.newLife(lifeKey(l), kind, nil)
}

// root notes that a value is the root of a life, so that it matters when it is computed again.
func (f *flow) root(v ssa.Value) {
	switch v.(type) {
	case *ssa.Phi, *ssa.Extract, *ssa.UnOp, *ssa.Lookup, *ssa.TypeAssert, *ssa.Field, *ssa.Index:
		f.roots[v] = true
	}
}

func (f *flow) newLife(k lifeKey, kind lifeKind, parent *life) *life {
	lf := f.lives[k]
	if lf == nil {
		lf = &life{lifeKey: k, kind: kind, parent: parent}
		f.lives[k] = lf
	}
	return lf
}

// load returns what lies at l, which is of type t.
func (f *flow) load(s *state, l loc, t types.Type) av {
	if !l.known() {
		return unknown
	}
	st, _ := t.Underlying().(*types.Struct)
	whole := st == nil && !isArray(t)
	v, ok := s.mem.get(l)
	if whole && strings.Contains(l.path, stepElem) {
		entries := s.mem.roots[l.root]
		for _, path := range matching(entries, ofElement(l.path)) {
			v, ok = s.joinPlaces(s, loc{}, v, entries[path]), true
		}
	}
	if !ok {
		v = f.fallback(s, l, t)
	}
	if whole {
		return v
	}
	if !isValue(v.ptr) {
		v.ptr = l
	}
	if st == nil {
		v.sub = map[string]av{}
		s.below(l, func(k loc, x av) {
			if k != l {
				v.sub[k.path[len(l.path):]] = x
			}
		})
		return v
	}
	v.sub = maps.Clone(v.sub)
	all, filled := s.filled(l)
	for field := range st.Fields() {
		step := "." + field.Name()
		part, known := av{}, f.hasBelow(s, l.add(step)) || filled && all.tagged() && carries(field.Type())
		if known {
			part = f.load(s, l.add(step), field.Type())
		} else if _, param := l.root.(*ssa.Parameter); param {
			part, known = f.owned(s, l.add(step))
		}
		if !known {
			continue
		}
		if v.sub == nil {
			v.sub = map[string]av{}
		}
		v.sub[step] = part
	}
	return v
}

// filled returns what was said of all that lies at a place, or around it.
func (s *state) filled(l loc) (_ av, ok bool) {
	for path, ok := l.path, true; ok; path, ok = parentPath(path) {
		if v, found := s.mem.get(loc{l.root, path + stepAll}); found {
			v.ptr = loc{l.root, l.path + stepDeref}
			return v, true
		}
		if _, whole := s.mem.get(loc{l.root, path}); whole {
			break
		}
	}
	return av{}, false
}

// isValue reports whether l is the whole of a struct or array that is not in memory, so that it
// never changes.
func isValue(l loc) bool {
	if l.root == nil || l.path != "" {
		return false
	}
	switch l.root.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	case *types.Tuple:
		_, ok := l.root.(*ssa.Call)
		return ok
	}
	return false
}

// ofElement returns a function that reports whether a path names a single element, or a place in
// it, where wanted has any element.
func ofElement(wanted string) func(path string) bool {
	before, after, _ := strings.Cut(wanted, stepElem)
	before += ".#"
	return func(path string) bool {
		rest, ok := strings.CutPrefix(path, before)
		return ok && strings.TrimLeft(rest, "0123456789") == after
	}
}

func (f *flow) hasBelow(s *state, l loc) bool {
	for path := range s.mem.roots[l.root] {
		if _, ok := under(path, l.path); ok {
			return true
		}
	}
	return false
}

// under returns what of a path lies below another one. A field is not below one whose name is the
// beginning of its name.
func under(path, base string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, base)
	name := func(c byte) bool {
		return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	if ok && rest != "" && base != "" && name(base[len(base)-1]) && name(rest[0]) {
		return "", false
	}
	return rest, ok
}

// fallback returns what lies at a place of which nothing was noted.
func (f *flow) fallback(s *state, l loc, t types.Type) av {
	if !carries(t) {
		return unknown
	}
	if v, ok := s.filled(l); ok {
		return v
	}
	call, _ := l.root.(*ssa.Call)
	if _, ok := l.root.(*ssa.Alloc); (ok || call != nil && copiesStruct(f.opOf(call))) && !strings.ContainsAny(l.path, stepDeref+stepCtx) {
		for path, ok := parentPath(l.path); ok; path, ok = parentPath(path) {
			// A struct or an array was stored as a whole.
			v, found := s.mem.get(loc{l.root, path})
			switch {
			case !found:
				continue
			case isValue(v.ptr):
				return f.load(s, v.ptr.add(l.path[len(path):]), t)
			case handle(t):
				// The arena of what was copied, unless that has another one now.
				from := v.ptr.add(l.path[len(path):])
				if _, isParam := from.root.(*ssa.Parameter); !isParam {
					return unknown
				}
				if _, changed := s.mem.get(from); changed {
					return unknown
				}
				return f.load(s, from, t)
			case v.given():
				// What the caller has given there: a change of it before the copy would be noted.
				at := v.tags[0].life
				return s.before(loc{at.root, strings.TrimSuffix(at.path, "~") + l.path[len(path):]})
			case len(v.tags) > 0:
				return av{tags: v.tags, other: true, ptr: loc{l.root, l.path + stepDeref}}
			case v.other:
				return unknown
			}
			break
		}
		return av{} // the zero value
	}
	if handle(t) {
		if v, ok := f.owned(s, l); ok {
			return v
		}
		lf := f.lifeAt(l)
		oneOf := strings.Contains(l.path, "[") // several
		return av{tags: []tag{{life: lf, kind: isArena}}, other: oneOf, ptr: loc{l.root, l.path + stepDeref}}
	}
	switch root := l.root.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		if v, ok := f.owned(s, l); ok {
			return v
		}
		return s.before(l)
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return av{}
	case *ssa.Global:
		return av{other: true, ptr: loc{root, l.path + stepDeref}}
	}
	// Memory of an arena is likely to refer to more of it, but need not.
	var tags []tag
	if owner, ok := s.val[l.root]; ok && !strings.HasPrefix(l.path, stepOut) {
		for _, x := range owner.sub { // of several results
			if x.ptr == (loc{l.root, ""}) {
				owner = x
			}
		}
		// An interface in a value of a sync.Pool, such as an error, is seldom of the pool.
		tags = owner.only(func(of tag) bool {
			return of.kind == inMemory && of.life.kind != lifeTable && !(of.life.kind == lifeSync && types.IsInterface(t))
		})
	}
	return av{tags: tags, other: true, ptr: loc{l.root, l.path + stepDeref}}
}

// address adds to the address of a place that an arena lies there, if it does.
func (f *flow) address(v av, t types.Type) av {
	if !handle(t) || !v.ptr.known() || strings.Contains(v.ptr.path, "[") {
		return v
	}
	k := lifeKey{v.ptr.root, v.ptr.path + stepAddr}
	kind := lifeFound
	if _, ok := v.ptr.root.(*ssa.Alloc); ok && coreType(t) == "Arena" {
		kind = lifeMade
	}
	v.tags = []tag{{life: f.newLife(k, kind, nil), kind: isArena}}
	v.other = false
	return v
}

// copiesStruct reports whether a function returns a copy of a struct.
func copiesStruct(o op) bool { return o == opClone || o == opMakeOf }
