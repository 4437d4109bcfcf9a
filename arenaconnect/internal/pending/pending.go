// Package pending has what a codec tells an interceptor about a message, where the two have nothing in common but its address.
// arenagrpc has the same package: it is a module of its own, and modules share no internal packages.
package pending

import (
	"reflect"
	"sync/atomic"
)

// A Place is what each ticket of a [Table] has in it.
type Place struct {
	Message any          // a pointer to the message
	passed  atomic.Int32 // how many other tickets have found its place taken
}

func (p *Place) place() *Place { return p }

// A Table has the tickets of messages that were decoded and that nobody has claimed yet. The zero value is empty.
//
// A ticket may stay for good: the call that its message belongs to may have ended in between, and nobody is told. Hence the table has a fixed
// number of places. A ticket that finds none takes that of another. It gives way earlier when some others have found its place taken: its
// call is over. Whoever has lost a ticket makes do without.
//
// Nothing is locked, and goroutines may use a table at the same time. Places are in different cache lines for most messages.
type Table[T any, P interface {
	*T
	place() *Place
}] struct {
	places [Places]atomic.Pointer[T]
}

// Places is how many tickets a table has at most.
const Places = 256

const (
	probes = 4
	stale  = 16
)

// first returns the first place for a message.
func first(message any) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return uint64(reflect.ValueOf(message).Pointer()) * golden >> 32
}

// Put puts a ticket, which is not in a table. It returns the one whose place was taken, or nil.
func (t *Table[T, P]) Put(ticket P) (lost P) {
	at := first(ticket.place().Message)
	for i := range uint64(probes) {
		at := &t.places[(at+i)%Places]
		if at.CompareAndSwap(nil, ticket) {
			return nil
		}
		if old := at.Load(); old != nil && P(old).place().passed.Add(1) >= stale && at.CompareAndSwap(old, ticket) {
			return old
		}
	}
	return t.places[at%Places].Swap(ticket)
}

// Claim takes the ticket of a message away. It returns nil where there is none.
func (t *Table[T, P]) Claim(message any) P {
	at := first(message)
	for i := range uint64(probes) {
		at := &t.places[(at+i)%Places]
		if ticket := P(at.Load()); ticket != nil && ticket.place().Message == message && at.CompareAndSwap(ticket, nil) {
			return ticket
		}
	}
	return nil
}

// All yields the tickets.
func (t *Table[T, P]) All(yield func(P) bool) {
	for i := range t.places {
		if ticket := t.places[i].Load(); ticket != nil && !yield(ticket) {
			return
		}
	}
}
