/*
Package arena allocates many Go values together and takes them back together.
It is fast as a bump allocator. Wrong use cannot corrupt memory, except in a data race.

It does not pay where few values are made, where most of them outlive the unit of work,
or where the collector is not busy.

# Start here

Five functions are enough for a first program:

  - [NewArena] makes an arena.
  - [New] makes a value of any type in it, as new does on the heap. [Ptr] makes it from a value.
  - [Append] grows a slice in it, as append does.
  - [String] copies a string into it.
  - [Arena.Reset] empties it. Its memory is used again for what comes next.

For example:

	a := arena.NewArena()
	for request := range requests {
		tree := parse(a, request) // arena.New[Node](a), arena.Append, arena.String ...
		answer(tree)
		a.Reset() // The whole tree is gone; the next one uses its memory.
	}

Copy what must outlive the Reset to the heap first, with [Clone] or [DeepClone].

The rest of the package, by group:

  - Values: [New], [Ptr]; [Slab] for hot loops, made by [SlabOf]; [NewValue] for types known at run time only; [Box] for interfaces.
  - Slices: [MakeSlice], [SliceOf], [Append], [Push], [Grow], [Collect], [AppendSeq], [Bytes], [MakeSliceAligned], [MakeSliceValue].
  - Text: [String], [Concat], [Join], [Sprintf]; [ReadAll], [ReadAllLimit]; [Builder], made by [NewBuilder]; and package arenastrings,
    which also writes numbers.
  - Maps: [Map], made by [NewMap] or [CollectMap]; [LookupText], [SortedKeys].
  - Copies on the heap: [Clone], [DeepClone].
  - Lifetimes: [Arena.Reset], [Arena.Free]; [Do] for a function, with [SetDoPool]; [Pool] for requests; [Group], made by [NewGroup], for several goroutines;
    [NewContext], [FromContext] and [Fork] for code that has a context.
  - Options and limits: [NewWith], [Options], [Try], [LimitError], [ErrLimit].
  - Finding mistakes: [Options].Guard, [Options].Track, [Pool].GuardEvery, [Pool].KeepEvery; [Report], [Mistake], [Stack]; and package arenadebug.
  - Statistics: [Stats] and [TypeStats] of an [Arena] or a [Group], [PoolStats] of a [Pool].
  - References, which the collector does not follow: package ref.
  - Memory outside of the Go heap: [Memory], [MemoryError], and package offheap.
  - For packages that build on arenas: package arenakit for decoders and adapters, and package arenascope for
    middlewares. Programs need neither. [Arena.Internal] is for this module.

The guide, with a table from the idioms of the heap to those of an arena, is docs/guide.md in the repository.

# When to use it, and when not

An arena pays where a program makes many small values that end together: a
parsed document, a request, a batch, a tree, a level of a game. Profile first. A higher GOGC is the cheaper
remedy, and sometimes enough.

A new arena for each unit of work gains little. Reset one, take it from a [Pool], or use [Do].

A single value cannot be given back. One value that you keep keeps its chunk, up to
256 KiB, and everything that the other values in the chunk refer to. In a new arena for few
values, the first chunks of all types are one object of at most 8 KiB, which one value keeps. Where none has pointers, other
small arenas share the object.

# Any type

Values of every type may be in an arena, and may hold pointers to anything: to other
values of the arena, to another arena, to the heap. The collector sees each of
these pointers. Only Reset needs more care than the heap does.

# Lifetime: what Free and Reset invalidate

Free ends an arena safely: what was allocated stays valid for as long as something
points at it. Only the arena is closed, and panics when it is used again. The tools
that find mistakes report a use of its values after Free all the same. To keep values, drop the
arena; don't Free it.

Reset empties an arena for reuse: the memory is used again at once, and what was allocated
before is stale. Memory is used again for values of the same type only. Strings and slices
of numbers share memory, so a stale string may show bytes of later numbers. So the use of a stale pointer, slice or
string is a mistake, but does not break the memory safety of the program. Reading gives a zero,
an old, a newer or (text) a mixed value, and writing may change a newer one. A bool stays a bool, an
interface stays a valid interface, a slice stays within its array. There is one exception: if another goroutine
uses the memory by then, the use is a data race.

Nothing needs to be freed, unless the arena has an Options.Memory. An arena that is dropped is collected like any value.

# A nil arena is the heap

New[T](nil) is new(T), MakeSlice[T](nil, n, n) is make([]T, n), and so on. So one code path serves
both. Code that takes an arena can be called without one, a program can switch its arenas
off at run time, and a flag can measure what they bring. Only [MakeSliceAligned] needs an
arena.

# Concurrency

One goroutine at a time may use an arena, its slabs, maps and builders. What was
allocated is ordinary memory: any goroutine may read it, and writes need the
usual synchronization. Reset needs it, too: everybody must be done before. Different arenas
share nothing that a program can see.

A [Group] is one lifetime for several goroutines, each of which has an arena of its own. [Fork]
gives a goroutine its own arena through a context.

# One arena per request

A [Pool] gives an arena to each request, batch or call, and takes it back empty. [Do] does
the same for the length of a function. [NewContext] and [FromContext] carry an arena through
code that has a context. [Fork] gives one to each further goroutine of the same work.
Package arenahttp does all of this for net/http.

Call Put only when nothing else uses the arena or its values. An arena that lies
in a Pool is closed: using it panics until somebody else gets it. After that
two users have one arena. If they are in different goroutines this is a data race, which may break the
memory safety of the program as any data race in Go may. If another goroutine may still be at work,
call [Pool.Drop]: it leaves the arena to the collector.

# Text and maps

[String], [Bytes], [Concat], [Join], [Sprintf] and [Builder] make text in an
arena, and package arenastrings has the functions of packages strings and strconv. [Map] is a map in one; encoding/json and fmt
treat it as a map of Go. Text that packages fmt and strings make is on the heap. This is correct, but it is how most programs with arenas
still feed the collector. NoHeap of package arenatest finds such places.

# Finding mistakes

Run tests both with -race and with the arenas of package arenatest: neither sees every mistake.

The use of a stale value corrupts no memory, but it is a mistake. These modes detect it:

  - The race detector. Programs built with -race report the use of a value after Reset, Put or Free
    as a data race, with both stacks, also within one goroutine. Of strings the detector sees only what
    append, copy, fmt and the functions of this package and of package arenastrings read, such as the text in keys of
    a [Map]. It does not see s[i], s + t, s == t, range, []byte(s), package strings or the keys of Go's maps, because
    the compiler does not tell it of these.
  - Guard mode, which is Options.Guard. It makes stale memory inaccessible, and so sees each use of a string. Packages
    arenatest and arenahttptest turn it on for tests, Pool.GuardEvery for a sample of the arenas of a service,
    and SetDoPool for those of Do.
  - Weak pointers. They find values that are reachable after the end of their arena, whether the program uses them or not. Packages
    arenatest and arenahttptest look for such values at the end of each test, Pool.KeepEvery in a sample of the arenas of a service.
  - The address sanitizer. In programs built with -asan it also sees what unsafe code does
    beyond the end of a value.
  - The build tag arenadebug. It fills plain memory at Reset and Free. It checks invariants, and
    that no two goroutines use an arena at the same time.

In these modes an arena never reuses memory. All of them report the use of a pointer that [Map.Entry] returned before
the Map grew. Live of package arenadebug lists the arenas that Options.Track or its Track has tracked. If the collector takes a
tracked arena that was neither Put nor freed, there is a report.

# Memory outside of the Go heap

A type is plain if it has no pointers and no bools: numbers, and arrays and structs of them.
Options.Memory takes text and values of plain types out of the Go heap: to pages of
the system, a mapped file, or an allocator written in C. See package offheap. All other values
stay in the Go heap, so the collector still sees every pointer. Such an arena must be freed,
and Free makes its plain values stale, as Reset does.

# References

Package ref has pointers of four bytes into one arena: numbers. So what is built of references and numbers is
plain. The collector has nothing to follow in it, even if it is ten million nodes. It can be written to a file and mapped
back. There are slices, text, lists and maps of this kind, hashed and ordered.

# Limits

Options.Limit bounds the memory of an arena. An allocation that would exceed it
panics with a [*LimitError] and changes nothing. [Try] turns that into an
error at the edge of a unit of work.

# In place of the standard library's experiment

The functions NewArena, Free, New, MakeSlice and Clone have the signatures of
the arena package behind GOEXPERIMENT=arenas: replace the import. The two differ in this:

  - After Free, values stay valid here. There, using one may crash the program.
  - A freed arena panics with a message here, with a nil dereference there. A second Free
    does nothing here, and panics there.
  - A nil *Arena is the heap, and the zero Arena is ready to use, here. Both crash there.
  - Clone always copies here. There it returns what was not in an arena as it is. It
    accepts every type here. There it panics for strings of named types, and for all but pointers, slices and strings.
  - Bad lengths panic before anything is allocated here, some of them after it there.
  - reflect.ArenaNew is [NewValue] here.
  - An arena with one int takes 1,328 bytes here, and 8 MiB there.
  - Reset, and all the rest of this package, is not there.
*/
package arena
