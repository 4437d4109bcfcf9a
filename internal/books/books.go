// Package books keeps the books on arenas that are tracked, for package arenadebug to read. Package
// arena writes them.
package books

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Record is what is known of a tracked arena. It does not keep the arena alive. An arena of a
// Pool or a Group has several records, one after the other.
type Record struct {
	Name    string
	Made    []uintptr // the stack that made the arena, or got it from its Pool
	Time    time.Time // of that
	Guarded bool

	reserved atomic.Int64
	stats    atomic.Value
}

// Hold notes how many bytes the arena has reserved.
func (r *Record) Hold(reserved int64) { r.reserved.Store(reserved) }

// Reserved returns what Hold was given last.
func (r *Record) Reserved() int64 { return r.reserved.Load() }

// Publish notes the *arena.Stats of the arena, which nobody changes any more.
func (r *Record) Publish(stats any) { r.stats.Store(stats) }

// Stats returns what Publish was given last, or nil.
func (r *Record) Stats() any { return r.stats.Load() }

// live has the records of all arenas that are tracked and open.
var live struct {
	sync.Mutex
	records map[*Record]struct{}
}

// Open puts r on the list.
func (r *Record) Open() {
	live.Lock()
	defer live.Unlock()
	if live.records == nil {
		live.records = map[*Record]struct{}{}
	}
	live.records[r] = struct{}{}
}

// Close takes r off the list.
func (r *Record) Close() {
	live.Lock()
	defer live.Unlock()
	delete(live.records, r)
}

// Live returns the records on the list, the largest arenas first.
func Live() []*Record {
	live.Lock()
	records := make([]*Record, 0, len(live.records))
	reserved := make(map[*Record]int64, len(live.records))
	for r := range live.records {
		records = append(records, r)
		reserved[r] = r.Reserved() // others change it meanwhile
	}
	live.Unlock()
	slices.SortFunc(records, func(x, y *Record) int {
		return cmp.Or(cmp.Compare(reserved[y], reserved[x]), x.Time.Compare(y.Time))
	})
	return records
}

var every, count atomic.Int64

// Track has one new arena in n tracked, or none if n is 0 or less.
func Track(n int) { every.Store(int64(max(n, 0))) }

// Tracks reports whether any new arenas are tracked.
func Tracks() bool { return every.Load() > 0 }

// Chosen reports whether the next arena is one of those.
func Chosen() bool {
	n := every.Load()
	return n > 0 && count.Add(1)%n == 0
}

// reporter is a *any, of what SetReporter was given, or nil.
var reporter atomic.Pointer[any]

// SetReporter notes a func(*arena.Report), for reports of arenas that have no function of their
// own.
func SetReporter(f any) { reporter.Store(&f) }

// Reporter returns what SetReporter was given last, or nil.
func Reporter() any {
	if f := reporter.Load(); f != nil {
		return *f
	}
	return nil
}
