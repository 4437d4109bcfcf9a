//go:build unix

package suite

import (
	"syscall"
	"time"
)

// CPUTime returns what the process has taken of all processors.
func CPUTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
