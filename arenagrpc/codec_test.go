package arenagrpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// A shouting codec is one of a program: it does something to messages after it has decoded them,
// and encodes none but of the type that it knows.
type shouting struct{ encoding.CodecV2 }

func (c shouting) Unmarshal(data mem.BufferSlice, v any) error {
	err := c.CodecV2.Unmarshal(data, v)
	if m, ok := v.(*echopb.Message); ok {
		m.Text = strings.ToUpper(m.Text)
	}
	return err
}

func (c shouting) Marshal(v any) (mem.BufferSlice, error) {
	if _, ok := v.(*echopb.Message); !ok {
		return nil, errors.New("it is not a message that the codec knows")
	}
	return c.CodecV2.Marshal(v)
}

// register registers a codec for the time of a test.
func register(t *testing.T, codec encoding.CodecV2) {
	former := encoding.GetCodecV2("proto")
	encoding.RegisterCodecV2(codec)
	t.Cleanup(func() { encoding.RegisterCodecV2(former) })
}

// looker answers with the request, and has looked for an arena.
type looker struct{ echopb.UnimplementedEchoServer }

func (looker) Unary(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
	arena.New[echopb.Message](arena.FromContext(ctx))
	return m, nil
}

func (looker) ServerStream(m *echopb.Message, stream grpc.ServerStreamingServer[echopb.Message]) error {
	return stream.Send(m)
}

func (looker) ClientStream(stream grpc.ClientStreamingServer[echopb.Message, echopb.Message]) error {
	arenascope.Receive(stream.Context(), arenascope.PerCall)
	m, err := stream.Recv()
	if err != nil {
		return err
	}
	return stream.SendAndClose(m)
}

// TestOwnCodec has a codec of the program decode requests of all sizes, whether it is registered or
// among the options of the server.
func TestOwnCodec(t *testing.T) {
	stock := encoding.GetCodecV2("proto")
	own := shouting{stock}
	for _, way := range []string{"registered", "forced"} {
		t.Run(way, func(t *testing.T) {
			const limit = 10_000
			var others []grpc.ServerOption
			if way == "registered" {
				register(t, own)
			} else {
				others = append(others, grpc.ForceServerCodecV2(own))
			}
			pool := &arena.Pool{Options: arena.Options{Limit: limit}}
			options, pending := arenagrpc.ServerOptionsPending(arenagrpc.Options{Pool: pool}, others...)
			_, conn := serve(t, looker{}, options...)
			client := echopb.NewEchoClient(conn)
			force := grpc.ForceCodecV2(stock)
			for _, size := range []int{1, 600, 2 * limit} {
				text := strings.Repeat("x", size)
				want := strings.ToUpper(text)
				check := func(method string, m *echopb.Message, err error) {
					if refused := way == "registered" && size > limit && method != "ClientStream"; refused && status.Code(err) != codes.ResourceExhausted ||
						!refused && (err != nil || m.Text != want) {
						t.Errorf("%s of %d bytes: %v, %.10s", method, size, err, m.GetText())
					}
				}
				m := &echopb.Message{Text: text}
				reply, err := client.Unary(t.Context(), m, force)
				check("Unary", reply, err)
				down, err := client.ServerStream(t.Context(), m, force)
				if err == nil {
					reply, err = down.Recv()
				}
				check("ServerStream", reply, err)
				up, err := client.ClientStream(t.Context(), force)
				if err == nil {
					up.Send(m)
					reply, err = up.CloseAndRecv()
				}
				check("ClientStream", reply, err)
				if reply, err = client.Unary(t.Context(), &echopb.Message{Text: "y"}, arenagrpc.Into(arena.NewArena())); err != nil || reply.Text != "Y" {
					t.Errorf("Into: %v, %v", reply, err)
				}
			}
			conn.Close()
			quiet(t, pool, pending)
		})
	}
}

// An oldMessage has a field of a customtype of gogo/protobuf: package protoreflect panics when it
// looks at one.
type oldMessage struct {
	ID   oldID  `protobuf:"bytes,1,opt,name=id,proto3,customtype=oldID"`
	Name string `protobuf:"bytes,2,opt,name=name,proto3"`
}

type oldID [16]byte

func (m *oldMessage) Reset()       { *m = oldMessage{} }
func (*oldMessage) String() string { return "" }
func (*oldMessage) ProtoMessage()  {}

func (m *oldMessage) Marshal() ([]byte, error) {
	b := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), m.ID[:])
	return protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), m.Name), nil
}

func (m *oldMessage) Unmarshal(b []byte) error {
	for len(b) > 0 {
		num, _, n := protowire.ConsumeTag(b)
		if n < 0 {
			return io.ErrUnexpectedEOF
		}
		v, k := protowire.ConsumeBytes(b[n:])
		if k < 0 {
			return io.ErrUnexpectedEOF
		}
		b = b[n+k:]
		if num == 1 {
			copy(m.ID[:], v)
		} else {
			m.Name = string(v)
		}
	}
	return nil
}

// methodical is a codec that calls the methods of messages, like codecs of programs with
// gogo/protobuf.
type methodical struct{ encoding.CodecV2 }

func (methodical) Marshal(v any) (mem.BufferSlice, error) {
	b, err := v.(interface{ Marshal() ([]byte, error) }).Marshal()
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (methodical) Unmarshal(data mem.BufferSlice, v any) error {
	return v.(interface{ Unmarshal([]byte) error }).Unmarshal(data.Materialize())
}

// measuring is a stats handler that asks package proto about messages.
type measuring struct{ events }

func (m *measuring) HandleRPC(ctx context.Context, s stats.RPCStats) {
	m.events.HandleRPC(ctx, s)
	if p, ok := payload(s).(proto.Message); ok {
		proto.Size(p)
	}
}

func payload(s stats.RPCStats) any {
	switch s := s.(type) {
	case *stats.InPayload:
		return s.Payload
	case *stats.OutPayload:
		return s.Payload
	}
	return nil
}

// TestOldMessages serves messages that package protoreflect panics on, of all sizes: the server
// goes on.
func TestOldMessages(t *testing.T) {
	stock := encoding.GetCodecV2("proto")
	const limit = 100_000
	register(t, methodical{stock})
	pool := &arena.Pool{Options: arena.Options{Limit: limit}}
	options, pending := arenagrpc.ServerOptionsPending(arenagrpc.Options{Pool: pool}, grpc.StatsHandler(&measuring{}))
	server := grpc.NewServer(options...)
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "own.Old", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{MethodName: "Echo",
		Handler: func(srv any, ctx context.Context, dec func(any) error, next grpc.UnaryServerInterceptor) (any, error) {
			m := new(oldMessage)
			if err := dec(m); err != nil {
				return nil, err
			}
			return next(ctx, m, &grpc.UnaryServerInfo{FullMethod: "/own.Old/Echo"}, func(ctx context.Context, req any) (any, error) {
				arena.New[echopb.Message](arena.FromContext(ctx)) // so that the reply is encoded early
				return req, nil
			})
		}}}}, nil)
	conn := listen(t, server)
	for _, size := range []int{1, 5000, 2 * limit} {
		in, out := &oldMessage{ID: oldID{1, 2}, Name: strings.Repeat("x", size)}, new(oldMessage)
		err := conn.Invoke(t.Context(), "/own.Old/Echo", in, out, grpc.ForceCodecV2(methodical{stock}))
		if size > limit && status.Code(err) == codes.ResourceExhausted {
			continue
		}
		if err != nil || *out != *in {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	server.Stop()
	quiet(t, pool, pending)
}
