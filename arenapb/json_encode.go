package arenapb

import (
	"encoding/base64"
	"math"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/proto"
)

// A jsonEncoder encodes one message in JSON, and those in it. Its methods append to b. They report
// false where protojson finds an error.
type jsonEncoder struct {
	options MarshalJSONOptions
	a       *arena.Arena // for the messages in google.protobuf.Any
	names   int          // which names of fields
	unset   bool         // fields that are not set are written, some of them at least
	text    []byte       // what is moved to where it was wanted
	lines   []byte       // text with indentation
	entries []jsonEntry  // of the maps that are being encoded, the innermost last
}

// jsonEncoders has those that nobody uses.
var jsonEncoders = sync.Pool{New: func() any { return new(jsonEncoder) }}

// maxJSONText is how much room for text an encoder keeps.
const maxJSONText = 1 << 20

// encode appends m to b, in a. It reports false if m has an error, and returns the panic that ended
// it, if one did.
func (o *MarshalJSONOptions) encode(a *arena.Arena, b []byte, m proto.Message, plan *plan) (to []byte, ok bool, failure *Panic) {
	e := jsonEncoders.Get().(*jsonEncoder)
	returned := false
	defer e.done(&returned, &failure)
	e.options, e.a = *o, a
	e.unset = o.EmitUnpopulated || o.EmitDefaultValues
	e.names = 0
	if o.UseProtoNames {
		e.names = 1
	}
	direct := a == nil && b != nil && o.Indent == ""
	to = e.text[:0]
	if direct {
		to = b
	}
	if plan.reason != "" {
		to, ok = e.reflected(to, len(to), m.ProtoReflect())
	} else {
		to, ok = e.message(to, pointerTo(m), plan)
	}
	if !direct {
		e.text = to
		if ok && o.Indent != "" {
			e.lines, _ = jsonwire.AppendIndent(e.lines[:0], to, "", o.Indent, math.MaxInt)
			to = e.lines
		}
		if ok {
			to = placed(a, b, to)
		}
	}
	returned = true
	return to, ok, nil
}

// done is deferred while e encodes, like done of a decoder.
func (e *jsonEncoder) done(returned *bool, failure **Panic) {
	if *returned {
		e.options, e.a = MarshalJSONOptions{}, nil
		release(&e.text, maxJSONText)
		release(&e.lines, maxJSONText)
		release(&e.entries, maxJSONScratch/8)
		jsonEncoders.Put(e)
		return
	}
	*failure = failureOf(recover())
}

// message appends the message at p, or an empty one if p is nil.
func (e *jsonEncoder) message(b []byte, p pointer, m *plan) (_ []byte, ok bool) {
	if faulty {
		step()
	}
	if p == nil {
		p = pointerTo(m.new().Interface())
	}
	j := m.json()
	if j.reason != "" {
		return e.reflected(b, len(b), messageAt(m.typ, p).ProtoReflect())
	}
	if j.known != knownNot && j.known != knownEmpty {
		return e.known(b, p, j)
	}
	return e.fields(b, len(b), p, m, j)
}

// fields appends the fields of the message at p. Behind n there may be others already, each after a
// comma.
func (e *jsonEncoder) fields(b []byte, n int, p pointer, m *plan, j *jsonPlan) (_ []byte, ok bool) {
	for i := 0; i < len(j.members); i++ {
		f := &j.members[i]
		q := at(p, f.offset)
		there := false
		switch f.presence {
		case presentNumber64:
			there = load64(q) != 0
		case presentNumber32:
			there = load32(q) != 0
		case presentBool:
			there = loadBool(q)
		case presentText:
			there = len(loadString(q)) != 0
		case presentPointer:
			there = loadPointer(q) != nil
		case presentOptional:
			q = loadPointer(q)
			there = q != nil
		case presentList:
			if f.header {
				if q = loadPointer(q); q == nil {
					break
				}
			}
			there = len(*sliceAt[struct{}](q)) != 0
		case presentMap:
			there = lenOfMap(q) != 0
		case presentOneof:
			face := faceAt(q)
			if face.word == nil {
				i += f.others // none of them is set
				continue
			}
			there = face.word == f.wrapper && face.data != nil
			q = face.data
		case presentBit:
			there = f.of.marks(p)
			if f.form == formOptional {
				q = loadPointer(q)
			}
		case presentElsewhere:
			if b, ok = e.left(b, p, m, f.index); !ok {
				return b, false
			}
			continue
		}
		if !there {
			if e.unset {
				b = e.absent(b, f)
			}
			continue
		}
		b = append(b, f.names[e.names]...)
		switch f.form {
		case formRepeated:
			b, ok = e.list(b, q, f)
		case formMap:
			b, ok = e.mapping(b, q, f)
		default:
			b, ok = e.value(b, q, &f.jsonType)
		}
		if !ok {
			return b, false
		}
	}
	if m.extensions != 0 {
		if b, ok = e.extended(b, p, m); !ok {
			return b, false
		}
	}
	return closed(b, n), true
}

// closed ends the object whose fields lie behind n, each after a comma.
func closed(b []byte, n int) []byte {
	if len(b) == n {
		return append(b, '{', '}')
	}
	b[n] = '{'
	return append(b, '}')
}

// absent appends a field that is not set, if the options want it.
func (e *jsonEncoder) absent(b []byte, f *jsonMember) []byte {
	switch {
	case f.zero == "", f.zero == "null" && !e.options.EmitUnpopulated:
		return b
	case f.enum != nil && f.form == formDirect && f.zero != "null":
		return f.enum.append(append(b, f.names[e.names]...), 0, e.options.UseEnumNumbers)
	}
	return append(append(b, f.names[e.names]...), f.zero...)
}

// value appends what is at q.
func (e *jsonEncoder) value(b []byte, q pointer, t *jsonType) (_ []byte, ok bool) {
	switch t.read {
	case readString:
		if q == nil {
			return append(b, '"', '"'), true
		}
		return jsonwire.AppendText(b, loadString(q))
	case readMessage:
		return e.message(b, loadPointer(q), t.sub)
	case readBytes:
		return appendBase64(b, *bytesAt(q)), true
	case readInt64, readUint64, readDouble:
		return e.number(b, load64(q), t), true
	case readBool:
		return jsonwire.AppendBool(b, loadBool(q)), true
	}
	return e.number(b, uint64(load32(q)), t), true
}

// number appends a number, of which bits are the memory.
func (e *jsonEncoder) number(b []byte, bits uint64, t *jsonType) []byte {
	switch t.read {
	case readInt32:
		return jsonwire.AppendInt(b, int64(int32(bits)))
	case readUint32:
		return jsonwire.AppendUint(b, bits)
	case readInt64:
		return append(jsonwire.AppendInt(append(b, '"'), int64(bits)), '"')
	case readUint64:
		return append(jsonwire.AppendUint(append(b, '"'), bits), '"')
	case readBool:
		return jsonwire.AppendBool(b, bits != 0)
	case readFloat:
		return appendFloat32(b, math.Float32frombits(uint32(bits)))
	case readDouble:
		return appendFloat64(b, math.Float64frombits(bits))
	}
	return t.enum.append(b, int32(bits), e.options.UseEnumNumbers)
}

func appendFloat64(b []byte, f float64) []byte {
	if b, ok := jsonwire.AppendFloat64(b, f); ok {
		return b
	}
	switch {
	case f > 0:
		return append(b, `"Infinity"`...)
	case f < 0:
		return append(b, `"-Infinity"`...)
	}
	return append(b, `"NaN"`...)
}

func appendFloat32(b []byte, f float32) []byte {
	if b, ok := jsonwire.AppendFloat32(b, f); ok {
		return b
	}
	return appendFloat64(b, float64(f))
}

func appendBase64(b, s []byte) []byte {
	b = append(b, '"')
	return append(base64.StdEncoding.AppendEncode(b, s), '"')
}

// list appends the elements of the slice at q, of which there are some.
func (e *jsonEncoder) list(b []byte, q pointer, f *jsonMember) (_ []byte, ok bool) {
	if faulty {
		step()
	}
	n := len(b)
	switch f.read {
	case readMessage:
		for _, x := range *sliceAt[pointer](q) {
			if b, ok = e.message(append(b, ','), x, f.sub); !ok {
				return b, false
			}
		}
	case readString:
		for _, x := range *sliceAt[string](q) {
			if b, ok = jsonwire.AppendText(append(b, ','), x); !ok {
				return b, false
			}
		}
	case readBytes:
		for _, x := range *sliceAt[[]byte](q) {
			b = appendBase64(append(b, ','), x)
		}
	case readInt64:
		for _, x := range *sliceAt[int64](q) {
			b = append(jsonwire.AppendInt(append(b, ',', '"'), x), '"')
		}
	case readUint64:
		for _, x := range *sliceAt[uint64](q) {
			b = append(jsonwire.AppendUint(append(b, ',', '"'), x), '"')
		}
	case readDouble:
		for _, x := range *sliceAt[float64](q) {
			b = appendFloat64(append(b, ','), x)
		}
	case readBool:
		for _, x := range *sliceAt[bool](q) {
			b = jsonwire.AppendBool(append(b, ','), x)
		}
	default:
		for _, x := range *sliceAt[uint32](q) {
			b = e.number(append(b, ','), uint64(x), &f.jsonType)
		}
	}
	b[n] = '['
	return append(b, ']'), true
}

// left appends the field of an index, if it is set, of the message at p. Package protoreflect reads
// it.
func (e *jsonEncoder) left(b []byte, p pointer, m *plan, index int) (_ []byte, ok bool) {
	return e.reflectedField(b, messageAt(m.typ, p).ProtoReflect(), m.descriptor.Fields().Get(index))
}

// extended appends the extensions of the message at p.
func (e *jsonEncoder) extended(b []byte, p pointer, m *plan) (_ []byte, ok bool) {
	all := *extensionsAt(at(p, m.extensions))
	if len(all) == 0 {
		return b, true
	}
	return e.extensions(b, messageAt(m.typ, p).ProtoReflect())
}
