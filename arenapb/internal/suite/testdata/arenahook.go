// Package arenahook stands in for package proto where tests decode: it decodes into arenas if
// the variable ARENAPB_SUITE of the environment is "arena".
package arenahook

import (
	"os"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/runtime/protoiface"
)

var inArena = os.Getenv("ARENAPB_SUITE") == "arena"

// calls has a byte for each message that was decoded into an arena.
var calls, _ = os.OpenFile(os.Getenv("ARENAPB_SUITE_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)

// Unmarshal stands for proto.Unmarshal.
func Unmarshal(b []byte, m proto.Message) error {
	return Decode(arenapb.Unmarshal, func() error { return proto.Unmarshal(b, m) }, b, m)
}

// UnmarshalOptions stands for proto.UnmarshalOptions.
type UnmarshalOptions proto.UnmarshalOptions

// Unmarshal stands for the method of proto.UnmarshalOptions.
func (o UnmarshalOptions) Unmarshal(b []byte, m proto.Message) error {
	heap := func() error { return proto.UnmarshalOptions(o).Unmarshal(b, m) }
	options := arenapb.UnmarshalOptions{
		Merge: o.Merge, AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown,
		RecursionLimit: o.RecursionLimit, Resolver: o.Resolver, NoLazyDecoding: o.NoLazyDecoding,
	}
	return Decode(options.Unmarshal, heap, b, m)
}

// UnmarshalState is that of proto.UnmarshalOptions: arenapb has none.
func (o UnmarshalOptions) UnmarshalState(in protoiface.UnmarshalInput) (protoiface.UnmarshalOutput, error) {
	return proto.UnmarshalOptions(o).UnmarshalState(in)
}

// Decode decodes into an arena of its own for each message, which Free leaves to the test.
func Decode(f func(*arena.Arena, []byte, proto.Message) error, heap func() error, b []byte, m proto.Message) error {
	if !inArena {
		return heap()
	}
	calls.WriteString("a")
	a := arena.NewArena()
	defer a.Free()
	return f(a, b, m)
}
