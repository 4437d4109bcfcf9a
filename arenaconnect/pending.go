package arenaconnect

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect/internal/pending"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

// A ticket says where the request of a unary call lies. Connect calls no interceptor when a request is followed by something that
// makes the call fail, and tells nobody: then it stays pending.
type ticket struct {
	pending.Place
	arena   *arena.Arena   // nil is the heap
	memory  error          // why the message is empty
	failure *arenapb.Panic // why it is on the heap
}

// tickets are those of messages that were decoded, and that no interceptor has claimed yet. The message of one that is lost lies in an arena that is never
// used again. That costs what the heap costs.
type tickets = pending.Table[ticket, *ticket]

// refused is in the unknown fields of a message that could not be decoded within the limit, so that nobody takes
// it for one that was sent empty, although its ticket may be lost. It is known by its address. It is a field that no message has.
var refused = []byte{0xf8, 0xff, 0xff, 0xff, 0x0f, 0}

func isRefused(m proto.Message) bool {
	b := m.ProtoReflect().GetUnknown()
	return len(b) == len(refused) && &b[0] == &refused[0]
}
