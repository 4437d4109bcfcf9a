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

	// Observe, unless it is nil, is called once for each call that comes to the interceptors, when
	// the call is over, before its arena is used again. Calls run at the same time, and so
	// do these. method is the full name, "/package.Service/Method".
	Observe func(ctx context.Context, method string, s Summary)
}

// A Summary says what became of the arenas of one call. Forks are also those for messages that [arenascope.Receive] asks for.
type Summary struct {
	arenascope.Summary
	Panic *arenapb.Panic // why a message lies on the heap: decoding it panicked. The first of the call, without its Input

	// OnHeap is how many messages of a client's stream were large enough for an arena, and lie on the heap because the
	// handler has not called [arenascope.Receive], or has called it with Heap: such a stream gains nothing.
	OnHeap int
}

// DefaultThreshold is the size in bytes from which a message lies in an arena, unless Options.Threshold says another.
const DefaultThreshold = 512

// ServerOptions returns others and, around and after them, the options by which a server decodes requests into
// arenas and uses those again; see the package comment.
//
//	grpc.NewServer(arenagrpc.ServerOptions(arenagrpc.Options{}, others...)...)
//
// The options go to grpc.NewServer as they are, with no interceptors or codecs before or behind them. Interceptors among others are set with
// grpc.ChainUnaryInterceptor and ChainStreamInterceptor: they see requests and replies until the arena is used again. One that is set with
// grpc.UnaryInterceptor or StreamInterceptor comes before those of this package. The options serve one server or many.
//
// The server uses the protobuf codec for all calls, whatever content-subtype they name, unless there is another codec among the other options. A codec that
// the program has registered as "proto" decodes all messages, and none of them lies in an arena then.
//
// ServerOptions panics when the options contradict each other, and where the codec registered as "proto"
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

// registered returns the codec for protobuf, which encodes, and decodes what is not a message. It tells whether the codec is the program's own, and not that
// of gRPC: then nobody else knows what it accepts, and what it makes of a message. who is named in a panic.
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
