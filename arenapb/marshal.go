package arenapb

import (
	"github.com/arena-go/arena"
	"google.golang.org/protobuf/proto"
)

// Marshal returns the wire-format encoding of m, in a, with the bytes and the errors of
// proto.Marshal. The result is valid until a.Reset, and has no capacity beyond its end. If a is
// nil, it is on the heap. Marshal panics with an [*arena.LimitError] if a may not grow any further.
func Marshal(a *arena.Arena, m proto.Message) ([]byte, error) {
	return MarshalOptions{}.Marshal(a, m)
}

// MarshalAppend appends the wire-format encoding of m to b, and returns the result. If b has not
// enough room, MarshalAppend moves it to a, once: [arena.Grow] says what becomes of b. After an
// error, the result is b. Otherwise MarshalAppend is like [Marshal].
func MarshalAppend(a *arena.Arena, b []byte, m proto.Message) ([]byte, error) {
	return MarshalOptions{}.MarshalAppend(a, b, m)
}

// MarshalOptions are options of proto.MarshalOptions. The zero value is the default. Goroutines may
// share one.
type MarshalOptions struct {
	// AllowPartial encodes messages that lack required fields.
	AllowPartial bool
	// Deterministic encodes equal messages to the same bytes, in one build of a program.
	Deterministic bool
}

// Marshal is [Marshal] with options.
func (o MarshalOptions) Marshal(a *arena.Arena, m proto.Message) ([]byte, error) {
	b, err := o.MarshalAppend(a, nil, m)
	if b == nil && err == nil && m != nil && m.ProtoReflect().IsValid() {
		b = []byte{} // as proto.Marshal tells an empty message from none
	}
	return b, err
}

// MarshalAppend is [MarshalAppend] with options.
func (o MarshalOptions) MarshalAppend(a *arena.Arena, b []byte, m proto.Message) ([]byte, error) {
	theirs := proto.MarshalOptions{AllowPartial: o.AllowPartial, Deterministic: o.Deterministic}
	size := theirs.Size(m)
	theirs.UseCachedSize = true // the size of the line above
	to := b
	switch {
	case b == nil && size == 0:
		return theirs.MarshalAppend(nil, m)
	case b == nil:
		to = arena.MakeSlice[byte](a, 0, size)
	case cap(b)-len(b) < size:
		to = arena.Grow(a, b, size)
	}
	to, err := theirs.MarshalAppend(to, m)
	if err != nil {
		return b, err
	}
	return to, nil
}
