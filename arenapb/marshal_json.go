package arenapb

import (
	"errors"
	"math"
	"reflect"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// MarshalJSON returns the encoding of m in JSON, in a. The bytes and the errors equal
// protojson.Marshal's, except that protojson writes random spaces after commas: MarshalJSON writes
// none. So equal messages have the same bytes, in all builds of a program.
//
// After an error, the result is nil. If only a required field is missing, the result is complete,
// as protojson's is.
//
// The result is valid until a.Reset, and has no capacity beyond its end. If a is nil, it is on the
// heap. MarshalJSON reads m and does not change it: several goroutines may encode a message at
// once, each with an arena of its own.
//
// MarshalJSON panics if a was freed, and with an [*arena.LimitError] if a may not grow any further.
func MarshalJSON(a *arena.Arena, m proto.Message) ([]byte, error) {
	return MarshalJSONOptions{}.Marshal(a, m)
}

// MarshalJSONOptions are the options of protojson.MarshalOptions, and one of this package. The zero
// value is the default. Goroutines may share one.
type MarshalJSONOptions struct {
	// Multiline writes each field and each element on a line of its own, indented with two spaces.
	Multiline bool
	// Indent is Multiline with another indentation: spaces and tabs. An empty Indent is none.
	Indent string
	// AllowPartial encodes messages that lack required fields.
	AllowPartial bool
	// UseProtoNames writes the names of fields as the .proto file has them.
	UseProtoNames bool
	// UseEnumNumbers writes values of enums as numbers.
	UseEnumNumbers bool
	// EmitUnpopulated writes fields that are not set, except fields of oneofs and extensions. It
	// writes scalars without presence as zero, lists and maps as empty, and all others as null.
	EmitUnpopulated bool
	// EmitDefaultValues is EmitUnpopulated without the fields that would be null. EmitUnpopulated
	// takes precedence.
	EmitDefaultValues bool
	// Resolver finds the messages in google.protobuf.Any. nil means protoregistry.GlobalTypes.
	Resolver interface {
		protoregistry.ExtensionTypeResolver
		protoregistry.MessageTypeResolver
	}
	// OnPanic is called with each [Panic] of this call, before the function of [OnPanic]. It may be
	// nil.
	OnPanic func(*Panic)
}

// Marshal is [MarshalJSON] with options.
func (o MarshalJSONOptions) Marshal(a *arena.Arena, m proto.Message) ([]byte, error) {
	return o.MarshalAppend(a, nil, m)
}

// MarshalAppend appends the encoding of m in JSON to b, and returns the result. If b has not enough
// room, MarshalAppend moves it to a, once: [arena.Grow] says what becomes of b. If [MarshalJSON]
// returns nil, the result is b.
func (o MarshalJSONOptions) MarshalAppend(a *arena.Arena, b []byte, m proto.Message) ([]byte, error) {
	if o.Multiline && o.Indent == "" {
		o.Indent = "  "
	}
	var asked *notingJSON // nil for a registry
	if o.Resolver == nil {
		o.Resolver = protoregistry.GlobalTypes
	} else if _, ok := o.Resolver.(*protoregistry.Types); !ok {
		asked = &notingJSON{resolver: o.Resolver}
		o.Resolver = asked
	}
	if m == nil || strings.Trim(o.Indent, " \t") != "" {
		return o.foreign(a, b, m)
	}
	plan := planOf(m)
	if plan.json().gaveUp {
		return o.foreign(a, b, m)
	}
	to, ok, failure := o.encode(a, b, m, plan)
	if !ok { // see the table at blamed
		var err error
		to, err = o.foreign(a, b, m) // if this panics, too, it was nobody's mistake here
		if failure = blamed(failure, err, asked != nil && asked.failed, errNotEncoded); failure != nil {
			failure.Type, failure.json, failure.encoding = reflect.TypeOf(m), true, true
			plan.giveUpJSON(failure.reason())
			failure.tell(o.OnPanic)
		}
		return to, err
	}
	if !o.AllowPartial {
		if err := proto.CheckInitialized(m); err != nil {
			return to, err
		}
	}
	return to, nil
}

// foreign has protojson encode m, and takes its random spaces away.
func (o *MarshalJSONOptions) foreign(a *arena.Arena, b []byte, m proto.Message) ([]byte, error) {
	text, err := o.theirs(o.Indent).Marshal(m)
	if text == nil {
		return b, err
	}
	if compact, ok := jsonwire.AppendCompact(nil, text, 0, math.MaxInt); ok {
		if text = compact; o.Indent != "" {
			text, _ = jsonwire.AppendIndent(nil, compact, "", o.Indent, math.MaxInt)
		}
	}
	return placed(a, b, text), err // of a required field
}

// theirs returns the options for protojson.
func (o *MarshalJSONOptions) theirs(indent string) protojson.MarshalOptions {
	return protojson.MarshalOptions{
		Indent: indent, AllowPartial: o.AllowPartial, UseProtoNames: o.UseProtoNames, UseEnumNumbers: o.UseEnumNumbers,
		EmitUnpopulated: o.EmitUnpopulated, EmitDefaultValues: o.EmitDefaultValues, Resolver: o.Resolver,
	}
}

// placed returns b with text behind it, in a.
func placed(a *arena.Arena, b, text []byte) []byte {
	if b == nil {
		b = arena.MakeSlice[byte](a, 0, len(text))
	} else if cap(b)-len(b) < len(text) {
		b = arena.Grow(a, b, len(text))
	}
	return append(b, text...)
}

var errNotEncoded = errors.New("the message was not encoded, and protojson.Marshal finds no error in it")
