package gogo

import (
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena/arenapb/internal/slabs"
	"github.com/arena-go/arena/arenapb/internal/spares"
)

// A plan says how messages of one Go type are decoded. It is made when the first one is, and is not
// changed after that.
type plan struct {
	reason string       // why the type's own Unmarshal decodes these messages, if it does; then only typ is right
	typ    reflect.Type // of the struct

	fields   []*field // by number, only small numbers; nothing is nil
	sparse   map[uint64]*field
	all      []*field // in the order of the struct
	slab     int      // of the struct
	keeps    bool     // there is a field for unknown fields
	unknown  uintptr  // where it is
	required uint64   // bits of the required fields
	repeated int      // the number of counters that the fields have
	complete bool     // all fields are here
	leaf     *leaf    // or nil
	as       bool     // another type has the tags, see TrustAs
	held     *plan    // of the struct behind a pointer that has all there is, or nil
	holds    uintptr  // where that pointer is
}

// field returns the field with a number.
func (m *plan) field(num uint64) *field {
	if num < uint64(len(m.fields)) {
		return m.fields[num]
	}
	if f := m.sparse[num]; f != nil {
		return f
	}
	return &other
}

// A field says how one field of a message is decoded.
type field struct {
	op       op // follows from kind, form and behind
	kind     kind
	form     form
	wire     uint8 // type of a value
	behind   bool  // each value lies behind a pointer
	single   bool  // a second value replaces the first, and is not merged with it
	packable bool  // elements may lie next to each other
	number   uint64
	offset   uintptr
	typ      reflect.Type // of the field, or of the field of the wrapper
	counter  int          // among the counters of the message
	size     uintptr      // of an element of a list
	elem     reflect.Type // of a list
	slab     int          // of the elements of a list, or of the wrapper of a oneof
	target   int          // slab of what the pointer leads to
	required uint64       // bit
	sub      *plan        // of messages that are decoded here
	blank    reflect.Type // of a slice with an Unmarshal, which is not nil
	own      pointer      // the first word of a Message with a pointer to the value
	ownName  string       // and its type
	entry    *entry
	wrapper  pointer // the first word of the interface that a wrapper is in
}

// other represents the fields that a message does not have.
var other = field{wire: wireNone}

// A kind says how a value is written, and what it is in memory.
type kind uint8

const (
	kindVarint32 kind = iota // enums, too
	kindVarint64
	kindSint32
	kindSint64
	kindBool
	kindFixed32
	kindFixed64
	kindString
	kindBytes
	kindTime
	kindDuration
	kindMessage
	kindOwn // its own Unmarshal decodes it
)

// A form says where the values of a field are.
type form uint8

const (
	formDirect form = iota // in the struct
	formList               // in a slice
	formOneof              // in a wrapper, behind an interface
	formMap
)

// An op is a form, or a form and a kind that are frequent together.
type op uint8

const (
	opRare op = iota
	opVarint64
	opFixed64
	opString
	opVarint32
	opMessages // a list of values
)

// An entry describes how the entries of a map are decoded.
type entry struct {
	typ      reflect.Type
	kind     *spares.Map
	key, val field // at no offset
	keyTag   uint8
	valTag   uint8
	texts    bool // it is a map[string]string
	lacks    bool // a key or a value that is not there is zero, as writers of other languages omit what is
	size     int  // of a key and a value
}

var (
	plans    sync.Map   // of reflect.Type, a struct, to *plan; it has those that are complete
	planning sync.Mutex // makes more, one at a time
)

// planOf returns the plan of m's type, or nil if that is no pointer to a struct. While plans are
// being made, it waits for them or returns a plan that leaves m to its own Unmarshal. It never
// waits for its own caller.
func planOf(m Message, wait bool) *plan {
	t := reflect.TypeOf(m)
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	t = t.Elem()
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	return newPlan(t, wait)
}

// newPlan is planOf for the first message of a type.
//
//go:noinline
func newPlan(t reflect.Type, wait bool) *plan {
	if wait && lockPlanning() || !wait && planning.TryLock() {
		defer planning.Unlock()
		return makePlan(t)
	}
	return &plan{typ: t, reason: "other types are being planned"}
}

// lockPlanning waits for planning. It returns false, without the lock, if the caller itself has it:
// planning calls methods of messages, and they may call this package.
func lockPlanning() bool {
	if !planning.TryLock() {
		if plansNow() {
			return false
		}
		planning.Lock()
	}
	return true
}

// plansNow reports whether makePlan is on the stack of this goroutine.
func plansNow() bool {
	maker := reflect.ValueOf(makePlan).Pointer()
	var stack [64]uintptr
	for skip := 0; ; skip += len(stack) {
		n := runtime.Callers(skip, stack[:])
		frames := runtime.CallersFrames(stack[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Entry == maker {
				return true
			}
		}
		if n < len(stack) {
			return false
		}
	}
}

// makePlan plans t, and what messages of it may hold, unless that has been done. The caller has
// locked planning.
//
//go:noinline
func makePlan(t reflect.Type) *plan {
	pl := planner{}
	p := pl.message(t)
	for _, p := range pl {
		if p.reason == "" {
			p.settle()
		}
	}
	for t, p := range pl {
		plans.Store(t, p)
	}
	return p
}

// giveUp leaves messages of m's type to their own Unmarshal from now on. Those in messages of other
// types are decoded as before.
func (m *plan) giveUp(reason string) {
	plans.CompareAndSwap(m.typ, m, &plan{typ: m.typ, reason: reason})
}

// A planner has the plans that are being made, which refer to each other.
type planner map[reflect.Type]*plan

// message returns the plan of messages of type t. Those in messages of t that are being planned
// themselves are not complete.
func (pl planner) message(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	if p := pl[t]; p != nil {
		return p
	}
	p := &plan{typ: t}
	pl[t] = p
	if p.reason = pl.plan(p, t); p.reason == "" {
		p.complete = true
		p.settle()
		p.reason = p.verify()
	}
	return p
}

// plan makes p, or returns why there is none.
func (pl planner) plan(p *plan, t reflect.Type) (reason string) {
	defer func() {
		if v := recover(); v != nil {
			reason = fmt.Sprintf("a panic while it was planned: %v", v)
		}
	}()
	if t.Kind() != reflect.Struct {
		return "its Go type is not a struct"
	}
	as := trusted[t]
	p.slab = slabs.Number(t)
	if as != nil && as != t {
		return pl.planAs(p, t, as)
	}
	if as == nil {
		if reason := handwritten(t); reason != "" {
			return reason
		}
	}
	wrappers := wrappersOf(t)
	for i := range t.NumField() {
		sf := t.Field(i)
		switch {
		case tagged(sf):
			if reason := pl.tagged(p, sf, wrappers); reason != "" {
				return reason
			}
		case sf.Name == "XXX_unrecognized" && sf.Type == reflect.TypeFor[[]byte]():
			p.keeps, p.unknown = true, sf.Offset
		case sf.Name == "XXX_NoUnkeyedLiteral" && sf.Type.Size() == 0, sf.Name == "XXX_sizecache" && sf.Type.Kind() == reflect.Int32:
		case sf.Anonymous && sf.Name == "TypeMeta": // Kubernetes has it in objects, and not in their messages
		case as == nil:
			return fmt.Sprintf("its field %s has no tag of protobuf", sf.Name)
		}
	}
	if len(p.all) == 0 && as != nil {
		return "no field of it has a tag of protobuf"
	}
	return ""
}

// tagged plans the field sf, which has a tag: a field of a message, or all fields of a oneof.
func (pl planner) tagged(p *plan, sf reflect.StructField, wrappers []reflect.Type) (reason string) {
	if tag := sf.Tag.Get("protobuf"); tag != "" && tag != "-" {
		f := &field{offset: sf.Offset, typ: sf.Type}
		if reason := pl.field(p, f, tag, sf); reason != "" {
			return fmt.Sprintf("%s: %s", sf.Name, reason)
		}
		if !p.add(f) {
			return fmt.Sprintf("%s: its number is another field's, too", sf.Name)
		}
		return ""
	}
	if sf.Type.Kind() != reflect.Interface {
		return fmt.Sprintf("%s: its Go type is %v, and its tag that of a oneof", sf.Name, sf.Type)
	}
	found := false
	for _, w := range wrappers {
		if !w.Implements(sf.Type) {
			continue
		}
		found = true
		f := &field{offset: sf.Offset, typ: w.Elem().Field(0).Type, form: formOneof}
		if reason := pl.oneof(p, f, sf.Type, w); reason != "" {
			return fmt.Sprintf("%s: %v: %s", sf.Name, w, reason)
		}
		if !p.add(f) {
			return fmt.Sprintf("%s: %v: its number is another field's, too", sf.Name, w)
		}
	}
	if !found {
		return fmt.Sprintf("%s: the wrappers of the oneof are not known", sf.Name)
	}
	return ""
}

// handwritten returns why the Unmarshal of *t may differ from gogo's generated Unmarshal.
func handwritten(t reflect.Type) (reason string) {
	m, ok := reflect.PointerTo(t).MethodByName("Unmarshal")
	if !ok {
		return "it has no method Unmarshal"
	}
	f := runtime.FuncForPC(m.Func.Pointer())
	if f == nil || !strings.HasSuffix(f.Name(), ".(*"+t.Name()+").Unmarshal") {
		return "its Unmarshal is the method of another type"
	}
	if file, _ := f.FileLine(f.Entry()); !strings.HasSuffix(file, ".pb.go") {
		return "its Unmarshal is handwritten: the name of its file does not end in .pb.go"
	}
	return ""
}

// wrappersOf returns the types of the wrappers of t's oneofs, pointers to structs with one field.
func wrappersOf(t reflect.Type) (list []reflect.Type) {
	m, ok := reflect.New(t).Interface().(interface{ XXX_OneofWrappers() []interface{} })
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil {
			list = nil // it is not the generated method
		}
	}()
	for _, w := range m.XXX_OneofWrappers() {
		if t := reflect.TypeOf(w); t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && t.Elem().NumField() == 1 {
			list = append(list, t)
		}
	}
	return list
}

// add adds f. It reports false if there is a field of its number.
func (m *plan) add(f *field) bool {
	if m.field(f.number) != &other {
		return false
	}
	m.all = append(m.all, f)
	m.index(f)
	return true
}

// index has f found by its number.
func (m *plan) index(f *field) {
	const dense = 256
	if f.number >= dense {
		if m.sparse == nil {
			m.sparse = map[uint64]*field{}
		}
		m.sparse[f.number] = f
		return
	}
	for uint64(len(m.fields)) <= f.number {
		m.fields = append(m.fields, &other)
	}
	m.fields[f.number] = f
}

// settle has messages in m whose plan has a reason decoded by their own Unmarshal.
func (m *plan) settle() {
	for _, f := range m.all {
		f.settle()
		if f.entry != nil {
			f.entry.val.settle()
		}
		switch {
		case f.form == formList && f.kind == kindMessage && !f.behind:
			f.op = opMessages
		case f.form != formDirect || f.behind:
			f.op = opRare
		case f.kind == kindVarint64:
			f.op = opVarint64
		case f.kind == kindVarint32:
			f.op = opVarint32
		case f.kind == kindFixed64:
			f.op = opFixed64
		case f.kind == kindString:
			f.op = opString
		}
	}
	if m.held == nil {
		m.leaf = leafOf(m)
	}
}

func (f *field) settle() {
	if f.kind == kindMessage && f.sub.reason != "" {
		f.kind = kindOwn
	}
}

// A tag is the tag of a struct's field.
type tag struct {
	wire     string
	number   uint64
	required bool
	custom   bool
	time     bool
	duration bool
}

// parseTag reports false for a tag of something that generated code has no Unmarshal for, or this
// package no plan.
func parseTag(s string) (t tag, ok bool) {
	parts := strings.Split(s, ",")
	if len(parts) < 2 {
		return t, false
	}
	n, err := strconv.ParseUint(parts[1], 10, 29)
	if err != nil || n == 0 {
		return t, false
	}
	t.wire, t.number = parts[0], n
	for _, p := range parts[2:] {
		switch name, _, _ := strings.Cut(p, "="); name {
		case "req":
			t.required = true
		case "def":
			return t, true // the default may have commas
		case "customtype":
			t.custom = true
		case "stdtime":
			t.time = true
		case "stdduration":
			t.duration = true
		case "wktptr":
			return t, false
		}
	}
	return t, true
}

// field makes f the plan of the field sf of m, or returns why there is none.
func (pl planner) field(m *plan, f *field, s string, sf reflect.StructField) (reason string) {
	tag, ok := parseTag(s)
	if !ok {
		return "its tag is " + s
	}
	f.number = tag.number
	if tag.required {
		bit := 0
		for r := m.required; r != 0; r >>= 1 {
			bit++
		}
		if bit == 64 {
			return "it is the 65th required field"
		}
		f.required = 1 << bit
		m.required |= f.required
	}
	t := sf.Type
	own := tag.custom || isMessage(t)
	switch {
	case t.Kind() == reflect.Map && !own:
		f.form, f.wire = formMap, wireBytes
		f.counter = m.repeated
		m.repeated++
		return pl.entry(f, tag, sf)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && !isMessage(t):
		f.form, f.elem, f.size = formList, t.Elem(), t.Elem().Size()
		f.counter = m.repeated
		m.repeated++
		if reason := pl.value(f, tag, t.Elem()); reason != "" {
			return reason
		}
		f.slab = f.listSlab()
		f.packable = f.kind < kindString
		return ""
	}
	return pl.value(f, tag, t)
}

// listSlab returns the slab of the elements of a list.
func (f *field) listSlab() int {
	if f.behind {
		return slabs.Number(f.elem)
	}
	return f.slabOf(f.elem)
}

// slabOf returns the slab for values of f, whose type is t.
func (f *field) slabOf(t reflect.Type) int {
	switch f.kind {
	case kindVarint32, kindSint32, kindFixed32:
		return slabs.Of32
	case kindVarint64, kindSint64, kindFixed64, kindDuration:
		return slabs.Of64
	case kindBool:
		return slabs.OfBool
	case kindString:
		return slabs.OfString
	case kindBytes:
		return slabs.OfBytes
	}
	return slabs.Number(t)
}

var (
	messageType  = reflect.TypeFor[Message]()
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

// isMessage reports whether t is a message: it has an Unmarshal, or TrustAs says what it is.
func isMessage(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(messageType) || trusted[t] != nil
}

// wires has what tags say of values of Go's kinds, first what is usual, and nothing for those that
// are not decoded here. The tags of Kubernetes often say something else, which its generator does
// not look at.
var wires = [...]string{
	reflect.Bool:          "varint",
	reflect.Int:           "varint",
	reflect.Int32:         "varint zigzag32 fixed32",
	reflect.Int64:         "varint zigzag64 fixed64",
	reflect.Uint:          "varint",
	reflect.Uint32:        "varint fixed32",
	reflect.Uint64:        "varint fixed64",
	reflect.Float32:       "fixed32",
	reflect.Float64:       "fixed64",
	reflect.Array:         "bytes",
	reflect.Map:           "bytes",
	reflect.Slice:         "bytes",
	reflect.String:        "bytes",
	reflect.Struct:        "bytes",
	reflect.UnsafePointer: "", // the last kind
}

// value plans a value of type t, which may be a pointer to it.
func (pl planner) value(f *field, tag tag, t reflect.Type) (reason string) {
	if t.Kind() == reflect.Pointer {
		f.behind = true
		t = t.Elem()
	}
	no := fmt.Sprintf("its Go type is %v", t)
	wire := tag.wire
	if want := wires[t.Kind()]; tag.duration {
		wire = "bytes"
	} else if !strings.Contains(want, wire) || wire == "" {
		wire, _, _ = strings.Cut(want, " ")
	}
	switch wire {
	case "varint":
		f.wire, f.kind = wireVarint, kindVarint64
		if t.Kind() == reflect.Bool {
			f.kind = kindBool
		} else if t.Size() == 4 {
			f.kind = kindVarint32
		}
	case "zigzag32":
		f.wire, f.kind = wireVarint, kindSint32
	case "zigzag64":
		f.wire, f.kind = wireVarint, kindSint64
	case "fixed32":
		f.wire, f.kind = wireFixed32, kindFixed32
	case "fixed64":
		f.wire, f.kind = wireFixed64, kindFixed64
	case "bytes":
		f.wire = wireBytes
		switch {
		case tag.time:
			if f.kind = kindTime; t != timeType {
				return no
			}
		case tag.duration:
			if f.kind = kindDuration; t != durationType {
				return no
			}
		case !tag.custom && t.Kind() == reflect.String:
			f.kind = kindString
		case !tag.custom && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !reflect.PointerTo(t).Implements(messageType):
			f.kind = kindBytes
		case isMessage(t):
			f.kind = kindMessage
			if f.single = tag.custom; t.Kind() == reflect.Slice && !tag.custom {
				f.blank = t
			}
			f.sub = pl.message(t)
			var ok bool
			if !reflect.PointerTo(t).Implements(messageType) {
				if f.sub.reason != "" {
					return fmt.Sprintf("%v: %s", t, f.sub.reason)
				}
				break
			}
			if f.own, ok = firstWord(messageType, reflect.PointerTo(t)); !ok {
				return "interfaces are not what they were"
			}
			f.ownName = t.String()
		default:
			return no
		}
	default:
		return no
	}
	if f.behind {
		f.target = f.slabOf(t)
	}
	return ""
}

// oneof plans a field that is in a wrapper of type t.
func (pl planner) oneof(m *plan, f *field, iface, t reflect.Type) (reason string) {
	sf := t.Elem().Field(0)
	tag, ok := parseTag(sf.Tag.Get("protobuf"))
	if !ok {
		return "its tag is " + sf.Tag.Get("protobuf")
	}
	f.number = tag.number
	if reason := pl.value(f, tag, sf.Type); reason != "" {
		return reason
	}
	f.slab = slabs.Number(t.Elem())
	if f.wrapper, ok = firstWord(iface, t); !ok {
		return "interfaces are not what they were"
	}
	return ""
}

// entry plans the entries of a map.
func (pl planner) entry(f *field, outer tag, sf reflect.StructField) (reason string) {
	t := sf.Type
	key, _ := parseTag(sf.Tag.Get("protobuf_key")) // Kubernetes has none: Go's types tell enough
	val, _ := parseTag(sf.Tag.Get("protobuf_val"))
	if outer.custom || outer.time || outer.duration || val.custom || val.time || val.duration {
		return "it is a map of a type of the program's, or of times"
	}
	e := &entry{typ: t, kind: spares.MapOf(t), texts: t == reflect.TypeFor[map[string]string](), size: int(t.Key().Size() + t.Elem().Size())}
	if reason := pl.value(&e.key, key, t.Key()); reason != "" {
		return "key: " + reason
	}
	if reason := pl.value(&e.val, val, t.Elem()); reason != "" {
		return "value: " + reason
	}
	if e.key.kind >= kindBytes || e.key.behind || e.val.behind && e.val.kind < kindMessage {
		return fmt.Sprintf("its Go type is %v", t)
	}
	e.keyTag, e.valTag = 1<<3|e.key.wire, 2<<3|e.val.wire
	f.entry, f.sub = e, e.val.sub
	return ""
}
