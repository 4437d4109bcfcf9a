package arena

import "sync/atomic"

// Options configure an arena made by [NewWith], all arenas of a [Pool], or a [Group] as a whole.
// The zero value is the default.
type Options struct {
	// Name appears in the messages of panics and errors.
	Name string

	// Limit is the most memory in bytes that the arena may hold at any time. An allocation that
	// would need more panics with a [*LimitError], and changes nothing; see [Try]. Memory that
	// Reset has kept counts, but is given up before an allocation fails. A slice may need up to 7
	// bytes more than its elements have, for its alignment, and one of MakeSliceAligned as many
	// more as it is aligned to. 0 means no limit.
	Limit int64

	// Retain is the most memory in bytes that Reset keeps. The rest is left to the collector,
	// chunks of single huge slices first. 0 means no such bound: Reset keeps what the last few
	// rounds needed. A negative value keeps nothing.
	Retain int64

	// Memory is where the arena gets memory for text and for values and slices of plain types. A
	// type is plain if it has no pointers and no bools. All other values lie in the Go heap in any
	// case. If Memory is nil, plain values do, too.
	//
	// An arena with a Memory must be freed. Free, like Reset, makes its plain values invalid; the
	// Memory says what a stale pointer sees then. An arena that is dropped without Free is reported
	// as a [Leak], unless Finalize is set; [Pool.Do] drops its arena after a panic. Guard mode does
	// not use Memory: it has guarded pages of its own.
	Memory Memory

	// Finalize applies to an arena with a Memory that is dropped without Free. When the collector
	// takes it, the memory goes back to Memory, and nothing is reported. Beware: only pointers to
	// the Arena keep it alive, pointers to values in it do not.
	Finalize bool

	// Guard makes mistakes visible. It is for tests, and for a sample of the arenas of a service,
	// see Pool.GuardEvery. It puts the arena in guard mode:
	//
	//   - Text and values of plain types, which have no pointers and no bools, lie on pages of
	//     memory of their own. Reset and Free make these pages inaccessible. The use of a stale
	//     string, slice or pointer faults at once, or is the error EFAULT where a system call gets
	//     it. The first 256 of them also have an inaccessible page right behind them.
	//   - All other values stay readable, but Reset and Free change what they hold. Pointers,
	//     strings, slices, maps, channels and funcs point at inaccessible memory then; long strings
	//     and slices become shorter, too. Interfaces become nil, and so do pointers to more than
	//     some 8 KiB. A later write to such a value is reported as a WriteAfterReset or
	//     WriteAfterFree, for the first 8 MiB of them in an arena. So is a write by the runtime
	//     itself, as to a sync.Pool.
	//
	// This lasts for as long as the memory is in quarantine: until 16 MiB, or 1,000 Resets, of
	// arenas in guard mode have come after it. After that the collector takes the memory when
	// nothing points at it any more.
	//
	// A process has at most 8192 regions of such pages at a time. Values that find none left lie on
	// ordinary memory: stale ones can be read, writes to them are found, and stale pointers become
	// nil. When most regions are taken, plain memory can be read again as soon as it leaves the
	// quarantine.
	//
	// Each value, slice and text has memory of its own, and is noted by a weak pointer with the
	// stack that allocated it, up to 100,000 in an arena; after that several share memory. When the
	// arena has ended, package arenatest finds those that something still points at, whether the
	// program uses them or not, and reports each as [Kept]. Nobody looks outside of tests: see
	// Pool.KeepEvery.
	//
	// Such memory is part of the heap: debug.WriteHeapDump reads all of the heap, and would fault.
	//
	// A fault ends the program, with the stack of the access. CatchFaults and FaultReport of
	// package arenadebug add the rest of the [Report]. In guard mode a small value takes a page or
	// two, and an allocation costs some microseconds and 150 bytes. Reset costs up to 16 MiB and
	// the time to copy them. It is tracked, too.
	Guard bool

	// Track makes Live of package arenadebug list the arena. It is reported as a [Leak] when the
	// collector takes it before it was Put or freed. Do not track an arena that is dropped on
	// purpose because its values are to outlive it.
	Track bool

	// Report is called with what guard mode and tracking find, instead of the function given to
	// SetReporter of package arenadebug, which says how. It must not refer to the arena: the arena
	// would never be collected then.
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
	group  family
	ended  *ended // where the life of the arena has no room for it
	freed  Stack  // where Free was called, where a second one is reported

	sampled bool // by GuardEvery
	keeps   bool // chosen by KeepEvery
}

// limitHits returns the allocations that failed for Limit, in an arena of a Pool since it was Put
// last.
func (o *settings) limitHits() int64 {
	n := o.hits.Load()
	if o.member != nil {
		n -= o.member.past.Load()
	}
	return n
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

// A Memory is where an arena gets memory for values of plain types, instead of the Go heap. See
// Options.Memory. Package offheap has several.
//
// The goroutines of all its arenas may call its methods at the same time. Its methods must not
// use these arenas.
type Memory interface {
	// Alloc returns size zero bytes at an address that is a multiple of 8, or an error. size is
	// more than 0. The arena asks for a few KiB at first, for more each time, and for the bytes of
	// a large slice. After an error it asks for less, as long as that is enough.
	//
	// The collector must not free the memory, nor look for pointers in it.
	Alloc(size int) ([]byte, error)

	// Free receives the same slice that Alloc returned: when the arena is freed, and when a Reset
	// has found that it needs less. The arena does not use the memory any more. The program may, by
	// mistake. The memory is not zero.
	//
	// A cleanup of the collector calls Free for an arena that was lost (Options.Finalize), or that
	// was idle in a Pool. As in any cleanup, a panic there ends the program. Otherwise the panic
	// reaches the caller of the arena.
	Free(b []byte)
}
