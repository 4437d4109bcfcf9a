// Package offheap provides memory outside the Go heap for arenas:
//
//	var memory offheap.Mmap // One for the program.
//
//	a := arena.NewWith(arena.Options{Memory: &memory})
//	defer a.Free()
//
// A provider serves many arenas, in many goroutines.
//
// # When not to use it
//
// Most programs need none of it. The collector does not scan the plain memory of an ordinary arena
// either, so memory outside the Go heap makes collections no faster. It changes how often they run,
// who gets the memory back and when, and it makes Free final. Only values of plain types, which
// consist of numbers, and text are stored there. Values with pointers stay in the Go heap.
//
// Four rules are stricter than for other arenas:
//
//   - Free is required, because the collector frees only its own memory. An arena that is dropped
//     instead is reported; with Options.Finalize its memory is freed some time later.
//   - Free invalidates. Values of the arena must not be used afterwards, although they may be with
//     the Go heap. The provider decides what such a use does. The providers written in Go keep
//     their addresses until Close, so that it never reaches anybody else's memory before. With the
//     providers written in C, and after Close, it may reach anything, including the Go heap.
//   - Pointers to values of the Go heap must not be stored there, for instance by unsafe: the
//     collector does not see them.
//   - The race detector does not see accesses to this memory.
//
// # Which one
//
//	Mmap      pages from the system, returned by Free. A use after Free is a fault as long as the
//	          addresses are in quarantine. Huge pages, NUMA nodes, locking. The first choice: for
//	          large and long-lived data, caches, request buffers with spikes.
//	Fixed     one block allocated at the start: no system calls or page faults afterwards, and no
//	          more memory. A use after Free sees newer bytes. For games and control loops.
//	File      a file that one arena writes once, and other programs map.
//	Mimalloc  allocators written in C, by build tag. A use after Free sees or spoils whatever is
//	Jemalloc  there. For programs whose C code uses most of the memory, and shares it.
//
// Only Mimalloc and Jemalloc need cgo. On systems on which package syscall cannot reserve addresses
// (wasm, plan9 and others) the errors wrap [errors.ErrUnsupported].
package offheap
