package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/arena-go/arena"
)

// An into says how a JSON value becomes a Go value of a type.
type into uint8

const (
	intoLeave into = iota // encoding/json decodes the whole document
	intoBool
	intoInt8
	intoInt16
	intoInt32
	intoInt64
	intoUint8
	intoUint16
	intoUint32
	intoUint64
	intoFloat32
	intoFloat64
	intoString
	intoStruct
	intoPointer
	intoSlice
	intoArray
	intoBytes // base64, or an array of numbers
	intoMap
	intoAny
	intoNumber
	intoRaw
	intoCustom // UnmarshalJSON
	intoText   // UnmarshalText
	intoArena  // UnmarshalJSONArena
	intoV2     // encoding/json/v2 decodes the value
	intoBase64 // an array of bytes, with the option V2
	intoRefString
	intoArenaMap
)

// A plan says how values of one Go type are decoded. It does not change once planOf has returned
// it: what is learned of documents is in a struct that it points at.
type plan struct {
	op   into
	pure bool // of intoCustom and intoText: the method depends on nothing but its input, and changes nothing but its receiver
	null bool // of intoLeave: an interface, which null makes nil
	size uintptr
	typ  reflect.Type
	elem *plan // of pointers, slices, arrays and maps
	len  int   // of arrays
	v2   bool  // the plan is for the option V2
	slab int   // number of the slab for values of elem: of pointers and slices

	object *objectPlan // of structs
	pairs  *pairsPlan  // of maps
	spare  *spareMaps  // of arena.Maps, the elem of which is the plan of the map of Go
	calls  bool        // decoding a value calls methods that are not pure
	stays  bool        // of slices and maps: methods of the elements may keep their receivers, whose memory is for nothing else then
	// together says of maps that no method is called for an entry, but those that are pure: so
	// entries may wait.
	together bool

	learned *learnedSlice // of slices
}

// A rootPlan is the plan of a type that a document is decoded into. It says what there is in the
// type, or in those that it leads to, and does not change either. Beside it is what the documents
// have taught.
type rootPlan struct {
	*plan
	left  bool // intoLeave, but for interfaces: encoding/json may call methods
	faces bool // interfaces: where they hold pointers, encoding/json decodes into what these point at
	maps  bool // arena.Maps: encoding/json decodes into those that may have entries, and all of a document whose type has calls, too

	learned learned
}

// An UnmarshalerArena decodes itself, with an arena for what it needs. [Unmarshal] calls
// UnmarshalJSONArena instead of UnmarshalJSON. b is the JSON value, valid and without white space
// around it. It must not be changed. It may be kept as text of the result may: it lies in a, or
// with AliasInput in the input. Where a is nil, which is the heap, it is a part of the input, as
// with UnmarshalJSON.
//
// UnmarshalJSON must do the same on the heap: it is called where encoding/json decodes the
// document, for example because that has an error.
type UnmarshalerArena interface {
	json.Unmarshaler
	UnmarshalJSONArena(a *arena.Arena, b []byte) error
}

var (
	arenaUnmarshalerType = reflect.TypeFor[UnmarshalerArena]()
	unmarshalerType      = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType  = reflect.TypeFor[encoding.TextUnmarshaler]()
)

var (
	plans     [2]sync.Map // of reflect.Type to *plan, those that are complete; the second is for V2
	planning  sync.Mutex  // held while plans are made
	rootPlans [2]sync.Map // of reflect.Type to *rootPlan
)

// rootOf returns the rootPlan of t, which is for the option V2 or not. Any goroutine may call it.
func rootOf(t reflect.Type, v2 bool) *rootPlan {
	roots := &rootPlans[indexOf(v2)]
	if p, ok := roots.Load(t); ok {
		return p.(*rootPlan)
	}
	p := &rootPlan{plan: planOf(t, v2)}
	p.walk(map[*plan]bool{}, func(q *plan) {
		switch q.op {
		case intoAny:
			p.faces = true
		case intoLeave:
			p.faces = p.faces || q.null
			p.left = p.left || !q.null
		case intoArenaMap:
			p.maps = true
		}
	})
	all, _ := roots.LoadOrStore(t, p)
	return all.(*rootPlan)
}

// walk gives p to visit, and all plans that it leads to and that are not in seen.
func (p *plan) walk(seen map[*plan]bool, visit func(*plan)) {
	if p == nil || seen[p] {
		return
	}
	seen[p] = true
	visit(p)
	p.parts(func(q *plan) { q.walk(seen, visit) })
}

// parts gives visit the plans of what values of p's type contain.
func (p *plan) parts(visit func(*plan)) {
	switch p.op {
	case intoStruct:
		for i := range p.object.fields {
			visit(p.object.fields[i].plan)
		}
	case intoMap:
		visit(p.pairs.text)
	}
	visit(p.elem)
}

// findCalls finds which of the plans that were made lead to methods that are not pure. These plans
// are complete, and others that they lead to were found before.
func (pl planner) findCalls() {
	containing := map[*plan][]*plan{}
	var todo []*plan
	for _, p := range pl.made {
		p.calls = p.isMethod()
		p.parts(func(q *plan) {
			if q != nil {
				containing[q] = append(containing[q], p)
				p.calls = p.calls || q.calls
			}
		})
		if p.calls {
			todo = append(todo, p)
		}
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, q := range containing[p] {
			if !q.calls {
				q.calls = true
				todo = append(todo, q)
			}
		}
	}
}

// planOf returns the plan of t, which is for the option V2 or not. Any goroutine may call it.
func planOf(t reflect.Type, v2 bool) *plan {
	if p, ok := plans[indexOf(v2)].Load(t); ok {
		return p.(*plan)
	}
	planning.Lock()
	defer planning.Unlock()
	pl := planner{map[reflect.Type]*plan{}, v2}
	p := pl.plan(t)
	publishSlabs()
	pl.findCalls()
	for _, p := range pl.made {
		p.stays = (p.op == intoSlice || p.op == intoMap) && p.elem.receives()
		p.together = p.op == intoMap && !p.calls
	}
	for t, p := range pl.made { // others have it, and all that it leads to, from now on
		plans[indexOf(v2)].Store(t, p)
	}
	return p
}

// receives tells whether a value of p's type has in its own memory one with a method that is not
// pure. p is complete.
func (p *plan) receives() bool {
	switch p.op {
	case intoArray:
		return p.elem.receives()
	case intoStruct:
		for i := range p.object.fields {
			if f := p.object.fields[i].plan; f != nil && f.receives() {
				return true
			}
		}
	}
	return p.isMethod()
}

// isMethod tells whether a method of the value decodes it, and is not pure.
func (p *plan) isMethod() bool {
	switch p.op {
	case intoCustom, intoText, intoArena, intoV2:
		return !p.pure
	}
	return false
}

// A planner makes plans. It has those that are not published yet, some of which are not complete:
// types may contain themselves.
type planner struct {
	made map[reflect.Type]*plan
	v2   bool
}

func (pl planner) plan(t reflect.Type) *plan {
	if p, ok := plans[indexOf(pl.v2)].Load(t); ok {
		return p.(*plan)
	}
	if p := pl.made[t]; p != nil {
		return p
	}
	p := &plan{typ: t, size: t.Size(), v2: pl.v2}
	pl.made[t] = p
	if !pl.known(p) && !pl.method(p) && !pl.kindV2(p) {
		pl.kind(p)
	}
	if p.op == intoLeave && pl.v2 && t.Kind() != reflect.Interface {
		p.op = intoV2
	}
	return p
}

// indexOf returns 1 for true.
func indexOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// known makes p the plan of a type that has one of its own, or reports false.
func (pl planner) known(p *plan) bool {
	switch p.typ {
	case numberType:
		p.op = intoNumber
	case rawType:
		p.op = intoRaw
	case refStringType:
		p.op = intoRefString
	default:
		t, ok := goMapOf(p.typ)
		if !ok {
			return false
		}
		p.op, p.spare, p.elem = intoArenaMap, &spareMaps{typ: t}, pl.plan(t)
	}
	return true
}

// method makes p the plan of a type that decodes itself, or reports false.
func (pl planner) method(p *plan) bool {
	k := p.typ.Kind()
	if k == reflect.Pointer || k == reflect.Interface {
		return false // what a pointer points at may have methods
	}
	to := reflect.PointerTo(p.typ)
	switch {
	case unmarshalerFrom(to):
		p.op = intoLeave
	case to.Implements(arenaUnmarshalerType):
		p.op = intoArena
	case to.Implements(unmarshalerType):
		p.op = intoCustom
	case to.Implements(textUnmarshalerType):
		p.op = intoText
	default:
		return false
	}
	if p.typ.Name() == "" {
		p.op = intoLeave // it embeds a type with the method; not all versions of encoding/json call it
	}
	if p.typ == timeType {
		p.op = intoCustom // with the second version, it has more methods
	}
	p.pure = isPure(p.typ)
	return true
}

// isPure tells whether the methods of t do nothing else but decode. It is known of types in the
// standard library.
func isPure(t reflect.Type) bool {
	switch path := t.PkgPath(); path {
	case "time", "math/big", "net", "net/netip", "regexp", "log/slog":
		return true
	}
	return false
}

// kind makes p the plan of a type without methods.
func (pl planner) kind(p *plan) {
	t := p.typ
	switch t.Kind() {
	case reflect.Bool:
		p.op = intoBool
	case reflect.Int8:
		p.op = intoInt8
	case reflect.Int16:
		p.op = intoInt16
	case reflect.Int32:
		p.op = intoInt32
	case reflect.Int64:
		p.op = intoInt64
	case reflect.Uint8:
		p.op = intoUint8
	case reflect.Uint16:
		p.op = intoUint16
	case reflect.Uint32:
		p.op = intoUint32
	case reflect.Uint64:
		p.op = intoUint64
	case reflect.Int:
		p.op = bySizeOf(t, intoInt32, intoInt64)
	case reflect.Uint, reflect.Uintptr:
		p.op = bySizeOf(t, intoUint32, intoUint64)
	case reflect.Float32:
		p.op = intoFloat32
	case reflect.Float64:
		p.op = intoFloat64
	case reflect.String:
		p.op = intoString
	case reflect.Interface:
		p.null = true
		if t.NumMethod() == 0 {
			p.op = intoAny
		}
	case reflect.Pointer:
		p.op, p.elem, p.slab = intoPointer, pl.plan(t.Elem()), slabFor(t.Elem())
	case reflect.Slice:
		p.op, p.elem, p.slab, p.learned = intoSlice, pl.plan(t.Elem()), slabFor(t.Elem()), new(learnedSlice)
		if t.Elem().Kind() == reflect.Uint8 {
			p.op = intoBytes
		}
		if t.Elem().Size() == 0 {
			p.op = intoLeave
		}
	case reflect.Array:
		p.op, p.elem, p.len = intoArray, pl.plan(t.Elem()), t.Len()
	case reflect.Map:
		pl.pairs(p)
	case reflect.Struct:
		pl.object(p)
	}
}

// bySizeOf returns the one for a type of four bytes, or of eight.
func bySizeOf(t reflect.Type, four, eight into) into {
	if t.Size() == 4 {
		return four
	}
	return eight
}
