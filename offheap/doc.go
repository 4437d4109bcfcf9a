// Package offheap has memory outside of the Go heap for arenas: set Options.Memory.
//
// # When not to use it
//
// Most programs need none of it. The collector does not look into the plain memory of an ordinary arena
// either, so moving it out of the Go heap makes collections no faster; what changes is how often they run,
// who gets the memory back and when, and that Free is final. Only values of plain types go there: those made
// of numbers, and text. Values with pointers stay in the Go heap.
//
// Four things are stricter than for other arenas:
//
//   - Free is required. The collector takes no memory that is not its own. An arena that is dropped instead is
//     reported; with Options.Finalize its memory is given back some time later.
//   - Free invalidates. What was in the arena must not be used afterwards, as it may with the Go heap. What a
//     use does depends on the provider, see below. Those written in Go keep their addresses until Close, so
//     that it never reaches anybody else's memory before that; with those in C, and after Close, it may be
//     anything, the Go heap included.
//   - Pointers to values of the Go heap must not be stored there, by way of unsafe for instance: the collector
//     does not see them.
//   - The race detector does not see accesses to this memory.
//
// # Which one
//
//	Mmap      pages from the system, given back by Free. A use after Free is a fault, as long as the
//	          addresses are in quarantine. Huge pages, NUMA nodes, locking. The first choice: for large and
//	          long-lived data, caches, request buffers with spikes.
//	Fixed     one block made up front: no system call and no page fault afterwards, and no more memory than
//	          that. A use after Free sees newer bytes. For games and control loops.
//	File      a file that an arena is written to once, and mapped by others.
//	Mimalloc  allocators written in C, by build tag. A use after Free sees or spoils whatever is there. For
//	Jemalloc  programs in which C code has most of the memory, and shares it.
//
// A provider serves many arenas, in many goroutines:
//
//	var memory offheap.Mmap // One for the program.
//
//	a := arena.NewWith(arena.Options{Memory: &memory})
//	defer a.Free()
//
// All work without cgo but the two in C. On systems where package syscall cannot reserve addresses (wasm,
// plan9 and others) the errors wrap [errors.ErrUnsupported].
package offheap
