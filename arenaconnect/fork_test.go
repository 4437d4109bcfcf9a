package arenaconnect_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/fake"
)

// A forker is a service whose handlers have goroutines at work.
type forker struct {
	echopb.UnimplementedEchoHandler
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

func (f forker) Unary(ctx context.Context, request *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
	return connect.NewResponse(f.work(ctx, request.Msg)), nil
}

func (f forker) Bidi(ctx context.Context, stream *connect.BidiStream[echopb.Message, echopb.Message]) error {
	arenascope.Receive(ctx, arenascope.PerMessage)
	m, err := stream.Receive()
	if err != nil {
		return err
	}
	return stream.Send(f.work(ctx, m))
}

// TestFork proves that goroutines which a handler waits for have arenas of their own by arena.Fork,
// which end with the call.
func TestFork(t *testing.T) {
	pool := &arena.Pool{}
	summaries := make(chan arenaconnect.Summary, 1)
	service := forker{t: t, left: make(chan context.Context, 1)}
	mux := http.NewServeMux()
	mux.Handle(echopb.NewEchoHandler(service, arenaconnect.HandlerOptions(arenaconnect.Options{Pool: pool, Threshold: 1,
		Observe: func(_ context.Context, _ string, s arenaconnect.Summary) { summaries <- s }})...))
	client := listen(t, nil, mux).dial(ways[3])
	for _, method := range []string{"Unary", "Bidi"} {
		forks := fake.Goroutines
		var reply *echopb.Message
		m := &echopb.Message{Text: "text of the request"}
		if method == "Unary" {
			response, err := client.Unary(t.Context(), connect.NewRequest(m))
			if err != nil {
				t.Fatal(err)
			}
			reply = response.Msg
		} else {
			forks++ // the arena of the messages
			stream := client.Bidi(t.Context())
			err := stream.Send(m)
			if err == nil {
				reply, err = stream.Receive()
			}
			if err != nil {
				t.Fatal(err)
			}
			stream.CloseRequest()
			defer stream.CloseResponse()
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
