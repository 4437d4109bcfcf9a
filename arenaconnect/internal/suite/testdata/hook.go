// Package arenahook puts the requests of the reference server into arenas if the variable ARENACONNECT_SUITE of the environment
// is "arena" or "guard".
package arenahook

import (
	"context"
	"os"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenascope"
)

// calls has a byte for each call: r where its arena was used again, n where it took none, and d where it was dropped.
var calls, _ = os.OpenFile(os.Getenv("ARENACONNECT_SUITE_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)

// Options returns the options of a handler. Messages of streams lie in arenas too.
func Options(others []connect.HandlerOption) []connect.HandlerOption {
	setting := os.Getenv("ARENACONNECT_SUITE")
	if setting != "arena" && setting != "guard" {
		return others
	}
	o := arenaconnect.Options{Threshold: 1, Pool: &arena.Pool{}, Observe: func(_ context.Context, _ string, s arenaconnect.Summary) {
		switch {
		case s.Reused:
			calls.WriteString("r")
		case s.Reason == arenascope.ReasonUnused:
			calls.WriteString("n")
		default:
			calls.WriteString("d")
		}
	}}
	if setting == "guard" {
		o.Pool.GuardEvery = 1
	}
	return arenaconnect.HandlerOptions(o, append(others, connect.WithInterceptors(receive{}))...)
}

// receive has all handlers say that they are done with messages when the call is over.
type receive struct{}

func (receive) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }

func (receive) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (receive) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		arenascope.Receive(ctx, arenascope.PerCall)
		return next(ctx, conn)
	}
}
