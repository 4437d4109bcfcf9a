package protobuf

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

// A decoder is how a program decodes messages that it is done with soon.
type decoder struct {
	name        string
	environment []string
	open        func() decode // Is nil where the program cannot have it.
	vt          bool          // It is vtprotobuf's, which does not have all messages.
}

var decoders = []decoder{
	{name: "proto.Unmarshal", open: onHeap},
	{name: "proto.Unmarshal-gogc400", environment: []string{"GOGC=400"}, open: onHeap},
	{name: "vtprotobuf", open: vt, vt: true},
	{name: "vtprotobuf-pool", open: vtPool, vt: true},
	{name: "hyperpb-shared", open: newHyper(false)},
	{name: "hyperpb-read", open: newHyper(true)},
	{name: "arenapb-reset", open: reset(arenapb.UnmarshalOptions{})},
	{name: "arenapb-alias", open: reset(arenapb.UnmarshalOptions{AliasInput: true})},
	{name: "arenapb-pool", open: pool},
	{name: "arenapb-free", open: free},
}

// A keeper is how it decodes those that stay.
type keeper struct {
	name string
	open func() func(in input) proto.Message
	vt   bool
}

var keepers = []keeper{
	{name: "proto.Unmarshal", open: kept(onHeap)},
	{name: "vtprotobuf", open: kept(vt), vt: true},
	{name: "hyperpb", open: newHyperKeeper},
	{name: "arenapb-arenas", open: keptInArenas},
	{name: "arenapb-arena", open: keptInArena},
}

// A decode decodes a message, gives it to use unless that is nil, and is done with it then.
type decode func(in input, use func(proto.Message))

// give has use look at m.
func give(m proto.Message, use func(proto.Message)) {
	if use != nil {
		use(m)
	}
}

// kept returns what keeps messages of a decoder that does nothing with them when they have been
// used.
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
		m := in.kind.vt()
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
