package arena

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
)

// Clone returns a copy of v that lies on the Go heap. It is shallow. It copies a pointer together with the one
// value that it points to, a slice with its elements, a map of Go with its entries, a string with its bytes. What
// these refer to in turn stays where it is.
//
// Clone returns everything else as it is: numbers, structs, arrays, channels and functions. So the strings, slices
// and pointers in the fields of a struct go on referring to where they were; [DeepClone] copies these as well. If
// T is an interface type, the dynamic value counts. Nil stays nil. The copy of a slice has the same length, and no
// more capacity.
//
// The function of the same name in the standard library's experiment panics for everything but pointers, slices
// and strings, and returns what is not in an arena unchanged. This one cannot know what is in an arena, and always
// copies.
//
// Any number of goroutines may clone the same value. None may modify it meanwhile.
func Clone[T any](v T) T {
	x := reflect.ValueOf(&v).Elem()
	if x.Kind() == reflect.Interface {
		x = x.Elem()
	}
	var c reflect.Value
	switch x.Kind() {
	case reflect.String:
		textIsRead(x.String())
		c = reflect.ValueOf(strings.Clone(x.String())).Convert(x.Type())
	case reflect.Pointer:
		if x.IsNil() {
			return v
		}
		c = reflect.New(x.Type().Elem())
		c.Elem().Set(x.Elem())
		c = c.Convert(x.Type())
	case reflect.Slice:
		if x.IsNil() {
			return v
		}
		c = reflect.MakeSlice(x.Type(), x.Len(), x.Len())
		reflect.Copy(c, x)
	case reflect.Map:
		if x.IsNil() {
			return v
		}
		c = reflect.MakeMapWithSize(x.Type(), x.Len())
		for entries := x.MapRange(); entries.Next(); {
			c.SetMapIndex(entries.Key(), entries.Value())
		}
	default:
		return v
	}
	return c.Interface().(T)
}

// DeepClone returns a copy of v and of everything reachable from it, on the Go heap.
// Nothing of the copy lies in memory of the original. So the copy outlives the arenas that
// the original lies in, with the exceptions listed below.
//
// Structs are copied with all their fields, exported or not, arrays and slices with
// their elements, strings with their bytes, maps with their keys and elements,
// interfaces with the values in them. Nil stays nil, empty stays empty.
//
// The copy has the shape of the original. Pointers, slices, maps and interfaces that
// share memory in the original share memory in the copy, in the same way. That includes
// cycles, pointers to fields and to elements, and slices that overlap. DeepClone does not
// copy what lies between the length and the capacity of a slice, and the copy has no such
// capacity, unless another part of the value reaches that memory too.
//
// Some values are copied as they are. They go on referring to what the original refers to,
// which must therefore not be in an arena: func values and what they capture, channels and
// what is queued in them, unsafe.Pointer, uintptr. The same goes for values that mean
// nothing without their identity, and for pointers to them:
//
//   - errors made by [errors.New], so that io.EOF remains equal to io.EOF
//   - [time.Location], [time.Timer], [time.Ticker]
//   - [sync.Map], [sync.Pool], and [Pool] and [Group] of this package
//   - contexts, and all other types of packages context, reflect, runtime, unique, weak
//     and of the standard library's internal packages
//   - the system's side of open files, network connections and processes
//   - the type information inside generated Protocol Buffers messages, and their
//     extension fields
//
// An error made by [errors.New] from a string in an arena thus keeps that string.
//
// An arena that the value refers to is not copied. The copy has nil or an empty arena in its
// place, which is the heap. So the copy of each [Map], [Slab] and [Builder] is on the heap, too.
// Entries of a Map move when its keys have pointers in them, unless the keys are strings. A
// pointer to a value of such a Map then points at a copy of its own.
//
// Locks and other types of package sync are copied in their current state. Do not clone values
// that must not be copied, or whose identity matters in a way not listed: a *[sync.Cond], an
// error variable that is a pointer to a type of your own.
//
// Pointers to values of size zero remain equal or different among themselves, but need not
// point into the copy of the struct that they pointed into. Memory that unsafe code refers to
// by two types at once is copied once for each.
//
// Any number of goroutines may clone the same value. None may modify it meanwhile.
func DeepClone[T any](v T) T {
	p := planOf(reflect.TypeFor[T]())
	if !p.follow {
		return v
	}
	// What v refers to must be on the heap, as memory is told apart by address. Storing
	// v in an object that escapes makes it so in every caller.
	c := new(T)
	*c = v
	deepClone(pointerTo(c), p)
	runtime.KeepAlive(v)
	return *c
}

// A plan says how to copy values of one type. Plans are immutable once published.
type plan struct {
	typ    reflect.Type
	kind   reflect.Kind // Invalid: atom; zeroed
	size   uintptr
	follow bool  // values contain something besides their own bytes to copy
	hashed bool  // a Map
	direct bool  // an interface stores the value itself, not a pointer to a box
	depth  int   // nesting of structs: a type is deeper than all that it contains
	flat   run   // the type as a run of a type that is not an array
	elem   *plan // Pointer, Slice, Array, Map
	key    *plan // Map
	parts  []run // Struct: the fields
	refs   []run // Struct: the fields to follow
}

// A run is n values of a type, one after the other, at an offset.
type run struct {
	off  uintptr
	plan *plan
	n    int
}

func (r run) end() uintptr { return r.off + uintptr(r.n)*r.plan.size }

var (
	plans  sync.Map // reflect.Type -> *plan
	planMu sync.Mutex
)

// planOf returns the plan of t.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	planMu.Lock()
	defer planMu.Unlock()
	b := planner{made: map[reflect.Type]*plan{}}
	p := b.plan(t)
	for len(b.later) > 0 {
		l := b.later[len(b.later)-1]
		b.later = b.later[:len(b.later)-1]
		*l.to = b.plan(l.typ)
	}
	for t, p := range b.made {
		plans.Store(t, p)
	}
	return p
}

// A planner makes the plan of a type and of all types that it refers to. They are
// published together when all are complete. Plans of types that are referred to are made later,
// not on the way: a type can be inside of one that it refers to, and is incomplete then.
type planner struct {
	made  map[reflect.Type]*plan
	later []reference
}

type reference struct {
	to  **plan
	typ reflect.Type
}

func (b *planner) refer(to **plan, t reflect.Type) { b.later = append(b.later, reference{to, t}) }

// plan returns the plan of t, complete but for plans of types that t refers to.
func (b *planner) plan(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	if p, ok := b.made[t]; ok {
		return p
	}
	p := &plan{typ: t, kind: t.Kind(), size: t.Size(), direct: isDirect(t)}
	p.flat = run{plan: p, n: 1}
	b.made[t] = p
	if isAtom(t) {
		p.kind = reflect.Invalid
		return p
	}
	if isArena(t) {
		p.kind, p.follow = zeroed, true
		return p
	}
	switch p.kind {
	case reflect.String, reflect.Interface:
		p.follow = true
	case reflect.Pointer:
		p.follow = !isAtom(t.Elem())
		if elem := t.Elem(); elem.Size() > 0 {
			b.refer(&p.elem, elem)
		} else {
			b.refer(&p.elem, reflect.TypeFor[struct{}]())
		}
	case reflect.Slice:
		p.follow = true
		b.refer(&p.elem, t.Elem())
	case reflect.Map:
		p.follow = true
		b.refer(&p.key, t.Key())
		b.refer(&p.elem, t.Elem())
	case reflect.Array:
		p.elem = b.plan(t.Elem())
		p.depth = p.elem.depth
		p.flat = run{plan: p.elem.flat.plan, n: t.Len() * p.elem.flat.n}
		p.follow = p.elem.follow && p.flat.n > 0
	case reflect.Struct:
		for f := range t.Fields() {
			ft := f.Type
			if f.Name == "v" && t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer[") {
				ft = t.Field(0).Type.Elem() // atomic.Pointer[T] is {_ [0]*T; ...; v unsafe.Pointer}
			}
			fp := b.plan(ft)
			p.depth = max(p.depth, fp.depth+1)
			r := run{f.Offset, fp.flat.plan, fp.flat.n}
			p.parts = append(p.parts, r)
			if fp.follow {
				p.refs = append(p.refs, r)
			}
		}
		p.follow = p.refs != nil
		p.hashed = t.PkgPath() == arenaPath && strings.HasPrefix(t.Name(), "Map[")
	}
	return p
}

// zeroed is the kind of values that are zero in the copy. Nothing else that is
// followed has it.
const zeroed = reflect.Uintptr

var (
	arenaType = reflect.TypeFor[Arena]()
	arenaPath = arenaType.PkgPath()

	builderSelfType = reflect.TypeFor[builderSelf]()
)

// isArena reports whether t is an arena or a part of one, or a pointer to an arena. What is zero
// instead is the heap.
func isArena(t reflect.Type) bool {
	return t == arenaType || t.Kind() == reflect.Pointer && t.Elem() == arenaType || t == builderSelfType ||
		t.PkgPath() == arenaPath && (strings.HasPrefix(t.Name(), "Slab[") || strings.HasPrefix(t.Name(), "RefSlab["))
}

// isAtom reports whether values of type t are copied as they are and pointers to
// them are kept, because they have an identity or are shared with the runtime.
func isAtom(t reflect.Type) bool {
	switch pkg := t.PkgPath(); pkg {
	case "context", "reflect", "runtime", "unique", "weak", "google.golang.org/protobuf/internal/impl":
		return true
	case "":
		return false
	case arenaPath + "/offheap":
		return true // their memory is not on the heap, and some of it cannot be read
	case arenaPath:
		return t.Name() == "Pool" || t.Name() == "Group"
	default:
		if strings.HasPrefix(pkg, "internal/") {
			return true
		}
		switch pkg + "." + t.Name() {
		case "errors.errorString", "sync.Map", "sync.Pool", "time.Location", "time.Ticker", "time.Timer",
			"net.netFD", "os.Process", "os.file", "os.root":
			return true
		}
	}
	return false
}

// at returns how many values of type want start at byte off of n values of type p,
// 0 if there is no such value at that place.
func (p *plan) at(n int, off uintptr, want *plan) int {
	if p.same(want) {
		switch {
		case p.size == 0:
			return n
		case off%p.size == 0:
			return n - int(off/p.size)
		}
		return 0
	}
	if p.size == 0 {
		return 0
	}
	off %= p.size
	for _, f := range p.parts {
		if f.off <= off && off+want.size <= f.end() {
			if k := f.plan.at(f.n, off-f.off, want); k > 0 {
				return k
			}
		}
	}
	return 0
}

// same reports whether a pointer to p can be converted to a pointer to q: one
// object may then be referred to by both types.
func (p *plan) same(q *plan) bool {
	return p == q || p.typ.Kind() == q.typ.Kind() && p.size == q.size &&
		reflect.PointerTo(p.typ).ConvertibleTo(reflect.PointerTo(q.typ))
}
