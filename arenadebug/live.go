package arenadebug

import (
	"slices"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/books"
)

// A Tracked is an arena in the list of [Live].
type Tracked struct {
	Name    string      // Options.Name
	Made    time.Time   // when the arena was made, or got from its Pool; if Track has chosen it, when it was first used
	Stack   arena.Stack // where that was
	Guarded bool        // it is in guard mode

	// Reserved is the bytes of all its chunks, now.
	Reserved int64

	// Stats are from the moment when the arena was last Reset, or grew by an eighth. Others are
	// using the arena, so it cannot be read now. Compare Reserved.
	Stats arena.Stats
}

// Live returns the tracked arenas, the largest first: arenas with Options.Track or Options.Guard,
// and arenas that [Track] has chosen. An arena is in the list until it is Put or freed, or the
// collector frees it. Any goroutine may call Live at any time.
func Live() []Tracked {
	records := books.Live()
	list := make([]Tracked, len(records))
	for i, r := range records {
		list[i] = Tracked{Name: r.Name, Made: r.Time, Stack: r.Made, Guarded: r.Guarded, Reserved: r.Reserved()}
		if s, ok := r.Stats().(*arena.Stats); ok {
			list[i].Stats = *s
			list[i].Stats.Types = slices.Clone(s.Types)
		}
	}
	return list
}

// Track samples new arenas: with every = n it tracks one in n. 1 is all, 0 is off. An arena is new
// when it is made, or got from a Pool or a Group. [Live] lists the arenas that Track has chosen.
// Such an arena is reported as an [arena.Leak] if the collector frees it before somebody has Put or
// freed it. A call applies to new arenas from now on.
//
// An untracked arena costs the read of a variable at its first use. A tracked arena costs some
// microseconds more, and keeps the stack of its making. Any goroutine may call Track at any time.
func Track(every int) { books.Track(every) }
