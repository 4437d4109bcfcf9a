package arenapb

import (
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena/arenapb/internal/slabs"
	"github.com/arena-go/arena/arenapb/internal/spares"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A plan says how messages of one Go type are decoded. It is made when the first one is, and is not
// changed after that.
type plan struct {
	reason     string       // why protobuf decodes these messages, if it does; then there is nothing below
	typ        reflect.Type // of the struct
	descriptor protoreflect.MessageDescriptor

	fields     []*field // by number, only small numbers; nothing is nil
	sparse     map[uint64]*field
	opaque     bool    // the API
	slab       int     // of the struct
	size       uintptr // of the struct
	unknown    uintptr // where unknown fields are
	collect    bool    // protobuf decodes some of the fields; unknown ones go with them when the message has any
	extensions uintptr // where they are; 0 if there are none
	required   uint64  // bits of the required fields; from the 64th on they have one that no field shows, and protobuf looks
	repeated   int     // the number of counters that the fields have
	plain      bool    // all fields are such that numbers decodes them

	behind   []*field           // those whose values, or slices, lie behind a pointer, or in a wrapper
	holders  []*field           // those that hold messages, or wrappers
	wrappers map[pointer]*field // those in oneofs, by the first word of the interface

	found  atomic.Pointer[[]foundExtension] // see find
	inJSON atomic.Pointer[jsonPlan]         // nil until the first message in JSON
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

// A field says how one field of a message is decoded. What decoding looks at most comes first.
type field struct {
	op        op // for values of type wire
	kind      kind
	form      form
	wire      uint8  // type of what this package decodes; wireNone if nothing
	packable  bool   // elements may lie next to each other
	validate  bool   // text is UTF-8
	nilEmpty  bool   // bytes of length 0 are nil
	unchecked bool   // that a required field is missing in the message is no error: it is not the first field of its oneof, and protobuf does not look
	marked    bool   // a bit of the message says whether it is there
	bit       uint32 // number of that
	tag       uint16 // one byte, if it is a field that numbers decodes; else 0
	offset    uintptr
	slab      int     // of what an optional field points at, of the elements of a repeated one, of the wrapper of a oneof
	header    int     // slab of the slice, where that lies behind a pointer, as a list of messages does in the opaque API; else 0
	required  uint64  // bit
	sub       *plan   // of messages, and of those in a map
	presence  uintptr // where the word is that has the bit
	bits      uint32  // how many there are
	number    uint64
	counter   int    // among the counters of the message; a map also has the next one
	once      uint64 // bit of a message that is there once
	listed    uint64 // bit of a field with a header
	choice    uint64 // bit of the oneof
	entry     *entry
	wrapper   pointer // the first word of the interface that a wrapper is in
	reason    string  // why protobuf decodes the field, if it does
}

// other is what is done with fields that a message does not have.
var other = field{form: formRaw, wire: wireNone, tag: math.MaxUint16}

const wireNone = 8

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
	kindMessage
	kindGroup
)

// A form says where the values of a field are.
type form uint8

const (
	formDirect   form = iota // in the struct
	formOptional             // behind a pointer
	formOneof                // in a wrapper, behind an interface
	formRepeated             // in a slice
	formMap
	formRaw // wherever protobuf puts it
)

// An op says how a value is decoded. It follows from the form, and from the kind too where both are
// frequent together.
type op uint8

const (
	opLeave    op = iota // protobuf decodes it
	opVarint64           // direct
	opString             // direct
	opStrings            // repeated
	opMessage            // direct
	opMessages           // repeated
	opNumbers            // repeated, of 64 bits
	opDirect
	opOptional
	opOneof
	opRepeated
	opPacked // repeated, many next to each other
	opMap
	opMarked // direct or optional
)

// An entry describes how the entries of a map are decoded.
type entry struct {
	typ      reflect.Type
	key, val field  // at no offset
	put      putter // nil if it is done through package reflect
	kind     *spares.Map
}

// plans has those that are complete; planning makes more, one at a time.
var (
	plans    sync.Map // of reflect.Type, a pointer, to *plan
	planning sync.Mutex
	recent   [256]atomic.Pointer[recentPlan] // some of plans, for a look-up that takes a tenth of the time; planning guards the storing
)

// A recentPlan is the plan of messages in interfaces with that first word.
type recentPlan struct {
	word pointer
	plan *plan
}

// planOf returns the plan of m's type.
func planOf(m proto.Message) *plan {
	word := wordOf(m)
	if r := recent[place(word)].Load(); r != nil && r.word == word {
		return r.plan
	}
	t := reflect.TypeOf(m)
	if p, ok := plans.Load(t); ok {
		remember(word, t)
		return p.(*plan)
	}
	return newPlan(t)
}

// remember puts the plan of t into recent, unless another is there, or plans are being made.
func remember(word pointer, t reflect.Type) {
	if slot := &recent[place(word)]; slot.Load() == nil && planning.TryLock() {
		defer planning.Unlock()
		if p, ok := plans.Load(t); ok {
			slot.Store(&recentPlan{word, p.(*plan)})
		}
	}
}

// replan changes plans, and has recent forget those before.
func replan(change func()) {
	planning.Lock()
	defer planning.Unlock()
	change()
	for i := range recent {
		recent[i].Store(nil)
	}
}

// newPlan is planOf for the first message.
//
//go:noinline
func newPlan(t reflect.Type) *plan {
	p, failure := makePlan(t)
	if failure != nil {
		failure.tell(nil)
	}
	return p
}

// makePlan plans t, and what messages of it may hold, unless that has been done. A panic of that is
// returned, and has messages of t left to protobuf.
func makePlan(t reflect.Type) (p *plan, failure *Panic) {
	planning.Lock()
	defer planning.Unlock()
	if p, ok := plans.Load(t); ok {
		return p.(*plan), nil
	}
	defer func() {
		if v := recover(); v != nil {
			failure = &Panic{Type: t, Value: v, Stack: debug.Stack()}
			p = &plan{reason: failure.reason()}
			plans.Store(t, p)
		}
	}()
	all := planner{refused: map[reflect.Type]string{}}.all(t)
	for t, p := range all {
		plans.Store(t, p)
	}
	return all[t], nil
}

// all plans t, and the types that messages of it may contain. It begins anew when the plan of a
// type is refused, because plans of other types refer to it.
func (pl planner) all(t reflect.Type) map[reflect.Type]*plan {
	for {
		pl.plans = map[reflect.Type]*plan{}
		pl.message(t)
		if pl.verify() {
			return pl.plans
		}
	}
}

// giveUp leaves messages of type t, whose plan is m, to protobuf from now on. Those in messages of
// other types are decoded as before.
func (m *plan) giveUp(t reflect.Type, reason string) {
	replan(func() { plans.CompareAndSwap(t, m, &plan{reason: reason}) })
}

// A planner has the plans that are being made, which refer to each other.
type planner struct {
	plans   map[reflect.Type]*plan
	refused map[reflect.Type]string // types whose plans were wrong, and why
}

// message returns the plan of a message type, of which t is the type of pointers. It follows from t
// alone.
func (pl planner) message(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	if p := pl.plans[t]; p != nil {
		return p
	}
	p := new(plan)
	pl.plans[t] = p
	if p.reason = pl.refused[t]; p.reason != "" {
		return p
	}
	var l layout
	if l, p.reason = layoutOf(t); p.reason != "" {
		return p
	}
	if x := reflect.New(t.Elem()); pointerTo(x.Interface().(proto.Message)) != x.UnsafePointer() {
		p.reason = "interfaces are not what they were"
		return p
	}
	md := l.descriptor
	p.descriptor, p.typ, p.unknown, p.opaque = md, t.Elem(), l.unknown, l.opaque
	p.slab, p.size = slabs.Number(p.typ), p.typ.Size()
	p.extensions = l.extensions
	fds := md.Fields()
	required, once := 0, 0
	for i := range fds.Len() {
		fd := fds.Get(i)
		f := &field{number: uint64(fd.Number())}
		pl.plan(p, f, fd, &l)
		if f.reason != "" {
			*f = field{form: formRaw, wire: wireNone, reason: f.reason}
		}
		f.op = f.chosen()
		if fd.Cardinality() == protoreflect.Required {
			if required < 63 {
				f.required = 1 << required
			}
			p.required |= 1 << min(required, 63)
			required++
		}
		if f.sub != nil && f.form != formRepeated && f.form != formMap {
			f.once = 1 << min(once, 63)
			once++
		}
		if f.header != 0 {
			f.listed = 1 << min(once, 63)
			once++
		}
		if f.form == formOneof {
			f.choice = 1 << min(fd.ContainingOneof().Index(), 63)
		}
		p.add(uint64(fd.Number()), f)
	}
	p.settleOneofs(md)
	p.plain = true
	for i := range fds.Len() {
		f := p.field(uint64(fds.Get(i).Number()))
		p.collect = p.collect || f.reason != ""
		if f.op == opVarint64 && f.required == 0 && f.number < 16 {
			f.tag = uint16(protowire.EncodeTag(protowire.Number(f.number), protowire.VarintType))
		}
		p.plain = p.plain && f.tag != 0
		if f.form == formOptional || f.form == formOneof || f.header != 0 {
			p.behind = append(p.behind, f)
		}
		if f.form == formOneof {
			if p.wrappers == nil {
				p.wrappers = map[pointer]*field{}
			}
			p.wrappers[f.wrapper] = f
		}
		if f.form == formOneof || f.sub != nil {
			p.holders = append(p.holders, f)
		}
	}
	return p
}

// add adds the field of a number.
func (m *plan) add(num uint64, f *field) {
	const dense = 256
	if num >= dense {
		if m.sparse == nil {
			m.sparse = map[uint64]*field{}
		}
		m.sparse[num] = f
		return
	}
	for uint64(len(m.fields)) <= num {
		m.fields = append(m.fields, &other)
	}
	m.fields[num] = f
}

// settleOneofs leaves all fields of a oneof to protobuf where it is to decode one: the last one
// counts.
func (m *plan) settleOneofs(md protoreflect.MessageDescriptor) {
	for i := range md.Oneofs().Len() {
		var reason string
		members := md.Oneofs().Get(i).Fields()
		for j := range members.Len() {
			if f := m.field(uint64(members.Get(j).Number())); f.reason != "" {
				reason = f.reason
			}
		}
		if reason == "" {
			continue
		}
		for j := range members.Len() {
			f := m.field(uint64(members.Get(j).Number()))
			if f.reason == "" {
				*f = field{form: formRaw, wire: wireNone, required: f.required, reason: "another field of its oneof: " + reason}
			}
		}
	}
}

// plan makes f the plan of a field of m.
func (pl planner) plan(m *plan, f *field, fd protoreflect.FieldDescriptor, l *layout) {
	oneof := fd.ContainingOneof()
	if oneof != nil && !oneof.IsSynthetic() {
		pl.oneof(f, fd, l)
		return
	}
	sf, ok := l.fields[int(fd.Number())]
	if !ok {
		f.reason = "the struct does not have it"
		return
	}
	f.offset = sf.Offset
	t := sf.Type
	switch {
	case fd.IsMap():
		f.form, f.wire = formMap, uint8(protowire.BytesType)
		pl.entry(m, f, fd, t)
	case fd.IsList():
		if l.opaque && fd.Message() != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
			f.header = slabs.Number(t)
		}
		if t.Kind() != reflect.Slice {
			f.reason = fmt.Sprintf("its Go type is %v", t)
			return
		}
		f.form = formRepeated
		pl.value(f, fd, t.Elem())
		f.packable = f.kind < kindString
		f.slab = f.scalarSlab()
		if f.sub != nil {
			f.slab = slabs.Number(t.Elem())
		}
	case fd.HasPresence() && fd.Message() == nil && l.opaque:
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
			f.form = formOptional
		}
		pl.value(f, fd, t)
		f.slab = f.scalarSlab()
		if f.form == formOptional && f.kind != kindString {
			f.reason = fmt.Sprintf("its Go type is %v", sf.Type)
		}
		if f.reason == "" {
			f.reason = f.findBit(m, fd, l.presence.Offset)
		}
	case fd.HasPresence() && t.Kind() == reflect.Pointer && fd.Message() == nil:
		f.form = formOptional
		pl.value(f, fd, t.Elem())
		f.slab = f.scalarSlab()
		if f.kind == kindBytes {
			f.reason = fmt.Sprintf("its Go type is %v", t)
		}
	case fd.HasPresence() && fd.Message() == nil && fd.Kind() != protoreflect.BytesKind:
		f.reason = fmt.Sprintf("its Go type is %v, which does not tell whether it is set", t)
	default:
		pl.value(f, fd, t)
		f.nilEmpty = !fd.HasPresence()
	}
	if f.form == formRepeated || f.form == formMap {
		f.counter = m.repeated
		m.repeated++
		if f.form == formMap {
			m.repeated++
		}
	}
}

// formOps has the ops of all forms.
var formOps = [...]op{
	formDirect: opDirect, formOptional: opOptional, formOneof: opOneof, formRepeated: opRepeated, formMap: opMap, formRaw: opLeave,
}

// chosen returns the op of f, for values of its own wire type.
func (f *field) chosen() op {
	switch {
	case f.marked:
		return opMarked
	case f.kind == kindVarint64 && f.form == formDirect:
		return opVarint64
	case f.kind == kindVarint64 && f.form == formRepeated:
		return opNumbers
	case f.kind == kindString && f.form == formDirect:
		return opString
	case f.kind == kindString && f.form == formRepeated:
		return opStrings
	case f.kind == kindMessage && f.form == formDirect:
		return opMessage
	case f.kind == kindMessage && f.form == formRepeated:
		return opMessages
	}
	return formOps[f.form]
}

// otherwise returns the op for values of another wire type.
func (f *field) otherwise(wire uint8) op {
	if f.packable && wire == uint8(protowire.BytesType) {
		return opPacked
	}
	return opLeave
}

// goKinds maps the kinds of values to the kinds of Go's types.
var goKinds = map[protoreflect.Kind]struct {
	kind kind
	wire protowire.Type
	go_  reflect.Kind
}{
	protoreflect.BoolKind:     {kindBool, protowire.VarintType, reflect.Bool},
	protoreflect.EnumKind:     {kindVarint32, protowire.VarintType, reflect.Int32},
	protoreflect.Int32Kind:    {kindVarint32, protowire.VarintType, reflect.Int32},
	protoreflect.Uint32Kind:   {kindVarint32, protowire.VarintType, reflect.Uint32},
	protoreflect.Sint32Kind:   {kindSint32, protowire.VarintType, reflect.Int32},
	protoreflect.Int64Kind:    {kindVarint64, protowire.VarintType, reflect.Int64},
	protoreflect.Uint64Kind:   {kindVarint64, protowire.VarintType, reflect.Uint64},
	protoreflect.Sint64Kind:   {kindSint64, protowire.VarintType, reflect.Int64},
	protoreflect.Fixed32Kind:  {kindFixed32, protowire.Fixed32Type, reflect.Uint32},
	protoreflect.Sfixed32Kind: {kindFixed32, protowire.Fixed32Type, reflect.Int32},
	protoreflect.FloatKind:    {kindFixed32, protowire.Fixed32Type, reflect.Float32},
	protoreflect.Fixed64Kind:  {kindFixed64, protowire.Fixed64Type, reflect.Uint64},
	protoreflect.Sfixed64Kind: {kindFixed64, protowire.Fixed64Type, reflect.Int64},
	protoreflect.DoubleKind:   {kindFixed64, protowire.Fixed64Type, reflect.Float64},
	protoreflect.StringKind:   {kindString, protowire.BytesType, reflect.String},
	protoreflect.BytesKind:    {kindBytes, protowire.BytesType, reflect.Slice},
	protoreflect.MessageKind:  {kindMessage, protowire.BytesType, reflect.Pointer},
	protoreflect.GroupKind:    {kindGroup, protowire.StartGroupType, reflect.Pointer},
}

// value plans a value of type t.
func (pl planner) value(f *field, fd protoreflect.FieldDescriptor, t reflect.Type) {
	k := goKinds[fd.Kind()]
	f.kind, f.wire = k.kind, uint8(k.wire)
	if t.Kind() != k.go_ || k.kind == kindBytes && t != reflect.TypeFor[[]byte]() {
		f.reason = fmt.Sprintf("its Go type is %v", t)
		return
	}
	if f.kind == kindString {
		f.validate = enforcesUTF8(fd)
	}
	if fd.Message() != nil {
		f.sub = pl.message(t)
		if f.sub.reason != "" {
			f.reason = fmt.Sprintf("%s: %s", fd.Message().FullName(), f.sub.reason)
		} else if f.sub.descriptor.FullName() != fd.Message().FullName() {
			f.reason = fmt.Sprintf("its Go type is %v", t)
		}
	}
}

// enforcesUTF8 reports whether text that is not UTF-8 is an error. Descriptors of proto2 and proto3
// may say something else than protobuf does.
func enforcesUTF8(fd protoreflect.FieldDescriptor) bool {
	if protoLegacy || fd.Syntax() == protoreflect.Editions {
		if fd, ok := fd.(interface{ EnforceUTF8() bool }); ok {
			return fd.EnforceUTF8()
		}
	}
	return fd.Syntax() == protoreflect.Proto3
}

// oneof plans a field that is in a wrapper, which is learnt from what protoc-gen-go has registered.
func (pl planner) oneof(f *field, fd protoreflect.FieldDescriptor, l *layout) {
	of, ok := l.oneofs[string(fd.ContainingOneof().Name())]
	if !ok {
		f.reason = "the struct does not have its oneof"
		return
	}
	t := l.wrappers[int(fd.Number())]
	if t == nil || !t.Implements(of.Type) {
		f.reason = "the wrapper of its oneof is not known"
		return
	}
	pl.value(f, fd, t.Elem().Field(0).Type)
	f.form = formOneof
	f.unchecked = fd.ContainingOneof().Fields().Get(0) != fd
	f.offset = of.Offset
	f.slab = slabs.Number(t.Elem())
	if f.wrapper, ok = wrapperWord(of.Type, t); !ok {
		f.reason = "interfaces are not what they were"
	}
}

// entry plans the entries of a map.
func (pl planner) entry(m *plan, f *field, fd protoreflect.FieldDescriptor, t reflect.Type) {
	if t.Kind() != reflect.Map {
		f.reason = fmt.Sprintf("its Go type is %v", t)
		return
	}
	e := &entry{typ: t, kind: spares.MapOf(t)}
	for _, v := range []struct {
		f  *field
		fd protoreflect.FieldDescriptor
		t  reflect.Type
	}{{&e.key, fd.MapKey(), t.Key()}, {&e.val, fd.MapValue(), t.Elem()}} {
		pl.value(v.f, v.fd, v.t)
		if v.f.reason != "" {
			f.reason = v.f.reason
			return
		}
	}
	if e.val.kind == kindGroup {
		f.reason = "it is a map of groups"
		return
	}
	f.sub = e.val.sub
	f.entry = e
	e.put = putterFor(e)
}
