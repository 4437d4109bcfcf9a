package arenascope

import (
	"sync"
	"sync/atomic"
)

// Awaiting contains the messages that streams wait for, with the information that the codec needs.
// A stream may wait for a message for hours. Whoever puts a message removes it, whatever happens.
// The zero value is empty. Goroutines may use an Awaiting at the same time. It must not be copied.
type Awaiting struct{ shards [shards]awaited }

type awaited struct {
	n   atomic.Int32 // how many there are, for Find
	mu  sync.Mutex
	all map[any]*Message
	_   [40]byte // keeps the next one out of the cache line
}

func (w *Awaiting) shard(message any) *awaited {
	_, n := addressOf(message)
	return &w.shards[n]
}

// put adds a message that nobody waits for yet.
func (w *Awaiting) put(message any, of *Message) {
	s := w.shard(message)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[any]*Message{}
	}
	s.all[message] = of
	s.n.Store(int32(len(s.all)))
}

// Find returns what a codec has to know of a message, or nil.
func (w *Awaiting) Find(message any) *Message {
	s := w.shard(message)
	if s.n.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[message]
}

// remove takes away what Find returns.
func (w *Awaiting) remove(message any) {
	s := w.shard(message)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, message)
	s.n.Store(int32(len(s.all)))
}

// Len returns how many messages are awaited.
func (w *Awaiting) Len() (n int) {
	for i := range w.shards {
		n += int(w.shards[i].n.Load())
	}
	return n
}
