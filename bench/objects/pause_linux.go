package objects

import (
	"syscall"
	"time"
)

// pauseUntil returns at a time, or a little later. The timers of Go wait for whole milliseconds
// when nothing else is to be done.
func pauseUntil(due time.Time) {
	for d := time.Until(due); d > 0; d = time.Until(due) {
		t := syscall.NsecToTimespec(d.Nanoseconds())
		_ = syscall.Nanosleep(&t, nil) // It may be interrupted.
	}
}
