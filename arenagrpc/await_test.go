package arenagrpc_test

import (
	"context"
	"io"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"google.golang.org/grpc"
)

// TestAwaited has many streams wait at the same time, and unary calls in between: each message
// comes to its stream, and lies where that has said.
func TestAwaited(t *testing.T) {
	streams, rounds := 768, int64(3)
	if raceEnabled {
		streams, rounds = 256, 2
	}
	pool := &arena.Pool{}
	summaries := make(chan arenagrpc.Summary, streams)
	r := newRig(t, arenagrpc.Options{Pool: pool, Observe: func(_ context.Context, method string, s arenagrpc.Summary) {
		if method == echopb.Echo_Bidi_FullMethodName {
			summaries <- s
		}
	}})
	c := &caller{client: echopb.NewEchoClient(r.dial())}
	var all []grpc.BidiStreamingClient[echopb.Message, echopb.Message]
	for range streams {
		stream, err := c.client.Bidi(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stream)
	}
	for round := range rounds {
		for i, stream := range all {
			id := int64(i+1)<<32 + round
			if err := stream.Send(c.request(echo, id, 3)); err != nil {
				t.Fatal(err)
			}
			for _, id := range []int64{id, int64(i+1) << 32} {
				reply, err := stream.Recv()
				if err != nil {
					t.Fatal(err)
				}
				if err := c.replied(reply, id); err != nil {
					t.Error(err)
				}
			}
			if i%3 == 0 {
				if err := c.unary(t.Context(), echo, id, 3); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for _, stream := range all {
		stream.CloseSend()
		if _, err := stream.Recv(); err != io.EOF {
			t.Error(err)
		}
		if s := <-summaries; !s.Reused {
			t.Errorf("%+v", s)
		}
	}
	r.stop(pool)
	if s := pool.Stats(); s.Dropped != 0 {
		t.Errorf("arenas were dropped: %+v", s)
	}
}
