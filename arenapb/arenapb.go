package arenapb

import (
	"errors"
	"fmt"

	"github.com/arena-go/arena"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Unmarshal parses the wire-format message in b and places the result in m, as proto.Unmarshal does, with the same result and the
// same errors. What m needs for that lies in a, where b is copied to as well; m itself lies where it was made, be that in a, see [New], or not.
// Unmarshal(nil, b, m) is proto.Unmarshal(b, m).
//
// It panics when a has been freed, and with a [*arena.LimitError] when a may not grow any further.
func Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	return UnmarshalOptions{}.Unmarshal(a, b, m)
}

// New returns a new, empty message of type M in a: [arena.New] for messages. New(nil) is new(M).
func New[M any, P interface {
	*M
	proto.Message
}](a *arena.Arena) P {
	if a == nil {
		return new(M)
	}
	return newMessage[M](a)
}

// Clone returns a copy of m on the heap, which has nothing in common with m or its arena. It is an error if m cannot be encoded,
// as when text in it is not UTF-8.
func Clone[M proto.Message](m M) (M, error) {
	if !m.ProtoReflect().IsValid() {
		return m, nil
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		return *new(M), fmt.Errorf("arenapb: Clone: %w", err)
	}
	c := m.ProtoReflect().New().Interface()
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, c); err != nil {
		return *new(M), fmt.Errorf("arenapb: Clone: %w", err)
	}
	return c.(M), nil
}

// Fallbacks says what Unmarshal leaves to proto.Unmarshal of messages like m, and of those that may be in them, each with
// the reason: maps and extensions apart, nothing for most. What is left to it lies on the heap.
func Fallbacks(m proto.Message) []string {
	var all []string
	seen := map[*plan]bool{}
	var look func(p *plan)
	look = func(p *plan) {
		if seen[p] {
			return
		}
		seen[p] = true
		if p.reason != "" {
			all = append(all, fmt.Sprintf("%s: %s", p.descriptor.FullName(), p.reason))
			return
		}
		fds := p.descriptor.Fields()
		for i := range fds.Len() {
			fd := fds.Get(i)
			f := p.field(uint64(fd.Number()))
			if f.reason != "" {
				all = append(all, fmt.Sprintf("%s: %s", fd.FullName(), f.reason))
			}
			if f.sub != nil {
				look(f.sub)
			}
		}
	}
	look(planOf(m))
	return all
}

// UnmarshalOptions are those of proto.UnmarshalOptions, and those of an arena.
type UnmarshalOptions struct {
	// Merge merges the input into the destination message, which is reset before otherwise.
	Merge bool
	// AllowPartial accepts input messages that lack required fields.
	AllowPartial bool
	// DiscardUnknown ignores unknown fields rather than keeping them.
	DiscardUnknown bool
	// RecursionLimit is how deeply messages may be nested. 0 means protobuf's own limit of 10,000.
	RecursionLimit int
	// Resolver is used for looking up extension fields. nil means protoregistry.GlobalTypes.
	Resolver interface {
		FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error)
		FindExtensionByNumber(message protoreflect.FullName, field protoreflect.FieldNumber) (protoreflect.ExtensionType, error)
	}
	// AliasInput has strings and bytes of m refer to b, which is copied into the arena otherwise. Then b must not
	// be changed, nor used again, for as long as m is used.
	AliasInput bool
}

// Unmarshal is the function [Unmarshal] with options.
func (o UnmarshalOptions) Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	if o.RecursionLimit == 0 {
		o.RecursionLimit = protowire.DefaultRecursionLimit
	}
	if o.Resolver == nil {
		o.Resolver = protoregistry.GlobalTypes
	}
	theirs := proto.UnmarshalOptions{
		Merge: o.Merge, AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown,
		RecursionLimit: o.RecursionLimit, Resolver: o.Resolver,
	}
	if a == nil || m == nil {
		return theirs.Unmarshal(b, m)
	}
	plan := planOf(m)
	if plan.reason != "" || pointerTo(m) == nil {
		return theirs.Unmarshal(b, m)
	}
	if !o.Merge {
		proto.Reset(m)
	}
	in := b
	d, fresh := decoderOf(a)
	defer d.release()
	if fresh {
		d.expect(plan, b, o.RecursionLimit)
	}
	if !o.AliasInput {
		b = arena.Bytes(a, b)
	}
	d.opts, d.size = o, len(b)
	if d.message(pointerTo(m), plan, b, 0, o.RecursionLimit) < 0 {
		return explain(theirs, in, m, d.err)
	}
	if d.partial && !o.AllowPartial {
		return proto.CheckInitialized(m)
	}
	return nil
}

// explain returns the error that protobuf finds in b, which there is one in; what it has said of a part is found. It looks at
// a message of its own: what m has become is not for others to see.
func explain(o proto.UnmarshalOptions, b []byte, m proto.Message, found error) error {
	o.AllowPartial = true
	if err := o.Unmarshal(b, m.ProtoReflect().New().Interface()); err != nil {
		return err
	}
	if found != nil {
		return found // m has had an extension that the Resolver does not know
	}
	return errInternal
}

var errInternal = errors.New("arenapb: the message was not understood, though proto.Unmarshal has no error: please report it")
