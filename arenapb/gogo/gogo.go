package gogo

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
)

// A Message is a pointer to a struct that gogo/protobuf has generated. Its Unmarshal adds the
// fields in b to the message.
type Message interface {
	Unmarshal(b []byte) error
}

// Unmarshal makes m the message in b. The result and the errors equal the result and the errors of
// m.Unmarshal(b) for a zero message: Unmarshal makes m zero first, whatever a Reset method does.
//
// The memory of m's fields is in a, and becomes stale with a.Reset. So does a copy of b, to which
// strings and bytes of m refer: the caller may reuse b when Unmarshal returns. If this package
// calls the Unmarshal of a field, the result is on the heap, and refers to b if it would without
// this package. m itself stays where it was made: in a if [New] made it there.
//
// If a is nil, all of m is on the heap. One goroutine at a time uses a.
//
// Unmarshal panics if a was freed, and with an [*arena.LimitError] if a may not grow any further; m
// then has a part of the result.
func Unmarshal(a *arena.Arena, b []byte, m Message) error {
	return UnmarshalOptions{}.Unmarshal(a, b, m)
}

// New returns a new, zero message of type M in a, valid until a.Reset. It is [arena.New] for
// messages, and panics like it. If a is nil, the message is on the heap.
func New[M any, P interface {
	*M
	Message
}](a *arena.Arena) P {
	return newMessage[M](a)
}

// UnmarshalOptions are options of [Unmarshal]. The zero value is the default. Goroutines may share
// one.
type UnmarshalOptions struct {
	// AliasInput makes strings and bytes of the message refer to the input itself. Do not change
	// the input while anybody uses the message. Without AliasInput, they refer to a copy in the
	// arena.
	AliasInput bool
	// OnPanic is called with each [arenapb.Panic] of this call, before the function of
	// [arenapb.OnPanic]. It may be nil.
	OnPanic func(*arenapb.Panic)
}

// Unmarshal is the function [Unmarshal] with options.
func (o UnmarshalOptions) Unmarshal(a *arena.Arena, b []byte, m Message) error {
	if m == nil {
		return m.Unmarshal(b) // which panics, as it does without this package
	}
	plan := planOf(m, false)
	if plan == nil || pointerTo(m) == nil {
		return m.Unmarshal(b)
	}
	v := valueAt(plan.typ, pointerTo(m))
	v.SetZero()
	if a == nil || plan.reason != "" {
		return m.Unmarshal(b)
	}
	done, failure := o.decode(a, b, m, plan)
	if done {
		return nil
	}

	// The generated Unmarshal says what the error is, and how much of the message there is then. It
	// may also find none.
	v.SetZero()
	err := m.Unmarshal(b) // if this panics, it was nobody's mistake here
	if failure != nil {
		failure.Type, failure.Input = reflect.TypeOf(m), b
		plan.giveUp(fmt.Sprint("gogo has panicked: ", failure.Value))
		if o.OnPanic != nil {
			o.OnPanic(failure)
		}
		failure.Report()
	}
	return err
}

// decode decodes b into m natively, and reports whether it is done. failure is the panic that ended
// it, or nil.
func (o *UnmarshalOptions) decode(a *arena.Arena, b []byte, m Message, plan *plan) (done bool, failure *arenapb.Panic) {
	d, fresh := decoderOf(a)
	returned := false
	defer d.done(&returned, &failure)
	d.in, d.copied = b, b
	if fresh {
		d.expect(plan, b)
	}
	if !o.AliasInput {
		d.copied = arena.Bytes(a, b)
	}
	done = d.message(pointerTo(m), plan, d.copied, maxDepth)
	returned = true
	return done, nil
}

// done is deferred where d decodes, and makes d ready for the next message. A panic becomes
// *failure. Only panics that concern the caller go on: a limit, no memory, the misuse of an arena.
// A decoder that has panicked forgets everything, because nothing in it can be relied upon.
func (d *decoder) done(returned *bool, failure **arenapb.Panic) {
	if *returned {
		d.release()
		return
	}
	switch v := recover().(type) {
	case nil: // runtime.Goexit, of the Unmarshal of a field
		*d = decoder{}
	case *arena.LimitError, *arena.MemoryError:
		*d = decoder{}
		panic(v)
	default:
		*d = decoder{}
		if text, ok := v.(string); ok && strings.HasPrefix(text, "arena: ") {
			panic(v)
		}
		*failure = &arenapb.Panic{Value: v, Stack: debug.Stack()}
	}
}

// Fallbacks names the parts of a message of m's type, and of the messages in it, that are on the
// heap: values that [Unmarshal] leaves to an Unmarshal method, and Go maps. Each string is a type
// or a field, and a reason. Goroutines may call it at the same time. It may wait for another
// goroutine that meets a new type.
func Fallbacks(m Message) []string {
	if m == nil {
		return nil
	}
	p := planOf(m, true)
	if p == nil {
		return []string{fmt.Sprintf("%T: it is not a pointer to a struct", m)}
	}
	var all []string
	seen := map[*plan]bool{}
	var look func(p *plan)
	look = func(p *plan) {
		if seen[p] {
			return
		}
		seen[p] = true
		if p.reason != "" {
			all = append(all, fmt.Sprintf("%v: %s", p.typ, p.reason))
			return
		}
		for _, f := range p.all {
			if f.form == formMap {
				all = append(all, fmt.Sprintf("%v: field %d is a map, which is Go's", p.typ, f.number))
			}
			if f.sub != nil {
				look(f.sub)
			}
		}
		if p.held != nil {
			look(p.held)
		}
	}
	look(p)
	return all
}
