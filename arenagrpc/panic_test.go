package arenagrpc_test

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/protobuf/proto"
)

// A faulty is memory of the heap, which panics with value when it is asked for the n-th time by the
// codec, from when n was set.
type faulty struct {
	n     atomic.Int64
	value any
}

func (f *faulty) Alloc(n int) ([]byte, error) {
	if f.n.Load() > 0 && strings.Contains(string(debug.Stack()), "arenagrpc.decode(") && f.n.Add(-1) == 0 {
		panic(f.value)
	}
	return make([]byte, n), nil
}

func (f *faulty) Free([]byte) {}

// TestPanic makes decoding panic at each place that allocates, as by a mistake and as by the misuse
// of an arena: calls of all kinds go on, and the panic is reported.
func TestPanic(t *testing.T) {
	for _, value := range []any{errors.New("a mistake"), "arena: an arena is used after Free"} {
		for _, method := range []string{"Unary", "ServerStream", "ClientStream", "Bidi"} {
			memory := &faulty{value: value}
			var told atomic.Int64
			arenapb.OnPanic(func(p *arenapb.Panic) {
				told.Add(1)
				if p.Value != value || !strings.Contains(string(p.Stack), "(*faulty).Alloc") {
					t.Errorf("told of %v", p)
				}
			})
			summaries := make(chan arenagrpc.Summary, 1)
			pool := &arena.Pool{Options: arena.Options{Memory: memory, Finalize: true}}
			r := newRig(t, arenagrpc.Options{Pool: pool,
				Observe: func(_ context.Context, _ string, s arenagrpc.Summary) { summaries <- s }})
			c := &caller{client: echopb.NewEchoClient(r.dial())}
			call := func() (s arenagrpc.Summary) {
				var err error
				if method == "Unary" {
					var reply *echopb.Message
					if reply, err = c.client.Unary(t.Context(), message(7, 3)); err == nil {
						r.check("the reply", reply)
						if !proto.Equal(reply, message(7, 3)) {
							t.Errorf("the reply is %v", reply)
						}
					}
				} else {
					kind := echo
					if method == "ClientStream" {
						kind = keeps // PerCall
					}
					err = c.stream(t.Context(), method, kind, 7, 3)
				}
				if err != nil {
					t.Errorf("%s: %v", method, err)
				}
				return <-summaries
			}
			seen := 0
			for n := int64(1); n <= 3; n++ {
				before := told.Load()
				memory.n.Store(n)
				s := call()
				memory.n.Store(0)
				if told.Load() == before {
					continue // no such place
				}
				seen++
				if s.Panic == nil || s.Panic.Value != value || s.Panic.Input != nil || s.Reused || s.Reason != arenascope.ReasonDecode {
					t.Errorf("%s: %+v", method, s)
				}
			}
			if seen == 0 {
				t.Errorf("%s: there was no panic", method)
			}
			if s := call(); s.Panic != nil {
				t.Errorf("%s: the next call: %v", method, s.Panic)
			}
			r.stop(pool)
		}
	}
	arenapb.OnPanic(nil)
}
