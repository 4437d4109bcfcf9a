package arena

import (
	"fmt"
	"github.com/arena-go/arena/internal/share"
	"runtime"
	"sync/atomic"
)

// A member is what a ledger has of one arena. Only the user of the arena writes to it.
type member struct {
	settings
	ledger  *ledger
	address life         // of the arena, by which copies of it are known
	state   atomic.Int64 // one of those below, and above it the number of Puts: both change with one operation
	epoch   uint32       // the collections that its last trimming had seen
	record  watcher      // while it is given away and tracked
	idle    source       // of plain memory, that of the arena, while it lies in the Pool
	leak    runtime.Cleanup
	memory  *share.Memory // once somebody has asked for it

	past                          atomic.Int64 // of hits, those of former users; hits only grow, so that Stats never go back
	resets, allocated, peak, held atomic.Int64
}

// States of a member.
const (
	memberOut int64 = iota
	memberIdle
	memberFreed
	memberDropped
	onePut // is added for each Put
)

// enter notes that an idle member is given away.
func (m *member) enter() { m.state.Add(memberOut - memberIdle) }

// isOut tells whether the member is given away.
func (m *member) isOut() bool { return m.state.Load()%onePut == memberOut }

// leave notes that the member is not given away any more. It reports false when it was freed.
func (m *member) leave(state int64, what string) bool {
	for {
		was := m.state.Load()
		switch was % onePut {
		case memberOut:
			next := was - memberOut + state
			if state == memberIdle {
				next += onePut
			}
			if m.state.CompareAndSwap(was, next) {
				return true
			}
		case memberIdle:
			panic(fmt.Sprintf("arena: Pool.%s of %s that lies in the Pool already; Put what Get returned once, and do not use it after that", what, m.name()))
		case memberDropped:
			panic(fmt.Sprintf("arena: Pool.%s of %s that was dropped, and may be in use; leave it to the collector", what, m.name()))
		case memberFreed:
			return false
		}
	}
}

// putFailed has the member, which leave has made idle, dropped instead: it was in the middle of Put when something panicked.
func (m *member) putFailed() { m.state.Add(memberDropped - memberIdle - onePut) }

// freed notes that the arena was freed, with bytes in use. One that was dropped stays that.
func (m *member) freed(bytes int64) {
	m.used(bytes)
	if was := m.state.Load(); was%onePut == memberOut {
		m.state.CompareAndSwap(was, was-memberOut+memberFreed)
	}
}

// used notes that bytes were in use in the arena until now.
func (m *member) used(bytes int64) {
	if bytes == 0 {
		return
	}
	m.allocated.Add(bytes)
	if bytes > m.peak.Load() {
		m.peak.Store(bytes)
	}
}
