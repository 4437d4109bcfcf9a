package arenavet

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A life is an arena, or something else whose memory ends at once: a value of a sync.Pool, or the
// table of a Map. Two lives of a function are the same if they have the same key.
type life struct {
	lifeKey
	kind   lifeKind
	parent *life // the Group of one of its arenas, which ends it
}

// A lifeKey says where the life comes from: the call that made it, or what a parameter, a global
// variable, or the result of a call leads to, by a path.
type lifeKey struct {
	root ssa.Value
	path string
}

type lifeKind uint8

const (
	lifeFound  lifeKind = iota // it was there before: a parameter, a field, a global variable
	lifeMade                   // NewArena and the like: the collector takes what is dropped
	lifePool                   // Pool.Get: Put is expected
	lifeMemory                 // NewWith with Options.Memory: Free is expected
	lifeGroup                  // a Group
	lifeMember                 // an arena of a Group
	lifeDo                     // the parameter of the function given to Do
	lifeCtx                    // FromContext
	lifeTable                  // the table of a Map, which ends when the Map grows
	lifeSync                   // sync.Pool.Get
	lifeMark                   // Arena.Mark: only its tag matters
)

// in reports whether l ends when the other does.
func (l *life) in(other *life) bool {
	return l == other || l.parent != nil && l.parent == other
}

// An end is an instruction that ends a life: a Reset, a Put, the return of a handler.
type end struct {
	at     ssa.Instruction
	what   string // "Reset", "Put", "Do"
	life   *life
	soft   bool // values stay valid: Free
	when   outcome
	turn   bool // it comes before the next call of a function that was given
	within bool // a called function has ended it, and leaves what has ended to its caller

	since scope // what it ends
}

// A scope is what was made in an arena since a Mark. The zero scope has everything.
type scope struct {
	begin ssa.Instruction // the call that returned the Mark, or a call that makes one and ends it
	calls bool            // it has also what that call has made
}

// of tells whether e ends what a tag is of.
func (e *end) of(t tag) bool {
	if !t.life.in(e.life) {
		return false
	}
	begin := e.since.begin
	switch {
	case begin == nil:
		return true
	case t.made == nil || t.older != nil && (t.older == begin || follows(t.older, begin)):
		return false
	}
	return follows(begin, t.made) || e.since.calls && begin == t.made
}

// surely tells whether e ends what a tag is of, also if that has grown from something older.
func (e *end) surely(t tag) bool {
	if e.since.begin == nil || t.grown == nil {
		return true
	}
	t.made = t.grown.made
	return t.made != nil && e.of(t)
}

// follows tells whether an instruction of a function only comes after another one.
func follows(first, next ssa.Instruction) bool {
	from, to := first.Block(), next.Block()
	if from != to {
		return from.Parent() == to.Parent() && from.Dominates(to)
	}
	return slices.Index(from.Instrs, first) < slices.Index(to.Instrs, next)
}

// A tagKind says what a value has to do with a life.
type tagKind uint8

const (
	isArena  tagKind = iota // it is the arena, or a handle that stays usable, such as a Slab
	inMemory                // it refers to memory of the arena
	ofParam                 // it is what a parameter had at that path when the function began; the life is no arena
	isMark                  // it is a Mark
)

// A tag is one thing that a value may be.
type tag struct {
	life *life
	kind tagKind
	made ssa.Instruction // what made the value, for messages
	end  *end            // what ended the life since, or nil

	deep  bool            // it is not of the value itself, but of what lies where that may point to
	some  bool            // one of several functions that may be called has stored it
	lay   *life           // what the caller has where it was found, if fields say in which arena it lies
	older ssa.Instruction // what made a Mark since, although it comes before made: in the next turn of a loop
	grown *growth         // of a slice that was there before, and that may still be the same
}

// A growth says which slice has grown: what has made it, or what the caller has given.
type growth struct {
	made  ssa.Instruction
	given *life
}

// grownFrom returns what a slice is that has grown from v: always the same one.
func (f *flow) grownFrom(v av) *growth {
	var g growth
	for n, t := range v.tags {
		from := growth{made: t.made}
		switch {
		case t.grown != nil:
			from = *t.grown
		case t.kind == ofParam:
			from = growth{given: t.life}
		}
		if n > 0 && g != from {
			g = growth{}
			break
		}
		g = from
	}
	if f.growths[g] == nil {
		f.growths[g] = &g
	}
	return f.growths[g]
}

// An av is what is known of a value: an abstract value. The zero av is nil, "", or another value
// that is of no interest.
type av struct {
	tags  []tag
	other bool // it may be something that is not known
	none  bool // on some way it is nil or ""
	// ptr is where the value points, or where its elements begin. A struct has the place that it
	// was loaded from.
	ptr  loc
	from loc           // of a result of append: what it was appended to, all elements of which it has
	lost bool          // it points to one of several places
	many bool          // ptr stands for what several turns of a loop have made, and the value points to one of these
	sub  map[string]av // of a struct, by field
	fns  []fnValue     // the functions that it may be
	open bool          // it may also be another function
	dyn  []types.Type  // the types that it may have in an interface, if all are known
}

// A loc is a place in memory: a path of fields, elements and pointers that begins at a value.
type loc struct {
	root ssa.Value
	path string
}

const maxPath = 60 // longer paths are not followed

func (l loc) add(step string) loc { return loc{l.root, l.path + step} }

func (l loc) known() bool { return l.root != nil && len(l.path) < maxPath }

// Steps of a path. A field is "." and its name.
const (
	stepElem  = "[]"
	stepKey   = "[k]"
	stepIndex = "~i"   // one arena of several, whose index has a number
	stepSent  = "[<-]" // what was sent on a channel
	stepDeref = "^"
	stepAll   = "*" // whatever lies below and has no entry
	stepCtx   = "@" // the arena in a context
	stepValue = "=" // what lies at the place itself, in the key of a life
	stepAddr  = "&" // the place itself, if an arena lies there
)

func parentPath(path string) (string, bool) {
	i := strings.LastIndexAny(path, ".[^@")
	if i < 0 {
		return "", false
	}
	return path[:i], true
}

var unknown = av{other: true}

// tagged reports whether v, or a field of it, has something to do with a life.
func (v av) tagged() bool {
	for _, x := range v.sub {
		if x.tagged() {
			return true
		}
	}
	return len(v.tags) > 0
}

func (v av) zero() bool { return len(v.tags) == 0 && !v.other && v.ptr.root == nil && v.sub == nil }

// with returns v with more tags.
func (v av) with(tags ...tag) av {
	for i, t := range tags {
		if !slices.Contains(v.tags, t) {
			v.tags = append(slices.Clip(v.tags), tags[i:]...)
			return v.unique()
		}
	}
	return v
}

func (v av) unique() av {
	var all []tag
	for _, t := range v.tags {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	v.tags = all
	return v
}

// only returns the tags that f wants.
func (v av) only(f func(tag) bool) (all []tag) {
	for _, t := range v.tags {
		if f(t) {
			all = append(all, t)
		}
	}
	return all
}

// direct returns v without what only lies where it may point to.
func (v av) direct() av {
	v.tags = v.only(func(t tag) bool { return !t.deep })
	return v
}

const maxTags = 12 // a value with more is not known

func joinValues(v, w av) av {
	if v.zero() || w.zero() {
		if v.zero() {
			v, w = w, v
		}
		if len(w.dyn) > 0 {
			v.dyn = joinTypes(v.dyn, w.dyn)
		}
		v.none = v.none || w.none
		return v
	}
	r := v.with(w.tags...)
	r.fns, r.dyn = joinFns(v.fns, w.fns), joinTypes(v.dyn, w.dyn)
	r.open = v.open || w.open || (len(v.fns) == 0) != (len(w.fns) == 0) || len(v.fns)+len(w.fns) > len(r.fns)+maxTargets
	r.other, r.none, r.many = v.other || w.other, v.none || w.none, v.many || w.many
	if len(r.tags) > maxTags {
		r.tags, r.other = nil, true
	}
	r.lost = v.lost || w.lost
	if r.lost {
		r.ptr = loc{}
	} else if v.ptr != w.ptr {
		switch {
		case v.ptr.root == nil:
			r.ptr, r.from = w.ptr, w.from
		case w.ptr.root == nil || w.ptr == v.from:
			r.ptr = v.ptr
		case v.ptr == w.from:
			r.ptr, r.from = w.ptr, w.from
		default:
			r.ptr, r.lost = loc{}, true
			r.other = r.other || len(r.tags) == 0
		}
	}
	if v.sub != nil || w.sub != nil {
		r.sub = map[string]av{}
		for k, x := range v.sub {
			r.sub[k] = joinValues(x, w.sub[k])
		}
		for k, x := range w.sub {
			if _, ok := v.sub[k]; !ok {
				r.sub[k] = x
			}
		}
	}
	return r
}

// joinElements is joinValues for elements: what was made here matters, and not where others point.
func joinElements(v, w av) av {
	here := func(v av) bool {
		_, ok := v.ptr.root.(*ssa.MakeClosure)
		return ok || v.ptr.made()
	}
	old := func(v av) bool {
		return !here(v) && !slices.ContainsFunc(v.tags, func(t tag) bool { return t.kind != ofParam })
	}
	switch {
	case here(w) && old(v):
		v.ptr = loc{}
	case here(v) && old(w):
		w.ptr = loc{}
	}
	return joinValues(v, w)
}

func equalValues(v, w av) bool {
	return v.other == w.other && v.none == w.none && v.ptr == w.ptr && v.from == w.from && v.many == w.many && v.open == w.open && v.lost == w.lost &&
		sameElements(v.tags, w.tags, func(t, u tag) bool { return t == u }) && sameElements(v.fns, w.fns, func(f, g fnValue) bool { return f == g }) &&
		sameElements(v.dyn, w.dyn, types.Identical) && maps.EqualFunc(v.sub, w.sub, equalValues)
}

// sameElements reports whether two lists, each without repetitions, have the same elements.
func sameElements[T any](some, others []T, equal func(T, T) bool) bool {
	return len(some) == len(others) && !slices.ContainsFunc(some, func(x T) bool {
		return !slices.ContainsFunc(others, func(y T) bool { return equal(x, y) })
	})
}

// carries reports whether a value of type t can refer to memory.
func carries(t types.Type) bool { return carriesDeep(t, 0) }

func carriesDeep(t types.Type, depth int) bool {
	if depth > 4 {
		return true
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == refPath {
		return true // a reference is a number, which is of use only with its arena
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			if carriesDeep(f.Type(), depth+1) {
				return true
			}
		}
		return false
	case *types.Array:
		return u.Len() > 0 && carriesDeep(u.Elem(), depth+1)
	case *types.Tuple:
		for v := range u.Variables() {
			if carriesDeep(v.Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return true
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}
