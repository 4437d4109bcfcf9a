package arenapb

import (
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// A Panic reports a message that this package failed to decode or encode, although proto.Unmarshal
// decodes it: a mistake of this package, or of an [arena.Memory].
//
// The caller of Unmarshal gets the result of proto.Unmarshal, on the heap. proto.Unmarshal decodes
// all later messages of that type, and [Fallbacks] contains the reason. Messages of other types
// that contain such messages are decoded as before.
//
// For messages in JSON, the same applies to UnmarshalJSON, protojson.Unmarshal and [JSONFallbacks].
// A message that [MarshalJSON] failed to encode is encoded by protojson.Marshal, and protojson
// encodes and decodes all later messages of that type in JSON.
//
// A Panic is an error. Its text contains everything except the input.
type Panic struct {
	Type  reflect.Type // The type of the message, a pointer.
	Value any          // What panic was called with, or an error where the decoder has refused the message.
	Stack []byte       // The stack, as debug.Stack returns it.
	Input []byte       // The input of the decoder; nil if the panic came before, and if a message was being encoded. The caller of Unmarshal owns it: copy it to keep it.

	json     bool // the input was JSON
	encoding bool // the message was being encoded
}

// Error returns the type, the value and the stack.
func (p *Panic) Error() string {
	doing, done, by := "decoding", "decoded", "proto.Unmarshal"
	switch {
	case p.encoding:
		doing, done, by = "encoding", "encoded", "protojson.Marshal"
	case p.json:
		by = "protojson.Unmarshal"
	}
	return fmt.Sprintf("arenapb: %s a %v panicked; %s has %s it: %v\n%s", doing, p.Type, by, done, p.Value, p.Stack)
}

// reason is the reason of the plan.
func (p *Panic) reason() string {
	text, _, _ := strings.Cut(fmt.Sprint(p.Value), "\n")
	return "arenapb has panicked: " + text[:min(len(text), 200)]
}

var (
	panics  atomic.Int64
	onPanic atomic.Pointer[func(*Panic)]
)

// OnPanic sets the function that is called with each [Panic] of the process. The goroutine that
// decodes calls f when proto.Unmarshal has decoded the message. Several goroutines may call f, and
// OnPanic, at the same time. Without a function, at first and after OnPanic(nil), the text of the
// Panic is written to standard error.
func OnPanic(f func(*Panic)) {
	if f == nil {
		onPanic.Store(nil)
		return
	}
	onPanic.Store(&f)
}

// Panics returns how many times a [Panic] was reported in this process.
func Panics() int64 { return panics.Load() }

// tell tells first, and then all others.
func (p *Panic) tell(first func(*Panic)) {
	if first != nil {
		first(p)
	}
	p.Report()
}

// Report counts p and calls the function of [OnPanic] with it, as Unmarshal does. It is for
// packages that call Unmarshal for others and recover from panics that leave it.
func (p *Panic) Report() {
	panics.Add(1)
	if f := onPanic.Load(); f != nil {
		(*f)(p)
		return
	}
	fmt.Fprintln(os.Stderr, p.Error())
}

// blamed returns the report about a message that the decoder has not decoded, or nil. theirs is the
// error of protobuf, which decodes the message again: into an empty message, or with Merge into the
// previous contents. Protobuf's result is right, and is returned. If the previous contents are
// lost, protobuf is not asked.
//
//	the decoder    protobuf           a Resolver has failed    result    the report      later messages
//	refuses it     refuses it         yes or no                theirs    nothing         the decoder's
//	refuses it     decodes it         yes                      theirs    nothing         the decoder's
//	refuses it     decodes it         no                       theirs    refused         protobuf's
//	refuses it     is not asked       yes or no                errLost   nothing         the decoder's
//	panics         decodes it, or not yes or no                theirs    the panic       protobuf's
//	panics         is not asked       yes or no                errLost   the panic       protobuf's
func blamed(panicked *Panic, theirs error, resolverFailed bool, refused error) *Panic {
	if panicked == nil && theirs == nil && !resolverFailed {
		return &Panic{Value: refused, Stack: debug.Stack()}
	}
	return panicked
}

// done is deferred where d decodes, and makes d ready for the next message. A panic becomes
// *failure. Only panics that concern the caller go on: a limit, no memory, the misuse of an arena.
// A decoder that has panicked forgets everything, because nothing in it can be relied upon.
func (d *decoder) done(returned *bool, failure **Panic) {
	if *returned {
		d.release()
		return
	}
	v := recover()
	switch v.(type) {
	case *arena.LimitError, *arena.MemoryError:
		before := d.undo
		d.words = nil
		d.release()
		if before != nil {
			before.restore()
		}
	default:
		*d = decoder{}
	}
	*failure = failureOf(v)
}

// failureOf returns the Panic that v, what a decoder has panicked with, becomes. If v concerns the
// caller, it panics with v.
func failureOf(v any) *Panic {
	switch v := v.(type) {
	case nil: // runtime.Goexit, of a Resolver or a Memory
		return nil
	case *arena.LimitError, *arena.MemoryError:
		panic(v)
	case string:
		if strings.HasPrefix(v, "arena: ") { // its caller has used an arena after Free, for example
			panic(v)
		}
	}
	return &Panic{Value: v, Stack: debug.Stack()}
}
