package arenagrpc

import (
	"reflect"
	"runtime/debug"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
)

// decode decodes data into v, a message, in memory of a, which has a copy of data. When it fails,
// with a *arena.LimitError where a had no room, nothing refers to what it allocated.
func decode(a *arena.Arena, data mem.BufferSlice, v any, onPanic func(*arenapb.Panic)) error {
	var err error
	if failure := arena.Try(func() {
		b := arena.MakeSlice[byte](a, data.Len(), data.Len())
		data.CopyTo(b)
		if m, ok := old(v).(gogo.Message); ok {
			err = gogo.UnmarshalOptions{AliasInput: true, OnPanic: onPanic}.Unmarshal(a, b, m)
			return
		}
		err = arenapb.UnmarshalOptions{AliasInput: true, OnPanic: onPanic}.Unmarshal(a, b, messageV2(v))
	}); failure != nil {
		err = failure
	}
	if err != nil {
		if m := old(v); m != nil {
			reflect.ValueOf(m).Elem().SetZero()
		} else {
			proto.Reset(v.(proto.Message))
		}
	}
	return err
}

// decode is the function decode for an arena of the server; nil is the heap. It does not panic,
// since gRPC calls codecs where nobody can recover: if it would have, or package arenapb has, the
// message is decoded onto the heap, and nothing refers to a. failure is nil, or a *arenapb.Panic.
func (s *server) decode(a *arena.Arena, data mem.BufferSlice, v any) (failure, err error) {
	if a == nil {
		return nil, s.CodecV2.Unmarshal(data, v)
	}
	func() {
		defer func() {
			if p := recover(); p != nil {
				told := &arenapb.Panic{Type: reflect.TypeOf(v), Value: p, Stack: debug.Stack()}
				told.Report()
				failure = told
			}
		}()
		err = decode(a, data, v, func(p *arenapb.Panic) {
			told := *p
			told.Input = nil // which is in a
			failure = &told
		})
	}()
	if failure != nil {
		err = s.CodecV2.Unmarshal(data, v)
	}
	return failure, err
}

// isMessage reports whether v is a message that can be told from others by its address. It calls no
// method of v.
func isMessage(v any) bool {
	if t := reflect.TypeOf(v); t == nil || t.Kind() != reflect.Pointer || t.Elem().Size() == 0 {
		return false
	}
	switch v.(type) {
	case proto.Message, protoadapt.MessageV1:
		return true
	}
	return false
}

// old returns the message that v is, or wraps, if it has only the methods from before package
// protoreflect, like messages of gogo/protobuf; otherwise nil. Package protoreflect panics for some
// of these.
func old(v any) protoadapt.MessageV1 {
	m, ok := v.(proto.Message)
	if !ok {
		return v.(protoadapt.MessageV1)
	}
	if v1 := protoadapt.MessageV1Of(m); any(v1) != v && reflect.TypeOf(v1).Kind() == reflect.Pointer {
		return v1
	}
	return nil
}

func messageV2(v any) proto.Message {
	if m, ok := v.(proto.Message); ok {
		return m
	}
	return protoadapt.MessageV2Of(v.(protoadapt.MessageV1))
}

// Unmarshal decodes a message of a call. gRPC does not say which call that is. A message that no
// stream waits for is the request of a unary call: it gets an arena of its own, which the first
// interceptor claims, in the same goroutine. Small messages are on the heap.
//
// No necessary work is left to the interceptor, because it may not be called: if an interceptor
// before ours answers, a service calls no interceptors of the server, the client is gone between
// its message and its end, or a second message follows.
func (s *server) Unmarshal(data mem.BufferSlice, v any) error {
	if !s.asked.Load() {
		s.asked.Store(true)
	}
	if !isMessage(v) {
		return s.CodecV2.Unmarshal(data, v)
	}
	if a, _, ok := s.pending.Claim(v); ok {
		// A second request of a unary call, which gRPC refuses when it is decoded; or the message
		// of a call that was refused is used again.
		s.Pool.Drop(a)
		return s.CodecV2.Unmarshal(data, v)
	}
	if data.Len() < s.Threshold {
		return s.CodecV2.Unmarshal(data, v)
	}
	into := func(a *arena.Arena) (failure, err error) { return s.decode(a, data, v) }
	m := s.awaiting.Find(v)
	switch {
	case s.own && m != nil:
		if m.Single() {
			m.Refuse(s.tooLarge(data.Len()))
		}
		return s.CodecV2.Unmarshal(data, v)
	case s.own:
		memory := s.tooLarge(data.Len())
		err := s.CodecV2.Unmarshal(data, v)
		if memory != nil && err == nil {
			s.pending.Put(v, nil, arenascope.Note{Memory: memory}, data.Len())
		}
		return err
	case m != nil:
		return m.Decode(into)
	}
	// gRPC makes an Internal error of any, and does not call interceptors then. So one of memory is
	// a note, of which the interceptor makes the right one.
	return s.pending.Decode(v, data.Len(), into)
}

// tooLarge returns the error of an arena that has no room for n bytes, which a message has that is
// decoded by the codec of the program.
func (s *server) tooLarge(n int) error {
	if limit := s.Pool.Options.Limit; limit == 0 || int64(n) <= limit {
		return nil
	}
	a := s.Pool.Get()
	defer s.Pool.Put(a)
	return arena.Try(func() { arena.MakeSlice[byte](a, n, n) })
}

// Into returns the option of a client's call that decodes the replies into a:
//
//	reply, err := client.Get(ctx, request, arenagrpc.Into(a))
//
// They are stale after a Reset of a, which is the caller's task. The goroutine that receives a
// reply allocates from a: for a stream, the goroutine that calls Recv. If a is nil, replies are on
// the heap.
//
// A reply that exceeds the limit of a is an error of code Internal, like a reply that cannot be
// decoded. If grpc.EnableTracing is set, or stats handlers of the client keep messages, a must not
// be Reset. A codec that the program has registered as "proto" decodes replies onto the heap,
// whatever a is. The option combines with options for the codec and the content-subtype like
// grpc.ForceCodecV2. It panics like [ServerOptions].
func Into(a *arena.Arena) grpc.CallOption {
	codec, own := registered("Into")
	if own {
		a = nil
	}
	return grpc.ForceCodecV2(into{codec, a})
}

// An into is the codec of a client's call.
type into struct {
	encoding.CodecV2
	arena *arena.Arena
}

func (c into) Unmarshal(data mem.BufferSlice, v any) error {
	if c.arena == nil || !isMessage(v) {
		return c.CodecV2.Unmarshal(data, v)
	}
	return decode(c.arena, data, v, nil)
}
