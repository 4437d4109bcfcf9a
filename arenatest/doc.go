/*
Package arenatest gives tests arenas that find mistakes. It also finds allocations of a function on
the heap instead of in its arena.

	func TestParse(t *testing.T) {
		a := arenatest.New(t)
		doc := parse(a, text)
		a.Reset()
		use(doc) // fails the test, with the stacks of this use, of the Reset and of New
	}

[New] is for tests that need an arena, [Options] for tests that make a Pool or a Group, and
[GuardDo] for code that calls arena.Do. Such arenas are in guard mode, see [arena.Options]: slow and
large, but otherwise like all arenas.

When the test ends, each value of these arenas that is still reachable is an error of the test,
whether the test uses it or not. The error contains the path that keeps the value: see [arena.Kept].

[NoHeap] fails a test if a function allocates on the heap, and names the places.

# What is kept

The arenas of New are freed when the test ends; the arenas of Options have ended before. A value
that is referenced after that was kept by mistake: by a key of a global map, a field of a value that
lives longer, a variable of a goroutine that waits. The report contains the value, the path that
keeps it from a root of the program on, the place of its allocation, and its arena. It contains the
first bytes of text. The first 20 such values are errors of their own. [Keeps] allows a name to keep
values.

Values that only variables of the test function, or of functions that have returned, refer to are
not kept. Nor are values that only package testing refers to, such as a function of Cleanup, or only
a sync.Pool, a finalizer or a cleanup. A test that does not return, as after FailNow, is not
examined.

The path is found in the dump of the heap that package runtime/debug writes to a temporary file. The
dump stops the world for some milliseconds for each MB. Memory of guard mode can be read meanwhile.
A heap of more than 256 MB has no paths. Binaries of go test contain no names of variables and
types: the go command builds the test again to find them, once for a process. If it cannot, the
report says why, and what to add to the command.

The search costs a garbage collection for each test that has used an arena, and some more if it
finds a value. While go test -fuzz generates inputs, none is searched; go test without it searches
each input that was found. The search covers up to 4,096 ends of arenas, and 200,000 of their values
that are not collected.

# What a mistake looks like

Some mistakes are found without a fault: a write to a stale value, a second Free, an arena that
nobody Put or freed. Each is an error of the test, and the test goes on.

A fault is a use of inaccessible memory. It is a panic in the goroutine of the test that called New
or Options, and ends the program, as a panic in a test does. The report is in the log of the test if
[arenadebug.CatchFaults] is supported: on linux, amd64 and arm64.

Something may recover from a fault: a method that package fmt or log/slog calls, or a handler's
middleware. If CatchFaults is supported, such a fault is an error of the test as well, at the latest
when the test ends. The error contains the stack of the access as far as frame pointers show it.

With

	defer arenatest.Recover(t)

a fault is an error of the test on all systems, and other tests go on. In other goroutines a fault
is fatal. The report precedes the trace of goroutines, if it is supported. To get a panic there as
well, which [Recover] can turn into an error, such a goroutine calls debug.SetPanicOnFault(true)
first.

With the race detector a use after Reset is also a data race, except a mere read of a string, which
the detector does not see. It sees values with pointers. Guard mode sees only writes to these, and
accesses through their pointers. So run tests with both. With the address sanitizer a use after
Reset ends the program with the report of the sanitizer.
*/
package arenatest
