package difftest

import (
	"errors"
	"math/rand/v2"

	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// failing is a resolver that knows nothing, and says so in a way of its own.
type failing struct{ *protoregistry.Types }

func (failing) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return nil, errors.New("no extension today")
}

// RandomOptions returns options of which most are the default.
func RandomOptions(r *rand.Rand) (o arenapb.UnmarshalOptions) {
	o.Merge = r.IntN(4) == 0
	o.AllowPartial = r.IntN(2) == 0
	o.DiscardUnknown = r.IntN(4) == 0
	o.NoLazyDecoding = r.IntN(4) == 0
	o.AliasInput = r.IntN(3) == 0
	if r.IntN(6) == 0 {
		o.RecursionLimit = r.IntN(8) - 1
	}
	switch r.IntN(12) {
	case 0, 1:
		o.Resolver = new(protoregistry.Types)
	case 2:
		o.Resolver = failing{}
	}
	return o
}

// OnHeap returns the options for package proto.
func OnHeap(o arenapb.UnmarshalOptions) proto.UnmarshalOptions {
	return proto.UnmarshalOptions{
		Merge: o.Merge, AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, RecursionLimit: o.RecursionLimit, Resolver: o.Resolver,
		NoLazyDecoding: o.NoLazyDecoding,
	}
}
