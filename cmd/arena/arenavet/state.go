package arenavet

import (
	"cmp"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A state is what is known at one place of a function.
type state struct {
	val    map[ssa.Value]av
	mem    memory
	lives  map[*life]condition
	defers []*ssa.Defer // in order
	loose  bool         // which calls are deferred depends on the path
	gos    running
	keys   map[*life]ssa.Value // the last key of a Map that was looked for
	f      *flow
}

// A condition is what has happened to a life on the ways to a place.
type condition struct {
	made   ssa.Instruction // here, on all ways
	open   bool            // on some way it was not ended, or has been made since
	ended  *end            // on some way it was ended
	closed *end            // on some way it was ended so that the arena cannot be used
	shut   bool            // on all ways
	lent   bool            // somebody unknown may end it
	kept   bool            // the request has said that it stays
	handed *end            // a goroutine has it, on all ways, and gives it to a sync.Pool
}

// A goroutine was started, and nothing that may wait for it was called since.
type goroutine struct {
	at    ssa.Instruction
	pos   token.Pos
	way   *ssa.BasicBlock // where the way begins on which it was started, with the state there; or nil
	begin *state
	send  bool        // it is the receiver of a value
	value ssa.Value   // which one, if nothing is known of it
	quiet bool        // it signals nothing
	locks bool        // what it has done may be seen by who takes a lock behind it
	some  bool        // a called function starts it in some of its calls: each way behind it matters
	maybe bool        // a called function starts it if something is so that this one may know
	when  outcome     // what the call says if it has started it
	ways  [][]sumNeed // on which a called function starts it, in terms of parameters

	// The exits at which it runs: surely, or if it was started.
	out map[*state]bool

	// Where the ways begin behind a select that has not waited for it, with the states there.
	late map[*ssa.BasicBlock]*state

	fromContext bool    // it takes an arena out of a context itself
	uses        []*life // arenas that it allocates in
	holds       []*life // arenas whose values it has
	calls       []*life // functions that it calls, which the caller has given
}

func (f *flow) newState() *state {
	return &state{val: map[ssa.Value]av{}, mem: newMemory(), lives: map[*life]condition{}, gos: newRunning(), f: f}
}

func (s *state) clone() *state {
	return &state{maps.Clone(s.val), s.mem.clone(), maps.Clone(s.lives), s.defers, s.loose, s.gos.clone(), maps.Clone(s.keys), s.f}
}

// join adds what another way to a block has to s, and reports whether s has changed.
func (s *state) join(o *state, b *ssa.BasicBlock) (changed bool) {
	// joinAt joins what lies at a place on both ways, of which noted says whether s has an entry.
	joinAt := func(l loc, v, w av, noted bool) {
		r := s.joinPlaces(o, l, v, w)
		// A variable that was not there on one of the ways is not nil on it, and elements may be
		// added at any time.
		i, made := l.root.(ssa.Instruction)
		if v.zero() != w.zero() && !(made && !i.Block().Dominates(b)) && !strings.ContainsAny(l.path, "["+stepAll) {
			r.none = true
		}
		if !noted || !equalValues(r, v) {
			s.mem.set(l, r)
			changed = true
		}
	}
	// What one way only has made is what it is there.
	unmade := func(x *state, root ssa.Value) bool {
		i, ok := root.(*ssa.Call)
		_, computed := x.val[root]
		return ok && !computed && len(x.mem.roots[root]) == 0 && (i.Block() == b || !i.Block().Dominates(b))
	}
	for root := range o.mem.roots {
		if entries := o.mem.entries(root); len(entries) > 0 && unmade(s, root) {
			s.mem.share(root, entries)
			changed = true
		}
	}
	for k, v := range o.val {
		old, ok := s.val[k]
		if !ok {
			if i, isInstr := k.(ssa.Instruction); isInstr && !computedBefore(i, b) {
				// It was not computed on the ways so far, so its uses are reached another way.
				s.val[k], changed = v, true
				continue
			}
			old = s.get(k)
		}
		if r := s.joinPlaces(o, loc{}, old, v); !equalValues(r, old) {
			s.val[k], changed = r, true
		}
	}
	for root, entries := range o.mem.roots {
		before := s.mem.entries(root)
		if sameMap(before, entries) {
			continue
		}
		for _, path := range sorted(entries) {
			k, v := loc{root, path}, entries[path]
			old, ok := before[path]
			if !ok {
				old = s.absentIn(before, k)
			}
			joinAt(k, old, v, ok)
		}
	}
	for root := range s.mem.roots {
		entries, others := s.mem.entries(root), o.mem.roots[root]
		if sameMap(entries, others) || unmade(o, root) {
			continue
		}
		for path, old := range entries {
			if _, ok := others[path]; !ok {
				k := loc{root, path}
				joinAt(k, old, o.absent(k), true)
			}
		}
	}
	for k, c := range o.lives {
		old, ok := s.lives[k]
		if !ok {
			old = condition{open: true}
			if k.root != nil {
				if _, isCall := k.root.(*ssa.Call); isCall {
					old = condition{shut: true} // not made on that way
				}
			}
		}
		r := condition{
			made: cmp.Or(old.made, c.made), open: old.open || c.open, ended: cmp.Or(old.ended, c.ended), closed: cmp.Or(old.closed, c.closed),
			shut: old.shut && c.shut, lent: old.lent || c.lent, kept: old.kept || c.kept,
		}
		if r.handed = old.handed; old.handed != c.handed {
			r.handed = nil
		}
		if !ok || r != old {
			s.lives[k], changed = r, true
		}
	}
	for k, old := range s.lives {
		if _, ok := o.lives[k]; ok || old.open && !old.shut {
			continue
		}
		if _, isCall := k.root.(*ssa.Call); !isCall {
			old.open, old.shut = true, false
			s.lives[k], changed = old, true
		}
	}
	if !slices.Equal(s.defers, o.defers) && !s.loose {
		// Those that both have are certain, and those that end what there is only on one way.
		n := 0
		for n < len(s.defers) && n < len(o.defers) && s.defers[n] == o.defers[n] {
			n++
		}
		own := func(d *ssa.Defer) bool { return s.f.endsOwn(d, b) }
		all := slices.Concat(s.defers[:n], s.defers[n:])
		all = append(all, slices.DeleteFunc(slices.Clone(o.defers[n:]), func(d *ssa.Defer) bool { return slices.Contains(all, d) })...)
		s.loose = o.loose || slices.ContainsFunc(all[n:], func(d *ssa.Defer) bool { return !own(d) })
		all = append(all[:n:n], slices.DeleteFunc(all[n:], func(d *ssa.Defer) bool { return !own(d) })...)
		changed = changed || s.loose || !slices.Equal(s.defers, all)
		s.defers = all
	}
	for l, key := range s.keys {
		if o.keys[l] != key {
			delete(s.keys, l)
			changed = true
		}
	}
	return s.gos.join(s.f, o.gos, b) || changed
}

// sameMap reports whether two states share the entries of a root, so that both have the same there.
func sameMap(entries, others map[string]av) bool {
	return reflect.ValueOf(entries).UnsafePointer() == reflect.ValueOf(others).UnsafePointer()
}

// computedBefore reports whether an instruction was done on each way to a block.
func computedBefore(i ssa.Instruction, b *ssa.BasicBlock) bool {
	_, isPhi := i.(*ssa.Phi)
	return i.Block().Dominates(b) && (isPhi || i.Block() != b)
}

// endsOwn reports whether a deferred call ends what is made only on ways to it. Other ways to a
// block do not have it.
func (f *flow) endsOwn(d *ssa.Defer, b *ssa.BasicBlock) bool {
	made, ok := endedBy(d).(ssa.Instruction)
	return ok && (made.Block() == b || !made.Block().Dominates(b)) && made.Block().Dominates(d.Block())
}

// endedBy returns the arena that a deferred call ends, or what a sync.Pool gets, or nil.
func endedBy(d *ssa.Defer) ssa.Value {
	switch o, args := opOf(ssas.Callee(&d.Call)), d.Call.Args; o {
	case opReset, opFree:
		return args[0]
	case opPut, opSyncPut:
		if m, ok := args[1].(*ssa.MakeInterface); ok {
			return m.X
		}
		return args[1]
	}
	return nil
}

// missing is what lies at a place of which a state knows nothing.
func missing(l loc) av {
	switch root := l.root.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return av{}
	case *ssa.Call:
		if b, ok := root.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return av{} // what is in the result was noted when it was made
		}
	}
	return unknown
}

// get returns what is known of a value.
func (s *state) get(v ssa.Value) av {
	switch v := v.(type) {
	case nil:
		return unknown
	case *ssa.Const:
		return av{}
	case *ssa.Global:
		if a, ok := s.val[v]; ok {
			return a
		}
		return av{other: true, ptr: loc{v, ""}}
	case *ssa.Function:
		return av{other: true, ptr: loc{v, ""}, fns: []fnValue{{fn: v}}}
	case *ssa.Builtin:
		return unknown
	}
	if a, ok := s.val[v]; ok {
		return a
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		a := s.get(v.X)
		a.sub = nil
		a.ptr = a.ptr.add("." + fieldName(v.X.Type(), v.Field))
		return s.f.address(a, v.Type())
	case *ssa.IndexAddr:
		a := s.get(v.X)
		a.sub = nil
		step := stepElem
		if c, ok := v.Index.(*ssa.Const); ok && isPointer(v.X.Type()) {
			step = ".#" + c.Value.ExactString()
		} else if n, ok := s.f.sameIndex(v); ok && !a.ptr.made() && !s.f.hasBelow(s, a.ptr.add("[")) {
			step = stepIndex + strconv.Itoa(n)
		}
		a.ptr = a.ptr.add(step)
		return s.f.address(a, v.Type())
	case *ssa.Alloc:
		return s.f.address(av{ptr: loc{v, ""}}, v.Type())
	case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return av{ptr: loc{v, ""}}
	}
	return av{other: true, ptr: loc{v, ""}}
}

// values returns what is known of several values.
func (s *state) values(all []ssa.Value) []av {
	known := make([]av, len(all))
	for n, v := range all {
		known[n] = s.get(v)
	}
	return known
}

func (s *state) set(v ssa.Value, a av) {
	if !carries(v.Type()) {
		delete(s.val, v)
		return
	}
	if a.ptr.root == nil && !ssas.IsString(v.Type()) && !a.zero() {
		a.ptr = loc{v, ""}
		a.lost = false
	}
	if a.other && len(a.tags) == 0 && a.sub == nil && a.fns == nil && a.dyn == nil && a.ptr == (loc{v, ""}) {
		delete(s.val, v)
		return
	}
	s.val[v] = a
}

// ending marks all values of l, and makes that the condition of it. If sure is false it may be
// another arena that ends.
func (s *state) ending(e *end, closes, sure bool) {
	s.mark(e, sure)
	set := func(l *life, closes bool) {
		c, ok := s.lives[l]
		if !ok {
			c.open = true
		}
		if sure {
			c.open = false
		}
		if c.ended == nil || sure {
			c.ended = e
		}
		if closes && (c.closed == nil || sure) {
			c.closed = e
			c.shut = c.shut || sure
		}
		s.lives[l] = c
	}
	set(e.life, closes)
	for l := range s.lives {
		if l != e.life && l.in(e.life) {
			set(l, true) // a Reset of the Group takes its arenas away
		}
	}
}

// mark notes of all values that e has ended them, or may have done so.
func (s *state) mark(e *end, sure bool) {
	s.change(func(v av) (av, bool) { return v.ending(e, sure) })
}

func (v av) ending(e *end, sure bool) (av, bool) {
	end := func(sure, now bool) (av, bool) {
		return v.change(now, func(t tag) tag {
			if t.kind == inMemory && t.end == nil && e.of(t) && (sure && e.surely(t)) == now {
				t.end = e
			}
			return t
		})
	}
	if e.since.begin == nil {
		return end(sure, sure)
	}
	v, ended := end(sure, true)
	v, perhaps := end(sure, false)
	return v, ended || perhaps
}

// change replaces tags of a value and of its fields. If sure is false, the old tags stay as well.
func (v av) change(sure bool, f func(tag) tag) (_ av, changed bool) {
	for i, t := range v.tags {
		x := f(t)
		if x == t {
			continue
		}
		if !changed {
			v.tags, changed = slices.Clone(v.tags), true
		}
		if sure {
			v.tags[i] = x
		} else {
			v.tags = append(v.tags, x)
		}
	}
	if changed {
		v = v.unique()
	}
	shared := true
	for step, x := range v.sub {
		if y, ch := x.change(sure, f); ch {
			if shared {
				v.sub, shared = maps.Clone(v.sub), false
			}
			v.sub[step] = y
			changed = true
		}
	}
	return v, changed
}

// begins is for an instruction that makes a Mark: what an earlier turn of a loop has made behind it
// is older.
func (s *state) begins(at ssa.Instruction) {
	if !s.f.repeats(at) {
		return
	}
	s.change(func(v av) (av, bool) {
		return v.change(true, func(t tag) tag {
			if t.kind == inMemory && t.made != nil && (t.made == at || follows(at, t.made)) && (t.older == nil || follows(at, t.older)) {
				t.older = at
			}
			return t
		})
	})
}

// change replaces values, in variables and in memory.
func (s *state) change(f func(av) (_ av, changed bool)) {
	for k, v := range s.val {
		if v, changed := f(v); changed {
			s.val[k] = v
		}
	}
	for k, v := range s.mem.all() {
		if v, changed := f(v); changed {
			s.mem.set(k, v)
		}
	}
}

// hands notes that a goroutine gives a value to a sync.Pool.
func (s *state) hands(v av, e end) {
	if all := holders(v); len(v.tags) == 1 && len(all) == 1 && !v.other && all[0].kind == lifeSync {
		e.life = all[0]
		c := s.lives[e.life]
		c.handed = s.f.endOf(e)
		s.lives[e.life] = c
	}
}

// renew is for a call that makes a life again, in a loop: what is left of the last turn is of
// another life.
func (s *state) renew(l *life, at ssa.Instruction) {
	old := func(v av) (av, bool) {
		all := v.only(func(t tag) bool { return t.life != l || t.end != nil })
		if len(all) == len(v.tags) {
			return v, false
		}
		v.tags, v.other = all, true
		return v, true
	}
	// Arenas of a Group end together, so that it does not matter which one it was. So do those for
	// which calls are deferred.
	deferred := slices.ContainsFunc(s.defers, func(d *ssa.Defer) bool { return slices.Contains(arenas(s.get(endedBy(d))), l) })
	if _, ok := s.lives[l]; ok && l.parent == nil && !deferred {
		s.change(old)
		s.gos.drop(func(g *goroutine) bool { return slices.Contains(g.holds, l) || slices.Contains(g.uses, l) })
	}
	s.lives[l] = condition{made: at, open: true}
}

// redefined is for a value that is computed again, in a loop: arenas and memory that were found by
// the last one are others.
func (s *state) redefined(v ssa.Value) {
	s.forget(loc{v, ""})
	for l := range s.lives {
		if l.root == v && l.kind == lifeFound {
			s.renew(l, nil)
			delete(s.lives, l)
		}
	}
}
