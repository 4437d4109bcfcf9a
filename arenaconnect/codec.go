package arenaconnect

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"sync/atomic"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/runtime/protoiface"
)

// A codec is one of connect's codecs for protobuf, with the same results and errors, but for where
// messages lie.
type codec struct {
	*server
	*format
	asked *atomic.Bool // connect has asked this codec for something
}

var _ connect.Codec = codec{}

func (c codec) Name() string { return c.format.name }

func (c codec) Marshal(v any) ([]byte, error) { return c.MarshalAppend(nil, v) }

// MarshalAppend encodes v. If v is the reply of a unary call, the call is then over.
func (c codec) MarshalAppend(b []byte, v any) ([]byte, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, errNotProto(v)
	}
	if r, ok := m.(*reply); ok {
		return r.marshalAppend(b, c.format)
	}
	return c.append(b, m)
}

// Unmarshal decodes a message of a call. Connect does not say which call that is. A message that no
// stream waits for is the request of a unary call: it gets an arena of its own, which the first
// interceptor claims, in the same goroutine.
//
// No necessary work is left to the interceptor, because it may not be called: an interceptor before
// ours may answer, or the rest of the input may make the call fail.
func (c codec) Unmarshal(data []byte, v any) error {
	if !c.asked.Load() {
		c.asked.Store(true)
	}
	m, ok := v.(proto.Message)
	if !ok {
		return errNotProto(v)
	}
	if len(data) == 0 && c.empty != nil {
		return c.empty
	}
	if !hasAddress(m) {
		return c.onHeap(data, m)
	}
	if a, _, ok := c.pending.Claim(m); ok {
		c.Pool.Drop(a) // the message of a call that nobody has claimed is used again
		return c.onHeap(data, m)
	}
	if len(data) < c.Threshold {
		return c.onHeap(data, m)
	}
	into := func(a *arena.Arena) (failure, err error) { return decode(a, data, m, c.format) }
	if w := c.awaiting.Find(m); w != nil {
		return w.Decode(into)
	}
	// Connect makes an InvalidArgument error of any. So one of memory is a note, of which the
	// interceptor makes the right one.
	return c.pending.Decode(m, len(data), into)
}

// hasAddress reports whether m can be told from others by its address.
func hasAddress(m proto.Message) bool {
	t := reflect.TypeOf(m)
	return t.Kind() == reflect.Pointer && t.Elem().Size() > 0
}

// decode decodes data, of a format, into m. What m needs, text of data too, is in a; nil is the
// heap. After an error nothing refers to what it allocated, and arenascope.OutOfMemory knows the
// error if a had no room. It does not panic: if it would have, or package arenapb has, the message
// is decoded onto the heap, and nothing refers to a. failure is nil, or a *arenapb.Panic.
func decode(a *arena.Arena, data []byte, m proto.Message, f *format) (failure, err error) {
	if a == nil {
		return nil, f.onHeap(data, m)
	}
	func() {
		defer func() {
			if v := recover(); v != nil {
				told := &arenapb.Panic{Type: reflect.TypeOf(m), Value: v, Stack: debug.Stack()}
				told.Report()
				failure = told
			}
		}()
		err = decodeInto(a, data, m, f, func(p *arenapb.Panic) {
			told := *p
			told.Input = nil // which is in a
			failure = &told
		})
	}()
	switch {
	case failure != nil:
		return failure, f.onHeap(data, m)
	case err != nil:
		proto.Reset(m)
	}
	return nil, err
}

func decodeInto(a *arena.Arena, data []byte, m proto.Message, f *format, onPanic func(*arenapb.Panic)) error {
	var err error
	if memory := arena.Try(func() { err = f.arena(a, data, m, onPanic) }); memory != nil {
		return memory
	}
	if err != nil {
		return fmt.Errorf("unmarshal into %T: %w", m, err)
	}
	return nil
}

func errNotProto(v any) error {
	if _, ok := v.(protoiface.MessageV1); ok {
		return fmt.Errorf("%T uses github.com/golang/protobuf, but connect-go only supports google.golang.org/protobuf: see https://go.dev/blog/protobuf-apiv2", v)
	}
	return fmt.Errorf("%T doesn't implement proto.Message", v)
}
