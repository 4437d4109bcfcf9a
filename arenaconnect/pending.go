package arenaconnect

import (
	"reflect"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

// A ticket says where the request of a unary call lies.
type ticket struct {
	message proto.Message
	arena   *arena.Arena   // nil is the heap
	memory  error          // why the message is empty
	failure *arenapb.Panic // why it is on the heap
}

// pending has the tickets of messages that were decoded, and that no interceptor has claimed yet.
//
// Connect calls no interceptor when a request is followed by something that makes the call fail, and tells nobody. So a ticket may stay
// for good. Hence the table has a fixed number of places: a ticket that finds none takes that of another, whose
// message then lies in an arena that is never used again. That costs what the heap costs, and is rare: a place is taken
// for as long as connect takes to find the end of the request. Nothing is locked, and places are in different
// cache lines for most messages.
type pending struct {
	places [places]atomic.Pointer[ticket]
}

const (
	places = 256
	probes = 4
)

// place returns the first place for a message.
func place(m proto.Message) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return uint64(reflect.ValueOf(m).Pointer()) * golden >> 32
}

// put puts a ticket. It returns the one whose place was taken, or nil.
func (p *pending) put(t *ticket) (lost *ticket) {
	at := place(t.message)
	for i := range uint64(probes) {
		if p.places[(at+i)%places].CompareAndSwap(nil, t) {
			return nil
		}
	}
	return p.places[at%places].Swap(t)
}

// claim takes the ticket of a message. It returns nil where there is none.
func (p *pending) claim(m proto.Message) *ticket {
	at := place(m)
	for i := range uint64(probes) {
		at := &p.places[(at+i)%places]
		if t := at.Load(); t != nil && t.message == m && at.CompareAndSwap(t, nil) {
			return t
		}
	}
	return nil
}

// refused is in the unknown fields of a message that could not be decoded within the limit, so that nobody takes
// it for one that was sent empty, although its ticket may be lost. It is known by its address. It is a field that no message has.
var refused = []byte{0xf8, 0xff, 0xff, 0xff, 0x0f, 0}

func isRefused(m proto.Message) bool {
	b := m.ProtoReflect().GetUnknown()
	return len(b) == len(refused) && &b[0] == &refused[0]
}
