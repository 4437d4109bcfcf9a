// Package pending has what a codec tells an interceptor about a message, where the two have nothing in common but its address.
// arenagrpc has the same package: it is a module of its own, and modules share no internal packages.
package pending

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// A Table has the tickets of messages that were decoded and that nobody has claimed yet. Its functions are set before first use.
//
// The call that a message belongs to may end before anybody claims the ticket, and nobody is told. So a ticket waits no longer than its message lives:
// the table does not keep messages, and after each collection it gives up the tickets of those that are gone. Until then, the
// arenas of tickets hold Most bytes together, or are one.
//
// The message must not be in, or reachable from, what its ticket holds.
//
// Goroutines may use a table at the same time.
type Table[T any] struct {
	Weigh func(ticket T) (bytes int64) // how much a ticket holds
	Lost  func(ticket T)               // called with a ticket whose message is gone, or has got another one

	held   atomic.Int64 // the sum of entry.bytes
	armed  atomic.Bool  // sweep will be called after a collection that begins later
	shards [shards]shard[T]
}

// Most is how many bytes may wait in a table.
const Most = 16 << 20

const shards = 16

type shard[T any] struct {
	n   atomic.Int32 // how many entries there are, for those who look for one
	mu  sync.Mutex
	all map[uintptr]*entry[T] // by the address of the message
	_   [40]byte              // keeps the next one out of the cache line
}

type entry[T any] struct {
	message weak.Pointer[byte] // a dead message is not the next one at its address
	ticket  T
	bytes   int64 // 0 if it was not weighed
}

// pointerTo returns a message as a pointer to its first byte.
//
// SAFETY: message has a pointer to a value of one byte or more, of which the collector knows. A *byte to it keeps it alive as a whole. It is never
// read through.
func pointerTo(message any) *byte { return (*byte)(reflect.ValueOf(message).UnsafePointer()) }

// addressOf returns the address of a message, and the number of its shard.
func addressOf(message any) (address uintptr, shard uint64) {
	const golden = 0x9e3779b97f4a7c15
	address = reflect.ValueOf(message).Pointer()
	return address, uint64(address) * golden >> 60
}

// Put puts the ticket of a message, a pointer that is not nil to something that has a size. It reports false if the ticket must not wait, because too much
// does already: whoever asks for it makes do without. A ticket that holds little may wait without being weighed, if hardly any others do.
func (t *Table[T]) Put(message any, ticket T, little bool) (waits bool) {
	p := pointerTo(message)
	address, n := addressOf(message)
	s := &t.shards[n]
	e := &entry[T]{message: weak.Make(p), ticket: ticket}
	if !little || s.n.Load() > 0 {
		if e.bytes = t.Weigh(ticket); e.bytes > 0 {
			if held := t.held.Add(e.bytes); held > Most && held > e.bytes {
				t.held.Add(-e.bytes)
				return false
			}
		}
	}
	s.mu.Lock()
	former := s.all[address]
	if s.all == nil {
		s.all = map[uintptr]*entry[T]{}
	}
	s.all[address] = e
	s.n.Store(int32(len(s.all)))
	s.mu.Unlock()
	if former != nil {
		t.lost(former)
	}
	t.arm()
	runtime.KeepAlive(message)
	return true
}

// Claim takes the ticket of a message away, if there is one. It costs little if there is none.
func (t *Table[T]) Claim(message any) (ticket T, ok bool) {
	address, n := addressOf(message)
	s := &t.shards[n]
	if s.n.Load() == 0 {
		return ticket, false
	}
	s.mu.Lock()
	e := s.all[address]
	if e != nil {
		delete(s.all, address)
		s.n.Store(int32(len(s.all)))
	}
	s.mu.Unlock()
	switch {
	case e == nil:
		return ticket, false
	case e.message.Value() != pointerTo(message):
		t.lost(e)
		return ticket, false
	}
	t.held.Add(-e.bytes)
	return e.ticket, true
}

func (t *Table[T]) lost(e *entry[T]) {
	t.held.Add(-e.bytes)
	t.Lost(e.ticket)
}

// A marker is collected by the first collection that begins when nobody has it. It is too large to share its memory with other small values.
type marker [4]uintptr

// arm has sweep called when a marker is collected.
func (t *Table[T]) arm() {
	if !t.armed.Load() && t.armed.CompareAndSwap(false, true) {
		runtime.AddCleanup(new(marker), (*Table[T]).sweep, t)
	}
}

// sweep gives up the tickets of messages that are gone, and will be called again if others are left. A ticket that is put meanwhile is seen, or
// its Put arms the table again.
func (t *Table[T]) sweep() {
	t.armed.Store(false)
	var gone []*entry[T]
	left := false
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for address, e := range s.all {
			if e.message.Value() == nil {
				delete(s.all, address)
				gone = append(gone, e)
			}
		}
		s.n.Store(int32(len(s.all)))
		left = left || len(s.all) > 0
		s.mu.Unlock()
	}
	if left {
		t.arm()
	}
	for _, e := range gone {
		t.lost(e)
	}
}

// Len returns how many tickets wait.
func (t *Table[T]) Len() (n int) {
	for i := range t.shards {
		n += int(t.shards[i].n.Load())
	}
	return n
}
