package arenagrpc

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc/internal/pending"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

// A ticket says where the request of a unary call lies. gRPC tells the codec nothing but the address of the message. An interceptor set with
// grpc.UnaryInterceptor comes before all others, and may refuse a call whose request has been decoded; and since version 1.85
// gRPC itself ends a call whose client is gone between its message and its end. Then the ticket stays pending.
type ticket struct {
	pending.Place
	arena   *arena.Arena   // nil is the heap
	memory  error          // why the message is empty
	failure *arenapb.Panic // why it is on the heap
}

// tickets are those of messages that were decoded, and that no interceptor has claimed yet. The message of one that is lost lies in an arena that is never
// used again, or on the heap.
type tickets = pending.Table[ticket, *ticket]

// refused is in the unknown fields of a message that could not be decoded within the limit, so that nobody takes
// it for one that was sent empty, although its ticket may be lost. It is known by its address. It is a field that no message has.
var refused = []byte{0xf8, 0xff, 0xff, 0xff, 0x0f, 0}

func isRefused(m proto.Message) bool {
	b := m.ProtoReflect().GetUnknown()
	return len(b) == len(refused) && &b[0] == &refused[0]
}
