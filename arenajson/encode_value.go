package arenajson

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
	"github.com/arena-go/arena/ref"
)

// maxDepth is how deep values may be nested before the encoder looks whether they contain
// themselves, as in encoding/json.
const maxDepth = 1000

// An encoder encodes one value, into memory that it keeps for the next. After an error, what it
// returns is of no use.
type encoder struct {
	arena    *arena.Arena
	style    jsonwire.Style
	names    int  // the index for style.HTML in encodePlan.fields
	unsorted bool // maps
	v2       bool
	err      error
	calls    int // of methods that are not pure, or of encoding/json, which may call some
	levels   int // of pointers, slices and maps, which the first version of encoding/json counts
	depth    int // of arrays and objects, which the second one counts
	visited  map[visited]bool
	buf      []byte
	texts    []byte    // of map keys that are not strings
	spare    [128]byte // for AppendText
	root     any
	strings  []pair[string]
	anys     []pair[any]
	keys     []pair[struct{}] // of maps of other types
	order    []place
	values   map[*encodePlan]*mapValues
	seen     [16]seenPlan
	few      int // times in a row that little of buf was used
}

// A seenPlan is the plan of a type that was in an interface lately.
type seenPlan struct {
	typ  pointer
	plan *encodePlan
}

// value appends the value at p.
func (e *encoder) value(b []byte, pl *encodePlan, p pointer) []byte {
	switch pl.op {
	case opBool:
		return jsonwire.AppendBool(b, loadBool(p))
	case opInt8, opInt16, opInt32, opInt64:
		return jsonwire.AppendInt(b, loadInt(pl.op, p))
	case opUint8, opUint16, opUint32, opUint64:
		return jsonwire.AppendUint(b, loadUint(pl.op, p))
	case opFloat32:
		if b = e.float32(b, loadFloat32(p)); e.err != nil {
			e.noNumber(pl)
		}
		return b
	case opFloat64:
		if b = e.float64(b, loadFloat64(p)); e.err != nil {
			e.noNumber(pl)
		}
		return b
	case opString:
		return jsonwire.AppendString(b, loadString(p), e.style)
	case opPointer:
		q := loadPointer(p)
		if q == nil {
			return append(b, "null"...)
		}
		if e.isDeep() && !e.visit(visited{pl.typ, q, 0}) {
			return b
		}
		e.levels++
		if b = e.value(b, pl.elem, q); e.err != nil {
			e.reached(pl)
			return b
		}
		e.levels--
		if e.isDeep() {
			delete(e.visited, visited{pl.typ, q, 0})
		}
		return b
	case opStruct:
		return e.object(b, pl, p)
	case opSlice:
		data, n := loadSlice(p)
		if n == 0 {
			if loadPointer(p) == nil && !e.v2 {
				return append(b, "null"...)
			}
			return append(b, "[]"...)
		}
		if !e.enter(b, pl.typ, data, n) {
			return b
		}
		b = e.array(b, pl, data, n)
		e.leave(pl.typ, data, n)
		return b
	case opArray:
		if e.depth++; e.depth > jsonwire.MaxNesting && pl.n > 0 && e.tooDeep(b) {
			return b
		}
		b = e.array(b, pl, p, pl.n)
		e.depth--
		return b
	case opMapStringString:
		return e.textMap(b, *see[map[string]string](p))
	case opMapStringAny:
		return e.anyMap(b, pl.typ, *see[map[string]any](p))
	case opMap:
		return e.anyKindOfMap(b, pl, p)
	case opAny:
		return e.any(b, loadAny(p))
	case opFace:
		v := valueAt(pl.typ, p)
		if v.IsNil() {
			return append(b, "null"...)
		}
		if v = v.Elem(); v.Kind() == reflect.Pointer && v.IsNil() && !e.v2 && hasMarshalers(pl.typ) {
			e.calls++
			return e.std(b, nil, valueAt(pl.typ, p).Addr().Interface()) // the second version of encoding/json calls the method
		}
		x := v.Interface()
		return e.any(b, &x)
	case opBytes:
		s := loadBytes(p)
		if s == nil && !e.v2 {
			return append(b, "null"...)
		}
		return appendBase64(b, s)
	case opBase64:
		return appendBase64(b, valueAt(pl.typ, p).Bytes())
	case opNumber:
		return e.number(b, loadString(p))
	case opRaw:
		return e.raw(b, pl, loadBytes(p))
	case opTime:
		return e.time(b, pl, see[time.Time](p))
	case opRefString:
		return e.refString(b, pl, see[ref.String](p))
	case opArenaMap:
		return e.arenaMap(b, pl, p)
	}
	return e.method(b, pl, p)
}

func appendBase64(b, s []byte) []byte {
	b = append(jsonwire.Room(b, base64.StdEncoding.EncodedLen(len(s))+2), '"')
	return append(base64.StdEncoding.AppendEncode(b, s), '"')
}

// method appends the value at p, as a method does or encoding/json.
func (e *encoder) method(b []byte, pl *encodePlan, p pointer) []byte {
	e.calls += pl.calls
	v := valueAt(pl.typ, p)
	if pl.op == opStd {
		if pl.addr || v.Kind() == reflect.Interface {
			v = v.Addr()
		}
		return e.std(b, nil, v.Interface())
	}
	if pl.op != opFaceMarshaler && pl.op != opFaceText {
		v = v.Addr() // which has the methods of the value, too
	} else if v.IsNil() {
		return append(b, "null"...)
	}
	var text []byte
	var err error
	switch m := v.Interface(); pl.op {
	case opMarshaler, opFaceMarshaler:
		if text, err = m.(json.Marshaler).MarshalJSON(); err == nil {
			return e.compact(b, pl, text)
		}
	case opArenaMarshaler:
		if text, err = m.(MarshalerArena).MarshalJSONArena(e.arena); err == nil && e.v2 {
			return e.std(b, nil, json.RawMessage(text))
		} else if err == nil {
			return e.compact(b, pl, text)
		}
	case opTextMarshaler, opFaceText:
		if text, err = m.(encoding.TextMarshaler).MarshalText(); err == nil {
			return jsonwire.AppendString(b, asString(text), e.style)
		}
		return e.std(b, pl, returnsFromText{err})
	case opTextAppender:
		// Others must not see what a later value has, so nothing is used again that a method was
		// given and may have kept.
		var to []byte
		if pl.calls == 0 {
			to = e.spare[:0]
		}
		if text, err = m.(encoding.TextAppender).AppendText(to); err == nil {
			return jsonwire.AppendString(b, asString(text), e.style)
		}
		return e.std(b, pl, returnsFromAppend{err})
	}
	return e.std(b, pl, returned{nil, err})
}

// object appends the struct at p. The name of each field has a comma before it; the first comma
// becomes the brace.
func (e *encoder) object(b []byte, pl *encodePlan, p pointer) []byte {
	if e.depth++; e.depth > jsonwire.MaxNesting && e.tooDeep(b) {
		return b
	}
	start := len(b)
	fields := pl.fields[e.names]
	for i := range fields {
		f := &fields[i]
		q := p
		if f.path != nil {
			if q = follow(f.path, p); q == nil {
				continue
			}
		}
		q = at(q, f.offset)
		switch f.omit {
		case omitNever:
		case omitLen:
			if loadLen(q) == 0 {
				continue
			}
		case omitPointer:
			if loadPointer(q) == nil {
				continue
			}
		default:
			if e.omitted(f, f.omit, q) || e.omitted(f, f.zero, q) {
				continue
			}
		}
		b = f.appendKey(b)
		switch f.op {
		case opString:
			b = jsonwire.AppendString(b, loadString(q), e.style)
		case opInt64:
			b = jsonwire.AppendInt(b, loadInt64(q))
		case opFloat64:
			var ok bool
			x := loadFloat64(q)
			if b, ok = jsonwire.AppendFloat64(b, x); !ok {
				b = e.std(b, nil, x)
				e.noNumber(f.plan)
				return b
			}
		case opBool:
			b = jsonwire.AppendBool(b, loadBool(q))
		case opQuoted:
			if b = e.quoted(b, f.plan, q); e.err != nil {
				return b
			}
		case opClear:
			if b = e.clear(b, f, q); e.err != nil {
				return b
			}
		default:
			if b = e.value(b, f.plan, q); e.err != nil {
				return b
			}
		}
	}
	e.depth--
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

// follow returns the struct that a path of embedded pointers leads to from p, or nil.
func follow(path []embedded, p pointer) pointer {
	for i := range path {
		if p = loadPointer(at(p, path[i].offset)); p == nil {
			break
		}
	}
	return p
}

// omitted tells whether the field at p is left out because of o.
func (e *encoder) omitted(f *encodeField, o omitOp, p pointer) bool {
	switch o {
	case omitNever:
		return false
	case omitAlways:
		return true
	case omit1:
		return loadUint8(p) == 0
	case omit2:
		return loadUint16(p) == 0
	case omit4:
		return loadUint32(p) == 0
	case omit8:
		return loadUint64(p) == 0
	case omitPointer:
		return loadPointer(p) == nil
	case omitLen:
		return loadLen(p) == 0
	case omitFloat32:
		return loadFloat32(p) == 0
	case omitFloat64:
		return loadFloat64(p) == 0
	case omitMap:
		return loadMapLen(p) == 0
	case omitZero:
		return valueAt(f.plan.typ, p).IsZero()
	}
	e.calls += f.plan.calls
	v := valueAt(f.plan.typ, p)
	switch f.field.zeroer {
	case zeroByInterface:
		return v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() || v.Interface().(isZeroer).IsZero()
	case zeroByPointer:
		return v.IsNil() || v.Interface().(isZeroer).IsZero()
	case zeroByMethod:
		return v.Interface().(isZeroer).IsZero()
	}
	if !f.plan.addr {
		c := reflect.New(v.Type())
		c.Elem().Set(v)
		return c.Interface().(isZeroer).IsZero()
	}
	return v.Addr().Interface().(isZeroer).IsZero()
}

// array appends n values that lie side by side at p.
func (e *encoder) array(b []byte, pl *encodePlan, p pointer, n int) []byte {
	start := len(b)
	elem := pl.elem
	if elem.op == opFloat64 {
		for i := range n {
			var ok bool
			f := loadFloat64(at(p, uintptr(i)*8))
			if b, ok = jsonwire.AppendFloat64(append(b, ','), f); !ok {
				b = e.std(b, nil, f)
			}
		}
		if e.err != nil {
			e.noNumber(elem)
		}
		n = 0
	}
	for ; n > 0 && e.err == nil; n-- {
		b = append(b, ',')
		switch elem.op {
		case opString:
			b = jsonwire.AppendString(b, loadString(p), e.style)
		case opStruct:
			b = e.object(b, elem, p)
		case opInt64:
			b = jsonwire.AppendInt(b, loadInt64(p))
		default:
			b = e.value(b, elem, p)
		}
		if n > 1 {
			p = at(p, pl.size)
		}
	}
	if len(b) == start {
		return append(b, "[]"...)
	}
	b[start] = '['
	return append(b, ']')
}

// any appends what x holds.
func (e *encoder) any(b []byte, x *any) []byte {
	switch v := (*x).(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return jsonwire.AppendString(b, v, e.style)
	case float64:
		c, ok := jsonwire.AppendFloat64(b, v)
		if !ok {
			return e.std(c, nil, v)
		}
		return c
	case bool:
		return jsonwire.AppendBool(b, v)
	case int:
		return jsonwire.AppendInt(b, int64(v))
	case map[string]any:
		return e.anyMap(b, anyMapType, v)
	case []any:
		return e.list(b, v)
	}
	pl := e.planOf(x)
	return e.value(b, pl, dataOf(x, pl.direct))
}

func (e *encoder) list(b []byte, s []any) []byte {
	if s == nil && !e.v2 {
		return append(b, "null"...)
	}
	if len(s) == 0 {
		return append(b, "[]"...)
	}
	data := pointer(&s[0])
	if !e.enter(b, anysType, data, len(s)) {
		return b
	}
	start := len(b)
	for i := range s {
		if b = e.any(append(b, ','), &s[i]); e.err != nil {
			return b
		}
	}
	e.leave(anysType, data, len(s))
	b[start] = '['
	return append(b, ']')
}

// planOf returns the plan for what x holds.
func (e *encoder) planOf(x *any) *encodePlan {
	typ := faceOf(x).typ
	s := &e.seen[addressHash(typ)%uintptr(len(e.seen))]
	if s.typ != typ {
		*s = seenPlan{typ, encodePlanOf(reflect.TypeOf(*x), false, e.v2)}
	}
	return s.plan
}

// quoted appends the value at p of a field with the option "string".
func (e *encoder) quoted(b []byte, pl *encodePlan, p pointer) []byte {
	if pl.op == opPointer {
		q := loadPointer(p)
		if q == nil {
			return append(b, "null"...)
		}
		pl, p = pl.elem, q
	}
	switch pl.op {
	case opString:
		return jsonwire.AppendString(b, asString(jsonwire.AppendString(e.spare[:0], loadString(p), e.style)), styleOf(false))
	case opNumber:
		if s := loadString(p); s != "" && jsonwire.Number(s) != len(s) {
			return e.std(b, nil, quotedNumber{json.Number(s)})
		}
		return append(e.number(append(b, '"'), loadString(p)), '"')
	case opBool, opInt8, opInt16, opInt32, opInt64, opUint8, opUint16, opUint32, opUint64, opFloat32, opFloat64:
		return append(e.value(append(b, '"'), pl, p), '"')
	}
	return e.value(b, pl, p)
}

// float64 appends f, or has the error of encoding/json.
func (e *encoder) float64(b []byte, f float64) []byte {
	b, ok := jsonwire.AppendFloat64(b, f)
	if !ok {
		return e.std(b, nil, f)
	}
	return b
}

// float32 is float64 for the other type.
func (e *encoder) float32(b []byte, f float32) []byte {
	b, ok := jsonwire.AppendFloat32(b, f)
	if !ok {
		return e.std(b, nil, f)
	}
	return b
}

func (e *encoder) number(b []byte, s string) []byte {
	if s == "" {
		return append(b, '0')
	}
	if n := jsonwire.Number(s); n != len(s) {
		return e.std(b, nil, json.Number(s))
	}
	return append(b, s...)
}

func (e *encoder) raw(b []byte, pl *encodePlan, text []byte) []byte {
	if text == nil {
		return append(b, "null"...)
	}
	return e.compact(b, pl, text)
}

// compact appends text, which the method MarshalJSON of a value of pl has returned, without blanks.
func (e *encoder) compact(b []byte, pl *encodePlan, text []byte) []byte {
	c, ok := jsonwire.AppendCompact(b, text, e.style, jsonwire.MaxNesting-e.around())
	if !ok {
		return e.std(b, pl, returned{text, nil})
	}
	return c
}

func (e *encoder) time(b []byte, pl *encodePlan, t *time.Time) []byte {
	c, err := t.AppendText(append(jsonwire.Room(b, len(time.RFC3339Nano)+2), '"'))
	if err != nil {
		return e.std(b, pl, *t)
	}
	return append(c, '"')
}

func (e *encoder) refString(b []byte, pl *encodePlan, s *ref.String) []byte {
	if e.arena == nil {
		return e.std(b, pl, *s) // encoding/json has the error
	}
	return jsonwire.AppendString(b, s.Get(ref.In(e.arena)), e.style)
}

func loadInt(op encodeOp, p pointer) int64 {
	switch op {
	case opInt8:
		return loadInt8(p)
	case opInt16:
		return loadInt16(p)
	case opInt32:
		return loadInt32(p)
	}
	return loadInt64(p)
}

func loadUint(op encodeOp, p pointer) uint64 {
	switch op {
	case opUint8:
		return loadUint8(p)
	case opUint16:
		return loadUint16(p)
	case opUint32:
		return loadUint32(p)
	}
	return loadUint64(p)
}
