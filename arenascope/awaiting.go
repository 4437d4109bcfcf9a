package arenascope

import (
	"sync"
	"sync/atomic"
)

// Awaiting has the messages that streams wait for, with what the codec has to know of them. A
// stream may wait for one for hours. Whoever puts a message removes it, whatever happens. The zero
// value has none. Goroutines may use an Awaiting at the same time. It must not be copied.
type Awaiting[T any] struct{ shards [shards]awaited[T] }

type awaited[T any] struct {
	n   atomic.Int32 // how many there are, for Find
	mu  sync.Mutex
	all map[any]*T
	_   [40]byte // keeps the next one out of the cache line
}

func (w *Awaiting[T]) shard(message any) *awaited[T] {
	_, n := addressOf(message)
	return &w.shards[n]
}

// Put adds a message that nobody waits for yet.
func (w *Awaiting[T]) Put(message any, of *T) {
	s := w.shard(message)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[any]*T{}
	}
	s.all[message] = of
	s.n.Store(int32(len(s.all)))
}

// Find returns what was put for a message, or nil.
func (w *Awaiting[T]) Find(message any) *T {
	s := w.shard(message)
	if s.n.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[message]
}

// Remove takes away what Find returns.
func (w *Awaiting[T]) Remove(message any) {
	s := w.shard(message)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, message)
	s.n.Store(int32(len(s.all)))
}

// Len returns how many messages are awaited.
func (w *Awaiting[T]) Len() (n int) {
	for i := range w.shards {
		n += int(w.shards[i].n.Load())
	}
	return n
}
