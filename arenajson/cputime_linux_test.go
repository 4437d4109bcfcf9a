package arenajson_test

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that the program has taken, with the collector's.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
