// Package arenahookjson stands in for package protojson where tests decode and encode, as arenahook does for package proto.
package arenahookjson

import (
	"slices"

	"github.com/arena-go/arena"
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

// Marshal stands for protojson.Marshal.
func Marshal(m proto.Message) ([]byte, error) { return MarshalOptions{}.Marshal(m) }

// MarshalOptions stands for protojson.MarshalOptions.
type MarshalOptions protojson.MarshalOptions

// Marshal stands for the method of protojson.MarshalOptions.
func (o MarshalOptions) Marshal(m proto.Message) ([]byte, error) { return o.MarshalAppend(nil, m) }

// MarshalAppend stands for the method of protojson.MarshalOptions.
func (o MarshalOptions) MarshalAppend(b []byte, m proto.Message) (to []byte, err error) {
	heap := func() error {
		to, err = protojson.MarshalOptions(o).MarshalAppend(b, m)
		return err
	}
	options := arenapb.MarshalJSONOptions{
		Multiline: o.Multiline, Indent: o.Indent, AllowPartial: o.AllowPartial, UseProtoNames: o.UseProtoNames, UseEnumNumbers: o.UseEnumNumbers,
		EmitUnpopulated: o.EmitUnpopulated, EmitDefaultValues: o.EmitDefaultValues, Resolver: o.Resolver,
		OnPanic: func(p *arenapb.Panic) { panic(p) },
	}
	arena := func(a *arena.Arena, _ []byte, m proto.Message) error {
		to, err = options.MarshalAppend(a, b, m)
		to = slices.Clone(to)
		return err
	}
	err = arenahook.Decode(arena, heap, nil, m)
	return to, err
}

// Format stands for the method of protojson.MarshalOptions.
func (o MarshalOptions) Format(m proto.Message) string { return protojson.MarshalOptions(o).Format(m) }
