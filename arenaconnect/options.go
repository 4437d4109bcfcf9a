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
	// Pool provides the arenas. Other code may share it. If it is nil, one is made. If Pool.Options
	// has a Memory, set Finalize as well: nobody frees the arenas that are dropped.
	Pool *arena.Pool

	// Limit is the maximum number of bytes that one arena may hold, as Options.Limit of package
	// arena. It applies to the arena of a call, and to each arena for messages of
	// [arenascope.Receive]. 0 means no limit. It must be 0 if Pool is set: Pool.Options contains
	// the limit then.
	Limit int64

	// Threshold is the size in bytes, encoded and uncompressed, from which a message is decoded
	// into an arena. Smaller messages are on the heap, where no limit counts them. A call with only
	// small messages uses no arena unless it asks for one by its context. 0 means DefaultThreshold,
	// and 1 means all messages.
	Threshold int

	// Observe, unless nil, is called once for each call whose messages are protobuf's, binary or
	// JSON, when the call is over and before its arena is reused. Calls run at the same time, and
	// so does Observe. procedure is the full name, "/package.Service/Method".
	Observe func(ctx context.Context, procedure string, s Summary)
}

// DefaultThreshold is the size in bytes from which a message is decoded into an arena if
// Options.Threshold is 0.
const DefaultThreshold = 512

// A Summary describes the fate of the arenas of one call. Forks includes the arenas for messages of
// [arenascope.Receive].
type Summary struct {
	arenascope.Summary
	Panic *arenapb.Panic // why a message is on the heap: decoding it panicked. The first of the call, without its Input

	// OnHeap counts the messages of a client stream that were large enough for an arena but are on
	// the heap. The handler has not called [arenascope.Receive], or has called it with Heap. Such a
	// stream gains nothing.
	OnHeap int
}

// HandlerOptions returns others and, around them, the options with which a handler decodes requests
// into arenas and reuses the arenas; see the package comment.
//
//	path, handler := pingconnect.NewPingServiceHandler(service,
//		arenaconnect.HandlerOptions(arenaconnect.Options{}, others...)...)
//
// Pass the options unchanged to the constructor, with no interceptors or codecs before or after
// them. Interceptors among others see requests and replies until the arena is reused. The options
// serve one handler or many, which then share a Pool.
//
// HandlerOptions panics if the options contradict each other.
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
