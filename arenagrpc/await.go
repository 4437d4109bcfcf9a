package arenagrpc

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// An awaited says where the message of a stream is to be decoded. Its stream may wait for it for hours.
type awaited struct {
	message any
	scope   *scope // the call
	heap    bool   // the message is to lie on the heap
	unsaid  bool   // if heap: because the handler has not said how long it lives
	each    bool   // it lives until the next one

	memory error // why the message is empty
}

// awaiting has the messages that streams wait for.
type awaiting [16]struct {
	n   atomic.Int32 // how many there are, for find
	mu  sync.Mutex
	all map[any]*awaited
	_   [40]byte // keeps the next one out of the cache line
}

func shard(message any) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return uint64(reflect.ValueOf(message).Pointer()) * golden >> 60
}

// put adds m. Nobody waits for its message yet.
func (w *awaiting) put(m *awaited) {
	s := &w[shard(m.message)]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[any]*awaited{}
	}
	s.all[m.message] = m
	s.n.Store(int32(len(s.all)))
}

// find returns what is awaited at the address of a message, or nil.
func (w *awaiting) find(message any) *awaited {
	s := &w[shard(message)]
	if s.n.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[message]
}

// remove takes away what find returns.
func (w *awaiting) remove(message any) {
	s := &w[shard(message)]
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, message)
	s.n.Store(int32(len(s.all)))
}
