/*
Package arena allocates values of any type side by side and frees them together, as fast as a
bump allocator. Wrong use cannot corrupt memory, except in a data race.

	a := arena.NewArena()
	for request := range requests {
		tree := parse(a, request) // arena.New[Node](a), arena.Append, arena.String ...
		answer(tree)
		a.Reset() // The whole tree is gone; the next one uses its memory.
	}

Copy what must outlive the Reset to the heap first, with [Clone] or [DeepClone].

Do not use it if the program allocates little, if most values outlive their unit of work, or if the
collector is not busy. A higher GOGC is the cheaper remedy and may be enough. A new arena for each unit
of work gains little: reset one, take it from a [Pool], or use [Do].

# Start here

Five functions are enough for a first program:

  - [NewArena] makes an arena.
  - [New] allocates a zero value of any type in it, and [Ptr] a copy of a value.
  - [Append] grows a slice in it, as append does.
  - [String] copies a string into it.
  - [Arena.Reset] empties it and reuses its memory.

By group:

  - Values: [New], [Ptr]; [Slab] for hot loops, made by [SlabOf]; [NewValue] for types known only at
    run time; [Box] for interfaces.
  - Slices: [MakeSlice], [SliceOf], [Append], [Push], [Grow], [Collect], [AppendSeq], [Bytes],
    [MakeSliceAligned], [MakeSliceValue].
  - Text: [String], [Concat], [Join], [Sprintf]; [ReadAll], [ReadAllLimit]; [Builder], made by
    [NewBuilder]; and packages arenastrings and arenabufio.
  - Maps: [MakeMap] for maps of Go; [Map], made by [NewMap] or [CollectMap], whose entries lie
    in the arena; [LookupText], [SortedKeys].
  - Copies on the heap: [Clone], [DeepClone].
  - Lifetimes: [Arena.Reset], [Arena.Free]; [Arena.Mark], [Mark] and [Arena.Rewind] for a scope; [Do] for a function, with [SetDoPool]; [Pool] for
    requests; [Group], made by [NewGroup], for several goroutines; [NewContext], [FromContext] and
    [Fork] for code that has a context.
  - Options and limits: [NewWith], [Options], [Try], [LimitError], [ErrLimit].
  - Finding mistakes: [Options].Guard, [Options].Track, [Pool].GuardEvery, [Pool].KeepEvery;
    [Report], [Mistake], [Stack]; and packages arenatest and arenadebug.
  - Statistics: [Stats] and [TypeStats] of an [Arena] or a [Group], [PoolStats] of a [Pool].
  - References, which the collector does not follow: package ref.
  - Memory outside the Go heap: [Memory], [MemoryError], and package offheap.
  - For authors of decoders, adapters and middlewares: packages arenakit and arenascope.
    [Arena.Internal] serves this module only.

The guide, docs/guide.md in the repository, translates the heap's idioms.

# Any type

Values of every type may lie in an arena and hold pointers to anything: to other values of the arena,
to another arena, to the heap. The collector sees each of these pointers. Only Reset needs more care
than the heap.

# Lifetime: what Free and Reset invalidate

Free ends an arena safely. Its values stay valid as long as something refers to them; only the arena
is closed, and panics when it is used again. The tools that find mistakes still report uses of its
values. To keep values, drop the arena without Free. A value that is kept retains its chunk, up to
256 KiB, and everything that the chunk refers to. In a new arena for few values, the first chunks of
all types are one object of at most 8 KiB; small arenas share that object if it has no pointers.

Reset empties an arena for reuse. What was allocated before is stale: values of the same type reuse
its memory, and strings and slices of numbers share memory with each other. The use of a stale
pointer, slice or string is a mistake but never breaks memory safety. A read gives zero, an old, a
newer or (text) a mixed value, and a write may change a newer one. A bool stays a bool, an interface
stays a valid interface, a slice stays within its array. The one exception: if another goroutine uses
the memory by then, the use is a data race.

Nothing needs to be freed unless the arena has an Options.Memory. A dropped arena is collected like
any value. A single value cannot be freed.

# A nil arena is the heap

New[T](nil) is new(T), MakeSlice[T](nil, n, n) is make([]T, n), and so on. One code path serves both,
so a program can switch its arenas off at run time and measure the difference. Only
[MakeSliceAligned] needs an arena.

# Concurrency

One goroutine at a time may use an arena, its slabs, maps and builders. What was allocated is ordinary
memory: any goroutine may read it, and writes need the usual synchronization. So does Reset. Different
arenas share nothing that a program can see.

A [Group] is one lifetime for several goroutines, each with its own arena. [Fork] gives a goroutine
its own arena through a context.

# One arena per request

A [Pool] hands an arena to each request, batch or call and empties it at Put. [Do] does the same for
the length of a function. [NewContext] and [FromContext] carry an arena through code that has a
context. Package arenahttp does all of this for net/http.

Call Put only when nothing else uses the arena or its values. An arena in a Pool is closed: using it
panics until another Get returns it. From then on two users share one arena. If they are different
goroutines, that is a data race, which may break memory safety like any data race in Go. If another
goroutine may still be at work, call [Pool.Drop], which leaves the arena to the collector.

# Text and maps

[Map] is a map in an arena; encoding/json and fmt treat it as a map of Go. Text that packages fmt and
strings allocate lies on the heap. That is correct, but costs what the arena was to save. NoHeap of
package arenatest finds such places.

# Finding mistakes

Run tests with -race and with the arenas of package arenatest: neither sees every mistake.

  - The race detector reports the use of a value after Reset, Put or Free as a data race, with both
    stacks, also within one goroutine. Of strings it sees only what append, copy, fmt, this package
    and package arenastrings read, because the compiler does not instrument other reads.
  - Guard mode, Options.Guard, makes stale memory inaccessible and so sees each use of a string.
    Packages arenatest and arenahttptest turn it on for tests, Pool.GuardEvery for a sample of a
    service's arenas, and SetDoPool for the arenas of Do.
  - Weak pointers find values that are reachable after the end of their arena, used or not. Packages
    arenatest and arenahttptest look for them at the end of each test, Pool.KeepEvery in a sample.
  - The address sanitizer, -asan, also sees what unsafe code does beyond the end of a value.
  - The build tag arenadebug fills plain memory at Reset and Free, and checks invariants and that no
    two goroutines use an arena at once.

In these modes an arena never reuses memory. All of them report the use of a pointer that [Map.Entry]
returned before the Map grew. Live of package arenadebug lists tracked arenas: Options.Track tracks
one, its Track a sample. A tracked arena that the collector frees without Put or Free is reported.

# Memory outside of the Go heap

A type is plain if it has no pointers and no bools: numbers, and arrays and structs of numbers.
Options.Memory moves text and values of plain types out of the Go heap, to pages of the system, a
mapped file, or an allocator written in C: see package offheap. All other values stay in the Go heap,
so the collector still sees every pointer. Such an arena must be freed, and Free makes its plain
values stale, as Reset does.

# References

Package ref has pointers of four bytes into one arena. They are numbers, so data built of references
and numbers is plain: the collector does not scan it, however large it is, and it can be written to a
file and mapped back.

# Limits

Options.Limit bounds the memory of an arena in bytes. An allocation beyond it panics with a
[*LimitError] and changes nothing. [Try] returns that panic as an error at the edge of a unit of work.

# Instead of GOEXPERIMENT=arenas

NewArena, Free, New, MakeSlice and Clone have the signatures of the experiment's package: replace the
import. The differences:

  - After Free, values stay valid here. There, using one may crash the program.
  - A freed arena panics with a message here, with a nil dereference there. A second Free does nothing
    here, and panics there.
  - A nil *Arena is the heap, and the zero Arena is ready to use, here. Both crash there.
  - Clone always copies and accepts every type here. There it returns heap values unchanged, and
    panics for strings of named types and for all but pointers, slices and strings.
  - Bad lengths panic before anything is allocated here, some of them after it there.
  - reflect.ArenaNew is [NewValue] here.
  - An arena with one int takes 1,328 bytes here, and 8 MiB there.
  - Reset and the rest of this package exist only here.
*/
package arena
