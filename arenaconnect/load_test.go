package arenaconnect_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/internal/testrun"
)

// TestLoad proves that no call sees the bytes of another, whatever handlers, clients and
// interceptors do at the same time, and that no arena is lost.
func TestLoad(t *testing.T) {
	for _, mode := range []string{"plain", "guard", "kill", "small"} {
		t.Run(mode, func(t *testing.T) { load(t, mode) })
	}
}

func load(t *testing.T, mode string) {
	clients, calls := 20, 150
	switch {
	case raceEnabled, !testrun.Long():
		calls = 12
	case mode != "plain":
		calls = 60
	}
	before := runtime.NumGoroutine()
	pool := &arena.Pool{Options: arena.Options{Name: "load", Limit: limit}}
	threshold := 1
	switch mode {
	case "guard":
		pool.GuardEvery = 4
	case "small":
		threshold = 0
	}
	r := newRig(t, arenaconnect.Options{Threshold: threshold, Pool: pool, Observe: func(_ context.Context, _ string, s arenaconnect.Summary) {
		if s.Reused && s.Reason != "" {
			t.Errorf("a contradiction: %+v", s)
		}
	}})
	seed := testrun.Seed(t)
	var wg sync.WaitGroup
	for i := range clients {
		w := ways[i%len(ways)]
		client := r.dial(w)
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
			for j := range calls {
				c := call{way: w, id: int64(1 + i*calls + j), parts: 1 + rnd.IntN(20)}
				if rnd.IntN(200) == 0 {
					c.parts = 1000 // above the size of a flow-control window
				}
				err := once(t.Context(), client, c, rnd)
				if mode == "kill" {
					if rnd.IntN(100) == 0 {
						r.conns.kill()
					}
					switch connect.CodeOf(err) {
					case connect.CodeUnavailable, connect.CodeInternal, connect.CodeUnknown, connect.CodeCanceled,
						connect.CodeUnimplemented: // a status of 404 without its body
						if _, ours := err.(*connect.Error); ours {
							continue // the connection is gone
						}
					}
				}
				if err != nil {
					t.Errorf("%v: %v", c, err)
					return
				}
			}
		})
	}
	wg.Wait()
	r.stop(pool)
	poll(func() bool { return runtime.NumGoroutine() <= before })
}

// once makes a call of any kind.
func once(ctx context.Context, client echopb.EchoClient, c call, rnd *rand.Rand) error {
	some := func(kinds ...int32) int32 { return kinds[rnd.IntN(len(kinds))] }
	switch n := rnd.IntN(12); {
	case n == 0 && !c.way.get():
		c.method, c.kind = "ServerStream", some(echo, headers, fails, panics, waits)
	case n == 1:
		c.method, c.kind, c.parts = "ClientStream", some(echo, keeps, headers), 1+c.parts%100
	case n == 2 && c.way.h2:
		c.method, c.kind, c.parts = "Bidi", some(echo, headers, keeps, fails, panics), 1+c.parts%100
	default:
		c.method, c.kind = "Unary", rnd.Int32N(kinds)
		if rnd.IntN(2) == 0 {
			c.kind = some(echo, part, own, headers)
		}
	}
	var code connect.Code
	switch c.kind {
	case fails, refused:
		code = connect.CodeNotFound
	case panics:
		code = connect.CodeInternal
	case limited, limitError:
		code = connect.CodeResourceExhausted
	case waits, abandons:
		code = connect.CodeDeadlineExceeded
		var cancel context.CancelFunc
		if c.id%2 == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(1+c.id%5)*time.Millisecond)
		} else {
			code = connect.CodeCanceled
			ctx, cancel = context.WithCancel(ctx)
			time.AfterFunc(time.Duration(1+c.id%5)*time.Millisecond, cancel)
		}
		defer cancel()
	}
	o := c.on(ctx, client)
	if ctx.Err() != nil || o.err == nil && (c.kind == waits || c.kind == abandons) {
		return nil // in time or not
	}
	err := c.check(o, code)
	if o.err != nil && err != nil {
		return o.err
	}
	return err
}
