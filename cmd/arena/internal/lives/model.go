package lives

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// What the packages of arenas do is known by their names: their sources use package unsafe. These
// are all packages whose functions are not followed.

// An op is what a function of them does.
type op string

const (
	opNothing     op = "nothing"
	opNew         op = "new"      // the results lie in the arena, and refer to nothing
	opFormat      op = "format"   // the same, and methods of the operands are called
	opPtr         op = "ptr"      // the result lies in the arena, and has a copy of the last operand
	opBox         op = "box"      // the same in an interface
	opElements    op = "elements" // a slice in the arena has the elements of the last operand
	opGrow        op = "grow"     // the result is a slice of the arena or the operand, with the elements of the others
	opCollect     op = "collect"  // a slice or a map in the arena has what a sequence yields
	opKeys        op = "keys"     // a slice in the arena has the keys of a Map
	opMayNew      op = "maynew"   // the result lies in the arena, or is an operand
	opParts       op = "parts"    // a slice in the arena has parts of the operands
	opHandle      op = "handle"   // what makes values in the arena
	opMap         op = "map"      // a Map or Builder in the arena
	opSet         op = "set"      // the first operand has the others from now on
	opGet         op = "get"      // the result is in the first operand
	opEntry       op = "entry"    // the result points into the first operand, which has the others from now on
	opAll         op = "all"      // a sequence of what is in the first operand
	opValues      op = "values"   // the same, of the elements of a Map
	opDerive      op = "derive"   // text of a Builder
	opArena       op = "arena"    // a new arena
	opArenaOf     op = "arenaof"  // the same, with options
	opMember      op = "member"   // an arena of a Group
	opDo          op = "do"       // a function is called with a new arena, which ends when it returns
	opGroupDo     op = "groupdo"  // a function is called with an arena of a Group
	opGroupGo     op = "groupgo"  // the same in a goroutine
	opWait        op = "wait"     // until such goroutines have ended
	opTry         op = "try"      // a function is called
	opClone       op = "clone"    // a copy of the outermost value
	opCopy        op = "copy"     // a deep copy
	opFromContext op = "fromcontext"
	opNewContext  op = "newcontext"
	opSame        op = "same"    // the result is the first operand
	opMarshal     op = "marshal" // text in the arena, made by methods of the last operand
	opWrite       op = "write"   // the last operand is encoded, and written to the operand before
	opFill        op = "fill"    // the last operand points to what gets values of the arena
	opFillCtx     op = "fillctx" // the same with the arena of a request
	opFillAll     op = "fillall" // the same of a list of pointers
	opRows        op = "rows"    // a result whose parts lie in the arena
	opEach        op = "each"    // a function is called with such a value
	opList        op = "list"    // a value of a type that nobody names, in an interface: it lies in the arena, and has the last operand
	opAny         op = "-"       // anything
	opReset       op = "reset"   // ends
	opMark        op = "mark"    // begins a scope; a Mark has its arena
	opRewind      op = "rewind"  // ends it
	opFree        op = "free"
	opPut         op = "put"
	opGroupReset  op = "groupreset"
	opGroupFree   op = "groupfree"
)

// modeled are the ops by package and name.
var modeled = func() map[string]map[string]op {
	all := map[string]map[string]op{}
	for own := range names.Owns {
		if all[own.Path] == nil {
			all[own.Path] = map[string]op{}
		}
		if does := op(own.Lives); does != opAny || !hasFollowed[own.Path] {
			all[own.Path][own.Name] = does
		}
	}
	for _, pkg := range []string{"arenaarrow", "offheap"} {
		all[corePath+"/"+pkg] = map[string]op{}
	}
	return all
}()

// opOf returns what a function of a package of arenas does. It is opAny for one that has no name
// here.
func opOf(fn *ssa.Function) (does op, ok bool) {
	obj := objectOf(fn)
	path := names.Package(obj)
	list := modeled[path]
	if path == protoPath {
		// It encodes into memory of the heap, and keeps nothing of the message. Other functions are
		// followed.
		return opNothing, slices.Contains(protoNames, names.Local(obj))
	}
	if list == nil {
		return "", false
	}
	does, ok = list[names.Local(obj)]
	switch {
	case !ok && !hasFollowed[path]:
		return opAny, true
	case !ok:
		return "", false
	}
	return does, true
}

// protoPath is the package of Protocol Buffers, and protoNames its functions that read a message,
// and return nothing of it.
const protoPath = "google.golang.org/protobuf/proto"

var protoNames = []string{"Marshal", "MarshalOptions.Marshal", "Size", "MarshalOptions.Size", "Equal"}

// hasFollowed are packages whose other functions are written without package unsafe, and followed.
var hasFollowed = map[string]bool{corePath + "/arenastrings": true, corePath + "/arenascope": true, corePath + "/arenahttp": true}

// model does what a function of a package of arenas does, and tells whether it is one.
func (a *analysis) model(u use, fn *ssa.Function, args []operand) bool {
	does, ok := opOf(fn)
	if !ok {
		return false
	}
	in := func() *set { return a.arenas(args) }
	last := func() operand { return args[len(args)-1] }
	switch does {
	case opNothing, opCopy, opWait, opReset, opRewind, opFree, opPut, opGroupReset, opGroupFree:
		a.olds(u)
	case opFormat:
		a.methods(u, printing, args, nil)
		a.fresh(u, in())
	case opNew, opDerive:
		a.oldErrors(u)
		a.fresh(u, in())
	case opPtr:
		a.fresh(u, in())
		a.within(u, last())
	case opBox:
		id, o := a.object(u.in, u.at, -21, last().t)
		o.box = true
		a.lies(id, in())
		for _, l := range a.types.of(last().t) {
			a.union(o.cell(l), last().get(l))
		}
		a.results(u, single(id))
	case opElements, opKeys:
		a.fresh(u, in())
		a.elements(u, last())
	case opGrow:
		a.fresh(u, in())
		a.assign(args[1].t, func(l leaf) *set { return a.resultOf(u, 0, l) }, args[1])
		a.elements(u, args[1])
		for _, x := range args[2:] {
			if obj := objectOf(fn); obj.Name() == "Push" {
				a.within(u, x)
			} else {
				a.elements(u, x)
			}
		}
	case opCollect:
		a.collect(u, args, in())
	case opParts:
		a.fresh(u, in())
		for _, x := range args[1:] {
			if ssas.IsString(x.t) {
				a.within(u, x)
			}
		}
	case opMayNew:
		a.fresh(u, in())
		for _, x := range args[1:] {
			if ssas.IsString(x.t) {
				a.assign(x.t, func(l leaf) *set { return a.resultOf(u, 0, l) }, x)
			}
		}
	case opHandle, opMap:
		id, o := a.object(u.in, u.at, -22, nil)
		o.opaque = true
		a.union(o.cell(leafUnsafe), in())
		if does == opMap {
			a.lies(id, in())
		}
		a.results(u, single(id))
	case opSet:
		for _, x := range args[1:] {
			a.into(u, args[0], x)
		}
		a.olds(u)
	case opGet:
		for n := range u.results.Len() {
			for _, l := range a.types.of(u.results.At(n).Type()) {
				a.load(a.resultOf(u, n, l), a.all(args[0]), l)
			}
		}
	case opEntry:
		if obj := objectOf(fn); obj.Name() == "Entry" {
			a.into(u, args[0], last())
		}
		a.results(u, a.all(args[0]))
	case opAll, opValues:
		m := args[0]
		id, o := a.object(u.in, u.at, -23, nil)
		a.union(o.cell(leafUnsafe), a.all(m))
		o.opaque = true
		if o.native == nil {
			o.native = func(v use, yield []operand) {
				if len(yield) != 1 {
					return
				}
				sig, ok := yield[0].t.Underlying().(*types.Signature)
				if !ok {
					return
				}
				var list []operand
				for p := range sig.Params().Variables() {
					list = append(list, operand{p.Type(), func(l leaf) *set {
						s := &set{}
						a.look(s, a.all(m), l)
						return s
					}})
				}
				a.callValue(v.callback(nil), yield[0].get(leafFunc), list)
			}
		}
		a.results(u, single(id))
	case opArena, opArenaOf:
		if does == opArenaOf {
			for _, o := range args {
				a.escape(a.all(o), u.at, Why{Reason: ArenaPackage, Name: corePath})
			}
		}
		a.results(u, single(a.handle(u, false)))
	case opMember, opSame, opMark:
		a.results(u, a.all(args[0]))
	case opDo:
		h := single(a.handle(u, false))
		f := last()
		a.callValue(u.callback(nil), f.get(leafFunc), []operand{{arenaParam(f.t), func(leaf) *set { return h }}})
	case opGroupDo, opGroupGo:
		if does == opGroupGo && !a.ends.started[site{u.in, u.at}] {
			a.ends.started[site{u.in, u.at}] = true
			a.changed = true
		}
		f := last()
		a.callValue(u.callback(nil), f.get(leafFunc), []operand{{arenaParam(f.t), func(leaf) *set { return a.all(args[0]) }}})
	case opTry:
		a.olds(u)
		a.callValue(u.callback(nil), last().get(leafFunc), nil)
	case opClone:
		a.clone(u, args[0])
	case opFromContext:
		id := a.handle(u, true)
		s := single(id)
		s.UnionWith(&a.ends.contexts)
		a.results(u, s)
	case opNewContext:
		if len(args) == 2 {
			ctx, h := args[0], args[1]
			if objectOf(fn).Signature().Recv() != nil {
				ctx, h = h, ctx
			}
			if a.ends.contexts.UnionWith(a.all(h)) {
				a.changed = true
			}
			a.assign(ctx.t, func(l leaf) *set { return a.resultOf(u, 0, l) }, ctx)
		}
	case opMarshal:
		a.encode(u, last())
		a.fresh(u, in())
		if len(args) > 2 { // the buffer that it appends to
			for _, x := range args {
				if isBytes(x.t) {
					a.assign(x.t, func(l leaf) *set { return a.resultOf(u, 0, l) }, x)
				}
			}
		}
	case opWrite:
		a.encode(u, last())
		for _, x := range args {
			a.write(u, x)
		}
		a.olds(u)
	case opFill, opFillCtx, opFillAll:
		h := in()
		if does == opFillCtx {
			h = single(a.handle(u, true))
			h.UnionWith(&a.ends.contexts)
		}
		a.olds(u)
		to := a.all(last())
		if does == opFillAll {
			s := &set{}
			a.look(s, to, leafAny)
			to = s
		}
		a.fillAll(u, to, h)
	case opRows:
		a.oldErrors(u)
		f := a.filler(u, in())
		for n := range u.results.Len() {
			if t := u.results.At(n).Type(); !types.Identical(t, errorType) {
				f.put(t, func(l leaf) *set { return a.resultOf(u, n, l) })
			}
		}
	case opEach:
		a.olds(u)
		f := a.filler(u, in())
		for _, x := range args {
			sig, ok := x.t.Underlying().(*types.Signature)
			if !ok || sig.Params().Len() != 1 {
				continue
			}
			t := sig.Params().At(0).Type()
			s := &f.argument
			f.put(t, func(leaf) *set { return s })
			a.callValue(u.callback(a.errors(u)), x.get(leafFunc), []operand{{t, func(leaf) *set { return s }}})
		}
	case opList:
		id, o := a.object(u.in, u.at, -24, nil)
		o.box, o.opaque, o.mixed = true, true, true
		a.lies(id, in())
		a.union(o.cell(leafUnsafe), a.all(last()))
		a.results(u, single(id))
	default:
		why := Why{Reason: ArenaPackage, Name: packageOf(fn).Path()}
		for _, o := range args {
			a.escape(a.all(o), u.at, why)
		}
		a.olds(u)
	}
	return true
}

// isBytes tells whether a type is a slice of bytes.
func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem().Underlying(), types.Typ[types.Byte])
}

// arenaParam returns the type of the first parameter of a function type.
func arenaParam(t types.Type) types.Type {
	if sig, ok := t.Underlying().(*types.Signature); ok && sig.Params().Len() > 0 {
		return sig.Params().At(0).Type()
	}
	return types.Typ[types.UnsafePointer]
}

// resultOf returns the set of a result, or one that nobody looks at.
func (a *analysis) resultOf(u use, n int, l leaf) *set {
	if n >= u.results.Len() {
		return &a.unread
	}
	return u.set(n, l)
}

// results has all results of a call refer to what is in a set.
func (a *analysis) results(u use, s *set) {
	for n := range u.results.Len() {
		t := u.results.At(n).Type()
		for _, l := range a.types.of(t) {
			a.union(u.set(n, l), s)
		}
	}
}

// handle returns the object of an arena that a call makes.
func (a *analysis) handle(u use, ctx bool) int {
	id, o := a.object(u.in, u.at, -20, nil)
	o.handle, o.ctx, o.opaque = true, o.ctx || ctx, true
	return id
}

// arenas returns the arenas among operands, or which these make values in.
func (a *analysis) arenas(args []operand) *set {
	s := &set{}
	for _, x := range args {
		if ownName(x.t) == "" {
			continue
		}
		each(a.all(x), func(id int) {
			o := a.objects[id]
			switch {
			case id == old || o.handle:
				s.Insert(id)
			case o.opaque:
				if c := o.cells[leafUnsafe]; c != nil {
					each(c, func(h int) {
						if h == old || a.objects[h].handle {
							s.Insert(h)
						}
					})
				}
				s.UnionWith(&o.from)
			case isArena(x.t): // a variable or a field of the type itself
				o.handle = true
				s.Insert(id)
			}
			if a.objects[id].out {
				s.Insert(old)
			}
		})
	}
	return s
}

// isArena tells whether a type is a pointer to an arena, or to a Group.
func isArena(t types.Type) bool {
	name := ownName(t)
	return name == "Arena" || name == "Group"
}

// ownName returns the name of the type of a package of arenas that a type points to.
func ownName(t types.Type) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || modeled[n.Obj().Pkg().Path()] == nil {
		return ""
	}
	return n.Obj().Name()
}

// lies notes in which arenas an object may lie.
func (a *analysis) lies(id int, in *set) {
	if a.objects[id].from.UnionWith(in) {
		a.changed = true
	}
}

// fresh has the results of a call, but for errors and numbers, be objects that may lie in these
// arenas.
func (a *analysis) fresh(u use, in *set) {
	for n := range u.results.Len() {
		t := u.results.At(n).Type()
		if types.Identical(t, errorType) {
			continue
		}
		of := elem(t)
		if _, ok := t.Underlying().(*types.Map); ok {
			of = entry(t)
		}
		id, _ := a.object(u.in, u.at, -30-n, of)
		a.lies(id, in)
		if len(a.types.of(t)) > 1 || types.IsInterface(t) {
			a.mix(id) // a struct, such as reflect.Value
		}
		for _, l := range a.types.of(t) {
			a.add(a.resultOf(u, n, l), id)
		}
	}
}

// made0 returns the object of the first result that fresh has made.
func (a *analysis) made0(u use) (id int, ok bool) {
	id, ok = a.byPlace[objectKey{u.in, u.at, -30}]
	return id, ok
}

// within stores a value in the first result.
func (a *analysis) within(u use, x operand) {
	if id, ok := a.made0(u); ok {
		for _, l := range a.types.of(x.t) {
			a.store(single(id), l, x.get(l), u.at)
		}
	}
}

// elements stores the elements of a list, or the keys and elements of a Map, in what the first
// result refers to.
func (a *analysis) elements(u use, x operand) {
	id, ok := a.made0(u)
	if !ok {
		return
	}
	to := single(id)
	for _, l := range a.types.of(u.results.At(0).Type()) {
		to.UnionWith(u.set(0, l))
	}
	if e := elem(u.results.At(0).Type()); e != nil {
		for _, l := range a.types.of(e) {
			s := &set{}
			a.look(s, a.all(x), l)
			a.store(to, l, s, u.at)
		}
	}
}

// into stores a value in what an operand points to.
func (a *analysis) into(u use, to, x operand) {
	for _, l := range a.types.of(x.t) {
		a.store(a.all(to), l, x.get(l), u.at)
	}
}

// collect is for a call that goes over a sequence, and puts what that yields into a list or a Map.
func (a *analysis) collect(u use, args []operand, in *set) {
	var to *set
	if u.results.Len() > 0 {
		t := u.results.At(0).Type()
		if ownName(t) == "Map" {
			id, o := a.object(u.in, u.at, -22, nil)
			o.opaque = true
			a.union(o.cell(leafUnsafe), in)
			a.lies(id, in)
			a.results(u, single(id))
		} else {
			a.fresh(u, in)
		}
		to = &set{}
		for _, x := range args {
			if _, ok := x.t.Underlying().(*types.Slice); ok { // what it appends to
				a.assign(x.t, func(l leaf) *set { return a.resultOf(u, 0, l) }, x)
				a.elements(u, x)
				to.UnionWith(a.all(x))
			}
		}
		if id, ok := a.made0(u); ok {
			to.Insert(id)
		}
		if id, ok := a.byPlace[objectKey{u.in, u.at, -22}]; ok {
			to.Insert(id)
		}
	} else {
		to = a.all(args[0])
	}
	seq := args[len(args)-1]
	sig, ok := seq.t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 1 {
		return
	}
	yield, o := a.object(u.in, u.at, -25, nil)
	o.native = func(v use, list []operand) {
		for _, x := range list {
			for _, l := range a.types.of(x.t) {
				a.store(to, l, x.get(l), u.at)
			}
		}
		a.olds(v)
	}
	a.callValue(u.callback(nil), seq.get(leafFunc), []operand{{sig.Params().At(0).Type(), func(leaf) *set { return single(yield) }}})
}

// clone is for a copy of the outermost value.
func (a *analysis) clone(u use, x operand) {
	if ssas.IsString(x.t) {
		a.olds(u)
		return
	}
	if e := elem(x.t); e != nil {
		if _, ok := x.t.Underlying().(*types.Chan); !ok {
			if _, ok := x.t.Underlying().(*types.Map); ok {
				e = entry(x.t)
			}
			id, o := a.object(u.in, u.at, -26, e)
			for _, l := range a.types.of(e) {
				s := &set{}
				a.look(s, a.all(x), l)
				a.union(o.cell(l), s)
			}
			if ownName(x.t) != "" { // a container, of which the copy is the same
				a.results(u, a.all(x))
			}
			a.results(u, single(id))
			return
		}
	}
	a.assign(x.t, func(l leaf) *set { return a.resultOf(u, 0, l) }, x)
}

// encode is for a call that encodes a value by its methods.
func (a *analysis) encode(u use, x operand) {
	a.methods(u, slices.Concat(printing, encoding, []string{"MarshalJSONArena"}), []operand{x}, a.errors(u))
	a.oldErrors(u)
}

// oldErrors has the errors that a call returns be old.
func (a *analysis) oldErrors(u use) {
	for n := range u.results.Len() {
		if types.Identical(u.results.At(n).Type(), errorType) {
			for _, l := range a.types.of(errorType) {
				a.add(a.resultOf(u, n, l), old)
			}
		}
	}
}
