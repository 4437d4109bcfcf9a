package arenagrpc_test

import (
	"context"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/fake"
	"google.golang.org/grpc"
)

// A forker is a service whose handlers have goroutines at work.
type forker struct {
	echopb.UnimplementedEchoServer
	t    *testing.T
	left chan context.Context // the context of a goroutine
}

// work has goroutines make the words of a reply, in arenas of their own.
func (f forker) work(ctx context.Context, m *echopb.Message) *echopb.Message {
	a := arena.FromContext(ctx)
	reply := arena.New[echopb.Message](a)
	reply.Words = arena.MakeSlice[string](a, fake.Goroutines, fake.Goroutines)
	f.left <- fake.Fork(f.t, ctx, arena.Fork, arena.FromContext, func(i int, own *arena.Arena) {
		reply.Words[i] = arena.Concat(own, m.Text, " ", arena.Sprintf(own, "part %d", i))
	})
	return reply
}

func (f forker) Unary(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
	return f.work(ctx, m), nil
}

func (f forker) Bidi(stream grpc.BidiStreamingServer[echopb.Message, echopb.Message]) error {
	arenascope.Receive(stream.Context(), arenascope.PerMessage)
	m, err := stream.Recv()
	if err != nil {
		return err
	}
	return stream.Send(f.work(stream.Context(), m))
}

// TestFork proves that goroutines which a handler waits for have arenas of their own by arena.Fork,
// which end with the call.
func TestFork(t *testing.T) {
	pool := &arena.Pool{}
	summaries := make(chan arenagrpc.Summary, 1)
	service := forker{t: t, left: make(chan context.Context, 1)}
	_, conn := serve(t, service, arenagrpc.ServerOptions(arenagrpc.Options{Pool: pool, Threshold: 1,
		Observe: func(_ context.Context, _ string, s arenagrpc.Summary) { summaries <- s }})...)
	client := echopb.NewEchoClient(conn)
	for _, method := range []string{"Unary", "Bidi"} {
		forks := fake.Goroutines
		var reply *echopb.Message
		var err error
		m := &echopb.Message{Text: "text of the request"}
		if method == "Unary" {
			reply, err = client.Unary(t.Context(), m)
		} else {
			forks++ // the arena of the messages
			var stream grpc.BidiStreamingClient[echopb.Message, echopb.Message]
			if stream, err = client.Bidi(t.Context()); err == nil {
				err = stream.Send(m)
			}
			if err == nil {
				reply, err = stream.Recv()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		const want = "text of the request part 0,text of the request part 1,text of the request part 2,text of the request part 3"
		if got := strings.Join(reply.Words, ","); got != want {
			t.Errorf("%s: the reply is %s", method, got)
		}
		s := <-summaries
		if !s.Reused || len(s.Forks) != forks {
			t.Errorf("%s: %d forks, want %d; %+v", method, len(s.Forks), forks, s)
		}
		for _, fork := range s.Forks {
			if fork.InUse == 0 {
				t.Errorf("%s: nothing is in an arena", method)
			}
		}
		poll(func() bool { return pool.Stats().Out == 0 }) // The arenas are put back after Observe.
		if st := pool.Stats(); st.Puts != st.Gets || st.Dropped != 0 {
			t.Errorf("%s: the pool: %+v", method, st)
		}
		if ctx := <-service.left; arena.FromContext(ctx) != nil || arena.FromContext(arena.Fork(ctx)) != nil {
			t.Errorf("%s: there is an arena when the call is over", method)
		}
	}
}
