package lives

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// An object is what an expression makes.
type object struct {
	typ   types.Type    // of what is in it: for a pointer or a slice what these point at, for an interface the type of the value
	fn    *ssa.Function // if it is one
	box   bool          // a value in an interface
	boxed *boxList      // where it is, or was, a plain one
	arena bool          // it may lie in the arena, or have that in it
	mixed bool          // its places are used under other types, or under none that is known
	deep  bool          // the same is true of what it leads to: package unsafe has it, or a conversion
	cells map[leaf]*set // what is in it, by the type of the place
	binds []map[leaf]*set

	// In a proof of ends.
	at         ssa.Instruction             // that makes it
	in         *instance                   // where
	out, given bool                        // it is part of the old one; it is of the parameters of a Rewriting
	isError    bool                        // it is an error, or what one points at
	handle     bool                        // it is an arena
	ctx        bool                        // which a context has carried
	opaque     bool                        // it is a container of package arena
	from       set                         // the arenas that it may lie in
	native     func(u use, args []operand) // what a call of it does, if it is a function of package arena

	watch watch
}

// cell returns what is in a place.
func (o *object) cell(l leaf) *set { return cell(o.cells, l, &o.watch) }

// old is the object of all that was there before.
const old = 0

// An instance is a function as it is called from somewhere.
type instance struct {
	fn      *ssa.Function
	inside  bool                // a call that has the arena
	site    ssa.CallInstruction // one of the calls
	values  map[place]*set
	results []map[leaf]*set
	dirty   bool   // something that it has read has grown
	run     func() // of a hub
	own     watch  // of its values: itself
	callers watch  // of its results
}

type place struct {
	v     ssa.Value
	index int // of a result
	l     leaf
}

type instanceKey struct {
	fn     *ssa.Function
	inside bool
	site   ssa.CallInstruction
}

type objectKey struct {
	in *instance
	at ssa.Instruction
	n  int
}

// A note says how something became part of the old object.
type note struct {
	at   ssa.Instruction
	why  Why
	from int // the object that it was in, which became part before; or -1
	turn int // how many became part before
	in   int // the object that it is stored in, if the reason is StoredIn
}

type analysis struct {
	*Program
	q           Question
	top         *instance
	instances   []*instance
	byKey       map[instanceKey]*instance
	objects     []*object
	byPlace     map[objectKey]int
	functions   map[*ssa.Function]int
	outside     set // the objects that are part of the old one
	notes       map[int]note
	panics      set
	changed     bool
	steps       int
	looked      int       // instructions that along has looked at
	current     *instance // that is visited
	empty       set
	justOld     set
	justForeign set                    // of a Rewriting
	unread      set                    // results that nobody looks at
	exposed     map[leaf]map[leaf]bool // the fields that are, by the leaf of their type
	fillers     map[objectKey]*filler
	ends        *ends // in a proof of ends

	// For a Rewriting.
	rewriting           *Rewriting
	shown               set                               // what functions of the caller get
	heap                map[int]note                      // objects that stay on the heap, and what they lead to does not
	taken               []*ssa.Function                   // that are used as values
	takenBy             typeutil.Map                      // and these by their type, as far as somebody has asked
	takenIn             map[*ssa.Function][]*ssa.Function // and in which functions
	callers             map[*ssa.Function][]*ssa.Function // of the functions of the rewriting
	entered             map[*ssa.Function][]*instance
	oldValues           map[*ssa.Function]bool  // those that may be old values
	isRoot              map[*ssa.Function]bool  // called from outside
	pass, releasedIn    int                     // of solve; when freed was computed
	freed               set                     // see released
	closures            map[*ssa.Function][]int // the objects of literals
	givens              map[leaf]int            // the objects of what parameters of roots lead to, by the type of the places
	reflects            set                     // objects that are a reflect.Value, with all that it is of
	boxes               typeutil.Map            // the lists of plain boxes, by the type of the value
	boxLists            []*boxList              // in the order in which they were found
	methodsIn           map[methodKey]*ssa.Function
	plain               set // boxes that an interface value is made by, and which are no others
	hubs                map[hubKey]*typeutil.Map
	cleared             map[*types.Var]bool  // fields that some function always sets to nil, as if to begin anew
	written, errorsOnly map[*ssa.Global]bool // variables that are set; and those that are set to errors of the standard library only
	otherFuncs          typeutil.Map         // types of what libraries return
	foreignTypes        typeutil.Map         // of other packages that are put into interfaces
	foreignList         []types.Type
	others              typeutil.Map       // see othersOf
	generic             []*types.Signature // of literals of generic functions
}

func newAnalysis(p *Program, q Question) *analysis {
	a := &analysis{Program: p, q: q, byKey: map[instanceKey]*instance{}, byPlace: map[objectKey]int{}, functions: map[*ssa.Function]int{}, notes: map[int]note{}, exposed: map[leaf]map[leaf]bool{}, fillers: map[objectKey]*filler{}, methodsIn: map[methodKey]*ssa.Function{}}
	a.objects = []*object{{}}
	a.outside.Insert(old)
	a.objects[old].out = true
	a.justOld.Insert(old)
	return a
}

// begin has the analysis begin with a function: what it is given, or has captured, is old.
func (a *analysis) begin(fn *ssa.Function) {
	a.top = a.enter(fn, false, false, nil)
	given := func(v ssa.Value) {
		for _, l := range a.types.of(v.Type()) {
			a.add(a.value(a.top, v, 0, l), old)
		}
	}
	for _, v := range fn.Params {
		given(v)
	}
	for _, v := range fn.FreeVars {
		given(v)
	}
}

// enter returns the instance of a function for a call. To keep the number down, one instance is for
// all calls of a function that has the arena and is no library's. In a rewriting, one is for all
// calls that libraries make of a function.
func (a *analysis) enter(fn *ssa.Function, inside, back bool, site ssa.CallInstruction) *instance {
	mine, most := a.mine(fn), mostBySite
	one := inside && mine // for all calls
	if a.rewriting != nil {
		inside = inside || mine && a.rewriting.Carried(fn)
		one = a.current != nil && !a.mine(a.current.fn)
		if mine {
			most = mostOfMine
		}
		if back {
			most = mostOfBack
		}
	}
	key := instanceKey{fn, inside, site}
	if one {
		key.site = nil
	}
	in := a.byKey[key]
	if in == nil && (a.ends != nil || a.rewriting != nil) && len(a.instances) > most { // one for all calls from here on
		key.site = nil
		in = a.byKey[key]
	}
	if in == nil {
		in = &instance{fn: fn, inside: inside, site: site, values: map[place]*set{}, dirty: true}
		in.own.owner = in
		for range fn.Signature.Results().Len() {
			in.results = append(in.results, map[leaf]*set{})
		}
		a.byKey[key] = in
		a.instances = append(a.instances, in)
		a.changed = true
		if a.rewriting != nil {
			a.entered[fn] = append(a.entered[fn], in)
		}
	}
	return in
}

func (a *analysis) mine(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	return pkg != nil && a.q.Mine(pkg)
}

func packageOf(fn *ssa.Function) *types.Package {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	switch {
	case fn.Pkg != nil:
		return fn.Pkg.Pkg
	case fn.Object() != nil:
		return fn.Object().Pkg()
	}
	return nil
}

// value returns what a value may refer to.
func (a *analysis) value(in *instance, v ssa.Value, index int, l leaf) *set {
	switch v := v.(type) {
	case *ssa.Const:
		return &a.empty
	case *ssa.Global:
		if a.rewriting != nil && a.isForeignError(v) {
			return &a.justForeign
		}
		switch {
		case a.rewriting == nil || !a.isBlank(v):
		case !ast.IsExported(v.Name()):
			return &a.empty
		case isHook(elem(v.Type())):
			return single(a.outer(a.types.one(v.Type())))
		}
		return &a.justOld
	case *ssa.Function:
		s := &set{}
		s.Insert(a.function(v))
		return s
	}
	return cell(in.values, place{v, index, l}, &in.own)
}

func cell[K comparable](m map[K]*set, k K, w *watch) *set {
	s := m[k]
	if s == nil {
		s = &set{watch: w}
		m[k] = s
	}
	return s
}

func (a *analysis) function(fn *ssa.Function) int {
	n, ok := a.functions[fn]
	if !ok {
		n = len(a.objects)
		a.objects = append(a.objects, &object{fn: fn})
		a.functions[fn] = n
	}
	return n
}

// object returns the object that an instruction makes.
func (a *analysis) object(in *instance, at ssa.Instruction, n int, t types.Type) (int, *object) {
	key := objectKey{in, at, n}
	id, ok := a.byPlace[key]
	if !ok {
		id = len(a.objects)
		a.byPlace[key] = id
		o := &object{typ: t, cells: map[leaf]*set{}, at: at, in: in}
		o.isError = a.rewriting != nil && t != nil && isError(t)
		o.arena = in.inside && (a.q.Moved(at) || t != nil && a.q.Carries(t))
		a.objects = append(a.objects, o)
	}
	return id, a.objects[id]
}

func (a *analysis) add(to *set, id int) {
	if to.Insert(id) {
		a.changed = true
		to.watch.grown()
	}
}

func (a *analysis) union(to, from *set) {
	if to.UnionWith(from) {
		a.changed = true
		to.watch.grown()
	}
}

// copy has a value refer to what another one does.
func (a *analysis) copy(in *instance, to, from ssa.Value) {
	list, have := a.types.of(to.Type()), a.types.of(from.Type())
	for _, l := range list {
		a.union(a.value(in, to, 0, l), a.value(in, from, 0, l))
		if len(list) == 1 || !slices.Contains(have, l) { // the type may be another one
			for _, other := range have {
				a.union(a.value(in, to, 0, l), a.value(in, from, 0, other))
			}
		}
	}
}

// mix notes that the places of an object are used under other types, and of what it leads to, too.
func (a *analysis) mix(id int) {
	a.blend(id)
	if o := a.objects[id]; !o.deep && id != old {
		o.deep, a.changed = true, true
	}
}

// blend notes that something is stored in an object without the type of the place.
func (a *analysis) blend(id int) {
	if o := a.objects[id]; !o.mixed && id != old {
		o.mixed, a.changed = true, true
		a.plain.Remove(id)
		o.watch.grown()
	}
}

// each calls f for each object of a set, which may grow meanwhile.
func each(s *set, f func(id int)) {
	var buf [16]int
	for _, id := range s.AppendTo(buf[:0]) {
		f(id)
	}
}

// load adds to a set what is in a place of objects.
func (a *analysis) load(to, from *set, l leaf) {
	each(from, func(id int) {
		o := a.objects[id]
		if id != old {
			o.watch.add(a.current)
		}
		switch {
		case o.out:
			a.add(to, a.olderAt(id, l))
		case a.isGiven(id):
			a.add(to, a.outer(l))
			for _, id := range a.givens { // they may point into each other
				o := a.objects[id]
				o.watch.add(a.current)
				if c := o.cells[leafUnsafe]; c != nil {
					a.union(to, c)
				}
				if o.mixed {
					a.inside(id, func(s *set) { a.union(to, s) })
				} else {
					a.read(o, l, func(s *set) { a.union(to, s) })
				}
			}
		case o.mixed:
			a.inside(id, func(s *set) { a.union(to, s) })
		default:
			a.read(o, l, func(s *set) { a.union(to, s) })
		}
	})
}

// read calls f for what is in a place of an object that is not mixed: in the place itself, and if
// it may be pointed at, in places of its type.
func (a *analysis) read(o *object, l leaf, f func(*set)) {
	if c := o.cells[l]; c != nil {
		f(c)
	}
	plain := a.types.plain(l)
	switch {
	case plain == l && len(a.exposed[l]) > 0:
		for other, c := range o.cells {
			if a.exposed[l][other] {
				f(c)
			}
		}
	case plain != l && a.exposed[plain][l]:
		if c := o.cells[plain]; c != nil {
			f(c)
		}
	}
}

// at returns the leaf of a place, which has this leaf by itself, at an address.
func (a *analysis) at(addr ssa.Value, l leaf) leaf {
	place, exposed := a.types.at(addr, l)
	if exposed {
		a.expose(place)
	}
	return place
}

// expose notes that something may point at a place.
func (a *analysis) expose(place leaf) {
	plain := a.types.plain(place)
	if plain == place || a.exposed[plain][place] {
		return
	}
	if a.exposed[plain] == nil {
		a.exposed[plain] = map[leaf]bool{}
	}
	a.exposed[plain][place] = true
	a.changed = true
}

// addressed notes that methods of a field, which is no struct, may have its address, or the address
// of an element.
func (a *analysis) addressed(t *types.Struct, n int) {
	typ := t.Field(n).Type()
	f, ok := types.Unalias(typ).(*types.Named)
	for array, is := typ.Underlying().(*types.Array); is && (!ok || f.NumMethods() == 0); array, is = typ.Underlying().(*types.Array) {
		typ = array.Elem()
		f, ok = types.Unalias(typ).(*types.Named)
	}
	if !ok || f.NumMethods() == 0 || types.IsInterface(f) {
		return
	}
	for _, l := range a.types.of(t.Field(n).Type()) {
		if a.types.plain(l) == l {
			a.expose(a.types.field(t, n, l))
		}
	}
}

// look is load for a set that nothing is computed from later.
func (a *analysis) look(to, from *set, l leaf) {
	changed := a.changed
	a.load(to, from, l)
	a.changed = changed
}

// store stores something in a place of objects.
func (a *analysis) store(to *set, l leaf, what *set, at ssa.Instruction) {
	if what.IsEmpty() {
		return
	}
	known := what.SubsetOf(&a.outside.Sparse)
	each(to, func(id int) {
		o := a.objects[id]
		switch {
		case o.out && known:
		case o.out:
			why := Why{Reason: Stored}
			if !a.isFirst(id) {
				why = a.notes[a.origin(id)].why.storedIn()
			}
			each(what, func(what int) { a.leak(what, note{at: at, why: why, from: -1, in: id}) })
		case a.isGiven(id) && isSend(at):
			a.escape(what, at, Why{Reason: Goroutine})
		case o.cells != nil:
			if a.isGiven(id) {
				a.again(what, at)
			}
			o.watch.add(a.current) // it may become part of the old one
			a.union(o.cell(l), what)
			a.ends.stored(id, what, at)
		}
	})
}

// escape makes objects part of the old one.
func (a *analysis) escape(what *set, at ssa.Instruction, why Why) {
	if !what.SubsetOf(&a.outside.Sparse) {
		each(what, func(id int) { a.leak(id, note{at: at, why: why, from: -1}) })
	}
}

func (a *analysis) leak(id int, n note) {
	if a.isGiven(id) && !a.loses(id, n) {
		return
	}
	if o := a.objects[id]; !o.out {
		a.outside.Insert(id)
		o.out = true
		a.changed = true
		o.watch.grown()
		n.turn = len(a.notes)
		a.notes[id] = n
	}
}

// spread makes part of the old object what its parts have in them.
func (a *analysis) spread() {
	for more := true; more; {
		before := a.outside.Len()
		each(&a.outside, func(id int) {
			a.inside(id, func(s *set) {
				if !s.SubsetOf(&a.outside.Sparse) {
					each(s, func(in int) { a.leak(in, note{from: id}) })
				}
			})
		})
		more = a.outside.Len() > before
	}
}

// mixAll has what mixed objects lead to be mixed: which types it is used under is not known either.
func (a *analysis) mixAll() {
	var todo []int
	for id, o := range a.objects {
		if o.deep {
			todo = append(todo, id)
		}
	}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a.inside(id, func(s *set) {
			each(s, func(in int) {
				if in != old && !a.objects[in].deep {
					a.mix(in)
					todo = append(todo, in)
				}
			})
		})
	}
}

// inside calls f for all that an object refers to.
func (a *analysis) inside(id int, f func(*set)) {
	a.objects[id].watch.add(a.current)
	for _, s := range a.objects[id].cells {
		f(s)
	}
	for _, b := range a.objects[id].binds {
		for _, s := range b {
			f(s)
		}
	}
}

// reach returns the objects of a set and all objects that they lead to.
func (a *analysis) reach(from *set) *set { return a.reachBut(from, func(int) bool { return false }) }

// reachBut is reach, but not through some objects.
func (a *analysis) reachBut(from *set, but func(id int) bool) *set {
	all := &set{}
	all.Copy(from)
	todo := from.AppendTo(nil)
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if but(id) {
			continue
		}
		a.inside(id, func(s *set) {
			if s.SubsetOf(&all.Sparse) {
				return
			}
			each(s, func(in int) {
				if all.Insert(in) {
					todo = append(todo, in)
				}
			})
		})
	}
	return all
}

// arenaIn returns an object of a set that may lie in the arena, or old if there is none.
func (a *analysis) arenaIn(s *set) (found int) {
	each(s, func(id int) {
		if found == old && a.objects[id].arena {
			found = id
		}
	})
	return found
}

// origin returns the object by which another one became part of the old object.
func (a *analysis) origin(id int) int {
	for a.notes[id].at == nil && a.notes[id].from >= 0 && id != old {
		id = a.notes[id].from
	}
	return id
}

// solve goes over all functions until nothing changes: first over those that read what has changed,
// and then over all. It returns false if that is too much.
func (a *analysis) solve() bool {
	for {
		for {
			visited := false
			a.pass++
			for i := 0; i < len(a.instances); i++ {
				in := a.instances[i]
				if !in.dirty {
					continue
				}
				in.dirty, visited = false, true
				a.visitAll(in)
				if len(a.instances) > most || a.steps > mostSteps || a.ends != nil && a.steps > mostProof {
					return false
				}
			}
			a.current = nil
			a.spread()
			a.mixAll()
			if a.ends == nil && a.rewriting == nil && a.arenaIn(&a.outside) != old || a.ends != nil && a.isLeft() {
				return true
			}
			if !visited {
				break
			}
		}
		a.changed = false
		a.pass++
		for i := 0; i < len(a.instances); i++ {
			a.visitAll(a.instances[i])
		}
		if a.steps > mostSteps || a.ends != nil && a.steps > mostProof {
			return false
		}
		a.current = nil
		a.spread()
		a.mixAll()
		if !a.changed {
			return true
		}
	}
}

func (a *analysis) visitAll(in *instance) {
	a.current = in
	if in.run != nil {
		in.run()
		return
	}
	for _, b := range a.live(in.fn) {
		for _, instr := range b.Instrs {
			a.visit(in, instr)
		}
		a.steps += len(b.Instrs)
	}
}

// live returns the blocks of a function that a constant condition does not leave out, such as
// whether there is a race detector.
func (p *Program) live(fn *ssa.Function) []*ssa.BasicBlock {
	if list, ok := p.blocks[fn]; ok {
		return list
	}
	list := fn.Blocks
	if slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return branch(b) >= 0 }) {
		list = nil
		todo := []*ssa.BasicBlock{fn.Blocks[0]}
		if fn.Recover != nil {
			todo = append(todo, fn.Recover)
		}
		seen := map[*ssa.BasicBlock]bool{}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[b] {
				continue
			}
			seen[b] = true
			list = append(list, b)
			if n := branch(b); n >= 0 {
				todo = append(todo, b.Succs[n])
			} else {
				todo = append(todo, b.Succs...)
			}
		}
	}
	p.blocks[fn] = list
	return list
}

// branch returns which successor follows a block whose condition is a constant, or -1.
func branch(b *ssa.BasicBlock) int {
	if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if c, ok := i.Cond.(*ssa.Const); ok && c.Value != nil {
			if constant.BoolVal(c.Value) {
				return 0
			}
			return 1
		}
	}
	return -1
}
