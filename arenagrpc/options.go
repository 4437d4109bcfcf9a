package arenagrpc

import (
	"context"
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
)

// Options configure a server. The zero value is the default.
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

	// Observe, unless nil, is called once for each call that reaches the interceptors, when the
	// call is over and before its arena is reused. Calls run at the same time, and so does Observe.
	// method is the full name, "/package.Service/Method".
	Observe func(ctx context.Context, method string, s Summary)
}

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

// DefaultThreshold is the size in bytes from which a message is decoded into an arena if
// Options.Threshold is 0.
const DefaultThreshold = 512

// ServerOptions returns others and, around and after them, the options with which a server decodes
// requests into arenas and reuses the arenas; see the package comment.
//
//	grpc.NewServer(arenagrpc.ServerOptions(arenagrpc.Options{}, others...)...)
//
// Pass the options unchanged to grpc.NewServer, with no interceptors or codecs before or after
// them. Set interceptors among others with grpc.ChainUnaryInterceptor and ChainStreamInterceptor:
// they see requests and replies until the arena is reused. An interceptor of grpc.UnaryInterceptor
// or StreamInterceptor runs before the interceptors of this package. The options serve one server
// or many.
//
// The server uses the protobuf codec for all calls, whatever content-subtype they name, unless
// there is another codec among the other options. A codec that the program has registered as
// "proto" decodes all messages, and none of them is then in an arena.
//
// ServerOptions panics if the options contradict each other, and if the codec registered as "proto"
// is not an encoding.CodecV2.
func ServerOptions(o Options, others ...grpc.ServerOption) []grpc.ServerOption {
	return newServer(o).options(others)
}

func newServer(o Options) *server {
	switch {
	case o.Pool != nil && o.Limit != 0:
		panic("arenagrpc: ServerOptions: Options have a Pool and a Limit; set the limit in Pool.Options")
	case o.Limit < 0:
		panic(fmt.Sprintf("arenagrpc: ServerOptions: Options.Limit is %d; use 0 for no limit", o.Limit))
	case o.Threshold < 0:
		panic(fmt.Sprintf("arenagrpc: ServerOptions: Options.Threshold is %d; use 1 for all messages", o.Threshold))
	}
	if o.Pool == nil {
		o.Pool = &arena.Pool{Options: arena.Options{Name: "call", Limit: o.Limit}}
	}
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	s := &server{Options: o}
	s.CodecV2, s.own = registered("ServerOptions")
	s.scopes = arenascope.Options{Pool: s.Pool, Errors: errorsOf}
	s.pending.Pool = s.Pool
	return s
}

func (s *server) options(others []grpc.ServerOption) []grpc.ServerOption {
	options := []grpc.ServerOption{grpc.ForceServerCodecV2(s), grpc.ChainUnaryInterceptor(s.outerUnary), grpc.ChainStreamInterceptor(s.outerStream)}
	options = append(options, others...)
	return append(options,
		grpc.ChainUnaryInterceptor(s.innerUnary),
		grpc.ChainStreamInterceptor(s.innerStream))
}

// registered returns the codec for protobuf, which encodes, and decodes values that are no
// messages. It reports whether the codec is the program's own instead of gRPC's: then nobody else
// knows what it accepts, and how it decodes a message. A panic names who.
func registered(who string) (codec encoding.CodecV2, own bool) {
	c := encoding.GetCodecV2(proto.Name)
	if c == nil {
		panic("arenagrpc: " + who + ": the codec registered as \"proto\" is not an encoding.CodecV2; register one that is")
	}
	t := reflect.TypeOf(c)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return c, t.PkgPath() != "google.golang.org/grpc/encoding/proto"
}
