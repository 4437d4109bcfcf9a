package arenapb

import (
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

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

// Fallbacks names what lies on the heap of a message like m, and of those that may be in it, when Unmarshal has decoded it, each with
// the reason: maps, which are Go's, with their text and messages in the arena; extensions, and what else is left to proto.Unmarshal,
// with all that is in it; unknown fields of messages that proto.Unmarshal has a part of. It is empty for most messages without maps.
// It tells of m's own type, as its descriptor names it, and is worked out anew each time.
func Fallbacks(m proto.Message) []string {
	if m == nil {
		return nil
	}
	p := planOf(m)
	if p.reason != "" {
		return []string{fmt.Sprintf("%s: %s", m.ProtoReflect().Descriptor().FullName(), p.reason)}
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
		if p.descriptor.ExtensionRanges().Len() > 0 {
			all = append(all, fmt.Sprintf("%s: its extensions, and with them its unknown fields, are left to package proto", name))
		} else if p.collect {
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
			if f.sub != nil {
				look(f.sub)
			}
		}
	}
	look(p)
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
	// OnPanic, unless it is nil, is told of a [Panic] of this call, before the function [OnPanic]'s.
	OnPanic func(*Panic)
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
	var before *undo
	if o.Merge {
		before = new(undo)
	} else {
		proto.Reset(m)
	}
	found, failure, err := o.decode(a, b, m, plan, before)
	if failure == nil && found {
		if err, failure = explain(theirs, b, m, err); failure == nil {
			return err
		}
	}
	if failure == nil {
		return err
	}

	// This package has a mistake. What is done about it may take time.
	switch {
	case before == nil:
		proto.Reset(m)
	case !before.restore():
		err = errLost
	}
	if err != errLost {
		err = theirs.Unmarshal(b, m) // if this panics, too, it was nobody's mistake here
	}
	failure.Type, failure.Input = reflect.TypeOf(m), b
	plan.giveUp(failure.Type, failure.reason())
	failure.tell(o.OnPanic)
	return err
}

// decode decodes b into m natively. It reports whether an error was found, which proto.Unmarshal is to name, unless err does; and with
// which panic it ended, if it did: m is then in part as it was, and in part not.
func (o *UnmarshalOptions) decode(a *arena.Arena, b []byte, m proto.Message, plan *plan, before *undo) (found bool, failure *Panic, err error) {
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
	if d.message(pointerTo(m), plan, b, 0, o.RecursionLimit) < 0 {
		found, err = true, d.err
	} else if d.partial && !o.AllowPartial {
		err = proto.CheckInitialized(m)
	}
	returned = true
	return found, nil, err
}

// explain decodes b again with protobuf and returns its error. It decodes into a new message, because nobody may see what m has
// become. found is what protobuf has said of a part of b. If protobuf finds no error, the mistake is in this package.
func explain(o proto.UnmarshalOptions, b []byte, m proto.Message, found error) (error, *Panic) {
	o.AllowPartial = true
	if err := o.Unmarshal(b, m.ProtoReflect().New().Interface()); err != nil {
		return err, nil
	}
	if found != nil {
		return found, nil // m has had an extension that the Resolver does not know
	}
	return nil, &Panic{Value: errRefused, Stack: debug.Stack()}
}

var (
	errRefused = errors.New("the message was refused, and proto.Unmarshal finds no error in it")
	errLost    = errors.New("arenapb: what the message had before Merge is lost by a panic of this package")
)
