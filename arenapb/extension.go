package arenapb

import (
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/arena-go/arena"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// Extensions are in a map of protobuf's, which each message has that has any. The map and lists in it are on the heap; text and messages in them
// lie in the arena.

// An extension says how one is decoded.
type extension struct {
	field  // at no offset
	info   *protoimpl.ExtensionInfo
	scalar protoreflect.Kind
	list   bool
	typ    reflect.Type // of messages, a pointer
}

// extensions has those that have been met: of *protoimpl.ExtensionInfo, to *extension.
var extensions sync.Map

// extensionOf returns what is to be done with values of a type that m has for extensions.
func extensionOf(m *plan, xt protoreflect.ExtensionType) *extension {
	info, ok := xt.(*protoimpl.ExtensionInfo)
	if !ok {
		return &extension{field: field{reason: "its type is not one that protoc-gen-go has generated"}}
	}
	if e, ok := extensions.Load(info); ok {
		return e.(*extension)
	}
	e := newExtension(info)
	if e.reason == "" {
		e.reason = e.verify(m)
	}
	got, _ := extensions.LoadOrStore(info, e)
	return got.(*extension)
}

func newExtension(info *protoimpl.ExtensionInfo) *extension {
	xd := info.TypeDescriptor()
	k := goKinds[xd.Kind()]
	e := &extension{info: info, scalar: xd.Kind(), list: xd.IsList()}
	e.number, e.kind, e.wire = uint64(xd.Number()), k.kind, uint8(k.wire)
	e.packable = e.list && e.kind < kindString
	e.validate = e.kind == kindString && enforcesUTF8(xd.Descriptor())
	if xd.Message() == nil {
		return e
	}
	v := info.New()
	if e.list {
		v = v.List().NewElement()
	}
	m := v.Message().Interface()
	e.typ, e.sub = reflect.TypeOf(m), planOf(m)
	if e.sub.reason != "" {
		e.reason = fmt.Sprintf("%s: %s", xd.Message().FullName(), e.sub.reason)
	}
	return e
}

// A single is a resolver that knows one extension.
type single struct {
	*protoregistry.Types
	info *protoimpl.ExtensionInfo
}

func (s single) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return s.info, nil
}

// verify tries e in messages with the plan m. It returns why e is left to protobuf.
func (e *extension) verify(m *plan) (reason string) {
	defer func() {
		if v := recover(); v != nil {
			reason = fmt.Sprintf("a panic while it was tried: %v", v)
		}
	}()
	a := arena.NewArena()
	defer a.Free()
	xd := e.info.TypeDescriptor()
	for n := range 3 {
		one := m.new()
		fill(one, xd, n)
		if reason := m.try(a, one, xd, e); reason != "" {
			return fmt.Sprintf("%s: %s", xd.FullName(), reason)
		}
		if e.late(m, one) {
			return fmt.Sprintf("%s: protobuf decodes it when it is first read", xd.FullName())
		}
	}
	return ""
}

// late tells whether protobuf leaves the extension of sample, a message with the plan m, as it is until somebody reads it. It does in programs that
// are built with the tag protolegacy.
func (e *extension) late(m *plan, sample protoreflect.Message) bool {
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(sample.Interface())
	if err != nil {
		return false
	}
	one := m.new()
	if proto.Unmarshal(b, one.Interface()) != nil {
		return false
	}
	x := reflect.ValueOf((*extensionsAt(at(pointerTo(one.Interface()), m.extensions)))[int32(e.number)])
	lazy := x.FieldByName("lazy")
	return lazy.IsValid() && !lazy.IsZero()
}

// extend decodes the value at b[i:] if it is that of an extension of the message at p. It returns where the value ends, -1 for an error. Unless it
// does, protobuf is to decode the value if that is foreign, and else it is unknown.
func (d *decoder) extend(p pointer, m *plan, num protowire.Number, wire uint8, b []byte, i int) (end int, does, foreign bool) {
	all := extensionsAt(at(p, m.extensions))
	x := (*all)[int32(num)]
	xt := x.Type()
	if xt == nil {
		var err error
		if xt, err = d.opts.Resolver.FindExtensionByNumber(m.descriptor.FullName(), num); err != nil {
			return 0, false, err != protoregistry.NotFound
		}
	}
	e := d.trial
	if e == nil || e.info != xt {
		e = extensionOf(m, xt)
	}
	packed := e.packable && wire == uint8(protowire.BytesType)
	if e.reason != "" || e.sub != nil && d.extended == maxExtended {
		return 0, false, true
	}
	if wire != e.wire && !packed {
		return 0, false, false
	}
	v := x.Value()
	if !v.IsValid() && e.list {
		v = xt.New()
	}
	if d.undo != nil {
		d.undo.foreign(p, m, messageAt(m.typ, p).ProtoReflect())
	}
	switch {
	case packed:
		var s []byte
		if s, i = bytesOf(b, i); i < 0 {
			return -1, true, false
		}
		for j := 0; j < len(s); {
			var x element
			var ok bool
			if j, ok = d.element(&x, &e.field, s, j, 0); !ok {
				return -1, true, false
			}
			v.List().Append(x.value(e.scalar))
		}
	case e.sub != nil:
		var sub pointer
		if v.IsValid() && !e.list {
			m := v.Message().Interface()
			if reflect.TypeOf(m) != e.typ {
				return 0, false, true
			}
			if sub = pointerTo(m); d.undo != nil {
				d.undo.message(sub, e.sub)
			}
		} else {
			sub = d.value(e.sub.slab)
		}
		if i = d.extension(sub, e, b, i); i < 0 {
			return -1, true, false
		}
		if w := protoreflect.ValueOfMessage(messageAt(e.sub.typ, sub).ProtoReflect()); e.list {
			v.List().Append(w)
		} else {
			v = w
		}
	default:
		var x element
		var ok bool
		if i, ok = d.element(&x, &e.field, b, i, 0); !ok {
			return -1, true, false
		}
		if w := x.value(e.scalar); e.list {
			v.List().Append(w)
		} else {
			v = w
		}
	}
	if *all == nil {
		*all = protoimpl.ExtensionFields{}
	}
	x.Set(xt, v)
	(*all)[int32(num)] = x
	return i, true, false
}

// maxExtended is how deeply messages in extensions are nested that are decoded here. Protobuf counts the depth anew in each of them, and so
// does not bound the stack.
const maxExtended = 32

// extension decodes the message or group at b[i:] into the one at p, and returns where it ends, -1 for an error.
func (d *decoder) extension(p pointer, e *extension, b []byte, i int) int {
	var s []byte
	if e.kind == kindGroup {
		var n int
		if s, n = protowire.ConsumeGroup(protowire.Number(e.number), b[i:]); n < 0 {
			return -1
		}
		i += n
	} else if s, i = bytesOf(b, i); i < 0 {
		return -1
	}
	d.extended++
	n := d.message(p, e.sub, s, 0, protowire.DefaultRecursionLimit)
	d.extended--
	if n < 0 {
		return -1
	}
	return i
}

// value returns x as a value of a kind, which is no message.
func (x *element) value(k protoreflect.Kind) protoreflect.Value {
	switch k {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(x.bits != 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(x.bits))
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(x.bits))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(x.bits))
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(x.bits))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(x.bits)
	case protoreflect.Sint32Kind:
		return protoreflect.ValueOfInt32(int32(protowire.DecodeZigZag(x.bits & math.MaxUint32)))
	case protoreflect.Sint64Kind:
		return protoreflect.ValueOfInt64(protowire.DecodeZigZag(x.bits))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(x.bits)))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(x.bits))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(text(x.bytes))
	}
	return protoreflect.ValueOfBytes(x.bytes)
}

// recycleExtensions takes back the messages in extensions of the message at p.
func (d *decoder) recycleExtensions(p pointer, m *plan) {
	for _, x := range *extensionsAt(at(p, m.extensions)) {
		info, _ := x.Type().(*protoimpl.ExtensionInfo)
		found, ok := extensions.Load(info)
		if !ok || found.(*extension).sub == nil || found.(*extension).reason != "" {
			continue
		}
		e := found.(*extension)
		if !e.list {
			d.recycle(pointerTo(x.Value().Message().Interface()), e.sub)
			continue
		}
		for list, i := x.Value().List(), 0; i < list.Len(); i++ {
			d.recycle(pointerTo(list.Get(i).Message().Interface()), e.sub)
		}
	}
}
