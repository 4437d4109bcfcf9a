package arenascope

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/arena-go/arena"
)

// Pending holds arenas of requests that a codec has decoded and no unit of work has claimed yet.
// The codec and the unit share only the address of the message. With each arena there is a note,
// which the codec leaves for the unit.
//
// The unit may end unnoticed before anybody claims the arena. So an arena waits no longer than its
// message lives: the table does not keep messages, and after each collection it drops the arenas of
// messages that are gone. Until then, the waiting arenas hold at most [MostPending] bytes together,
// or there is only one; the arenas of a few short messages are not counted. So code that depends on
// a claim must also work without it.
//
// The message must not be in, or reachable from, the arena or the note. Pool is set before first
// use, and all arenas are from it. Goroutines may use a Pending at the same time. It must not be
// copied.
type Pending struct {
	Pool *arena.Pool

	table table[waiting]
}

// A Note is what a codec says of a request to the unit of work.
type Note struct {
	Memory  error // why the unit is to be refused; the message is on the heap, and whole
	Failure error // why the message is on the heap: decoding it into an arena panicked
}

// A waiting is the ticket of a message in a Pending.
type waiting struct {
	pool  *arena.Pool
	arena *arena.Arena // nil is the heap
	note  Note
}

func (w waiting) weigh() int64 { return w.arena.Stats().Reserved }
func (w waiting) lost()        { w.pool.Drop(w.arena) }

// Put makes the arena of a message wait, with a note, until somebody claims it. The message is a
// non-nil pointer to a value of non-zero size; encoded is the number of its bytes before it was
// decoded. a may be nil, for a message on the heap. If too much waits already, Put drops a.
func (p *Pending) Put(message any, a *arena.Arena, note Note, encoded int) {
	w := waiting{p.Pool, a, note}
	if !p.table.put(message, w, encoded < little) {
		w.lost()
	}
}

// Claim removes and returns the arena and note that were Put for a message, and reports whether
// there are any. It costs little if there are none.
//
// A codec calls it before it decodes: an arena that it finds then belongs to another use of the
// message, and the codec drops it. That first call also gives the goroutine a larger stack, while
// there are few frames to copy.
func (p *Pending) Claim(message any) (a *arena.Arena, note Note, ok bool) {
	growStack(nil)
	w, ok := p.table.claim(message)
	return w.arena, w.note, ok
}

// Decode calls f to decode a message that nobody awaits into an arena of its own, or onto the heap
// if a is nil. If f has panicked, it returns failure, and has then decoded the message onto the
// heap. If the arena has no room, Decode makes f decode the message onto the heap, so that nobody
// mistakes it for an empty message. It Puts the note for the unit. It returns the error of the
// message itself.
func (p *Pending) Decode(message any, encoded int, f func(a *arena.Arena) (failure, err error)) error {
	a := p.Pool.Get() // for whoever claims it
	var n Note
	var err error
	n.Failure, err = f(a)
	switch {
	case n.Failure != nil:
		p.Pool.Drop(a)
		a = nil
	case OutOfMemory(err) != nil:
		p.Pool.Put(a)
		a, n.Memory = nil, err
		_, err = f(nil)
	case err != nil:
		p.Pool.Put(a)
	}
	if err == nil {
		p.Put(message, a, n, encoded)
	}
	return err
}

// Len returns how many messages have an arena or a note that waits.
func (p *Pending) Len() int { return p.table.len() }

// MostPending is how many bytes the arenas in a [Pending] may hold.
const MostPending = 16 << 20

// little is the size from which a message is worth the time of finding out how much its arena
// holds.
const little = 16 << 10

const shards = 16

// A ticket is what a table has of a message.
type ticket interface {
	weigh() (bytes int64) // how much it holds
	lost()                // is called when its message is gone, or has got another one
}

// A table has the tickets of messages that nobody has claimed yet.
//
// Invariant: held is the sum of entry.bytes.
type table[T ticket] struct {
	held   atomic.Int64
	armed  atomic.Bool // sweep will be called after a collection that begins later
	shards [shards]shard[T]
}

type shard[T ticket] struct {
	n   atomic.Int32 // how many entries there are, for those who look for one
	mu  sync.Mutex
	all map[uintptr]*entry[T] // by the address of the message
	_   [40]byte              // keeps the next one out of the cache line
}

type entry[T ticket] struct {
	message weak.Pointer[byte] // a dead message is not the next one at its address
	ticket  T
	bytes   int64 // 0 if it was not weighed
}

// addressOf returns the address of a message, and the number of its shard.
func addressOf(message any) (address uintptr, shard uint64) {
	const golden = 0x9e3779b97f4a7c15
	address = reflect.ValueOf(message).Pointer()
	return address, uint64(address) * golden >> 60
}

// put puts the ticket of a message. It reports false if the ticket must not wait, because too much
// does already. A ticket that holds little may wait without being weighed, if hardly any others do.
func (t *table[T]) put(message any, ticket T, little bool) (waits bool) {
	p := pointerTo(message)
	address, n := addressOf(message)
	s := &t.shards[n]
	e := &entry[T]{message: weak.Make(p), ticket: ticket}
	if !little || s.n.Load() > 0 {
		if e.bytes = ticket.weigh(); e.bytes > 0 {
			if held := t.held.Add(e.bytes); held > MostPending && held > e.bytes {
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
		t.lose(former)
	}
	t.arm()
	runtime.KeepAlive(message)
	return true
}

// claim takes the ticket of a message away, if there is one.
func (t *table[T]) claim(message any) (ticket T, ok bool) {
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
		t.lose(e)
		return ticket, false
	}
	t.held.Add(-e.bytes)
	return e.ticket, true
}

func (t *table[T]) lose(e *entry[T]) {
	t.held.Add(-e.bytes)
	e.ticket.lost()
}

// A marker is collected by the first collection that begins when nobody has it. It is too large to
// share its memory with other small values.
type marker [4]uintptr

// arm has sweep called when a marker is collected.
func (t *table[T]) arm() {
	if !t.armed.Load() && t.armed.CompareAndSwap(false, true) {
		runtime.AddCleanup(new(marker), (*table[T]).sweep, t)
	}
}

// sweep gives up the tickets of messages that are gone, and will be called again if others are
// left. A ticket that is put meanwhile is seen, or its put arms the table again.
func (t *table[T]) sweep() {
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
		t.lose(e)
	}
}

// len returns how many tickets wait.
func (t *table[T]) len() (n int) {
	for i := range t.shards {
		n += int(t.shards[i].n.Load())
	}
	return n
}
