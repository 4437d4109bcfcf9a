//go:build amd64 || arm64

package protobuf

import (
	"sync"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// hyperTypes compiles the types of all messages.
var hyperTypes = sync.OnceValue(func() map[*kind]*hyperpb.MessageType {
	types := map[*kind]*hyperpb.MessageType{}
	for _, k := range kinds {
		types[k] = hyperpb.CompileMessageDescriptor(k.new().ProtoReflect().Descriptor(), hyperpb.WithExtensionsFromTypes(protoregistry.GlobalTypes))
	}
	return types
})

// newHyper returns the open of hyperpb, whose messages are read by reflection only, so that a
// program that looks at all of them has that to do besides. Its types that are compiled again with
// a profile are not here: what they decode in version 0.1.3 has too many elements in repeated
// fields of strings.
func newHyper(read bool) func() decode {
	return func() decode {
		types, shared := hyperTypes(), new(hyperpb.Shared)
		return func(in input, use func(proto.Message)) {
			m := shared.NewMessage(types[in.kind])
			check(m.Unmarshal(in.bytes))
			if read {
				readMessage(m)
			}
			give(m, use)
			shared.Free()
		}
	}
}

func newHyperKeeper() func(in input) proto.Message {
	types := hyperTypes()
	return func(in input) proto.Message {
		m := hyperpb.NewMessage(types[in.kind])
		check(m.Unmarshal(in.bytes))
		return m
	}
}

// bytesRead keeps the compiler from leaving out what is read.
//
//lint:ignore U1000 it is only written
var bytesRead int

// readMessage reads all fields of m.
func readMessage(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				readValue(fd.MapKey().Kind(), k.Value())
				readValue(fd.MapValue().Kind(), v)
				return true
			})
		case fd.IsList():
			kind := fd.Kind()
			for list, i := v.List(), 0; i < list.Len(); i++ {
				readValue(kind, list.Get(i))
			}
		default:
			readValue(fd.Kind(), v)
		}
		return true
	})
}

func readValue(k protoreflect.Kind, v protoreflect.Value) {
	switch k {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		readMessage(v.Message())
	case protoreflect.StringKind:
		bytesRead += len(v.String())
	case protoreflect.BytesKind:
		bytesRead += len(v.Bytes())
	default:
		bytesRead++
	}
}
