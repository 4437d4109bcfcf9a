package arenagrpc_test

import (
	"context"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// A transport is the stream of a call without headers.
type transport struct{}

func (transport) Method() string               { return echopb.Echo_Unary_FullMethodName }
func (transport) SetHeader(metadata.MD) error  { return nil }
func (transport) SendHeader(metadata.MD) error { return nil }
func (transport) SetTrailer(metadata.MD) error { return nil }
func (transport) Header() (metadata.MD, error) { return metadata.MD{}, nil }
func (transport) Trailer() metadata.MD         { return metadata.MD{} }

// BenchmarkCall is what a unary call costs between the transport and the handler and back:
// decoding, interceptors, encoding. looks=true is a handler that looks for an arena.
func BenchmarkCall(b *testing.B) {
	data, err := proto.Marshal(message(7, 0))
	if err != nil {
		b.Fatal(err)
	}
	info := &grpc.UnaryServerInfo{FullMethod: echopb.Echo_Unary_FullMethodName}
	ctx := grpc.NewContextWithServerTransportStream(context.Background(), transport{})
	call := arenagrpc.NewCall(arenagrpc.Options{})
	stock := encoding.GetCodecV2("proto")
	for _, looks := range []string{"false", "true"} {
		handler := func(ctx context.Context, req any) (any, error) {
			if looks == "true" {
				return arena.New[echopb.Message](arena.FromContext(ctx)), nil
			}
			return req, nil
		}
		run := func(name string, codec interface {
			Unmarshal(mem.BufferSlice, any) error
			Marshal(any) (mem.BufferSlice, error)
		}, intercept grpc.UnaryServerInterceptor) {
			b.Run("looks="+looks+"/impl="+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m := new(echopb.Message)
					if err := codec.Unmarshal(mem.BufferSlice{mem.SliceBuffer(data)}, m); err != nil {
						b.Fatal(err)
					}
					reply, err := intercept(ctx, m, info, handler)
					if err != nil {
						b.Fatal(err)
					}
					encoded, err := codec.Marshal(reply)
					if err != nil {
						b.Fatal(err)
					}
					encoded.Free()
				}
			})
		}
		run("stock", stock, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			return handler(ctx, req)
		})
		run("arena", call, call.Intercept)
	}
}
