// Package arenahookjson stands in for package protojson where tests decode, as arenahook does for package proto.
package arenahookjson

import (
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/internal/arenahook"
	"google.golang.org/protobuf/proto"
)

// Unmarshal stands for protojson.Unmarshal.
func Unmarshal(b []byte, m proto.Message) error { return UnmarshalOptions{}.Unmarshal(b, m) }

// UnmarshalOptions stands for protojson.UnmarshalOptions.
type UnmarshalOptions protojson.UnmarshalOptions

// Unmarshal stands for the method of protojson.UnmarshalOptions.
func (o UnmarshalOptions) Unmarshal(b []byte, m proto.Message) error {
	heap := func() error { return protojson.UnmarshalOptions(o).Unmarshal(b, m) }
	options := arenapb.UnmarshalJSONOptions{
		AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, RecursionLimit: o.RecursionLimit, Resolver: o.Resolver,
		OnPanic: func(p *arenapb.Panic) { panic(p) },
	}
	return arenahook.Decode(options.Unmarshal, heap, b, m)
}
