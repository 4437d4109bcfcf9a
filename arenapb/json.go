package arenapb

import (
	"errors"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// UnmarshalJSON parses the message in b, which is JSON, and places the result in m, which it resets
// first. The result and the errors equal protojson.Unmarshal's.
//
// The memory of m's fields is in a, and becomes stale with a.Reset. So do strings and bytes, which
// are copied: the caller may reuse b when UnmarshalJSON returns. m itself stays where it was made:
// in a if [New] made it there. If a is nil, all of m is on the heap, where strings and bytes may
// share blocks of 512 bytes. Go maps are on the heap, and so are the values that protojson decodes;
// [JSONFallbacks] names them. One goroutine at a time uses a.
//
// After an error, m is the result of protojson.Unmarshal: it may contain a part of the input, on
// the heap. If only a required field is missing, m is complete, and in a. Input with an error costs
// more than twice, and the allocations of the first attempt stay in a until Reset.
//
// UnmarshalJSON panics if a was freed, and with an [*arena.LimitError] if a may not grow any
// further; m is then good for proto.Reset only.
func UnmarshalJSON(a *arena.Arena, b []byte, m proto.Message) error {
	return UnmarshalJSONOptions{}.Unmarshal(a, b, m)
}

// UnmarshalJSONOptions are the options of protojson.UnmarshalOptions, and some for arenas. The zero
// value is the default. Goroutines may share one.
type UnmarshalJSONOptions struct {
	// AllowPartial accepts input messages that lack required fields.
	AllowPartial bool
	// DiscardUnknown ignores unknown fields, and unknown names of enum values. Without it, they are
	// errors.
	DiscardUnknown bool
	// RecursionLimit is how deeply messages may be nested. 0 means 10,000, as in package protojson.
	RecursionLimit int
	// Resolver finds extension fields, and the messages in google.protobuf.Any. nil means
	// protoregistry.GlobalTypes.
	Resolver interface {
		protoregistry.MessageTypeResolver
		protoregistry.ExtensionTypeResolver
	}
	// AliasInput makes strings without escapes refer to the input itself. Do not change the input
	// while anybody uses the message. If the arena is nil, such a string keeps the whole input
	// alive.
	AliasInput bool
	// OnPanic is called with each [Panic] of this call, before the function of [OnPanic]. It may be
	// nil.
	OnPanic func(*Panic)
}

// Unmarshal is [UnmarshalJSON] with options.
func (o UnmarshalJSONOptions) Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	if o.RecursionLimit == 0 {
		o.RecursionLimit = protowire.DefaultRecursionLimit
	}
	var asked *notingJSON // nil for a registry
	if _, ok := o.Resolver.(*protoregistry.Types); !ok && o.Resolver != nil {
		asked = &notingJSON{resolver: o.Resolver}
		o.Resolver = asked
	}
	if m == nil {
		return o.theirs(o.RecursionLimit).Unmarshal(b, m)
	}
	plan := planOf(m)
	if plan.reason != "" || pointerTo(m) == nil || plan.json().reason != "" {
		return o.theirs(o.RecursionLimit).Unmarshal(b, m)
	}
	proto.Reset(m)
	ok, failure := o.decode(a, b, m, plan)
	var err error
	if !ok { // see the table at blamed
		theirs := o.theirs(o.RecursionLimit)
		theirs.AllowPartial = true
		err = theirs.Unmarshal(b, m) // if this panics, too, it was nobody's mistake here
		if failure = blamed(failure, err, asked != nil && asked.failed, errRefusedJSON); failure != nil {
			failure.Type, failure.Input, failure.json = reflect.TypeOf(m), b, true
			plan.giveUpJSON(failure.reason())
			failure.tell(o.OnPanic)
		}
	}
	if err != nil || o.AllowPartial {
		return err
	}
	return proto.CheckInitialized(m)
}

// theirs returns the options for protojson, with another RecursionLimit.
func (o *UnmarshalJSONOptions) theirs(depth int) protojson.UnmarshalOptions {
	return protojson.UnmarshalOptions{AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, RecursionLimit: depth, Resolver: o.Resolver}
}

// decode decodes b into m natively. It reports false if b has an error, and returns the panic that
// ended it, if one did.
func (o *UnmarshalJSONOptions) decode(a *arena.Arena, b []byte, m proto.Message, plan *plan) (ok bool, failure *Panic) {
	d := jsonDecoderOf(a)
	returned := false
	defer d.done(a, &returned, &failure)
	j := plan.json()
	d.options, d.text, d.size = *o, b, len(b)/4 // which is how much the same message takes in the wire format, about
	d.letters.begin(a, len(b), j.share.Load())
	end := d.message(pointerTo(m), plan, jsonwire.Space(b, 0), o.RecursionLimit)
	if ok = end >= 0 && jsonwire.Space(b, end) == len(b); ok {
		j.learn(d.letters.sum+len(d.letters.block), len(b))
	}
	returned = true
	return ok, nil
}

// JSONFallbacks is [Fallbacks] for [UnmarshalJSON]: it names the parts of a message of m's type,
// and of the messages in it, that are put on the heap. Each string is a name and a reason. There
// are three kinds:
//
//   - Go maps, whose text and messages are in the arena;
//   - extensions and fields that package protojson decodes, with their whole contents;
//   - messages of google.protobuf.Any.
//
// [MarshalJSON] reads the second kind through package protoreflect, and decodes the messages in the
// third.
//
// Goroutines may call it at the same time.
func JSONFallbacks(m proto.Message) []string { return fallbacks(m, true) }

var errRefusedJSON = errors.New("the message was refused, and protojson.Unmarshal finds no error in it")

// giveUpJSON leaves messages of m in JSON to protojson from now on.
func (m *plan) giveUpJSON(reason string) { m.inJSON.Store(&jsonPlan{reason: reason, gaveUp: true}) }
