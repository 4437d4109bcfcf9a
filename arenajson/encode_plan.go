package arenajson

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arena-go/arena/internal/jsonwire"
	"github.com/arena-go/arena/ref"
)

// An encodePlan says how values of one type are encoded. It is made when the first one is, and does
// not change after that, except that a plan which is still being made has no op yet: only the
// goroutine that makes it, and those that wait for it, have it.
type encodePlan struct {
	op     encodeOp
	typ    reflect.Type
	direct bool // an interface has such a value itself
	addr   bool // values are addressable, so that methods with pointer receivers count
	calls  int  // 1 if values may have methods that do more than encode, and 0 otherwise

	elem   *encodePlan      // of a pointer, slice, array or map
	size   uintptr          // of an element
	n      int              // elements of an array
	fields [2][]encodeField // of a struct, with HTML escaped in their names, and without
	key    keyOp            // of a map
	spare  *spareMaps       // of an arena.Map, the elem of which is the plan of the map of Go

	lengths atomic.Uint64 // of the last two texts, if long, see expect; the only part that changes
}

// An encodeOp says what kind a value is of.
type encodeOp uint8

const (
	opNone encodeOp = iota
	opStd           // encoding/json encodes it, or has an error for it
	opBool
	opInt8
	opInt16
	opInt32
	opInt64
	opUint8
	opUint16
	opUint32
	opUint64
	opFloat32
	opFloat64
	opString
	opPointer
	opStruct
	opSlice
	opArray
	opMap
	opMapStringString
	opMapStringAny
	opAny   // an interface without methods
	opFace  // one with methods; what it holds is encoded
	opBytes // in base64
	opNumber
	opRaw
	opTime
	opArenaMarshaler
	opMarshaler
	opFaceMarshaler // an interface with MarshalJSON
	opTextMarshaler
	opFaceText // an interface with MarshalText
	opTextAppender
	opRefString
	opArenaMap
	opQuoted // of a field with the option "string"
	opClear  // of a field that may be left out once it is encoded
	opBase64 // an array of bytes, with the option V2
)

// A keyOp says what the keys of a map are.
type keyOp uint8

const (
	keyString keyOp = iota
	keyInt
	keyUint
	keyText // it has MarshalText
)

// An encodeField says how a field is encoded.
type encodeField struct {
	offset uintptr
	plan   *encodePlan
	op     encodeOp // of plan, or opQuoted
	omit   omitOp
	zero   omitOp // a second reason to omit it
	clear  bool   // with the option V2: it is left out if the text of its value is empty
	length uint32 // of key, in bytes
	key    [4]uint64
	path   []embedded
	long   string // the key, if it is longer
	field  *field
}

// setKey sets the key, which is the text of a name with a comma before it and a colon behind it.
func (f *encodeField) setKey(name string, style jsonwire.Style) {
	b := append(jsonwire.AppendString([]byte{','}, name, style), ':')
	f.length = uint32(len(b))
	if len(b) > 8*len(f.key) {
		f.long = string(b)
		return
	}
	b = append(b, make([]byte, 8*len(f.key))...)
	for i := range f.key {
		f.key[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
}

// appendKey appends the key, and makes room for a number behind it.
func (f *encodeField) appendKey(b []byte) []byte {
	if f.long != "" {
		return append(jsonwire.Room(b, len(f.long)+jsonwire.MaxNumber), f.long...)
	}
	b = jsonwire.Room(b, 8*len(f.key)+jsonwire.MaxNumber)
	to := (*[32]byte)(b[len(b):cap(b)])
	binary.LittleEndian.PutUint64(to[:], f.key[0])
	binary.LittleEndian.PutUint64(to[8:], f.key[1])
	if f.length > 16 {
		binary.LittleEndian.PutUint64(to[16:], f.key[2])
		binary.LittleEndian.PutUint64(to[24:], f.key[3])
	}
	return b[:len(b)+int(f.length)]
}

// An omitOp says when a field is left out.
type omitOp uint8

const (
	omitNever omitOp = iota
	omitAlways
	omit1 // one byte is zero
	omit2
	omit4
	omit8
	omitPointer // a pointer is nil: also the first word of an interface, a slice or a map
	omitLen     // a string or a slice has no elements
	omitMap     // a map has no entries
	omitFloat32 // also -0
	omitFloat64
	omitZero   // reflect.Value.IsZero
	omitMethod // as field.zeroer says
)

var encodePlans [2][2]sync.Map // of reflect.Type to *encodePlan; the second two are for V2, and of each two the second one for values that are addressable

// encodePlanOf returns the plan for type t, which is for the option V2 or not. Any goroutine may
// call it.
func encodePlanOf(t reflect.Type, addr, v2 bool) *encodePlan {
	if p, ok := encodePlans[indexOf(v2)][indexOf(addr)].Load(t); ok {
		return p.(*encodePlan)
	}
	m := planMaker{map[planKey]*encodePlan{}, v2}
	p := m.plan(t, addr)
	for _, p := range m.made {
		for _, fields := range p.fields {
			for i := range fields {
				f := &fields[i]
				switch f.op = f.plan.op; {
				case f.field.quoted:
					f.op = opQuoted
				case f.clear:
					f.op = opClear
				}
			}
		}
	}
	for key, p := range m.made {
		encodePlans[indexOf(v2)][indexOf(key.addr)].LoadOrStore(key.typ, p) // another goroutine's does the same
	}
	return p
}

// A planMaker has the plans that are being made. They refer to each other where types are
// recursive.
type planMaker struct {
	made map[planKey]*encodePlan
	v2   bool
}

type planKey struct {
	typ  reflect.Type
	addr bool
}

var (
	numberType    = reflect.TypeFor[json.Number]()
	rawType       = reflect.TypeFor[json.RawMessage]()
	timeType      = reflect.TypeFor[time.Time]()
	refStringType = reflect.TypeFor[ref.String]()
)

// plan returns the plan for t: one that is there already, or a new one.
func (m planMaker) plan(t reflect.Type, addr bool) *encodePlan {
	if p, ok := encodePlans[indexOf(m.v2)][indexOf(addr)].Load(t); ok {
		return p.(*encodePlan)
	}
	key := planKey{t, addr}
	if p := m.made[key]; p != nil {
		return p
	}
	p := &encodePlan{typ: t, addr: addr, direct: inFace(t)}
	if !isPure(t) {
		p.calls = 1
	}
	m.made[key] = p
	if !m.special(p) {
		m.byKind(p)
	}
	return p
}

// special makes p if its type is one that the package knows, or has methods.
func (m planMaker) special(p *encodePlan) bool {
	t := p.typ
	switch t {
	case numberType:
		p.op = opNumber
		return true
	case rawType:
		if p.op = opRaw; m.v2 {
			p.op = opStd // it writes strings anew
		}
		return true
	case timeType:
		p.op = opTime
		return true
	case refStringType:
		p.op = opRefString
		return true
	}
	if entries, ok := goMapOf(t); ok {
		p.op, p.spare, p.elem = opArenaMap, &spareMaps{typ: entries}, m.plan(entries, false)
		return true
	}
	if m.v2 {
		return m.methodV2(p)
	}
	if t.Kind() == reflect.Pointer {
		return false // what it points at has the methods
	}
	if t.Kind() == reflect.Interface {
		switch {
		case onV2: // it looks at what the interface holds
		case t.Implements(marshalerType):
			p.op = opFaceMarshaler
		case t.Implements(textMarshalerType):
			p.op = opFaceText
		}
		return p.op != opNone
	}
	switch {
	case p.has(marshalerTo):
		p.op = opStd
	case p.has(implementing[json.Marshaler]):
		p.op = opMarshaler
		if p.has(implementing[MarshalerArena]) {
			p.op = opArenaMarshaler
		}
	case p.has(textAppender):
		p.op = opTextAppender
	case p.has(implementing[encoding.TextMarshaler]):
		p.op = opTextMarshaler
	}
	return p.op != opNone
}

// has tells whether encoding/json finds a method in values of p. The interface that has the method
// may be nil: nothing has it.
func (p *encodePlan) has(method codecMethod) bool {
	return method(p.typ) || p.addr && method(reflect.PointerTo(p.typ))
}

// hasMarshalers tells whether t has a method to encode it.
func hasMarshalers(t reflect.Type) bool {
	for _, has := range encodeMethods {
		if has(t) {
			return true
		}
	}
	return false
}

// byKind makes p for a type without methods.
func (m planMaker) byKind(p *encodePlan) {
	t := p.typ
	switch t.Kind() {
	case reflect.Bool:
		p.op = opBool
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		p.op = bySize(t, opInt8)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint, reflect.Uintptr:
		p.op = bySize(t, opUint8)
	case reflect.Float32:
		p.op = opFloat32
	case reflect.Float64:
		p.op = opFloat64
	case reflect.String:
		p.op = opString
	case reflect.Pointer:
		p.op, p.elem = opPointer, m.plan(t.Elem(), true)
	case reflect.Slice:
		if elem := t.Elem(); elem.Kind() == reflect.Uint8 && !hasMarshalers(reflect.PointerTo(elem)) && !(m.v2 && elem != uint8Type) {
			p.op = opBytes
			return
		}
		p.op, p.elem, p.size = opSlice, m.plan(t.Elem(), true), t.Elem().Size()
	case reflect.Array:
		p.op, p.elem, p.size, p.n = opArray, m.plan(t.Elem(), p.addr), t.Elem().Size(), t.Len()
		if m.v2 && t.Elem() == uint8Type {
			p.op = opBase64
		}
	case reflect.Map:
		m.mapPlan(p)
	case reflect.Interface:
		p.op = opFace
		if t.NumMethod() == 0 {
			p.op = opAny
		}
	case reflect.Struct:
		m.structPlan(p)
	default:
		p.op, p.calls = opStd, 0
	}
}

// bySize returns op, or one of those behind it, for integers of the size of t.
func bySize(t reflect.Type, op encodeOp) encodeOp {
	switch t.Size() {
	case 2:
		op++
	case 4:
		op += 2
	case 8:
		op += 3
	}
	return op
}

func (m planMaker) mapPlan(p *encodePlan) {
	k := p.typ.Key()
	switch {
	case m.v2 && hasMethods(k):
		p.op = opStd
		return
	case k.Kind() == reflect.String && !(onV2 && k == numberType) && !(textKeys() && hasMarshalers(reflect.PointerTo(k))):
		p.key = keyString
	case k.Kind() == reflect.Pointer || k.Kind() == reflect.Interface || onV2 && hasMarshalers(reflect.PointerTo(k)):
		p.op = opStd
		return
	case k.Implements(textMarshalerType):
		p.key = keyText
	case k.Kind() >= reflect.Int && k.Kind() <= reflect.Int64:
		p.key = keyInt
	case k.Kind() >= reflect.Uint && k.Kind() <= reflect.Uintptr:
		p.key = keyUint
	default:
		p.op, p.calls = opStd, 0 // the first key is an error
		return
	}
	p.op, p.elem = opMap, m.plan(p.typ.Elem(), false)
	if k == reflect.TypeFor[string]() {
		switch p.typ.Elem() {
		case reflect.TypeFor[string]():
			p.op = opMapStringString
		case reflect.TypeFor[any]():
			p.op = opMapStringAny
		}
	}
}

func (m planMaker) structPlan(p *encodePlan) {
	s := fieldsOf(p.typ, m.v2)
	if s.odd {
		p.op = opStd
		return
	}
	p.op = opStruct
	for i := range s.list {
		f := &s.list[i]
		e := encodeField{offset: f.offset, path: f.path, field: f}
		e.plan = m.plan(f.typ, p.addr || len(f.path) > 0)
		switch {
		case f.omitEmpty && m.v2:
			e.omit, e.clear = omitEmptyV2(f.typ)
		case f.omitEmpty:
			e.omit = omitEmptyOf(f.typ)
		}
		if f.omitZero {
			e.zero = omitZeroOf(f)
		}
		switch {
		case e.omit == omitNever || e.omit == e.zero:
			e.omit, e.zero = e.zero, omitNever
		case e.zero != omitNever && (e.omit == omitLen || e.omit == omitPointer):
			// A second condition is looked at only behind one of the others. What is nil has no
			// elements.
			if e.zero == omitPointer || e.zero == omitLen {
				e.omit, e.zero = omitLen, omitNever
			} else {
				e.omit, e.zero = e.zero, e.omit
			}
		}
		for i := range p.fields {
			style := styleOf(i == 0)
			if m.v2 {
				style = jsonwire.Plain
			}
			e.setKey(f.name, style)
			p.fields[i] = append(p.fields[i], e)
		}
	}
}

// omitEmptyOf says when a field of type t is empty.
func omitEmptyOf(t reflect.Type) omitOp {
	switch t.Kind() {
	case reflect.Bool, reflect.Float32, reflect.Float64, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return omitNumber(t)
	case reflect.Pointer, reflect.Interface:
		return omitPointer
	case reflect.String, reflect.Slice:
		return omitLen
	case reflect.Map:
		return omitMap
	case reflect.Array:
		if t.Len() == 0 {
			return omitAlways
		}
	}
	return omitNever
}

func omitZeroOf(f *field) omitOp {
	if f.zeroer != zeroByValue {
		return omitMethod
	}
	switch t := f.typ; t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return omitNumber(t)
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return omitPointer
	case reflect.String:
		return omitLen
	}
	return omitZero
}

func omitNumber(t reflect.Type) omitOp {
	switch t.Kind() {
	case reflect.Float32:
		return omitFloat32
	case reflect.Float64:
		return omitFloat64
	}
	switch t.Size() {
	case 1:
		return omit1
	case 2:
		return omit2
	case 4:
		return omit4
	}
	return omit8
}
