package arenapb

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// An ownResolver knows the extensions of a message and of the messages in it. It looks for them
// when somebody asks for the first one. Unknown fields of the message stay unknown.
type ownResolver struct {
	message    protoreflect.Message
	extensions map[extensionKey]protoreflect.ExtensionType // nil until then
}

// An extensionKey is the message that is extended, and the number.
type extensionKey struct {
	message protoreflect.FullName
	number  protoreflect.FieldNumber
}

// FindExtensionByNumber finds an extension of the message.
func (h *ownResolver) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	if h.extensions == nil {
		h.extensions = map[extensionKey]protoreflect.ExtensionType{}
		h.look(h.message)
	}
	if xt := h.extensions[extensionKey{message, number}]; xt != nil {
		return xt, nil
	}
	return nil, protoregistry.NotFound
}

// FindExtensionByName is there for the interface.
func (*ownResolver) FindExtensionByName(protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return nil, protoregistry.NotFound
}

// look notes the extensions of m, and of the messages in it.
func (h *ownResolver) look(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if xd, ok := fd.(protoreflect.ExtensionTypeDescriptor); ok {
			h.extensions[extensionKey{m.Descriptor().FullName(), fd.Number()}] = xd.Type()
		}
		switch {
		case fd.IsMap():
			if fd.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					h.look(v.Message())
					return true
				})
			}
		case fd.Message() == nil:
		case fd.IsList():
			for i := range v.List().Len() {
				h.look(v.List().Get(i).Message())
			}
		default:
			h.look(v.Message())
		}
		return true
	})
}
