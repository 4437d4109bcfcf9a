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
	ledger *ledger
	state  atomic.Int32
	epoch  uint32  // the collections that its last trimming had seen
	record watcher // while it is given away and tracked
	idle   source  // of plain memory, that of the arena, while it lies in the Pool
	leak   runtime.Cleanup
	memory *share.Memory // once somebody has asked for it

	gets, puts, limits, resets, allocated, peak, held atomic.Int64
}

// States of a member.
const (
	memberOut int32 = iota
	memberIdle
	memberFreed
	memberDropped
)

// leave notes that the member is not given away any more. It reports false when it was freed.
func (m *member) leave(state int32, what string) bool {
	for {
		switch m.state.Load() {
		case memberOut:
			if m.state.CompareAndSwap(memberOut, state) {
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

// freed notes that the arena was freed, with bytes in use. One that was dropped stays that.
func (m *member) freed(bytes int64) {
	m.used(bytes)
	m.state.CompareAndSwap(memberOut, memberFreed)
}

// used notes that bytes were in use in the arena until now.
func (m *member) used(bytes int64) {
	m.allocated.Add(bytes)
	if bytes > m.peak.Load() {
		m.peak.Store(bytes)
	}
}
