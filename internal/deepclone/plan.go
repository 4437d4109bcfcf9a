package deepclone

import (
	"reflect"
	"strings"
)

// A plan says how to copy values of one type. Plans are immutable once published.
type plan struct {
	typ    reflect.Type
	kind   reflect.Kind // Invalid: Kept; zeroed: Zeroed
	size   uintptr
	follow bool  // values contain more to copy than their own bytes
	finish bool  // a struct for Rules.Finish
	direct bool  // an interface stores the value itself, not a pointer to a box
	depth  int   // nesting of structs: a type is deeper than all that it contains
	flat   run   // the type as a run of a type that is not an array
	elem   *plan // Pointer, Slice, Array, Map
	key    *plan // Map
	parts  []run // Struct: the fields
	refs   []run // Struct: the fields to follow
	count  *run  // of a slog.Value: the field that says to how many values the pointer in it leads
}

// A run is n values of a type, one after the other, at an offset.
type run struct {
	off  uintptr
	plan *plan
	n    int
}

func (r run) end() uintptr { return r.off + uintptr(r.n)*r.plan.size }

// planOf returns the plan of t.
func (c *Cloner) planOf(t reflect.Type) *plan {
	if p, ok := c.plans.Load(t); ok {
		return p.(*plan)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := planner{Cloner: c, made: map[reflect.Type]*plan{}}
	p := b.plan(t)
	for len(b.later) > 0 {
		l := b.later[len(b.later)-1]
		b.later = b.later[:len(b.later)-1]
		*l.to = b.plan(l.typ)
	}
	for t, p := range b.made {
		c.plans.Store(t, p)
	}
	return p
}

// A planner makes the plan of a type and of all types that it refers to. They are published
// together when all are complete. Plans of types that are referred to are made later, not on the
// way: a type can be inside one that it refers to, and is incomplete then.
type planner struct {
	*Cloner
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
	if p, ok := b.plans.Load(t); ok {
		return p.(*plan)
	}
	if p, ok := b.made[t]; ok {
		return p
	}
	p := &plan{typ: t, kind: t.Kind(), size: t.Size(), direct: isDirect(t)}
	p.flat = run{plan: p, n: 1}
	b.made[t] = p
	switch b.treat(t) {
	case Kept:
		p.kind = reflect.Invalid
		return p
	case Zeroed:
		p.kind, p.follow = zeroed, true
		return p
	case Finished:
		p.finish = true
	}
	switch p.kind {
	case reflect.String, reflect.Interface:
		p.follow = true
	case reflect.Pointer:
		p.follow = b.treat(t.Elem()) != Kept
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
			if f.Name == "num" && t.PkgPath() == "log/slog" && t.Name() == "Value" && ft.Kind() == reflect.Uint64 {
				p.count = &r
			}
			if fp.follow {
				p.refs = append(p.refs, r)
			}
		}
		p.follow = p.refs != nil
	}
	return p
}

// zeroed is the kind of values that are zero in the copy. Nothing else that is
// followed has it.
const zeroed = reflect.Uintptr

// treat returns what becomes of values of type t.
func (c *Cloner) treat(t reflect.Type) Treatment {
	if isAtom(t) {
		return Kept
	}
	return c.Treat(t)
}

// isCounted reports whether t is a type of pointer that a slog.Value contains for a string or a
// group, next to its length.
func isCounted(t reflect.Type) bool {
	return t.PkgPath() == "log/slog" && (t.Name() == "stringptr" || t.Name() == "groupptr") && t.Kind() == reflect.Pointer
}

// isAtom reports whether values of type t, a type of the standard library or of protobuf, are
// copied as they are and pointers to them are kept, because they have an identity or are shared
// with the runtime.
func isAtom(t reflect.Type) bool {
	switch pkg := t.PkgPath(); pkg {
	case "":
		return false
	case "context", "reflect", "runtime", "unique", "weak", "google.golang.org/protobuf/internal/impl":
		return true
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
