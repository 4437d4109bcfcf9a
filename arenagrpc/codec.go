package arenagrpc

import (
	"reflect"
	"runtime/debug"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc/internal/pending"
	"github.com/arena-go/arena/arenagrpc/internal/stack"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/gogo"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
)

// decode decodes data into m, in memory of a, which has a copy of data. When it fails, with a *arena.LimitError
// where a had no room, nothing refers to what it allocated.
func decode(a *arena.Arena, data mem.BufferSlice, m proto.Message, onPanic func(*arenapb.Panic)) error {
	var err error
	if failure := arena.Try(func() {
		b := arena.MakeSlice[byte](a, data.Len(), data.Len())
		data.CopyTo(b)
		if m, ok := gogoOf(m); ok {
			err = gogo.UnmarshalOptions{AliasInput: true, OnPanic: onPanic}.Unmarshal(a, b, m)
			return
		}
		err = arenapb.UnmarshalOptions{AliasInput: true, OnPanic: onPanic}.Unmarshal(a, b, m)
	}); failure != nil {
		err = failure
	}
	if err != nil {
		proto.Reset(m)
	}
	return err
}

// decode is the function decode for an arena of the server. It does not panic, since gRPC calls codecs where nobody can recover: if it would have,
// or package arenapb has, the message is decoded onto the heap, and nothing refers to a.
func (s *server) decode(a *arena.Arena, data mem.BufferSlice, v any, m proto.Message) (failure *arenapb.Panic, err error) {
	func() {
		defer func() {
			if v := recover(); v != nil {
				failure = &arenapb.Panic{Type: reflect.TypeOf(m), Value: v, Stack: debug.Stack()}
				failure.Report()
			}
		}()
		err = decode(a, data, m, func(p *arenapb.Panic) {
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

// gogoOf returns the message that m was made of by messageOf, if gogo/protobuf has generated its Unmarshal. proto.Unmarshal calls that method, too.
func gogoOf(m proto.Message) (gogo.Message, bool) {
	v := protoadapt.MessageV1Of(m)
	if v, ok := v.(proto.Message); ok && v == m {
		return nil, false
	}
	g, ok := v.(gogo.Message)
	return g, ok
}

// messageOf returns v as a message, or nil if it is none, or cannot be told from others by its address.
func messageOf(v any) proto.Message {
	if t := reflect.TypeOf(v); t == nil || t.Kind() != reflect.Pointer || t.Elem().Size() == 0 {
		return nil
	}
	switch v := v.(type) {
	case proto.Message:
		return v
	case protoadapt.MessageV1:
		return protoadapt.MessageV2Of(v)
	}
	return nil
}

// Unmarshal decodes a message of a call. gRPC does not say which call that is. A message that no stream waits for is the request of a unary call: it gets
// an arena of its own, and a ticket, which the first interceptor claims, in the same goroutine. Small messages lie on the heap.
func (s *server) Unmarshal(data mem.BufferSlice, v any) error {
	stack.Grow(nil) // while there are few frames
	if data.Len() < s.Threshold {
		return s.CodecV2.Unmarshal(data, v)
	}
	m := messageOf(v)
	if m == nil {
		return s.CodecV2.Unmarshal(data, v)
	}
	if w := s.awaiting.find(v); w != nil {
		return w.receive(data, m)
	}
	if t := s.pending.Claim(v); t != nil {
		// A second request of a unary call, which gRPC refuses when it is decoded; or the message of a call that was refused is used again.
		s.Pool.Drop(t.arena)
		return s.CodecV2.Unmarshal(data, v)
	}
	t := &ticket{Place: pending.Place{Message: v}, arena: s.Pool.Get()}
	failure, err := s.decode(t.arena, data, v, m)
	switch {
	case failure != nil:
		s.Pool.Drop(t.arena)
		t.arena, t.failure = nil, failure
		if err != nil {
			return err
		}
	case memoryError(err) != nil:
		// gRPC makes an Internal error of any; the interceptor makes the right one.
		s.Pool.Put(t.arena)
		t.arena, t.memory = nil, err
		m.ProtoReflect().SetUnknown(refused)
	case err != nil:
		s.Pool.Put(t.arena)
		return err
	}
	if lost := s.pending.Put(t); lost != nil {
		s.Pool.Drop(lost.arena)
	}
	return nil
}

// Into returns the option of a client's call by which the replies are decoded into a:
//
//	reply, err := client.Get(ctx, request, arenagrpc.Into(a))
//
// They are stale after a Reset of a, which is the caller's affair. The goroutine that receives a
// reply allocates from a, for a stream the one that calls Recv. If a is nil replies lie on the heap.
//
// A reply that exceeds the limit of a is an error of the code Internal, as one that cannot be decoded. Where grpc.EnableTracing
// is set, or stats handlers of the client keep messages, a must not be Reset. The option goes together with those for
// the codec and the content-subtype as grpc.ForceCodecV2 does. It panics as [ServerOptions] does.
func Into(a *arena.Arena) grpc.CallOption {
	return grpc.ForceCodecV2(into{registered(), a})
}

// An into is the codec of a client's call.
type into struct {
	encoding.CodecV2
	arena *arena.Arena
}

func (c into) Unmarshal(data mem.BufferSlice, v any) error {
	m := messageOf(v)
	if c.arena == nil || m == nil {
		return c.CodecV2.Unmarshal(data, v)
	}
	return decode(c.arena, data, m, nil)
}
