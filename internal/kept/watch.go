package kept

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// The bounds of sampled Units, and how they are looked at.
const (
	maxSampled  = 256     // that wait
	maxWatched  = 200_000 // notes of these
	collections = 3       // after the end; the first may have begun before it, and the next two empty each sync.Pool
	maxReports  = 8       // of a Unit
)

// watched are the sampled Units that have ended, the oldest first. They are looked at after each
// collection, for as long as there are any.
//
// Invariants: notes is the number of notes of units; ticking is set while a marker is left to the
// collector.
var watched struct {
	sync.Mutex
	units   []aging
	notes   int
	ticking bool
}

// An aging is a Unit and the collections that have followed its end.
type aging struct {
	*Unit
	age int
}

// counts are of sampled Units that have ended, and of values of theirs that were found.
var counts struct{ units, values atomic.Int64 }

// Counts returns the number of sampled Units that have ended, and of values of theirs that were
// found. Any goroutine may call it.
func Counts() (units, values int64) { return counts.units.Load(), counts.values.Load() }

// watch has u looked at when collections have followed.
func watch(u *Unit) {
	counts.units.Add(1)
	watched.Lock()
	defer watched.Unlock()
	for len(watched.units) >= maxSampled || len(watched.units) > 0 && watched.notes+len(u.notes) > maxWatched {
		watched.notes -= len(watched.units[0].notes)
		watched.units = slices.Delete(watched.units, 0, 1)
	}
	watched.units = append(watched.units, aging{Unit: u})
	watched.notes += len(u.notes)
	if !watched.ticking {
		watched.ticking = true
		next()
	}
}

// next has tick called after the next collection.
func next() {
	runtime.AddCleanup(new(marker), func(struct{}) { tick() }, struct{}{})
}

// tick is called after a collection, which may have begun before the newest Units ended.
func tick() {
	var due []*Unit
	watched.Lock()
	left := watched.units[:0]
	for _, a := range watched.units {
		if a.age++; a.age < collections {
			left = append(left, a)
			continue
		}
		watched.notes -= len(a.notes)
		due = append(due, a.Unit)
	}
	clear(watched.units[len(left):])
	watched.units = left
	if watched.ticking = len(left) > 0; watched.ticking {
		next()
	}
	watched.Unlock()
	for _, u := range due {
		u.report()
	}
}

// report tells the program of what is left of u, which is nobody else's.
func (u *Unit) report() {
	u.forgetDead()
	if len(u.notes) == 0 {
		return
	}
	counts.values.Add(int64(len(u.notes)))
	u.owner.Kept(len(u.notes))
	for i := range u.notes[:min(len(u.notes), maxReports)] {
		n := &u.notes[i]
		s := Survivor{Unit: u, Addr: n.addr, Size: n.bytes, note: n}
		if i == maxReports-1 {
			s.Others = len(u.notes) - maxReports
		}
		u.owner.Report(s)
	}
}
