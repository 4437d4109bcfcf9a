package arena

import "sync/atomic"

// Options configure an arena made by [NewWith], all arenas of a [Pool], or a [Group] as a
// whole. The zero value is the default.
type Options struct {
	// Name appears in the messages of panics and errors.
	Name string

	// Limit is the most memory in bytes that the arena may hold at any time.
	// An allocation that would need more panics with a [*LimitError], before it
	// has changed anything; see [Try]. Memory kept by Reset counts, but is
	// given up before the limit is enforced. 0 means no limit.
	Limit int64

	// Retain is the most memory in bytes that Reset keeps. What exceeds it is
	// left to the collector, chunks of single huge slices first. 0 means no
	// such bound: Reset keeps what the last few rounds needed. A negative
	// value keeps nothing.
	Retain int64

	// Memory is where memory for values of plain types comes from, those without pointers and bools: text,
	// slices, and single values. nil is the Go heap, where all other values lie in any case.
	//
	// Such an arena must be freed, and Free, like Reset, makes its plain values invalid: what
	// becomes of a stale pointer is told by the Memory. An arena that is dropped without Free is
	// reported as a [Leak], unless Finalize is set. In guard mode Memory is not used: guarded pages are.
	Memory Memory

	// Finalize has the memory from Memory given back when the collector takes an arena that
	// was not freed, instead of a report. Beware: pointers to values in it do not keep an arena alive, only
	// those to the Arena do.
	Finalize bool

	// Guard makes mistakes visible; it is for tests, and for a sample of the arenas of
	// a service, see Pool.GuardEvery. In an arena in guard mode
	//
	//   - text and values of plain types, which are those without pointers and bools, lie on pages of
	//     memory of their own. Reset and Free make these inaccessible: using a stale string, slice or
	//     pointer faults at once, or, where a system call is given it, is the error EFAULT. The first 256 slices and texts have an
	//     inaccessible page right behind them, too.
	//   - of all other values, Reset and Free make the pointers, strings, slices, maps, channels
	//     and funcs point at inaccessible memory, strings and slices also shorter if they are long, and the interfaces and what
	//     points at more than some 8 KiB nil. What is written to such values later is reported as a WriteAfterReset or
	//     WriteAfterFree: to the first 8 MiB of them in an arena. A value that the runtime writes to by itself,
	//     as it does to a sync.Pool, would be reported too.
	//
	// That lasts for as long as the memory is in quarantine: until 16 MiB, or 1,000 Resets, of
	// arenas in guard mode have come after it. Then it is left to the collector, which takes it when nothing points at it any more.
	// There are no more than 8192 regions of such pages at a time in a process; values that find none left lie on ordinary memory, where
	// stale ones can be read, and writes to them are found, and stale pointers become nil. When most of these regions are taken, plain
	// memory can be read again as soon as it leaves the quarantine.
	//
	// Such memory is part of the heap: debug.WriteHeapDump, which reads all of that, would fault.
	//
	// A fault ends the program, with the stack of the access. [CatchFaults] and [FaultReport] add the rest of
	// the [Report]. An arena in guard mode takes a page or two for a small value, some microseconds for an allocation,
	// and up to 16 MiB and the time to copy them at Reset. It is tracked, too.
	Guard bool

	// Track has the arena listed by [Live], and reported as a [Leak] when the
	// collector takes it before it was Put or freed. One that is dropped on purpose, because its values
	// are to outlive it, is not to be tracked.
	Track bool

	// Report is called with what guard mode and tracking find, instead of what [SetReporter] has set, which says how. It must
	// not refer to the arena, which would never be collected then.
	Report func(*Report)
}

// isZero tells whether o is Options{}.
func (o *Options) isZero() bool {
	return o.Name == "" && o.Limit == 0 && o.Retain == 0 && !o.Guard && !o.Track && o.Report == nil &&
		o.Memory == nil && !o.Finalize
}

// settings are the options of an arena, and the Pool or the Group that it belongs to.
type settings struct {
	Options
	hits   atomic.Int64 // allocations that failed for Limit
	member *member      // of a Pool
	group  *Group
	freed  Stack // where Free was called, where a second one is reported

	sampled bool // by GuardEvery
}

func (o *settings) name() string {
	if o == nil {
		return arenaName("")
	}
	return arenaName(o.Name)
}

// mayEnd panics when the arena is to be ended by a Group, and not by itself.
func (o *settings) mayEnd(what string) {
	if o != nil && o.group != nil {
		panic("arena: " + what + " of " + o.name() + ", which belongs to a Group; " + what + " the Group instead")
	}
}
