package difftest

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Filled appends each field of a message twice, so that lists and maps have two elements. A message
// in it has its fields, too, if it is the first of its type, and else none.
func (w *Wire) Filled(b []byte, md protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) []byte {
	if seen[md.FullName()] {
		return b
	}
	seen[md.FullName()] = true
	for i := range md.Fields().Len() {
		f := md.Fields().Get(i)
		for range 2 {
			b = w.filledField(b, f, seen)
		}
	}
	return b
}

func (w *Wire) filledField(b []byte, f protoreflect.FieldDescriptor, seen map[protoreflect.FullName]bool) []byte {
	if f.Message() == nil {
		return w.field(b, f, 0)
	}
	var p []byte
	if f.IsMap() {
		p = w.filledField(w.filledField(p, f.MapKey(), seen), f.MapValue(), seen)
	} else {
		p = w.Filled(p, f.Message(), seen)
	}
	if f.Kind() == protoreflect.GroupKind {
		return w.tag(append(w.tag(b, f.Number(), protowire.StartGroupType), p...), f.Number(), protowire.EndGroupType)
	}
	return w.length(w.tag(b, f.Number(), protowire.BytesType), p)
}
