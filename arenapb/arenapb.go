package arenapb

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoiface"
)

// Unmarshal parses the wire-format message in b and places the result in m. The result and the
// errors equal proto.Unmarshal's.
//
// The memory of m's fields is in a, and becomes stale with a.Reset. So does a copy of b, to which
// strings and bytes of m refer: the caller may reuse b when Unmarshal returns. m itself stays where
// it was made: in a if [New] made it there.
//
// If a is nil, Unmarshal is proto.Unmarshal. One goroutine at a time uses a.
//
// After an error, m may contain a part of the input, on the heap, as after proto.Unmarshal. If only
// a required field is missing, m is complete, and in a. Input with an error costs more than twice.
//
// Unmarshal panics if a was freed, and with an [*arena.LimitError] if a may not grow any further; m
// is then good for proto.Reset only.
func Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	return UnmarshalOptions{}.Unmarshal(a, b, m)
}

// New returns a new, empty message of type M in a, valid until a.Reset. It is [arena.New] for
// messages, and panics like it. If a is nil, the message is on the heap.
func New[M any, P interface {
	*M
	proto.Message
}](a *arena.Arena) P {
	if a == nil {
		return new(M)
	}
	return newMessage[M](a)
}

// Clone returns a copy of m on the heap. The copy shares nothing with m or its arena, and outlives
// a Reset.
//
// Clone encodes m and decodes it again. The copy has the extensions of m, whatever Resolver found
// them. Clone returns an error if m cannot be encoded, for example because text in it is not UTF-8.
// The copy of nil is nil.
func Clone[M proto.Message](m M) (M, error) {
	if any(m) == nil || !m.ProtoReflect().IsValid() {
		return m, nil
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		return *new(M), fmt.Errorf("arenapb: Clone: %w", err)
	}
	c := m.ProtoReflect().New().Interface()
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: &ownResolver{message: m.ProtoReflect()}}).Unmarshal(b, c); err != nil {
		return *new(M), fmt.Errorf("arenapb: Clone: %w", err)
	}
	return c.(M), nil
}

// Fallbacks names the parts of a message of m's type, and of the messages in it, that [Unmarshal]
// puts on the heap. Each string is a name and a reason. There are three kinds:
//
//   - Go maps, whose text and messages are in the arena; extensions are in such maps as well;
//   - fields that package proto decodes, with their whole contents;
//   - unknown fields of messages of which package proto decodes a part.
//
// Fallbacks is empty for most messages without maps. It depends only on m's type, and repeats the
// work in each call. Goroutines may call it at the same time.
func Fallbacks(m proto.Message) []string { return fallbacks(m, false) }

// fallbacks is Fallbacks, or JSONFallbacks.
func fallbacks(m proto.Message, json bool) []string {
	if m == nil {
		return nil
	}
	reason := func(p *plan) string { return p.reason }
	if json {
		reason = func(p *plan) string { return p.json().reason }
	}
	p := planOf(m)
	if r := reason(p); r != "" {
		return []string{fmt.Sprintf("%s: %s", m.ProtoReflect().Descriptor().FullName(), r)}
	}
	var all []string
	seen := map[*plan]bool{}
	var look func(p *plan)
	look = func(p *plan) {
		if seen[p] {
			return
		}
		seen[p] = true
		name := p.descriptor.FullName()
		switch {
		case p.descriptor.ExtensionRanges().Len() > 0 && json:
			all = append(all, fmt.Sprintf("%s: its extensions are left to package protojson", name))
		case p.descriptor.ExtensionRanges().Len() > 0:
			all = append(all, fmt.Sprintf("%s: its extensions are in a map, which is Go's", name))
		}
		if p.collect && !json {
			all = append(all, fmt.Sprintf("%s: its unknown fields go with the fields that are left to package proto", name))
		}
		fds := p.descriptor.Fields()
		for i := range fds.Len() {
			fd := fds.Get(i)
			f := p.field(uint64(fd.Number()))
			if f.reason != "" {
				all = append(all, fmt.Sprintf("%s: %s", fd.FullName(), f.reason))
			} else if f.form == formMap {
				all = append(all, fmt.Sprintf("%s: it is a map, which is Go's", fd.FullName()))
			}
			switch {
			case f.sub == nil:
			case reason(f.sub) != "":
				all = append(all, fmt.Sprintf("%s: %s: %s", fd.FullName(), f.sub.descriptor.FullName(), reason(f.sub)))
			default:
				look(f.sub)
			}
		}
	}
	look(p)
	return all
}

// UnmarshalOptions are the options of proto.UnmarshalOptions, and some for arenas. The zero value
// is the default. Goroutines may share one.
type UnmarshalOptions struct {
	// Merge merges the input into the message. Without it, Unmarshal resets the message first. Lazy
	// messages that the message had may be decoded then, and after an error, they and extensions
	// may be copies. After a panic with an [*arena.LimitError] or [*arena.MemoryError], the message
	// is what it was before the call.
	Merge bool
	// AllowPartial accepts input messages that lack required fields.
	AllowPartial bool
	// DiscardUnknown ignores unknown fields. Without it, the message keeps them.
	DiscardUnknown bool
	// RecursionLimit is how deeply messages may be nested. 0 means 10,000, as in package proto.
	RecursionLimit int
	// Resolver finds extension fields. nil means protoregistry.GlobalTypes.
	Resolver interface {
		FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error)
		FindExtensionByNumber(message protoreflect.FullName, field protoreflect.FieldNumber) (protoreflect.ExtensionType, error)
	}
	// NoLazyDecoding decodes the whole message at once. Without it, package proto decodes lazy
	// fields of the opaque API when they are first read.
	NoLazyDecoding bool
	// AliasInput makes strings and bytes of the message refer to the input itself. Do not change
	// the input while anybody uses the message. Without AliasInput, they refer to a copy in the
	// arena.
	AliasInput bool
	// OnPanic is called with each [Panic] of this call, before the function of [OnPanic]. It may be
	// nil.
	OnPanic func(*Panic)
}

// Unmarshal is [Unmarshal] with options.
func (o UnmarshalOptions) Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	if o.RecursionLimit == 0 {
		o.RecursionLimit = protowire.DefaultRecursionLimit
	}
	var asked *noting // nil for a registry
	if o.Resolver == nil {
		o.Resolver = protoregistry.GlobalTypes
	} else if _, ok := o.Resolver.(*protoregistry.Types); !ok {
		asked = &noting{ExtensionTypeResolver: o.Resolver}
		o.Resolver = asked
	}
	theirs := proto.UnmarshalOptions{
		Merge: o.Merge, AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown,
		RecursionLimit: o.RecursionLimit, Resolver: o.Resolver, NoLazyDecoding: o.NoLazyDecoding,
	}
	if a == nil || m == nil {
		return theirs.Unmarshal(b, m)
	}
	plan := planOf(m)
	if plan.reason != "" || pointerTo(m) == nil {
		return theirs.Unmarshal(b, m)
	}
	var before *undo
	if o.Merge {
		before = new(undo)
	} else {
		proto.Reset(m)
	}
	ok, partial, failure := o.decode(a, b, m, plan, before)
	var err error
	switch { // see the table at blamed
	case ok && (!partial || o.AllowPartial):
		return nil
	case ok:
		return proto.CheckInitialized(m)
	case before == nil:
		proto.Reset(m)
	case !before.restore():
		err = errLost
	}
	theirs.AllowPartial = true
	var out protoiface.UnmarshalOutput
	if err == nil {
		// If this panics, too, it was nobody's mistake here.
		out, err = theirs.UnmarshalState(protoiface.UnmarshalInput{Message: m.ProtoReflect(), Buf: b})
	}
	if failure = blamed(failure, err, asked != nil && asked.failed, errRefused); failure != nil {
		failure.Type, failure.Input = reflect.TypeOf(m), b
		plan.giveUp(failure.Type, failure.reason())
		failure.tell(o.OnPanic)
	}
	if err != nil || o.AllowPartial || out.Flags&protoiface.UnmarshalInitialized != 0 { // protobuf asks for what b lacks, and not what m lacked
		return err
	}
	return proto.CheckInitialized(m)
}

// decode decodes b into m natively. It reports false if b has an error, and whether a required
// field may be missing, and returns the panic that ended it, if one did.
func (o *UnmarshalOptions) decode(a *arena.Arena, b []byte, m proto.Message, plan *plan, before *undo) (ok, partial bool, failure *Panic) {
	d, fresh := decoderOf(a)
	returned := false
	defer d.done(&returned, &failure)
	if fresh {
		d.expect(plan, b, o.RecursionLimit)
	}
	if !o.AliasInput {
		b = arena.Bytes(a, b)
	}
	d.opts, d.size = *o, len(b)
	if before != nil {
		d.undo = before
		before.message(pointerTo(m), plan)
	}
	if ok = d.message(pointerTo(m), plan, b, 0, o.RecursionLimit) >= 0; !ok {
		d.words = nil // a list that was not completed may lie in them
	}
	partial = d.partial
	returned = true
	return ok, partial, nil
}

var (
	errRefused = errors.New("the message was refused, and proto.Unmarshal finds no error in it")
	errLost    = errors.New("arenapb: what the message had before Merge is lost by a panic of this package")
)
