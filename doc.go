/*
Package arena allocates many Go values together and takes them back together:
as fast as a bump allocator, as safe as the Go heap.

	a := arena.NewArena()
	for request := range requests {
		tree := parse(a, request) // arena.New[Node](a), arena.MakeSlice, arena.String ...
		answer(tree)
		a.Reset() // all of it at once; the memory is used again
	}
	a.Free()

# When to use it, and when not

An arena pays where a program makes many small values that end together: a
parsed document, a request, a batch, a tree, a level of a game. It does not
pay where few values are made, where most of them outlive the unit of work, or
where the collector is not busy: profile first. Raising GOGC is the cheaper
remedy, and sometimes enough.

There is no way to give back a single value, and one value that is kept keeps its
chunk, up to 256 KiB, with whatever the other values in it refer to.

# Any type

Values of every type may be allocated, and hold pointers to anything: to other
values of the arena, of another arena, to the heap. The collector sees each of
them. An arena needs no care that the heap does not need, but for Reset.

# Lifetime: what Free and Reset invalidate

Free is the safe end. What was allocated stays valid for as long as something
points at it; only the arena is closed, and panics when it is used again. What is to be used
after the arena is best left in one that is not freed but dropped: the tools
that find mistakes take a use after Free for one.

Reset is the fast end. The memory is used again at once, and what was allocated
before is stale. A stale pointer, slice or string is a mistake of the program, but
not a danger to it, unless another goroutine uses the memory by then, which makes it a data race: memory is used again for values of the same type only, or, for
strings and for slices of numbers, for other such bytes. Reading it gives an old or
a newer value, writing to it may change a newer one. A bool stays a bool, an
interface a valid interface, a slice within its array. Nothing needs to be
freed: an arena that is dropped is collected like any value.

What outlives a Reset is copied out with [Clone] or [DeepClone] before.

# A nil arena is the heap

New[T](nil) is new(T), MakeSlice[T](nil, n, n) is make([]T, n), and so on for
everything but references, which need an arena since they are positions in one, see [Ref], and [MakeSliceAligned]. One code path serves both: code that takes an arena can
be called without one, an arena can be switched off at run time, and the benefit
can be measured with a flag.

# Concurrency

An arena, its slabs, maps and builders are used by one goroutine at a time. What was
allocated is ordinary memory: any goroutine may read it, and writes need the
usual synchronization, among them the one by which everybody is done before
Reset. Different arenas have nothing in common, as far as a program can see.

A [Group] is one lifetime for several goroutines, each of which has an arena of its own. [Fork] gives a goroutine its own by
way of a context.

# One arena per request

A [Pool] has an arena for each request, batch or call, and takes it back empty; [Do] is
the same for the length of a function. [NewContext] and [FromContext] carry an arena through
code that has a context, and [Fork] gives each further goroutine of the same work one of its own. Package arenahttp does all of it for net/http.

An arena that lies in a Pool is closed: using it panics until somebody else gets it. After that the
two have one arena, and if they are in different goroutines it is a data race, which may break the memory
safety of the program as any data race in Go may. Who
puts an arena back must be the last to use it, and what is in it. Where that is not certain, because another goroutine may
still be at work, [Pool.Drop] leaves it to the collector.

# Text and maps

[String], [Bytes], [Concat], [Join], [Sprintf] and [Builder] make text in an
arena, and [Map] is a map in one, also for encoding/json and fmt. Where fmt or strings is used instead, that text is on the heap; this is
correct, and the usual way in which a program with arenas still feeds the collector.

# Finding mistakes

Run tests with -race and with the arenas of package arenatest, both: neither sees all.

A stale value does no harm that memory safety would forbid, and is a mistake all the same. It is found

  - by the race detector: in programs built with -race the use of a value after Reset, Put or Free
    is reported as a data race, also within one goroutine, with the stacks of both. Of strings it sees what append, copy, fmt
    and the functions of this package read, and not s[i], s + t, s == t, range, []byte(s), strings.Clone or the keys of maps: the compiler
    does not tell it of these;
  - by guard mode, Options.Guard, which makes such memory inaccessible, for tests, see packages arenatest and arenahttptest,
    and for a sample of the arenas of a service, see Pool.GuardEvery, and SetDoPool for those of Do. It sees each use of a string;
  - by the address sanitizer: in programs built with -asan, also what unsafe code does beyond
    the end of a value;
  - by the build tag arenadebug, which fills plain memory at Reset and Free, and checks invariants and
    that no two goroutines use an arena at the same time.

In all of these an arena uses no memory twice, and a pointer that [Map.Ref] has returned before the Map grew is
reported like a stale one. [Live] lists the arenas that [Track], or Options.Track, has had
tracked, and the collector reports those that are dropped without Free or Put.

# Memory outside of the Go heap

Options.Memory takes values of plain types, those without pointers and bools, out of the Go heap: to pages of
the system, a mapped file, or an allocator written in C, see package offheap. Values of all other types stay in
the Go heap, so nothing that is stored is lost to the collector. Such an arena must be freed,
and Free invalidates what was plain in it, as Reset does.

# References

A [Ref] is a pointer of four bytes into one arena: a number, so that what is built of references and numbers is
plain, and the collector has nothing to look at in it, be it ten million nodes. It can be written to a file and mapped
back. [RefSlice] and [RefString] are the same for slices and text; [RefMap], [RefTextMap], [RefTree] and
[RefTextTree] are maps, hashed and ordered, that are built of them.

# Limits

Options.Limit bounds the memory of an arena. An allocation that would exceed it
panics with a [*LimitError], having changed nothing; [Try] turns that into an
error at the edge of a unit of work.

# In place of the standard library's experiment

The functions NewArena, Free, New, MakeSlice and Clone have the signatures of
the arena package behind GOEXPERIMENT=arenas: replace the import. They differ in this:

  - After Free, values stay valid here; there, using one may crash the program.
  - A freed arena panics with a message here, with a nil dereference there. A second Free
    does nothing here, and panics there.
  - A nil *Arena is the heap, and the zero Arena is ready to use, here; both crash there.
  - Clone always copies here; there it returns what was not in an arena as it is. It
    accepts every type here; there it panics for strings of named types, and for all but pointers, slices and strings.
  - Bad lengths panic before anything is allocated here, some of them after it there.
  - reflect.ArenaNew is [NewValue] here.
  - An arena holds a few hundred bytes here when little is in it, and 8 MiB there.
  - Reset, and all the rest of this package, is not there.
*/
package arena
