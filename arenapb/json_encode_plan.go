package arenapb

import (
	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A jsonMember says how one field of a message is encoded in JSON.
type jsonMember struct {
	jsonType
	presence presence
	form     form
	header   bool      // the slice lies behind a pointer
	offset   uintptr   // of the field
	names    [2]string // a comma, the name in quotes and a colon, for the JSON name and for the name in the .proto file
	zero     string    // what EmitUnpopulated writes if the field is not set; "" is nothing
	others   int       // how many members of its oneof follow, next to each other
	wrapper  pointer   // the first word of the interface that its wrapper is in
	index    int
	entry    *entry
	key      reading
	walk     walker // nil if package reflect is to walk through the map
	of       *field
}

// A jsonType says how a value is written.
type jsonType struct {
	read reading
	sub  *plan
	enum *enumNames
}

// A presence says how to see whether a field is set.
type presence uint8

const (
	presentNumber32  presence = iota // it is not 0
	presentNumber64                  // the same
	presentBool                      // it is true
	presentText                      // the text, or the bytes, have a length
	presentPointer                   // a pointer is not nil: the pointer to a message, or the first word of a slice of bytes
	presentOptional                  // the pointer to the value is not nil
	presentList                      // there are elements
	presentMap                       // there are entries
	presentOneof                     // the wrapper belongs to the field
	presentBit                       // a bit of the message says so
	presentElsewhere                 // package protoreflect knows
)

// plan makes f the plan of the field of a descriptor. It reports false if it has a name that cannot
// be written.
func (f *jsonMember) plan(of *jsonField, fd protoreflect.FieldDescriptor) bool {
	f.index, f.offset, f.form, f.header, f.wrapper, f.entry, f.of = of.index, of.offset, of.form, of.header != 0, of.wrapper, of.entry, of.field
	for i, name := range []string{fd.JSONName(), fd.TextName()} {
		quoted, ok := jsonwire.AppendText([]byte{','}, name)
		if !ok {
			return false
		}
		f.names[i] = string(append(quoted, ':'))
	}
	if of.left {
		f.presence = presentElsewhere
		return true
	}
	f.jsonType = jsonType{of.val.read, of.sub, nil}
	elements := fd
	if fd.IsMap() {
		elements = fd.MapValue()
	}
	if f.read == readEnum {
		f.enum = namesOf(elements.Enum())
	}
	f.zero = "null"
	switch {
	case of.form == formMap:
		f.presence, f.zero, f.key = presentMap, "{}", of.key.read
		f.walk = walkerFor(of.entry)
	case of.form == formRepeated:
		f.presence, f.zero = presentList, "[]"
	case of.form == formOneof:
		f.presence, f.zero = presentOneof, ""
	case of.marked:
		f.presence = presentBit
	case of.form == formOptional:
		f.presence = presentOptional
	case fd.HasPresence():
		f.presence = presentPointer
	default:
		f.presence = map[reading]presence{
			readInt64: presentNumber64, readUint64: presentNumber64, readDouble: presentNumber64, readBool: presentBool, readString: presentText, readBytes: presentText,
		}[f.read] // and else presentNumber32
		f.zero = map[reading]string{readInt64: `"0"`, readUint64: `"0"`, readBool: "false", readString: `""`, readBytes: `""`}[f.read]
		if f.zero == "" {
			f.zero = "0"
		}
	}
	if fd.ContainingOneof() != nil {
		f.zero = ""
	}
	return true
}

// planMembers plans all fields of the messages of m. It reports false if they cannot be written
// natively.
func (j *jsonPlan) planMembers(m *plan) bool {
	fds := m.descriptor.Fields()
	j.members = make([]jsonMember, fds.Len())
	for i := range j.members {
		if !j.members[i].plan(&j.fields[i], fds.Get(i)) {
			return false
		}
	}
	for i := fds.Len() - 2; i >= 0; i-- {
		if f, next := &j.members[i], &j.members[i+1]; f.presence == presentOneof && next.presence == presentOneof && f.offset == next.offset {
			f.others = next.others + 1
		}
	}
	return true
}

// enumNames has the names of the values of an enum, in quotes.
type enumNames struct {
	null bool     // it is google.protobuf.NullValue
	few  []string // of the numbers from 0 on; "" has none
	more map[int32]string
}

func namesOf(ed protoreflect.EnumDescriptor) *enumNames {
	const few = 256
	t := &enumNames{null: ed.FullName() == nullValue, more: map[int32]string{}}
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		n := int32(v.Number())
		if ed.Values().ByNumber(v.Number()).Name() != v.Name() {
			continue // it is another name of the number
		}
		quoted := `"` + string(v.Name()) + `"`
		if n < 0 || n >= few {
			t.more[n] = quoted
			continue
		}
		for int(n) >= len(t.few) {
			t.few = append(t.few, "")
		}
		t.few[n] = quoted
	}
	return t
}

func (t *enumNames) append(b []byte, n int32, numbers bool) []byte {
	if t.null {
		return append(b, "null"...)
	}
	if !numbers {
		var name string
		if n >= 0 && int(n) < len(t.few) {
			name = t.few[n]
		} else {
			name = t.more[n]
		}
		if name != "" {
			return append(b, name...)
		}
	}
	return jsonwire.AppendInt(b, int64(n))
}
