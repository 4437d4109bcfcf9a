//go:build race

package arena

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/arena-go/arena/internal/tools"
)

// asleep is the number of goroutines of mark that have nothing left to do.
var asleep atomic.Int32

// markEnded makes the race detector take every later access to all for a data race, also one by
// this goroutine: the memory is written to, in its eyes, by another goroutine, of which no later
// event in the program is known to come after. The report has the stack of the access, and Reset or
// Free as the place where this goroutine was created. It names the function that goroutine runs as
// the previous writer: so the name of that function says what has happened.
//
// What came before Reset is known to come before the write, because starting a goroutine is an
// event in that order, so nothing is reported that should not be.
//
// The detector forgets what a goroutine did soon after its end. So some of them stay for a tenth of
// a second: too short a time for tests that look for leaked goroutines. Those in a bubble of
// testing/synctest do not: its end must not find a goroutine asleep.
func markEnded(all []extent) { mark(all, thisMemoryEndedByResetOrFree) }

// markLeft is markEnded of the former table of a Map.
func markLeft(m extent) { mark([]extent{m}, thisTableWasLeftByMapThatHasGrown) }

func mark(all []extent, write func([]extent, chan struct{})) {
	if !tools.Racing || len(all) == 0 {
		return
	}
	runtime.RaceDisable() // waiting must not put what follows after the write
	defer runtime.RaceEnable()
	done := make(chan struct{})
	runtime.RaceEnable() // but starting puts the write after what came before
	go write(all, done)
	runtime.RaceDisable()
	<-done
}

// These are what reports of the detector have as "Previous write". The name of the function that
// calls RaceWriteRange is not in them, hence writeAll.

func thisMemoryEndedByResetOrFree(all []extent, done chan struct{}) {
	writeAll(all)
	stay(done)
}

func thisTableWasLeftByMapThatHasGrown(all []extent, done chan struct{}) {
	writeAll(all)
	stay(done)
}

//go:noinline
func writeAll(all []extent) {
	for _, m := range all {
		if m.bytes > 0 {
			// SAFETY: the detector reads and writes nothing there.
			runtime.RaceWriteRange(m.at.to, m.bytes)
		}
	}
}

// stay closes done and keeps its goroutine for a while.
func stay(done chan struct{}) {
	runtime.RaceDisable()
	defer runtime.RaceEnable()
	close(done)
	if asleep.Add(1) <= 64 && !inBubble() {
		time.Sleep(time.Second / 10)
	}
	asleep.Add(-1)
}

// started is when the program did, by the clock on the wall.
var started = time.Now().Round(0)

// inBubble tells whether this goroutine is in a bubble of testing/synctest, where it is the
// year 2000.
func inBubble() bool { return time.Now().Round(0).Before(started) }

// remember has the race detector remember what this goroutine does with the arena from here on. It
// notes of a goroutine's accesses to a word only the first between two events by which goroutines
// synchronize, and forgets that one after some time, so it cannot report a race with a goroutine
// that has no such events for long. This is one that nobody waits for, and so puts nothing in
// order.
func (st *stores) remember() {
	if tools.Racing {
		// SAFETY: the address stands for the event, and nothing is read or written there.
		runtime.RaceReleaseMerge(unsafe.Pointer(st))
	}
}
