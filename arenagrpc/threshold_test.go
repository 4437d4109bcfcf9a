package arenagrpc_test

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// idle is a service that does not look for an arena, and answers with the request.
type idle struct {
	echopb.UnimplementedEchoServer
	pooled func() int64 // how many arenas have been taken
}

func (s idle) Unary(_ context.Context, m *echopb.Message) (*echopb.Message, error) {
	m.Id = s.pooled()
	return m, nil
}

func (s idle) ServerStream(m *echopb.Message, stream grpc.ServerStreamingServer[echopb.Message]) error {
	return stream.Send(&echopb.Message{Id: s.pooled()})
}

func (s idle) ClientStream(stream grpc.ClientStreamingServer[echopb.Message, echopb.Message]) error {
	for {
		m, err := stream.Recv()
		if err != nil {
			return stream.SendAndClose(&echopb.Message{Id: s.pooled()})
		}
		if m.Kind == keeps {
			arenascope.Receive(stream.Context(), arenascope.PerCall)
		}
	}
}

// TestThreshold sends messages of sizes around the threshold: smaller messages use no arena, and
// the messages that gain nothing are counted.
func TestThreshold(t *testing.T) {
	const threshold = 100
	pool := &arena.Pool{}
	summaries := make(chan arenagrpc.Summary, 1)
	server, conn := serve(t, idle{pooled: func() int64 { return pool.Stats().Out }}, arenagrpc.ServerOptions(arenagrpc.Options{Pool: pool, Threshold: threshold,
		Observe: func(_ context.Context, _ string, s arenagrpc.Summary) { summaries <- s }})...)
	client := echopb.NewEchoClient(conn)
	for size := threshold - 2; size <= threshold+2; size++ {
		for _, kind := range []int32{echo, keeps} {
			m := &echopb.Message{Kind: kind}
			m.Data = make([]byte, size-proto.Size(m)-2)
			if proto.Size(m) != size {
				t.Fatalf("the message has %d bytes", proto.Size(m))
			}
			large := int64(0)
			if size >= threshold {
				large = 1
			}
			for _, method := range []string{"Unary", "ServerStream", "ClientStream"} {
				var reply *echopb.Message
				var err error
				taken, onHeap := large, 0
				switch method {
				case "Unary":
					reply, err = client.Unary(t.Context(), m)
				case "ServerStream":
					var stream grpc.ServerStreamingClient[echopb.Message]
					if stream, err = client.ServerStream(t.Context(), m); err == nil {
						reply, err = stream.Recv()
					}
				case "ClientStream":
					var stream grpc.ClientStreamingClient[echopb.Message, echopb.Message]
					if stream, err = client.ClientStream(t.Context()); err == nil {
						stream.Send(m) // on the heap, because Receive has not been called
						stream.Send(m)
						reply, err = stream.CloseAndRecv()
					}
					onHeap = int(large)
					if kind == echo {
						onHeap, taken = 2*int(large), 0
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				s := <-summaries
				poll(func() bool { return pool.Stats().Out == 0 }) // The arena of a call is put back after Observe.
				reason := arenascope.ReasonUnused
				if taken > 0 {
					reason = ""
				}
				if reply.Id != taken || s.Reused != (taken > 0) || s.Reason != reason || s.OnHeap != onHeap {
					t.Errorf("%s of %d bytes: %d arenas, %+v", method, size, reply.Id, s)
				}
			}
		}
	}
	server.GracefulStop()
	if s := pool.Stats(); s.Gets == 0 || s.Out != 0 {
		t.Errorf("%+v", s)
	}
}

// broken is memory that has none.
type broken struct{}

func (broken) Alloc(int) ([]byte, error) { return nil, errors.New("none is left") }
func (broken) Free([]byte)               {}

// TestMemoryFails has decoding fail for want of memory: the code is ResourceExhausted, as for a
// limit.
func TestMemoryFails(t *testing.T) {
	pool := &arena.Pool{Options: arena.Options{Memory: broken{}, Finalize: true}}
	summaries := make(chan arenagrpc.Summary, 1)
	r := newRig(t, arenagrpc.Options{Pool: pool, Observe: func(_ context.Context, _ string, s arenagrpc.Summary) { summaries <- s }})
	c := &caller{client: echopb.NewEchoClient(r.dial())}
	for _, method := range []string{"Unary", "ServerStream", "ClientStream", "Bidi"} {
		var err error
		if method == "Unary" {
			_, err = c.client.Unary(t.Context(), message(7, 3))
		} else {
			err = c.stream(t.Context(), method, keeps, 7, 3)
		}
		if status.Code(err) != codes.ResourceExhausted {
			t.Errorf("%s: %v, want ResourceExhausted", method, err)
		}
		if s := <-summaries; s.Reason != arenascope.ReasonLimit || s.Limit != nil {
			t.Errorf("%s: %+v", method, s)
		}
	}
	r.stop(pool)
}

// TestAbandoned has an interceptor before all others refuse calls whose requests have been decoded:
// what stays of them is bounded before a collection, nothing stays after it, and other calls are
// served as ever.
func TestAbandoned(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	pool := &arena.Pool{}
	server := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if req.(*echopb.Message).Kind == refused {
			return nil, status.Error(codes.PermissionDenied, "no")
		}
		reply, err := next(ctx, req)
		if m, ok := concrete(reply).(*echopb.Message); err == nil && (!ok || intact("the reply", m) != nil) {
			t.Errorf("the first interceptor sees %T", reply)
		}
		return reply, err
	}
	options, pending := arenagrpc.ServerOptionsPending(arenagrpc.Options{Pool: pool, Threshold: 1}, grpc.UnaryInterceptor(server))
	srv, conn := serve(t, &service{t: t}, options...)
	c := &caller{client: echopb.NewEchoClient(conn)}
	for i := range 200 {
		m := message(int64(i+1), 3)
		m.Kind, m.Data = refused, make([]byte, i%2<<20)
		if _, err := c.client.Unary(t.Context(), m); status.Code(err) != codes.PermissionDenied {
			t.Fatal(err)
		}
		if i%10 == 0 {
			if err := c.unary(t.Context(), own, int64(i+1), 3); err != nil {
				t.Error(err)
			}
		}
	}
	n := pending()
	if n == 0 || n == 200 {
		t.Errorf("%d messages are pending: nothing is tested, or nothing is bounded", n)
	}
	poll(func() bool { return pool.Stats().Out == int64(n) }) // The arena of a call may be put back after its reply.
	srv.GracefulStop()
	quiet(t, pool, pending)
}
