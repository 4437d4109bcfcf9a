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

// Unmarshal parses the wire-format message in b and places the result in m. The result and the errors are those of proto.Unmarshal.
//
// What m needs for its fields lies in a, and becomes stale with a.Reset. So does a copy of b, to which strings and bytes of m refer: b is the
// caller's again when Unmarshal returns. m itself lies where it was made: in a if [New] made it there.
//
// Where a is nil, Unmarshal is proto.Unmarshal. One goroutine at a time uses a.
//
// Unmarshal panics if a was freed, and with an [*arena.LimitError] if a may not grow any further.
func Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	return UnmarshalOptions{}.Unmarshal(a, b, m)
}

// New returns a new, empty message of type M, which lies in a until a.Reset. It is [arena.New] for messages, and panics as that does. Where a
// is nil, the message lies on the heap.
func New[M any, P interface {
	*M
	proto.Message
}](a *arena.Arena) P {
	if a == nil {
		return new(M)
	}
	return newMessage[M](a)
}

// Clone returns a copy of m on the heap. The copy shares nothing with m or its arena, and outlives a Reset.
//
// Clone encodes m and decodes it again. It returns an error if m cannot be encoded, for example because text in it is not UTF-8.
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

// Fallbacks names what [Unmarshal] puts on the heap of a message of m's type, and of the messages that may be in it. Each string is a name and a
// reason. There are three kinds:
//
//   - maps, which are Go's, while their text and messages lie in the arena; extensions are in such maps, too;
//   - fields that are left to package proto, with all that is in them;
//   - unknown fields of messages of which package proto decodes a part.
//
// Fallbacks is empty for most messages without maps. It looks at m's type only, and does the work anew each time. Goroutines may call it at the
// same time.
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

// UnmarshalOptions are the options of proto.UnmarshalOptions, and some for arenas. The zero value is the default. Goroutines may share one.
type UnmarshalOptions struct {
	// Merge merges the input into the message. Without it, Unmarshal resets the message first.
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
	// AliasInput makes strings and bytes of the message refer to the input itself. Do not change the input while anybody uses the message.
	// Without AliasInput, they refer to a copy in the arena.
	AliasInput bool
	// OnPanic is called with each [Panic] of this call, before the function that was given to [OnPanic]. It may be nil.
	OnPanic func(*Panic)
}

// Unmarshal is [Unmarshal] with options.
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
	again := failure != nil
	if found {
		// explain decodes into a new message. That may fail where a Merge into m does not: m may have an extension that the Resolver does
		// not find. An error that protobuf itself has found in m needs no second look.
		again = before != nil && err == nil
		err, failure = explain(theirs, b, m, err)
		again = again || failure != nil
	}
	if !again {
		return err
	}

	// This package has a mistake, or may have one. What is done about it may take time.
	switch {
	case before == nil:
		proto.Reset(m)
	case !before.restore():
		err = errLost
	}
	if err != errLost {
		err = theirs.Unmarshal(b, m) // if this panics, too, it was nobody's mistake here
	}
	if failure == nil {
		if err != nil {
			return err
		}
		failure = refused()
	}
	failure.Type, failure.Input = reflect.TypeOf(m), b
	plan.giveUp(failure.Type, failure.reason())
	failure.tell(o.OnPanic)
	return err
}

// decode decodes b into m natively. found means that b has an error: err if it is not nil, and else what proto.Unmarshal says. failure is the
// panic that ended it, or nil; only a part of b is in m then.
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

// explain decodes b again with protobuf, into a new message, and returns its error. found is the error of what protobuf has decoded already,
// or nil. If protobuf finds no error either time, the mistake is in this package, and explain returns a Panic.
func explain(o proto.UnmarshalOptions, b []byte, m proto.Message, found error) (error, *Panic) {
	o.AllowPartial = true
	if err := o.Unmarshal(b, m.ProtoReflect().New().Interface()); err != nil {
		return err, nil
	}
	if found != nil {
		return found, nil // m has had an extension that the Resolver does not know
	}
	return nil, refused()
}

func refused() *Panic { return &Panic{Value: errRefused, Stack: debug.Stack()} }

var (
	errRefused = errors.New("the message was refused, and proto.Unmarshal finds no error in it")
	errLost    = errors.New("arenapb: what the message had before Merge is lost by a panic of this package")
)
