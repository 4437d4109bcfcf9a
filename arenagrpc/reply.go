package arenagrpc

import (
	"sync"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A reply is what gRPC sends of a message that referred to the arena of a call: its encoded form. gRPC encodes a reply after all interceptors
// have returned, and tells nobody when others' stats handlers and binary logs are done with it. So the first interceptor
// encodes it, and nothing refers to the arena any more. To those who look at it, it is an equal message, on the heap, which is decoded for the first
// of them.
type reply struct {
	data mem.BufferSlice // with a reference of its own, which is never given back, because somebody may look later
	kind protoreflect.MessageType

	once    sync.Once
	message protoreflect.Message
}

var _ proto.Message = (*reply)(nil)

// encode returns the reply that m is, or nil if it cannot be encoded, which gRPC then finds too.
func (s *server) encode(v any, m proto.Message) *reply {
	data, err := s.CodecV2.Marshal(v)
	if err != nil {
		return nil
	}
	return &reply{data: data, kind: m.ProtoReflect().Type()}
}

// ProtoReflect returns a message with the fields of the reply. Any goroutine may call it, at any time.
func (r *reply) ProtoReflect() protoreflect.Message {
	r.once.Do(func() {
		m := r.kind.New()
		// What has been encoded is valid, but for text that is not UTF-8 in a message of gogo/protobuf: what comes before that is in m.
		_ = proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(r.data.Materialize(), m.Interface())
		r.message = m
	})
	return r.message
}

// Marshal encodes v, or returns what a reply has been encoded to.
func (s *server) Marshal(v any) (mem.BufferSlice, error) {
	if r, ok := v.(*reply); ok {
		r.data.Ref()
		return r.data, nil
	}
	return s.CodecV2.Marshal(v)
}
