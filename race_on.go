//go:build race

package arena

import (
	"runtime"
	"sync/atomic"
	"time"
)

// racing is a variable for the tests of what ordinary programs do, under the race detector.
var racing = true

// asleep is the number of goroutines of markRace that have nothing left to do.
var asleep atomic.Int32

// markRace makes the race detector take every later access to all for a data race, also one by this
// goroutine: the memory is written to, in its eyes, by another goroutine, of which no later
// event in the program is known to come after. The report has the stack of the
// access, and that of Reset or Free as the place where this goroutine was created.
//
// What came before Reset is known to come before the write, because starting a goroutine is an
// event in that order, so nothing is reported that should not be.
//
// The detector forgets what a goroutine did soon after its end. So some of them stay
// for a tenth of a second: too short a time for tests that look for leaked goroutines. Those in a bubble of
// testing/synctest do not: its end must not find a goroutine asleep.
func markRace(all []memory) {
	if len(all) == 0 {
		return
	}
	runtime.RaceDisable() // waiting must not put what follows after the write
	defer runtime.RaceEnable()
	done := make(chan struct{})
	runtime.RaceEnable() // but starting puts the write after what came before
	go usedAfterResetOrFree(all, done)
	runtime.RaceDisable()
	<-done
}

// started is when the program did, by the clock on the wall.
var started = time.Now().Round(0)

// inBubble tells whether this goroutine is in a bubble of testing/synctest, where it is the year 2000.
func inBubble() bool { return time.Now().Round(0).Before(started) }

func usedAfterResetOrFree(all []memory, done chan struct{}) {
	for _, m := range all {
		if m.bytes > 0 {
			runtime.RaceWriteRange(m.at, m.bytes)
		}
	}
	all = nil // the collector may have it
	runtime.RaceDisable()
	defer runtime.RaceEnable()
	close(done)
	if asleep.Add(1) <= 64 && !inBubble() {
		time.Sleep(time.Second / 10)
	}
	asleep.Add(-1)
}
