package arena

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Tracked is an arena in the list of [Live].
type Tracked struct {
	Name    string    // Options.Name
	Made    time.Time // when the arena was made, or got from its Pool; if Track has chosen it, when it was first used
	Stack   Stack     // where that was
	Guarded bool      // it is in guard mode

	// Reserved is the bytes of all its chunks, now.
	Reserved int64

	// Stats are those of the moment when the arena was last Reset, or grew by an eighth. Others are using the
	// arena, so it cannot be asked now. Compare Reserved.
	Stats Stats
}

// Live returns the tracked arenas, the largest first: those with Options.Track or Options.Guard, and those that
// [Track] has chosen. An arena is in the list until it is Put or freed, or the collector takes it. Any goroutine
// may call Live at any time.
func Live() []Tracked {
	live.Lock()
	records := make([]*record, 0, len(live.records))
	for r := range live.records {
		records = append(records, r)
	}
	live.Unlock()
	list := make([]Tracked, len(records))
	for i, r := range records {
		list[i] = Tracked{Name: r.name, Made: r.time, Stack: r.made, Guarded: r.guarded, Reserved: r.reserved.Load()}
		if s := r.stats.Load(); s != nil {
			list[i].Stats = *s
			list[i].Stats.Types = slices.Clone(s.Types)
		}
	}
	slices.SortFunc(list, func(x, y Tracked) int {
		return cmp.Or(cmp.Compare(y.Reserved, x.Reserved), x.Made.Compare(y.Made))
	})
	return list
}

// Track samples new arenas: with every = n it tracks one in n. 1 is all, 0 is off. An arena is new when it is made, or
// got from a Pool or a Group. [Live] lists the arenas that Track has chosen. Such an arena is reported as a [Leak] when
// the collector takes it before somebody has Put or freed it. A call applies to new arenas from now on.
//
// An arena that is not tracked pays for this with the reading of a variable when it is first used. A tracked one
// takes some microseconds more, and keeps the stack that made it. Any goroutine may call Track at any time.
func Track(every int) { trackEvery.Store(int64(max(every, 0))) }

var trackEvery, trackCount atomic.Int64

// chosen tells whether Track has chosen the next arena.
func chosen() bool {
	every := trackEvery.Load()
	return every > 0 && trackCount.Add(1)%every == 0
}

// live has the records of all arenas that are tracked and open.
var live struct {
	sync.Mutex
	records map[*record]struct{}
}

// A record is what is known of a tracked arena. It does not keep the arena alive. An arena of a Pool or a Group
// has several records, one after the other.
type record struct {
	name     string
	made     Stack
	time     time.Time
	guarded  bool
	report   func(*Report)
	leak     runtime.Cleanup
	reserved atomic.Int64
	stats    atomic.Pointer[Stats]
	finalize bool   // give back what is lost with the arena, and do not report it
	noted    int64  // what was reserved when stats were taken
	at       string // made as text, once it was needed

	mu      sync.Mutex
	sources []source // what is lost with the arena
}

// adopt notes what is lost with the arena.
func (r *record) adopt(s source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = append(r.sources, s)
}

// disown takes s off the list of what would be lost.
func (r *record) disown(s source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = slices.DeleteFunc(r.sources, func(t source) bool { return s == t })
}

// newRecord returns a record of what is made now, with the settings o.
func (o *settings) newRecord() *record {
	r := &record{made: callers(), time: time.Now()}
	if o != nil {
		r.name, r.report, r.finalize = o.Name, o.Report, o.Finalize && o.Memory != nil
	}
	return r
}

// begin puts the record of a on the list. a is new, or about to be given to somebody.
func (r *record) begin(a *Arena) {
	r.leak = runtime.AddCleanup(a, (*record).lost, r)
	live.Lock()
	defer live.Unlock()
	if live.records == nil {
		live.records = map[*record]struct{}{}
	}
	live.records[r] = struct{}{}
}

// hold notes what is reserved now.
func (r *record) hold(reserved int64) { r.reserved.Store(reserved) }

// publish notes what is in the arena, unless that is little more than when it was last done.
func (r *record) publish(reserved int64, now interface{ stats() Stats }) {
	r.hold(reserved)
	if grown := reserved - r.noted; 0 < grown && grown < r.noted/8 {
		return
	}
	r.noted = reserved
	s := now.stats()
	r.stats.Store(&s)
}

// end takes the arena off the list.
func (r *record) end() {
	r.leak.Stop()
	live.Lock()
	defer live.Unlock()
	delete(live.records, r)
}

// lost reports that the collector took the arena, or gives back the memory that it had.
func (r *record) lost() {
	r.end()
	if r.finalize {
		for _, p := range r.sources {
			p.freeAll()
		}
		return
	}
	(&Report{Mistake: Leak, Arena: r.name, Made: r.made}).send(r.report)
}
