// Package measure is what the examples that measure have in common: what a
// process has used, numbers for people, a table of medians, a line of progress.
package measure

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"
)

// A Usage is what a process has used. The times of the collector are known up to
// its last cycle that has ended.
type Usage struct {
	Time, CPU, GCCPU time.Duration
	Objects, Bytes   uint64 // allocated on the Go heap
	Cycles           uint32 // of the collector
	Peak             uint64 // bytes of memory, of the whole process from its start
}

// Used returns what this process has used so far.
func Used() Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	gc := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(gc)
	return Usage{
		Time:    time.Since(start),
		CPU:     cpuTime(),
		GCCPU:   time.Duration(gc[0].Value.Float64() * float64(time.Second)),
		Objects: m.Mallocs,
		Bytes:   m.TotalAlloc,
		Cycles:  m.NumGC,
		Peak:    peakMemory(&m),
	}
}

var start = time.Now()

// Since returns what u has more than an earlier Usage, and the Peak of u.
func (u Usage) Since(before Usage) Usage {
	u.Time -= before.Time
	u.CPU -= before.CPU
	u.GCCPU -= before.GCCPU
	u.Objects -= before.Objects
	u.Bytes -= before.Bytes
	u.Cycles -= before.Cycles
	return u
}

// peakMemory returns the largest resident size that the process has had. If the system does not
// tell, it is what Go has taken from the system.
func peakMemory(m *runtime.MemStats) uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	if _, line, ok := strings.Cut(string(status), "VmHWM:"); ok {
		var kB uint64
		if _, err := fmt.Sscan(line, &kB); err == nil {
			return kB << 10
		}
	}
	return m.Sys
}
