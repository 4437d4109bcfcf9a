package arenapb

import (
	"math"
	"slices"
	"strings"

	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The functions of this file encode what a plan does not know, through package protoreflect:
// messages that protoc-gen-go has not generated, lazy fields, extensions. Messages in them that
// have plans are encoded by these.

// foreign appends a message of any type.
func (e *jsonEncoder) foreign(b []byte, m protoreflect.Message) (_ []byte, ok bool) {
	x := m.Interface()
	if plan := planOf(x); plan.reason == "" {
		return e.message(b, pointerTo(x), plan)
	}
	return e.reflected(b, len(b), m)
}

// reflected appends the message m. Behind n there may be fields already, each after a comma.
func (e *jsonEncoder) reflected(b []byte, n int, m protoreflect.Message) (_ []byte, ok bool) {
	if faulty {
		step()
	}
	md := m.Descriptor()
	switch {
	case md.FullName() == "google.protobuf.Any":
		return e.any(b, m)
	case hasForm(md):
		return e.theirs(b, m)
	}
	if set, ok := md.(interface{ IsMessageSet() bool }); ok && set.IsMessageSet() && !protoLegacy {
		return b, false
	}
	for i := range md.Fields().Len() {
		if b, ok = e.reflectedField(b, m, md.Fields().Get(i)); !ok {
			return b, false
		}
	}
	if md.ExtensionRanges().Len() > 0 {
		if b, ok = e.extensions(b, m); !ok {
			return b, false
		}
	}
	return closed(b, n), true
}

// theirs appends what protojson makes of m.
func (e *jsonEncoder) theirs(b []byte, m protoreflect.Message) (_ []byte, ok bool) {
	o := e.options.theirs("")
	o.AllowPartial = true
	text, err := o.Marshal(m.Interface())
	if err != nil {
		return b, false
	}
	return jsonwire.AppendCompact(b, text, 0, math.MaxInt)
}

// reflectedField appends a field of m, if it is set or the options want it.
func (e *jsonEncoder) reflectedField(b []byte, m protoreflect.Message, fd protoreflect.FieldDescriptor) (_ []byte, ok bool) {
	var v protoreflect.Value // null
	switch {
	case m.Has(fd):
		v = m.Get(fd)
	case !e.unset || fd.ContainingOneof() != nil:
		return b, true
	case !fd.HasPresence():
		v = m.Get(fd)
	case !e.options.EmitUnpopulated:
		return b, true
	}
	if b, ok = e.name(b, fd); !ok {
		return b, false
	}
	return e.reflectedValue(b, fd, v)
}

// name appends a comma and the name of a field.
func (e *jsonEncoder) name(b []byte, fd protoreflect.FieldDescriptor) (_ []byte, ok bool) {
	name := fd.JSONName()
	if e.options.UseProtoNames {
		name = fd.TextName()
	}
	if b, ok = jsonwire.AppendText(append(b, ','), name); !ok {
		return b, false
	}
	return append(b, ':'), true
}

// extensions appends those that m has, in the order of their names.
func (e *jsonEncoder) extensions(b []byte, m protoreflect.Message) (_ []byte, ok bool) {
	type extension struct {
		fd protoreflect.FieldDescriptor
		v  protoreflect.Value
	}
	var all []extension
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.IsExtension() {
			all = append(all, extension{fd, v})
		}
		return true
	})
	slices.SortFunc(all, func(x, y extension) int {
		return strings.Compare(string(x.fd.FullName()), string(y.fd.FullName()))
	})
	for _, x := range all {
		if b, ok = e.name(b, x.fd); !ok {
			return b, false
		}
		if b, ok = e.reflectedValue(b, x.fd, x.v); !ok {
			return b, false
		}
	}
	return b, true
}

// reflectedValue appends the value of a field: v, or null if there is none.
func (e *jsonEncoder) reflectedValue(b []byte, fd protoreflect.FieldDescriptor, v protoreflect.Value) (_ []byte, ok bool) {
	n := len(b)
	switch {
	case !v.IsValid():
		return append(b, "null"...), true
	case fd.IsList():
		list := v.List()
		if list.Len() == 0 {
			return append(b, '[', ']'), true
		}
		for i := range list.Len() {
			if b, ok = e.single(append(b, ','), fd, list.Get(i)); !ok {
				return b, false
			}
		}
		b[n] = '['
		return append(b, ']'), true
	case fd.IsMap():
		return e.reflectedMap(b, fd, v.Map())
	}
	return e.single(b, fd, v)
}

// reflectedMap appends the entries of a map, in the order of their keys.
func (e *jsonEncoder) reflectedMap(b []byte, fd protoreflect.FieldDescriptor, m protoreflect.Map) (_ []byte, ok bool) {
	n := len(b)
	var keys []protoreflect.MapKey
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	read := readings[fd.MapKey().Kind()]
	slices.SortFunc(keys, func(x, y protoreflect.MapKey) int {
		less := func(x, y protoreflect.MapKey) bool {
			switch read {
			case readString:
				return x.String() < y.String()
			case readBool:
				return !x.Bool() && y.Bool()
			case readInt32, readInt64:
				return x.Int() < y.Int()
			}
			return x.Uint() < y.Uint()
		}
		switch {
		case less(x, y):
			return -1
		case less(y, x):
			return 1
		}
		return 0
	})
	for _, k := range keys {
		if b, ok = jsonwire.AppendText(append(b, ','), k.String()); !ok {
			return b, false
		}
		if b, ok = e.single(append(b, ':'), fd.MapValue(), m.Get(k)); !ok {
			return b, false
		}
	}
	return closed(b, n), true
}

// single appends a value that is no list and no map.
func (e *jsonEncoder) single(b []byte, fd protoreflect.FieldDescriptor, v protoreflect.Value) (_ []byte, ok bool) {
	switch readings[fd.Kind()] {
	case readMessage:
		return e.foreign(b, v.Message())
	case readString:
		return jsonwire.AppendText(b, v.String())
	case readBytes:
		return appendBase64(b, v.Bytes()), true
	case readBool:
		return jsonwire.AppendBool(b, v.Bool()), true
	case readInt32:
		return jsonwire.AppendInt(b, v.Int()), true
	case readUint32:
		return jsonwire.AppendUint(b, v.Uint()), true
	case readInt64:
		return append(jsonwire.AppendInt(append(b, '"'), v.Int()), '"'), true
	case readUint64:
		return append(jsonwire.AppendUint(append(b, '"'), v.Uint()), '"'), true
	case readFloat:
		return appendFloat32(b, float32(v.Float())), true
	case readDouble:
		return appendFloat64(b, v.Float()), true
	}
	if fd.Enum().FullName() == nullValue {
		return append(b, "null"...), true
	}
	value := fd.Enum().Values().ByNumber(v.Enum())
	if e.options.UseEnumNumbers || value == nil {
		return jsonwire.AppendInt(b, int64(v.Enum())), true
	}
	return append(append(append(b, '"'), value.Name()...), '"'), true
}
