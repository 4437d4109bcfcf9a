package arenaconnect_test

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenascope"
)

// A faulty is memory of the heap, which panics with value when it is asked for the n-th time by the
// codec, from when n was set. If value is nil it fails from then on: an arena asks again for less.
type faulty struct {
	n     atomic.Int64
	fired atomic.Bool
	value any
}

func (f *faulty) Alloc(n int) ([]byte, error) {
	if f.n.Load() > 0 && strings.Contains(string(debug.Stack()), "arenaconnect.decode") {
		switch {
		case f.n.Load() > 1:
			f.n.Add(-1)
		case f.value == nil:
			f.fired.Store(true)
			return nil, errors.New("no memory")
		default:
			f.n.Store(0)
			f.fired.Store(true)
			panic(f.value)
		}
	}
	return make([]byte, n), nil
}

func (f *faulty) Free([]byte) {}

// TestPanic makes decoding panic at each place that allocates, as by a mistake and as by the misuse
// of an arena: calls of all kinds go on, and the panic is reported. Memory that fails ends the
// call, with the right code.
func TestPanic(t *testing.T) {
	defer arenapb.OnPanic(nil)
	for _, value := range []any{"arena: an arena is used after Free", nil, errors.New("a mistake")} {
		for i, method := range []string{"Unary", "ServerStream", "ClientStream", "Bidi", "Unary", "ServerStream", "ClientStream", "Bidi"} {
			w := ways[3]
			if i >= 4 {
				w = ways[slices.IndexFunc(ways, way.json)]
				if _, ok := value.(error); ok || gaveUp() {
					continue
				}
			}
			memory := &faulty{value: value}
			var told atomic.Int64
			arenapb.OnPanic(func(p *arenapb.Panic) {
				told.Add(1)
				if p.Value != value || !strings.Contains(string(p.Stack), "(*faulty).Alloc") {
					t.Errorf("told of %v", p)
				}
			})
			summaries := make(chan arenaconnect.Summary, 1)
			pool := &arena.Pool{Options: arena.Options{Memory: memory, Finalize: true}}
			r := newRig(t, arenaconnect.Options{Threshold: 1, Pool: pool,
				Observe: func(_ context.Context, _ string, s arenaconnect.Summary) { summaries <- s }})
			client := r.dial(w)
			c := call{way: w, method: method, kind: echo, id: 7, parts: 3}
			if method == "ClientStream" {
				c.kind = keeps // PerCall
			}
			seen := 0
			for n := int64(1); n <= 3; n++ {
				before := told.Load()
				memory.n.Store(n)
				o := c.on(t.Context(), client)
				s := <-summaries
				memory.n.Store(0)
				if !memory.fired.Swap(false) {
					continue // no such place
				}
				seen++
				if value == nil {
					if connect.CodeOf(o.err) != connect.CodeResourceExhausted || s.Reason != arenascope.ReasonLimit || s.Reused {
						t.Errorf("%s: %v, %+v", method, o.err, s)
					}
					continue
				}
				if err := c.check(o, 0); err != nil {
					t.Errorf("%s: %v", method, err)
				}
				if told.Load() == before || s.Panic == nil || s.Panic.Value != value || s.Panic.Input != nil || s.Reused || s.Reason != arenascope.ReasonDecode {
					t.Errorf("%s: %+v", method, s)
				}
			}
			if seen == 0 {
				t.Errorf("%s: there was no failure", method)
			}
			if err := c.check(c.on(t.Context(), client), 0); err != nil {
				t.Errorf("%s: the next call: %v", method, err)
			}
			if s := <-summaries; s.Panic != nil {
				t.Errorf("%s: the next call: %v", method, s.Panic)
			}
			r.stop(pool)
		}
	}
}

// gaveUp reports whether package arenapb leaves messages in JSON to protojson, as it does after a
// mistake of its decoder: when the test runs a second time.
func gaveUp() bool {
	return slices.ContainsFunc(arenapb.JSONFallbacks(&echopb.Message{}), func(s string) bool { return strings.Contains(s, "has panicked") })
}
