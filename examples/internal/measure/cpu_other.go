//go:build !unix

package measure

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// cpuTime returns the CPU time of the Go program as the runtime estimates it.
// The runtime does so at the end of a GC cycle.
func cpuTime() time.Duration {
	runtime.GC()
	s := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(s)
	return time.Duration((s[0].Value.Float64() - s[1].Value.Float64()) * float64(time.Second))
}
