package arenagrpc

import (
	"sync"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// An encoded is what gRPC sends of a message that referred to the arena of a call: its encoded
// form. gRPC encodes a reply after all interceptors have returned, and tells nobody when others'
// stats handlers and binary logs are done with it. So the first interceptor encodes it, and nothing
// refers to the arena any more. For a message with old methods only it is all that they see: such a
// message is none of package proto for them without this package, too.
type encoded struct {
	data mem.BufferSlice // with a reference of its own, which is never freed, because somebody may look later
}

// A reply is an encoded that to those who look at it is an equal message, on the heap, which is
// decoded for the first of them.
type reply struct {
	encoded
	kind protoreflect.MessageType

	once    sync.Once
	message protoreflect.Message
}

var _ proto.Message = (*reply)(nil)

// encode returns the *reply or *encoded that v is, a message, or nil if it cannot be encoded, which
// gRPC then finds too.
func (s *server) encode(v any) any {
	data, err := s.CodecV2.Marshal(v)
	if err != nil {
		return nil
	}
	if old(v) != nil {
		return &encoded{data}
	}
	return &reply{encoded: encoded{data}, kind: v.(proto.Message).ProtoReflect().Type()}
}

// ProtoReflect returns a message with the fields of the reply. Any goroutine may call it, at any
// time.
func (r *reply) ProtoReflect() protoreflect.Message {
	r.once.Do(func() {
		m := r.kind.New()
		// The encoding is valid, except for text that is not UTF-8 if a codec of the program has
		// encoded it: m contains the fields before that text.
		_ = proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(r.data.Materialize(), m.Interface())
		r.message = m
	})
	return r.message
}

// again returns the data once more.
func (e *encoded) again() mem.BufferSlice {
	e.data.Ref()
	return e.data
}

// Marshal encodes v, or returns what a reply has been encoded to.
func (s *server) Marshal(v any) (mem.BufferSlice, error) {
	if e, ok := v.(interface{ again() mem.BufferSlice }); ok {
		return e.again(), nil
	}
	return s.CodecV2.Marshal(v)
}
