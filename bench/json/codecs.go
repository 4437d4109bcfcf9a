package json

import (
	std "encoding/json"
	"slices"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	experiment "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/v1"
	goccy "github.com/goccy/go-json"
	segmentio "github.com/segmentio/encoding/json"
)

// A codec decodes and encodes, as json.Unmarshal and json.Marshal do. encode may be nil.
type codec struct {
	decode func(data []byte, v any) error
	encode func(v any) ([]byte, error)
	done   func() // Says that nobody needs the value, or the text, any more.
	kept   func() // Says that nothing more is decoded into the memory that the value is in.
}

// An opener opens a codec.
type opener struct {
	name        string
	open        func() codec
	missing     string           // What the program was built without, if that is why it cannot have the codec.
	only        func(v any) bool // Whether it is for values like v, if not for all.
	decodesOnly bool
}

// codecs are all there are. The others are compared with the first one.
var codecs = []opener{
	{name: "encoding-json", open: onHeap(std.Unmarshal, std.Marshal)},
	{name: "go-json", open: onHeap(func(data []byte, v any) error { return goccy.Unmarshal(data, v) }, func(v any) ([]byte, error) { return goccy.Marshal(v) })},
	{name: "sonic-std", open: openSonic, missing: withoutSonic()},
	{name: "go-json-experiment", open: onHeap(func(data []byte, v any) error { return experiment.Unmarshal(data, v) }, experimentEncode)},
	{name: "segmentio", open: onHeap(segmentio.Unmarshal, segmentio.Marshal)},
	{name: "easyjson", open: easy, only: isOrders},
	{name: "jx", open: onHeap(jxDecode, nil), only: isAny, decodesOnly: true},
	{name: "simdjson-go", open: simd, missing: withoutSimd(), only: isAny, decodesOnly: true},
	{name: "arenajson-reset", open: reset},
	{name: "arenajson-alias", open: alias, decodesOnly: true},
	{name: "arenajson-free", open: free},
	{name: "arenajson-nil", open: func() codec { return inArena(nil, func() {}) }},
}

// general are the codecs for all values.
func general() []opener {
	return slices.DeleteFunc(slices.Clone(codecs), func(c opener) bool { return c.only != nil })
}

func onHeap(decode func(data []byte, v any) error, encode func(v any) ([]byte, error)) func() codec {
	return func() codec { return codec{decode, encode, func() {}, func() {}} }
}

// experimentEncode encodes as version 1 does, which all others do too. The default of version 2 has
// no order of maps, and other bytes.
func experimentEncode(v any) ([]byte, error) { return experiment.Marshal(v, asVersion1) }

var asVersion1 = json.DefaultOptionsV1()

func inArena(a *arena.Arena, done func()) codec {
	return codec{
		func(data []byte, v any) error { return arenajson.Unmarshal(a, data, v) },
		func(v any) ([]byte, error) { return arenajson.Marshal(a, v) },
		done,
		func() {},
	}
}

func reset() codec {
	a := arena.NewArena()
	return inArena(a, a.Reset)
}

// alias leaves text in the input.
func alias() codec {
	a, o := arena.NewArena(), arenajson.UnmarshalOptions{AliasInput: true}
	return codec{decode: func(data []byte, v any) error { return o.Unmarshal(a, data, v) }, done: a.Reset, kept: func() {}}
}

// free makes a new arena for each document.
func free() codec {
	var a *arena.Arena
	return codec{
		func(data []byte, v any) error {
			a = arena.NewArena()
			return arenajson.Unmarshal(a, data, v)
		},
		func(v any) ([]byte, error) {
			a = arena.NewArena()
			return arenajson.Marshal(a, v)
		},
		func() { a.Free() },
		func() { a.Free() },
	}
}
