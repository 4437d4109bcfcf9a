package advise

import (
	"slices"
	"strings"
)

// A class says what a sample of CPU time was spent on.
type class int

const (
	user    class = iota // the program's own work
	malloc               // handing out memory
	zeroing              // clearing it
	barrier              // write barriers, while the collector marks
	gc                   // marking and sweeping, in the background, or by the goroutine that allocates
	idle                 // waiting and scheduling: no arena changes that
	classes
)

func (c class) String() string {
	return [...]string{"user", "malloc", "zeroing", "write barriers", "collector", "scheduler and system calls"}[c]
}

// Functions by which a stack is known, as prefixes of their names.
var (
	gcFunctions = []string{
		"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.gcDrain", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart",
		"runtime.gcMarkDone", "runtime.gcMarkTermination", "runtime.deductSweepCredit", "runtime.sweepone", "runtime.(*sweepLocked).sweep",
		"runtime.(*mspan).sweep", "runtime.gcSweep", "runtime.markroot", "runtime.scanobject", "runtime.scanSpan", "runtime.greyobject", "runtime.gcMarkTinyAllocs",
		"runtime.gcWakeAllAssists", "runtime.gcParkAssist", "runtime.(*gcWork)", "runtime.gcResetMarkState", "runtime.gcFlushBgCredit", "runtime.gcPrepareMarkRoots",
	}
	barrierFunctions = []string{"runtime.gcWriteBarrier", "gcWriteBarrier", "runtime.wbBufFlush", "runtime.bulkBarrierPreWrite", "runtime.wbZero", "runtime.wbMove"}
	mallocFunctions  = []string{"runtime.mallocgc", "runtime.newobject", "runtime.rawstring", "runtime.rawbyteslice", "runtime.publicationBarrier", "runtime.(*mcache)", "runtime.nextFreeFast", "runtime.profilealloc", "runtime.mProf_Malloc", "runtime.makeslice"}
	idleFunctions    = []string{"runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.futex", "runtime.mcall", "runtime.netpoll", "runtime.epoll", "runtime.usleep", "runtime.sysmon", "runtime.goexit0", "runtime.mstart", "syscall.Syscall", "internal/runtime/syscall.", "runtime.notesleep", "runtime.stopm", "runtime.startm"}
)

func hasAny(fn string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(fn, p) {
			return true
		}
	}
	return false
}

// classOf returns what the time of a CPU sample was spent on.
func classOf(st stack) class {
	for _, f := range st {
		if hasAny(f.fn, gcFunctions) {
			return gc // assists and sweeping are nested in malloc, and so come first
		}
	}
	_, site := st.site()
	if site < 0 {
		return idle // the runtime's own goroutines and threads
	}
	inside := st[:site]
	has := func(prefixes []string) bool {
		for _, f := range inside {
			if hasAny(f.fn, prefixes) {
				return true
			}
		}
		return false
	}
	switch {
	case has(barrierFunctions):
		return barrier
	case has(mallocFunctions):
		if strings.HasPrefix(inside[0].fn, "runtime.memclr") {
			return zeroing
		}
		return malloc
	case has(idleFunctions):
		return idle
	}
	return user
}

// A kind says what a site asks for, as far as a CPU profile tells by the function of the runtime
// that the site calls.
type kind int

const (
	unknown kind = iota
	object
	slice
	growing // slices of 32 KiB and more that append lets grow
	words
	boxing
	mapping
	building    // text, by a Builder or a Buffer of the standard library
	concurrency // goroutines and channels
	kinds
)

func (k kind) String() string {
	return [...]string{"", "values", "slices", "large slices", "text", "boxing", "maps", "built text", "goroutines and channels"}[k]
}

// kindOf returns what the site of a stack asked the runtime for.
func kindOf(st stack) kind {
	site, i := st.site()
	if strings.HasPrefix(site.fn, "strings.(*Builder).") || strings.HasPrefix(site.fn, "bytes.(*Buffer).") || site.fn == "bytes.growSlice" {
		return building
	}
	for i--; i >= 0; i-- {
		fn := st[i].fn
		switch {
		case strings.HasPrefix(fn, "runtime.mapassign"), strings.HasPrefix(fn, "runtime.makemap"), strings.HasPrefix(fn, "internal/runtime/maps."):
			return mapping
		case strings.HasPrefix(fn, "runtime.growslice"):
			if st[:i].has("runtime.mallocgcLarge") {
				return growing
			}
			return slice
		case strings.HasPrefix(fn, "runtime.makeslice"):
			return slice
		case strings.HasPrefix(fn, "runtime.concatstring"), strings.HasPrefix(fn, "runtime.slicebytetostring"), strings.HasPrefix(fn, "runtime.stringtoslice"),
			strings.HasPrefix(fn, "runtime.intstring"), strings.HasPrefix(fn, "runtime.slicerunetostring"), strings.HasPrefix(fn, "runtime.rawstring"):
			return words
		case strings.HasPrefix(fn, "runtime.convT"):
			return boxing
		case strings.HasPrefix(fn, "runtime.newproc"), strings.HasPrefix(fn, "runtime.makechan"):
			return concurrency
		case strings.HasPrefix(fn, "runtime.newobject"):
			return object
		}
	}
	return unknown
}

// copies tells whether a stack is in the copying of a slice that append lets grow.
func (st stack) copies() bool {
	_, site := st.site()
	return site > 0 && strings.HasPrefix(st[0].fn, "runtime.memmove") && st[:site].has("runtime.growslice")
}

// has tells whether a function is on a stack.
func (st stack) has(fn string) bool {
	return slices.ContainsFunc(st, func(f frame) bool { return f.fn == fn })
}
