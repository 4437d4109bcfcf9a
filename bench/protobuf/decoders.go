package main

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

// A decoder is a row of the table.
type decoder struct {
	name        string
	environment []string // What its processes have more in theirs.
	open        func() decode
	// keep returns what decodes messages that stay, for the table of memory; it is nil where there is nothing to learn.
	keep    func() func(in input) proto.Message
	missing string // Says what a program needs in which open and keep are nil.
}

// The first one is that which others are compared with.
var decoders = []*decoder{
	{name: "proto.Unmarshal", open: onHeap, keep: kept(onHeap)},
	{name: "the same, GOGC=400", environment: []string{"GOGC=400"}, open: onHeap},
	{name: "vtprotobuf", open: vt, keep: kept(vt)},
	{name: "vtprotobuf, pool", open: vtPool},
	hyper,
	hyperRead,
	{name: "arenapb, Reset", open: reset(arenapb.UnmarshalOptions{}), keep: keptInArenas},
	{name: "arenapb, AliasInput", open: reset(arenapb.UnmarshalOptions{AliasInput: true})},
	{name: "arenapb, Pool", open: pool},
	{name: "arenapb, Free", open: free},
	{name: "arenapb, one arena", keep: keptInArena},
}

// These are hyperpb, without reading what has been decoded and with it.
var (
	hyper     = &decoder{name: "hyperpb, Shared", missing: "amd64 or arm64"}
	hyperRead = &decoder{name: "hyperpb, and read", missing: "amd64 or arm64"}
)

// A decode decodes a message, gives it to use unless that is nil, and is done with it then.
type decode func(in input, use func(proto.Message))

// give has use look at m.
func give(m proto.Message, use func(proto.Message)) {
	if use != nil {
		use(m)
	}
}

// kept returns what keeps messages of a decoder that does nothing with them when they have been used.
func kept(open func() decode) func() func(in input) proto.Message {
	return func() func(in input) proto.Message {
		decode := open()
		return func(in input) (m proto.Message) {
			decode(in, func(decoded proto.Message) { m = decoded })
			return m
		}
	}
}

func onHeap() decode {
	return func(in input, use func(proto.Message)) {
		m := in.kind.new()
		check(proto.Unmarshal(in.bytes, m))
		give(m, use)
	}
}

func vt() decode {
	return func(in input, use func(proto.Message)) {
		m := in.kind.new()
		check(m.UnmarshalVT(in.bytes))
		give(m, use)
	}
}

func vtPool() decode {
	return func(in input, use func(proto.Message)) {
		m := in.kind.pooled()
		check(m.UnmarshalVT(in.bytes))
		give(m, use)
		m.ReturnToVTPool()
	}
}

func reset(o arenapb.UnmarshalOptions) func() decode {
	return func() decode {
		a := arena.NewArena()
		return func(in input, use func(proto.Message)) {
			m := in.kind.inArena(a)
			check(o.Unmarshal(a, in.bytes, m))
			give(m, use)
			a.Reset()
		}
	}
}

func pool() decode {
	var p arena.Pool
	return func(in input, use func(proto.Message)) {
		a := p.Get()
		m := in.kind.inArena(a)
		check(arenapb.Unmarshal(a, in.bytes, m))
		give(m, use)
		p.Put(a)
	}
}

func free() decode {
	return func(in input, use func(proto.Message)) {
		a := arena.NewArena()
		m := in.kind.inArena(a)
		check(arenapb.Unmarshal(a, in.bytes, m))
		give(m, use)
		a.Free()
	}
}

// keptInArenas makes an arena for each message, and leaves it to the collector.
func keptInArenas() func(in input) proto.Message {
	return func(in input) proto.Message { return keptInArena()(in) }
}

// keptInArena decodes all messages into one arena.
func keptInArena() func(in input) proto.Message {
	a := arena.NewArena()
	return func(in input) proto.Message {
		m := in.kind.inArena(a)
		check(arenapb.Unmarshal(a, in.bytes, m))
		return m
	}
}
