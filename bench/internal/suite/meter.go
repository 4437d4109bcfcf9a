package suite

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// A Meter measures what a process takes between Start and Stop.
type Meter struct {
	Result
	wall      time.Time
	cpu       time.Duration
	collector float64
	heap      runtime.MemStats
}

// NewMeter returns a Meter. What is made from now on, and is resident then, counts as memory that
// the work takes.
func NewMeter() *Meter {
	m := new(Meter)
	debug.FreeOSMemory()
	ResetPeak()
	m.Before = Status("VmRSS")
	return m
}

// Start begins with the time.
func (m *Meter) Start() {
	runtime.GC()
	runtime.ReadMemStats(&m.heap)
	m.collector = CollectorCPU()
	m.cpu, m.wall = CPUTime(), time.Now()
}

// Stop ends it. The times are divided by Rounds.
func (m *Meter) Stop() {
	wall, cpu, collector := time.Since(m.wall), CPUTime()-m.cpu, CollectorCPU()-m.collector
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	m.Peak = Status("VmHWM")
	n := float64(max(m.Rounds, 1))
	m.Wall, m.CPU, m.Collector = wall.Seconds()/n, cpu.Seconds()/n, collector/n
	m.Collections = int(after.NumGC - m.heap.NumGC)
	m.Allocs = float64(after.Mallocs-m.heap.Mallocs) / n
	m.Allocated = float64(after.TotalAlloc-m.heap.TotalAlloc) / n
}

// CollectorCPU returns the seconds that the collector has taken, but for processors that had
// nothing else to do. It is up to date when a cycle has just ended.
func CollectorCPU() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64() - s[1].Value.Float64()
}

// Live returns the bytes on the heap that something refers to.
func Live() int {
	return settled(runtime.GC, func() int {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int(s.HeapAlloc)
	})
}

// Resident returns the memory of this process, without what is garbage.
func Resident() int {
	return settled(debug.FreeOSMemory, func() int { return Status("VmRSS") })
}

// settled collects until three collections in a row make it no less: what a sync.Pool has, or a
// cleanup, goes with a later one.
func settled(collect func(), size func() int) int {
	least := math.MaxInt
	for same := 0; same < 3; same++ {
		collect()
		if n := size(); n < least {
			least, same = n, 0
		}
	}
	return least
}

// Status returns a line of /proc/self/status in bytes, or 0 where there is none.
func Status(name string) int {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "\n"+name+":")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " kB")
	n, _ := strconv.Atoi(kilobytes)
	return n << 10
}

// ResetPeak lets VmHWM of [Status], the most memory there was, begin again with what there is,
// where that is possible.
func ResetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
