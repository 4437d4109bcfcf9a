package arenaconnect

import (
	"context"
	"fmt"
	"sync/atomic"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenascope"
)

// Options configure handlers. The zero value is the default.
type Options struct {
	// Pool is where arenas come from, and go back to. It may serve other code too.
	// If it is nil one is made.
	Pool *arena.Pool

	// Limit is the most memory in bytes that one arena may hold, as Options.Limit of package arena: that
	// of a call, and each of those for messages that [arenascope.Receive] asks for. 0 means no limit. It must
	// be 0 where Pool is set: the limit is then that of Pool.Options.
	Limit int64

	// Threshold is the size in bytes, encoded and not compressed, from which a message lies in an arena. Smaller
	// messages lie on the heap, where no limit counts them, and a call that has no other does not take an arena unless
	// it looks for one in its context. 0 means DefaultThreshold, and 1 means all messages.
	Threshold int

	// Observe, unless it is nil, is called once for each call whose messages are protobuf's, binary or JSON, when
	// the call is over, before its arena is used again. Calls run at the same time, and so
	// do these. procedure is the full name, "/package.Service/Method".
	Observe func(ctx context.Context, procedure string, s Summary)
}

// DefaultThreshold is the size in bytes from which a message lies in an arena, unless Options.Threshold says another.
const DefaultThreshold = 512

// A Summary says what became of the arenas of one call. Forks are also those for messages that [arenascope.Receive] asks for.
type Summary struct {
	arenascope.Summary
	Panic *arenapb.Panic // why a message lies on the heap: decoding it panicked. The first of the call, without its Input

	// OnHeap is how many messages of a client's stream were large enough for an arena, and lie on the heap because the
	// handler has not called [arenascope.Receive], or has called it with Heap: such a stream gains nothing.
	OnHeap int
}

// HandlerOptions returns others and, around them, the options by which a handler decodes requests into
// arenas and uses those again; see the package comment.
//
//	path, handler := pingconnect.NewPingServiceHandler(service,
//		arenaconnect.HandlerOptions(arenaconnect.Options{}, others...)...)
//
// The options go to the constructor as they are, with no interceptors or codecs before or behind them. Interceptors among others see
// requests and replies until the arena is used again. The options serve one handler or many, which then
// share a Pool.
//
// HandlerOptions panics when the options contradict each other.
func HandlerOptions(o Options, others ...connect.HandlerOption) []connect.HandlerOption {
	return newServer(o).options(others)
}

func (s *server) options(others []connect.HandlerOption) []connect.HandlerOption {
	options := []connect.HandlerOption{connect.WithInterceptors(outer{s})}
	for i := range formats {
		options = append(options, connect.WithCodec(codec{s, &formats[i], &s.asked[i]}))
	}
	options = append(options, others...)
	return append(options, connect.WithInterceptors(inner{s}))
}

func newServer(o Options) *server {
	switch {
	case o.Pool != nil && o.Limit != 0:
		panic("arenaconnect: HandlerOptions: Options have a Pool and a Limit; set the limit in Pool.Options")
	case o.Limit < 0:
		panic(fmt.Sprintf("arenaconnect: HandlerOptions: Options.Limit is %d; use 0 for no limit", o.Limit))
	case o.Threshold < 0:
		panic(fmt.Sprintf("arenaconnect: HandlerOptions: Options.Threshold is %d; use 1 for all messages", o.Threshold))
	}
	if o.Pool == nil {
		o.Pool = &arena.Pool{Options: arena.Options{Name: "call", Limit: o.Limit}}
	}
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	s := &server{Options: o}
	s.scopes = arenascope.Options{Pool: s.Pool, Errors: errorsOf}
	s.pending.Pool = s.Pool
	return s
}

// A server is what the interceptors and the codec of handlers share.
type server struct {
	Options
	scopes   arenascope.Options
	pending  arenascope.Pending
	awaiting arenascope.Awaiting
	asked    [len(formats)]atomic.Bool // connect has asked the codec of a format for something, and not one that comes later among the options
}
