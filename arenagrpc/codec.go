package arenagrpc

import (
	"errors"
	"reflect"
	"runtime/debug"

	"github.com/arena-go/arena"
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

// Unmarshal decodes a message of a call into the arena of that call. gRPC does not say which call that is: the
// message is noted in s.pending instead, by its address, and claimed by HandleRPC, which the same goroutine calls
// next. RecvMsg of a stream notes beforehand where its message is to go.
func (s *server) Unmarshal(data mem.BufferSlice, v any) error {
	m := messageOf(v)
	if m == nil {
		return s.CodecV2.Unmarshal(data, v)
	}
	p, _ := s.pending.Load(v)
	if r, ok := p.(*receipt); ok {
		if r.arena == nil {
			return s.CodecV2.Unmarshal(data, v)
		}
		var err error
		r.failure, err = s.decode(r.arena, data, v, m)
		if errors.As(err, &r.limit) {
			return nil // and RecvMsg fails, with the right status
		}
		return err
	}
	a := s.Pool.Get()
	failure, err := s.decode(a, data, v, m) //arena:keep gRPC does not deliver a message that was not decoded
	if failure != nil {
		s.Pool.Drop(a)
		if err == nil {
			s.pending.Store(v, failure)
		}
		return err
	}
	if err == nil {
		s.pending.Store(v, a)
		return nil
	}
	s.Pool.Put(a)
	var limit *arena.LimitError
	if errors.As(err, &limit) {
		// gRPC makes an Internal error of any; refuse and RecvMsg make the right one.
		s.pending.Store(v, limit)
		return nil
	}
	return err
}

// forget drops the arena of a message that nobody claimed.
func (s *server) forget(v any) {
	p, _ := s.pending.LoadAndDelete(v)
	if a, ok := p.(*arena.Arena); ok {
		s.Pool.Drop(a)
	}
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
