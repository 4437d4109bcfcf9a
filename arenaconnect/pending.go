package arenaconnect

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect/internal/pending"
	"github.com/arena-go/arena/arenapb"
)

// A ticket says where the request of a unary call lies. Connect tells the codec nothing but the address of the message, and nobody claims the ticket
// where an interceptor before ours answers, or a second message or something else follows that makes the call fail. So all that depends on a
// ticket can do without: a message whose ticket is lost lies in memory of its own that is never used again, or on the heap.
type ticket struct {
	arena   *arena.Arena   // nil is the heap
	memory  error          // why the call is to be refused; the message is on the heap, and whole
	failure *arenapb.Panic // why it is on the heap
}

type tickets = pending.Table[ticket]

// little is the size from which a message is worth the time of finding out how much its arena holds.
const little = 16 << 10

func (t ticket) weigh() int64 { return t.arena.Stats().Reserved }
