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

// decode decodes data into v, a message, in memory of a, which has a copy of data. When it fails, with a *arena.LimitError
// where a had no room, nothing refers to what it allocated.
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

// decode is the function decode for an arena of the server. It does not panic, since gRPC calls codecs where nobody can recover: if it would have,
// or package arenapb has, the message is decoded onto the heap, and nothing refers to a.
func (s *server) decode(a *arena.Arena, data mem.BufferSlice, v any) (failure *arenapb.Panic, err error) {
	func() {
		defer func() {
			if p := recover(); p != nil {
				failure = &arenapb.Panic{Type: reflect.TypeOf(v), Value: p, Stack: debug.Stack()}
				failure.Report()
			}
		}()
		err = decode(a, data, v, func(p *arenapb.Panic) {
			told := *p
			told.Input = nil // which lies in a
			failure = &told
		})
	}()
	if failure != nil {
		err = s.CodecV2.Unmarshal(data, v)
	}
	return failure, err
}

// isMessage reports whether v is a message that can be told from others by its address. It calls no method of v.
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

// old returns the message that v is, or wraps, if it has only the methods that messages had before package protoreflect, as those of gogo/protobuf, or nil.
// Package protoreflect panics when it looks at some of these.
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

// Unmarshal decodes a message of a call. gRPC does not say which call that is. A message that no stream waits for is the request of a unary call: it gets
// an arena of its own, which the first interceptor claims, in the same goroutine. Small messages lie on the heap.
//
// Nothing that has to be done is left to the interceptor, since it may not be called.
func (s *server) Unmarshal(data mem.BufferSlice, v any) error {
	if !s.asked.Load() {
		s.asked.Store(true)
	}
	if !isMessage(v) {
		return s.CodecV2.Unmarshal(data, v)
	}
	if a, _, ok := s.pending.Claim(v); ok {
		// A second request of a unary call, which gRPC refuses when it is decoded; or the message of a call that was refused is used again.
		s.Pool.Drop(a)
		return s.CodecV2.Unmarshal(data, v)
	}
	if data.Len() < s.Threshold {
		return s.CodecV2.Unmarshal(data, v)
	}
	if w := s.awaiting.Find(v); w != nil {
		return w.receive(data)
	}
	var a *arena.Arena
	var n note
	var err error
	if s.own {
		n.memory = s.tooLarge(data.Len())
	} else {
		a = s.Pool.Get() //arena:keep whoever claims it
		n.failure, err = s.decode(a, data, v)
	}
	switch {
	case n.failure != nil:
		s.Pool.Drop(a)
		a = nil
	case arenascope.OutOfMemory(err) != nil:
		s.Pool.Put(a)
		a, n.memory = nil, err
	case err != nil:
		s.Pool.Put(a)
	}
	if s.own || n.memory != nil {
		// gRPC makes an Internal error of any, and does not call interceptors then. The interceptor makes the right one. A service that does not
		// call it gets the request as it would without this package.
		err = s.CodecV2.Unmarshal(data, v)
	}
	if err != nil || a == nil && n.memory == nil && n.failure == nil {
		return err
	}
	s.pending.Put(v, a, n, data.Len())
	return nil
}

// tooLarge returns the error of an arena that has no room for n bytes, which a message has that is decoded by the codec of the program.
func (s *server) tooLarge(n int) error {
	if limit := s.Pool.Options.Limit; limit == 0 || int64(n) <= limit {
		return nil
	}
	a := s.Pool.Get()
	defer s.Pool.Put(a)
	return arena.Try(func() { arena.MakeSlice[byte](a, n, n) })
}

// Into returns the option of a client's call by which the replies are decoded into a:
//
//	reply, err := client.Get(ctx, request, arenagrpc.Into(a))
//
// They are stale after a Reset of a, which is the caller's affair. The goroutine that receives a
// reply allocates from a, for a stream the one that calls Recv. If a is nil replies lie on the heap.
//
// A reply that exceeds the limit of a is an error of the code Internal, as one that cannot be decoded. Where grpc.EnableTracing
// is set, or stats handlers of the client keep messages, a must not be Reset. A codec that the program has registered as "proto" decodes replies onto
// the heap, whatever a is. The option goes together with those for
// the codec and the content-subtype as grpc.ForceCodecV2 does. It panics as [ServerOptions] does.
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
