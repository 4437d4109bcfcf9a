package arenapb

import (
	"reflect"
	"runtime/debug"
	"sync/atomic"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// A jsonPlan says how messages of one Go type are decoded from JSON. It is made from the plan of
// the type when the first one is, and is not changed after that.
type jsonPlan struct {
	reason  string // why protojson decodes these messages, if it does; then there is nothing below
	known   known
	fields  []jsonField  // in the order of the descriptor
	members []jsonMember // the same, for encoding
	gaveUp  bool         // protojson also encodes these messages, as a whole
	share   atomic.Int32
}

// A known is a message type that has a form of its own in JSON.
type known uint8

const (
	knownNot known = iota
	knownTimestamp
	knownDuration
	knownWrapper
	knownStruct
	knownList
	knownValue
	knownMask
	knownEmpty
)

// A jsonField says how one field of a message is decoded from JSON.
type jsonField struct {
	*field
	quoted string // its JSON name in quotes and a colon, or nothing if that is not all that such a name in a text can mean
	index  int
	nulls  bool // null is a value, and does not stand for none
	left   bool // protojson decodes it
	oneof  int  // its oneof, if form is formOneof
	val    jsonValue
	key    jsonValue // of maps
	number bool      // the value is one of val.bits
}

// A jsonValue says how a value is read.
type jsonValue struct {
	field  // what it is in memory; kinds that differ only in the wire format are one here
	read   reading
	enum   protoreflect.EnumValueDescriptors
	isNull bool // it is a google.protobuf.NullValue
}

// A reading says how a value is written in JSON. The first ones are read as 64 bits.
type reading uint8

const (
	readInt32 reading = iota
	readInt64
	readUint32
	readUint64
	readBool
	readFloat
	readDouble
	readEnum
	readString
	readBytes
	readMessage
)

var readings = map[protoreflect.Kind]reading{
	protoreflect.BoolKind: readBool, protoreflect.EnumKind: readEnum,
	protoreflect.Int32Kind: readInt32, protoreflect.Sint32Kind: readInt32, protoreflect.Sfixed32Kind: readInt32,
	protoreflect.Int64Kind: readInt64, protoreflect.Sint64Kind: readInt64, protoreflect.Sfixed64Kind: readInt64,
	protoreflect.Uint32Kind: readUint32, protoreflect.Fixed32Kind: readUint32,
	protoreflect.Uint64Kind: readUint64, protoreflect.Fixed64Kind: readUint64,
	protoreflect.FloatKind: readFloat, protoreflect.DoubleKind: readDouble,
	protoreflect.StringKind: readString, protoreflect.BytesKind: readBytes,
	protoreflect.MessageKind: readMessage, protoreflect.GroupKind: readMessage,
}

// json returns the plan for JSON of the messages of m.
func (m *plan) json() *jsonPlan {
	if j := m.inJSON.Load(); j != nil {
		return j
	}
	m.firstJSON()
	return m.inJSON.Load()
}

// firstJSON makes the plan. A panic of that has messages of m left to protojson.
func (m *plan) firstJSON() {
	defer func() {
		if v := recover(); v != nil {
			p := &Panic{Type: reflect.PointerTo(m.typ), Value: v, Stack: debug.Stack(), json: true}
			m.giveUpJSON(p.reason())
			p.tell(nil)
		}
	}()
	m.inJSON.CompareAndSwap(nil, m.newJSON()) // several goroutines may have made it: they are the same
}

func (m *plan) newJSON() *jsonPlan {
	j := new(jsonPlan)
	if m.reason != "" {
		j.reason = m.reason
		return j
	}
	fds := m.descriptor.Fields()
	j.fields = make([]jsonField, fds.Len())
	for i := range j.fields {
		fd := fds.Get(i)
		f := &j.fields[i]
		f.field, f.index = m.field(uint64(fd.Number())), i
		if name := fd.JSONName(); protoreflect.Name(name).IsValid() && fds.ByJSONName(name) == fd {
			f.quoted = `"` + name + `":`
		}
		f.nulls = fd.Message() != nil && fd.Message().FullName() == "google.protobuf.Value" || fd.Enum() != nil && fd.Enum().FullName() == nullValue
		if f.reason != "" {
			f.left = true
			continue
		}
		if f.form == formOneof {
			f.oneof = fd.ContainingOneof().Index()
		}
		if f.form == formMap {
			f.key.plan(&f.entry.key, fd.MapKey())
			f.val.plan(&f.entry.val, fd.MapValue())
			f.val.sub = f.sub
		} else {
			f.val.plan(f.field, fd)
			f.val.nilEmpty = f.val.nilEmpty && !m.opaque // where the decoder of the wire format and Set differ
		}
		f.number = f.val.read <= readEnum
	}
	if j.known, j.reason = m.known(j); j.reason == "" && !j.planMembers(m) {
		j.reason = "the name of a field is not UTF-8"
	}
	return j
}

const nullValue = "google.protobuf.NullValue"

func (v *jsonValue) plan(f *field, fd protoreflect.FieldDescriptor) {
	v.field, v.read = *f, readings[fd.Kind()]
	switch f.kind {
	case kindSint32:
		v.kind = kindVarint32
	case kindSint64:
		v.kind = kindVarint64
	}
	if e := fd.Enum(); e != nil {
		v.enum, v.isNull = e.Values(), e.FullName() == nullValue
	}
}

// known reports whether messages of m have a form of their own in JSON. If that is one that is left
// to protojson, there is a reason.
func (m *plan) known(j *jsonPlan) (k known, reason string) {
	name := m.descriptor.FullName()
	if name.Parent() != "google.protobuf" {
		return knownNot, ""
	}
	var want []jsonShape // of the fields with the numbers 1, 2, and so on
	switch name.Name() {
	case "Any":
		return knownNot, "messages of this type are left to package protojson"
	case "Timestamp", "Duration":
		k, want = knownTimestamp, []jsonShape{{formDirect, readInt64}, {formDirect, readInt32}}
		if name.Name() == "Duration" {
			k = knownDuration
		}
	case "BoolValue", "Int32Value", "Int64Value", "UInt32Value", "UInt64Value", "FloatValue", "DoubleValue", "StringValue", "BytesValue":
		k = knownWrapper
		if f := j.numbered(m, 1); f != nil && f.val.read < readMessage {
			want = []jsonShape{{formDirect, f.val.read}}
		} else {
			want = []jsonShape{{formDirect, readString}}
		}
	case "Struct":
		k, want = knownStruct, []jsonShape{{formMap, readMessage}}
	case "ListValue":
		k, want = knownList, []jsonShape{{formRepeated, readMessage}}
	case "Value":
		k, want = knownValue, []jsonShape{{formOneof, readEnum}, {formOneof, readDouble}, {formOneof, readString}, {formOneof, readBool}, {formOneof, readMessage}, {formOneof, readMessage}}
	case "FieldMask":
		k, want = knownMask, []jsonShape{{formRepeated, readString}}
	case "Empty":
		k = knownEmpty
	default:
		return knownNot, ""
	}
	var names map[int]protoreflect.FullName
	if k == knownValue {
		names = map[int]protoreflect.FullName{4: "google.protobuf.Struct", 5: "google.protobuf.ListValue"}
	}
	for i, w := range want {
		f := j.numbered(m, protoreflect.FieldNumber(i+1))
		if f == nil || f.index != i || f.left || f.marked || f.header != 0 || f.form != w.form || f.val.read != w.read || names[i] != "" && f.sub.descriptor.FullName() != names[i] {
			return knownNot, "it does not have the fields that a message of that name has"
		}
	}
	return k, ""
}

// A jsonShape is what a field of a known type is.
type jsonShape struct {
	form form
	read reading
}

// numbered returns the field of a number, or nil.
func (j *jsonPlan) numbered(m *plan, num protoreflect.FieldNumber) *jsonField {
	fd := m.descriptor.Fields().ByNumber(num)
	if fd == nil {
		return nil
	}
	return &j.fields[fd.Index()]
}

// learn notes which share of a text was strings that were kept, unless it is about the share that
// is noted already.
func (j *jsonPlan) learn(kept, size int) {
	share := int32(min(int64(kept)*1024/int64(max(size, 1)), 1024)) + 1
	if old := j.share.Load(); share > old+old/16 || share < old-old/16 {
		j.share.Store(share)
	}
}
