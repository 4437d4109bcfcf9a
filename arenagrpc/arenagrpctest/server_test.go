package arenagrpctest_test

import (
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc/arenagrpctest"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/internal/fake"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

// A service answers with what handle returns.
type service struct {
	echopb.UnimplementedEchoServer
	handle func(ctx context.Context, m *echopb.Message) *echopb.Message
}

func (s service) Unary(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
	return s.handle(ctx, m), nil
}

func (s service) ServerStream(m *echopb.Message, stream grpc.ServerStreamingServer[echopb.Message]) error {
	return stream.Send(s.handle(stream.Context(), m))
}

// serve returns a client of a server with the handler, which ends with t.
func serve(t *testing.T, f testing.TB, handle func(ctx context.Context, m *echopb.Message) *echopb.Message) echopb.EchoClient {
	l := bufconn.Listen(1 << 16)
	s := grpc.NewServer(arenagrpctest.ServerOptions(f)...)
	echopb.RegisterEchoServer(s, service{handle: handle})
	var serving sync.WaitGroup
	serving.Go(func() { s.Serve(l) })
	conn, err := grpc.NewClient("passthrough:", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	f.Cleanup(func() { conn.Close(); s.GracefulStop(); serving.Wait() })
	return echopb.NewEchoClient(conn)
}

// TestInnocent proves that calls work as without guard mode, and that a copy may be kept.
func TestInnocent(t *testing.T) {
	var cache sync.Map
	client := serve(t, t, func(ctx context.Context, m *echopb.Message) *echopb.Message {
		if arena.FromContext(ctx) == nil {
			t.Error("a call has no arena")
		}
		cache.Store(strings.Clone(m.Text), m.Id)
		return m
	})
	for i := range 3 {
		if m, err := client.Unary(t.Context(), &echopb.Message{Id: int64(i), Text: "a text to be kept"}); err != nil || m.GetId() != int64(i) {
			t.Error(m, err)
		}
	}
}

// TestKept proves that a text which a service keeps is found by one call.
func TestKept(t *testing.T) {
	f := fake.New(t, t.Name())
	cache := map[string]int64{}
	client := serve(t, f, func(_ context.Context, m *echopb.Message) *echopb.Message {
		cache[m.Text] = m.Id
		return m
	})
	if _, err := client.Unary(t.Context(), &echopb.Message{Text: "a text that is kept"}); err != nil {
		t.Error(err)
	}
	got := f.End()
	for _, want := range []string{"kept after the end", "a text that is kept", "/arenagrpc.echo.Echo/Unary"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q:\n%s", want, got)
		}
	}
	runtime.KeepAlive(cache)
}

// TestStale proves that the use of what a former call has left behind fails the test, and that
// call.
func TestStale(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector fails it: not with -race")
	}
	use := map[string]func(client echopb.EchoClient) error{
		"unary": func(client echopb.EchoClient) error {
			_, err := client.Unary(t.Context(), &echopb.Message{Text: "a text of a unary call"})
			return err
		},
		"stream": func(client echopb.EchoClient) error {
			stream, err := client.ServerStream(t.Context(), &echopb.Message{Text: "a text of a stream"})
			for err == nil { // until the status, which comes when the arena of the call has ended
				_, err = stream.Recv()
			}
			if err == io.EOF {
				return nil
			}
			return err
		},
	}
	for name, call := range use {
		t.Run(name, func(t *testing.T) {
			f := fake.New(t, t.Name())
			var last string
			client := serve(t, f, func(_ context.Context, m *echopb.Message) *echopb.Message {
				reply := &echopb.Message{Text: last}
				last = m.Text
				return reply
			})
			if err := call(client); err != nil {
				t.Error(err)
			}
			if err := call(client); status.Code(err) != codes.Internal {
				t.Errorf("the call with a stale text returns %v", err)
			}
			last = ""
			if got := f.End(); !strings.Contains(got, "use after Reset") {
				t.Errorf("the use of a stale text is not reported: %s", got)
			}
		})
	}
}
