package arenagrpc

import (
	"reflect"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

// A ticket says where a message is to be decoded, or where it has been. gRPC tells the codec nothing but the address of the message.
type ticket struct {
	message any

	scope  *scope // the call whose stream receives the message; nil is a unary call, which is not known yet
	heap   bool   // if scope: the message is to lie on the heap
	unsaid bool   // if heap: because the handler has not said how long it lives

	passed atomic.Int32 // without a scope: how many other tickets have found its place taken

	arena   *arena.Arena   // where the message lies; nil is the heap, or an arena that scope has
	memory  error          // why the message is empty
	failure *arenapb.Panic // why it is on the heap
}

// pending has the tickets of messages that are being received, or were decoded and that no interceptor has claimed yet.
//
// A ticket may stay for good: an interceptor set with grpc.UnaryInterceptor comes before all others, and may refuse a call whose request has been
// decoded; and since version 1.85 gRPC itself ends a call whose client is gone between its message and its end. Hence the table has a fixed number
// of places: a ticket that finds none takes that of another, whose message then lies in an arena that is never used again, or on the heap. The
// ticket of a unary call gives way earlier, when stale others have found its place taken: that call is over. Else a place is taken for as long as
// a message takes to be decoded, or the stream's goroutine waits for it. Nothing is locked, and places are in different cache lines for most messages.
type pending struct {
	places [places]atomic.Pointer[ticket]
}

const (
	places = 256
	probes = 4
	stale  = 16
)

// place returns the first place for a message, which is a pointer.
func place(v any) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return uint64(reflect.ValueOf(v).Pointer()) * golden >> 32
}

// put puts a ticket. It returns the one whose place was taken, or nil.
func (p *pending) put(t *ticket) (lost *ticket) {
	at := place(t.message)
	for i := range uint64(probes) {
		at := &p.places[(at+i)%places]
		if at.CompareAndSwap(nil, t) {
			return nil
		}
		if old := at.Load(); old != nil && old.scope == nil && old.passed.Add(1) >= stale && at.CompareAndSwap(old, t) {
			return old
		}
	}
	return p.places[at%places].Swap(t)
}

// find returns the ticket of a message, or nil where there is none.
func (p *pending) find(v any) *ticket {
	at := place(v)
	for i := range uint64(probes) {
		if t := p.places[(at+i)%places].Load(); t != nil && t.message == v {
			return t
		}
	}
	return nil
}

// claim is find, and takes the ticket away.
func (p *pending) claim(v any) *ticket {
	at := place(v)
	for i := range uint64(probes) {
		at := &p.places[(at+i)%places]
		if t := at.Load(); t != nil && t.message == v && at.CompareAndSwap(t, nil) {
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
