package arenavet

import (
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// Owners say in which arena the values of fields lie, and the elements of what is in fields: the
// one in another field of the same struct. It is "" if they may lie elsewhere. Fields of a type are
// filled in one method and read in another, and a third one ends the arena.
type owners map[ownedPlace]string

// An ownedPlace is a field, or what lies below it.
type ownedPlace struct {
	field *types.Var
	below string
}

const stepDirty = "%dirty" // somebody unknown may have filled what lies there

// findOwners looks at all that is stored in structs with an arena.
func (c *checker) findOwners() {
	c.owners, c.left = owners{}, map[*types.Var]ssa.Instruction{}
	for _, fn := range c.functions() {
		if stores(fn) {
			c.owning = true
			c.flow(fn)
			c.owning = false
		}
	}
	all := maps.Clone(c.owners)
	elsewhere := func(p ownedPlace) bool { arena, known := all[p]; return known && arena == "" }
	c.elsewhere = map[ownedPlace]bool{}
	maps.DeleteFunc(c.owners, func(p ownedPlace, arena string) bool {
		c.elsewhere[p] = arena == ""
		part := strings.HasPrefix(p.below, ".") // of a struct, which may be stored as a whole
		return arena == "" || elsewhere(ownedPlace{p.field, stepAll}) || part && elsewhere(ownedPlace{p.field, ""})
	})
	c.findings, c.summaries, c.recursive = nil, map[*ssa.Function]*summary{}, map[*ssa.Function]bool{}
}

// stores reports whether a function fills fields of a struct with an arena, or elements of what is
// in them.
func stores(fn *ssa.Function) bool {
	field := func(v ssa.Value) bool {
		if load, ok := v.(*ssa.UnOp); ok {
			v = load.X
		}
		return slices.ContainsFunc(fieldsOf(v), func(a *ssa.FieldAddr) bool {
			for ok := true; ok; a, ok = a.X.(*ssa.FieldAddr) {
				if len(arenaFields(structOf(a.X.Type()))) > 0 {
					return true
				}
			}
			return false
		})
	}
	for i := range ssas.Instrs(fn) {
		switch i := i.(type) {
		case *ssa.Store:
			if elem := elementOf(i); field(i.Addr) || elem != nil && field(elem.X) {
				return true
			}
		case *ssa.MapUpdate:
			if field(i.Map) {
				return true
			}
		case ssa.CallInstruction:
			cell := opOf(ssas.Callee(i.Common())) == opCell
			if slices.ContainsFunc(i.Common().Args, func(arg ssa.Value) bool { return (cell || isMap(arg.Type()) || isSlice(arg.Type())) && field(arg) }) {
				return true
			}
		}
	}
	return false
}

func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// arenaFields returns the fields of a struct that are arenas.
func arenaFields(st *types.Struct) (all []*types.Var) {
	if st == nil {
		return nil
	}
	for f := range st.Fields() {
		if coreType(f.Type()) == "Arena" {
			all = append(all, f)
		}
	}
	return all
}

// noteOwner notes what an instruction stores in a field.
func (f *flow) noteOwner(s *state, i *ssa.Store) {
	v := s.get(i.Val)
	if v.zero() {
		return
	}
	addrs := fieldsOf(i.Addr)
	if st := structOf(i.Val.Type()); len(addrs) == 0 && st != nil && isStruct(i.Val.Type()) && len(arenaFields(st)) > 0 {
		for field := range st.Fields() {
			f.c.owners[ownedPlace{field, stepAll}] = ""
		}
	}
	for _, addr := range addrs {
		base, field := s.get(addr.X).ptr, structOf(addr.X.Type()).Field(addr.Field)
		if outer, p, ok := ownedAt(base.add("." + field.Name())); ok && p.below != "" {
			f.owns(s, outer, structAt(outer.root.Type(), outer.path), p, v)
			continue
		}
		f.owns(s, base, addr.X.Type(), ownedPlace{field, ""}, v)
		if !isMap(field.Type()) && !isSlice(field.Type()) {
			continue
		}
		for step, t := range map[string]types.Type{stepKey: keyType(field.Type()), stepElem: elementType(field.Type())} {
			x := f.element(s, v.ptr, step, t)
			if x.ptr.root == v.ptr.root && len(x.tags) == 0 && !x.other {
				continue // there is none
			}
			f.owns(s, base, addr.X.Type(), ownedPlace{field, stepDeref + step}, x)
		}
	}
}

// inCell is below a field that is an atomic pointer or value: what that leads to.
const inCell = "%cell"

// noteCell notes what a field gets that is an atomic pointer or value.
func (f *flow) noteCell(s *state, cell ssa.Value, v av) {
	addr, ok := cell.(*ssa.FieldAddr)
	if !ok {
		return
	}
	given := func(l *life) bool { return strings.HasSuffix(l.path, "~") } // which is no arena
	holds, of := slices.DeleteFunc(f.heldBy(s, v), given), unknown
	if len(holds) > 0 {
		of = av{tags: []tag{{life: holds[0], kind: inMemory}}, other: slices.ContainsFunc(holds, func(l *life) bool { return l != holds[0] })}
	}
	f.owns(s, s.get(addr.X).ptr, addr.X.Type(), ownedPlace{fieldOf(addr), inCell}, of)
}

// cellOf reports whether a field that is an atomic pointer or value always leads to an arena of its
// struct, which the function ends without a lock.
func (f *flow) cellOf(s *state, cell ssa.Value, l *life) bool {
	addr, ok := cell.(*ssa.FieldAddr)
	if !ok || f.sum.Locks {
		return false
	}
	step := f.c.owners[ownedPlace{fieldOf(addr), inCell}]
	for _, a := range arenaFields(structOf(addr.X.Type())) {
		if strings.TrimSuffix(step, stepAddr) == "."+a.Name() && lifeKey(s.get(addr.X).ptr.add(step)) == l.lifeKey {
			return !f.c.isRefilled(a)
		}
	}
	return false
}

// noteElement notes what is stored in an element of what is in a field.
func (f *flow) noteElement(s *state, l loc, v av) {
	if base, p, ok := ownedAt(l); ok && p.below != "" {
		f.owns(s, base, structAt(base.root.Type(), base.path), p, v)
	}
}

// owns notes that a value lies at a place of the struct at base.
func (f *flow) owns(s *state, base loc, t types.Type, p ownedPlace, v av) {
	if len(v.fns) > 0 { // a literal lies where all lies that it has captured
		if holds := f.holdsOf(s, v); len(holds) > 0 {
			v = av{tags: []tag{{life: holds[0], kind: inMemory}}}
			v.other = slices.ContainsFunc(holds, func(l *life) bool { return l != holds[0] })
		}
	}
	known, ok := f.c.owners[p]
	pointer := strings.HasSuffix(p.below, stepElem) && isPointer(elementType(p.field.Type()))
	if p.field.Exported() || p.field.Pkg() != f.c.pkg || ok && known == "" && !pointer {
		return
	}
	if !base.known() {
		f.c.owners[p] = ""
		return
	}
	if len(v.sub) > 0 {
		for field, x := range v.sub {
			f.owns(s, base, t, ownedPlace{p.field, p.below + field}, x)
		}
		if v.other || len(v.tags) > 0 {
			f.c.owners[p] = "" // the other fields are not known
		}
		return
	}
	if strings.Contains(p.below, "[") {
		// Or it is one of those that were there.
		v.tags = v.only(func(t tag) bool { return t.kind != ofParam || t.life.root != base.root })
		if v.zero() {
			return
		}
		f.ownsBelow(s, base, t, p, v)
	}
	kind := inMemory
	if isHandle(p) {
		kind = isArena
	}
	f.c.owners[p] = f.ownerOf(s, structOf(t), v, kind, base, known)
}

// ownsBelow is owns for the fields of a struct that the function has made, to which an element
// points.
func (f *flow) ownsBelow(s *state, base loc, t types.Type, p ownedPlace, v av) {
	if len(v.tags) > 0 || !strings.HasSuffix(p.below, stepElem) || !isPointer(elementType(p.field.Type())) {
		return
	}
	_, here := v.ptr.root.(*ssa.Alloc)
	if _, known := s.mem.get(v.ptr.add(stepAll)); !here && !known {
		f.c.owners[ownedPlace{p.field, p.below + stepDeref + stepAll}] = ""
		return
	}
	s.below(v.ptr, func(l loc, x av) {
		if field := l.path[len(v.ptr.path):]; strings.HasPrefix(field, ".") && !strings.ContainsAny(field, stepDeref+"[") {
			f.owns(s, base, t, ownedPlace{p.field, p.below + stepDeref + field}, x)
		}
	})
}

// ownerOf returns the arena of a struct in which a value lies, or of which it is a handle.
func (f *flow) ownerOf(s *state, st *types.Struct, v av, kind tagKind, base loc, before string) string {
	if len(v.tags) != 1 || v.other || v.tags[0].kind != kind || v.tags[0].end != nil || !base.known() {
		return ""
	}
	for _, a := range arenaFields(st) {
		place := base.add("." + a.Name())
		step := "." + a.Name()
		var all []*life
		if isPointer(a.Type()) {
			if x := f.load(s, place, a.Type()); !x.other {
				all = arenas(x)
			}
		} else {
			step += stepAddr
			all = arenas(f.address(av{ptr: place}, types.NewPointer(a.Type())))
		}
		if len(all) == 1 && all[0] == v.tags[0].life && (before == "" || before == step) {
			return step
		}
	}
	return ""
}

// ownedAt returns the place in a struct to which a path leads, and where the struct lies.
func ownedAt(l loc) (base loc, p ownedPlace, ok bool) {
	path := l.path
	if i := strings.Index(path, stepDeref+"["); i >= 0 {
		path, p.below = path[:i], path[i:]
	}
	if l.root == nil || strings.ContainsAny(path, "[~%") {
		return base, p, false
	}
	end := len(path)
	for i := strings.LastIndex(path, "."); i >= 0; i = strings.LastIndex(path[:i], ".") {
		st := structAt(l.root.Type(), path[:i])
		if st == nil || strings.Contains(path[i:], stepDeref) {
			break
		}
		if outer := strings.LastIndex(path[:i], "."); outer >= 0 && len(arenaFields(st)) == 0 {
			end = i // a struct in another one, which may have the arena
			continue
		}
		base = loc{l.root, path[:i]}
		p.below = path[end:] + p.below
		for field := range st.Fields() {
			if field.Name() == path[i+1:end] {
				p.field = field
			}
		}
		break
	}
	return base, p, p.field != nil
}

// isHandle reports whether a field has a handle of the arena of its struct: a Slab, or a Space.
func isHandle(p ownedPlace) bool {
	return p.below == "" && handle(p.field.Type()) && coreType(p.field.Type()) != "Arena"
}

// owned returns what lies in a field whose values lie in the arena of its struct, or in an element.
func (f *flow) owned(s *state, l loc) (av, bool) {
	if len(f.c.owners) == 0 {
		return av{}, false
	}
	base, p, ok := ownedAt(l)
	step := f.c.owners[p]
	if !ok || step == "" {
		return av{}, false
	}
	if isHandle(p) {
		return av{tags: []tag{{life: f.lifeAt(base.add(step)), kind: isArena}}, ptr: l.add(stepDeref)}, true
	}
	for path, ok := l.path, true; ok; path, ok = parentPath(path) {
		_, dirty := s.mem.get(loc{l.root, path + stepDirty})
		_, whole := s.mem.get(loc{l.root, path})
		if dirty || whole && (len(path) <= len(base.path) || strings.HasPrefix(p.below, ".")) {
			return av{}, false // or it was stored as a whole
		}
	}
	lf := f.lifeAt(base.add(step))
	t := tag{life: lf, kind: inMemory, lay: f.newLife(lifeKey(l.add("~")), lifeFound, nil)}
	v := av{tags: []tag{t}, ptr: l.add(stepDeref)}
	if c := s.lives[lf]; c.ended != nil {
		t.end = c.ended
		if v.tags = append(v.tags, t); !c.open {
			v.tags = v.tags[1:]
		}
	}
	return v, true
}

// ownedBelow returns what lies in the fields of the structs to which elements of a field point, if
// v is such an element, or has them. They are filled where the struct is made.
func (f *flow) ownedBelow(s *state, v av) (all []av) {
	if _, param := v.ptr.root.(*ssa.Parameter); !param || len(v.only(isStale)) > 0 {
		return nil
	}
	_, p, ok := ownedAt(v.ptr)
	if !ok {
		return nil
	}
	for _, q := range slices.SortedFunc(maps.Keys(f.c.owners), func(a, b ownedPlace) int { return strings.Compare(a.below, b.below) }) {
		rest, ok := strings.CutPrefix(q.below, p.below)
		if !ok || q.field != p.field || !strings.Contains(q.below, stepElem+stepDeref+".") || f.isFilledAgain(q) {
			continue
		}
		if x, ok := f.owned(s, v.ptr.add(rest)); ok {
			all = append(all, x)
		}
	}
	return all
}

// isFilledAgain reports whether the field of a struct to which elements point is filled elsewhere
// than where the struct is made.
func (f *flow) isFilledAgain(p ownedPlace) bool {
	elem, name, _ := strings.Cut(p.below, stepDeref+".")
	st := structOf(elementType(p.field.Type()))
	if f.c.elsewhere[ownedPlace{p.field, elem + stepDeref + stepAll}] || st == nil {
		return true
	}
	for field := range st.Fields() {
		if field.Name() == name {
			return f.c.isRefilled(field)
		}
	}
	return true
}

// leavesStale reports a field of the receiver that keeps what lay in an arena that the method has
// Reset. Only functions that make the struct fill the field.
func (f *flow) leavesStale(s *state) {
	if f.fn.Signature.Recv() == nil || f.c.owning || endsUse.MatchString(f.fn.Name()) {
		return
	}
	recv := f.fn.Params[0]
	st := structOf(recv.Type())
	if st == nil {
		return
	}
	for field := range st.Fields() {
		step := f.c.owners[ownedPlace{field, ""}]
		if isHandle(ownedPlace{field, ""}) {
			continue // which stays usable
		}
		l := loc{recv, "." + field.Name()}
		lf := f.lives[lifeKey{recv, step}]
		c := s.lives[lf]
		if step == "" || c.ended == nil || c.open || c.ended.soft || c.closed != nil || c.ended.since.begin != nil {
			continue
		}
		_, filled := s.mem.get(l)
		if v := f.load(s, l, field.Type()); filled && len(v.only(isStale)) == 0 || f.c.isRefilled(field) {
			continue
		}
		f.found(codeStale, ssas.PosOf(c.ended.at), false, tag{life: lf, end: c.ended}, "%s still has what it had before %s, and nothing else fills it", f.where(l), f.describeEnd(c.ended))
	}
}

// leavesElements reports containers in fields of a struct from which nothing ever takes elements
// away, although these lie in an arena of the struct that is Reset.
func (f *flow) leavesElements(l *life, e *end) {
	_, param := l.root.(*ssa.Parameter)
	call, ok := e.at.(ssa.CallInstruction)
	if !param || !ok || f.opOf(call) != opReset || f.c.owning || e.since.begin != nil || endsUse.MatchString(f.fn.Name()) {
		return
	}
	for p, step := range f.c.owners {
		path, ok := strings.CutSuffix(l.path, step)
		st := structAt(l.root.Type(), path)
		if !ok || step == "" || st == nil || !strings.HasPrefix(p.below, stepDeref+"[") || !slices.Contains(slices.Collect(st.Fields()), p.field) {
			continue
		}
		if !f.c.isEmptied(p.field) && !(strings.Contains(p.below, stepElem+stepDeref) && f.isFilledAgain(p)) {
			d := f.report(codeStale, ssas.PosOf(e.at), false, tag{life: l, end: e}, "%s still has what it had before %s, and nothing takes it away", f.where(loc{l.root, path + "." + p.field.Name()}), f.describeEnd(e))
			if d != nil {
				if f.c.left[p.field] == nil {
					f.c.left[p.field] = e.at
				}
				d.about.end = f.c.left[p.field] // one end is enough
				f.c.add(d)
			}
		}
	}
}

// endsUse matches names of methods after which nobody uses a value.
var endsUse = regexp.MustCompile("(?i)close|free|release|destroy|stop|shut|done|finish")

// storesWhole reports whether an instruction stores a whole struct that has a field.
func storesWhole(store *ssa.Store, field *types.Var) bool {
	return isStruct(store.Val.Type()) && slices.Contains(slices.Collect(structOf(store.Val.Type()).Fields()), field)
}

// isRefilled reports whether a field is filled elsewhere than where its struct is made.
func (c *checker) isRefilled(field *types.Var) bool {
	is, known := c.refilled[field]
	if !known {
		if c.refilled == nil {
			c.refilled = map[*types.Var]bool{}
		}
		is = c.refills(field)
		c.refilled[field] = is
	}
	return is
}

func (c *checker) refills(field *types.Var) bool {
	for _, i := range c.instrs() {
		store, ok := i.(*ssa.Store)
		if !ok {
			continue
		}
		if storesWhole(store, field) || slices.ContainsFunc(fieldsOf(store.Addr), func(addr *ssa.FieldAddr) bool {
			_, made := addr.X.(*ssa.Alloc)
			return !made && fieldOf(addr) == field.Origin()
		}) {
			return true
		}
	}
	return false
}

// isEmptied reports whether the package may take elements out of what is in a field.
func (c *checker) isEmptied(field *types.Var) bool {
	is, known := c.emptied[field]
	if !known {
		is = c.empties(field, false)
		c.emptied[field] = is
	}
	return is
}

// empties is isEmptied. With all, to delete single keys does not count.
func (c *checker) empties(field *types.Var, all bool) bool {
	is := func(v ssa.Value) bool {
		return fieldAt(v) == field.Origin() || isArray(field.Type()) && fieldOf(v) == field.Origin()
	}
	grows, restarts := false, false
	for _, i := range c.instrs() {
		if e, ok := storesElement(i); ok && is(e.base) && isConst(e.val) {
			return true
		}
		switch i := i.(type) {
		case *ssa.Store:
			if storesWhole(i, field) {
				return true
			}
			restarts = restarts || setsCounter(i, field)
			if fieldOf(i.Addr) != field.Origin() {
				continue
			}
			grows = grows || addsTo(i.Val, is)
			_, made := i.Addr.(*ssa.FieldAddr).X.(*ssa.Alloc)
			if !made && !addsTo(i.Val, is) {
				return true
			}
		case ssa.CallInstruction:
			name := ""
			if b, ok := i.Common().Value.(*ssa.Builtin); ok {
				name = b.Name()
			}
			if slices.ContainsFunc(i.Common().Args, is) && (name == "clear" || name == "delete" && !all || name == "" && isMap(field.Type())) {
				return true
			}
		}
	}
	return restarts && !grows && !isMap(field.Type())
}

// setsCounter reports whether a store sets a number in a struct that has a field. The number may
// say how many elements of the field are filled.
func setsCounter(store *ssa.Store, field *types.Var) bool {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || !isConst(store.Val) || carries(store.Val.Type()) {
		return false
	}
	_, made := addr.X.(*ssa.Alloc)
	st := structOf(addr.X.Type())
	return !made && slices.Contains(slices.Collect(st.Fields()), field)
}

// addsTo reports whether v is a slice with more elements than another one.
func addsTo(v ssa.Value, is func(ssa.Value) bool) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	switch o := opOf(ssas.Callee(&call.Call)); {
	case ok && b.Name() == "append" || o == opSliceInsert:
		return is(call.Call.Args[0])
	case o == opGrow:
		return slices.ContainsFunc(call.Call.Args, is)
	}
	return false
}

// structAt returns the struct at the end of a path of fields.
func structAt(t types.Type, path string) *types.Struct {
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("."+stepDeref, r) }) {
		st := structOf(t)
		if st == nil {
			return nil
		}
		n := slices.IndexFunc(slices.Collect(st.Fields()), func(f *types.Var) bool { return f.Name() == name })
		if n < 0 {
			return nil
		}
		t = st.Field(n).Type()
	}
	return structOf(t)
}
