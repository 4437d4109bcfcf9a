/*
Package arenatest gives tests arenas that find mistakes. It also finds what a function
allocates on the heap and not in its arena.

	func TestParse(t *testing.T) {
		a := arenatest.New(t)
		doc := parse(a, text)
		a.Reset()
		use(doc) // fails the test, with the stacks of this use, of the Reset and of New
	}

[New] is for tests that need an arena, [Options] for those that make a Pool or a Group, [GuardDo] for code that calls
arena.Do. Such arenas are in guard mode, see [arena.Options]: slow and large, but otherwise like all arenas.

When the test ends, each value of these arenas that can still be reached is an error of the test, whether the test uses it or not, with the
path by which it is kept: see [arena.Kept].

[NoHeap] fails a test when a function allocates on the heap, and names the places.

# What is kept

The arenas of New are freed when the test ends, those of Options have ended before. What something points at after that was kept by
mistake: a key of a global map, a field of a value that lives longer, a variable of a goroutine that waits. The report says what the value
is, by what it is kept, from a root of the program on, where it was allocated, and in which arena. Of text it has the first bytes. The first
20 such values are errors of their own. What may keep values is allowed by its name, see [Keeps].

What only variables of the test function, or functions that it has returned from, point at is not kept. Nor is what only package testing has,
such as a function that was given to Cleanup, and what a sync.Pool, a finalizer or a cleanup has had. A test that does not return, as
after FailNow, is not looked at.

The path is found in the dump of the heap that package runtime/debug writes to a temporary file, in which the world stops for some milliseconds for
each MB. Memory of guard mode can be read meanwhile. A heap of more than 256 MB has no paths. Binaries of go test have no names of variables and
types: the go command builds the test again to find them, once for a process. Where it cannot, the report says why, and what to add to the command.

To look costs a collection of garbage for each test that has used an arena, and some more if something is found. While go test -fuzz
generates inputs, none is looked at; go test without it looks at each that was found. Up to 4,096 ends of
arenas, and 200,000 values of them that are not collected, are looked through.

# What a mistake looks like

Some mistakes are found without a fault: a write to a stale value, a second Free, an arena
that nobody has Put or freed. Each is an error of the test, and the test goes on.

A fault is a use of inaccessible memory. It is a panic in the goroutine of the test that called New or
Options, and ends the program, as a panic in a test does. The report is in the log of the test where
[arenadebug.CatchFaults] is supported, which is linux on amd64 and arm64.

Something may recover from a fault: a method that package fmt or log/slog calls, or a handler's middleware. Where CatchFaults
is supported, such a fault is an error of the test, too, at the latest when the test ends. It has the stack of the access as far as
frame pointers tell it.

With

	defer arenatest.Recover(t)

a fault is an error of the test on all systems, and other tests go on. In other goroutines a fault is fatal.
The report comes before the trace of goroutines, where it is supported. To have a panic there, too, which [Recover]
can turn into an error, such a goroutine calls debug.SetPanicOnFault(true) first.

With the race detector a use after Reset is also a data race, except for what only reads a string, which the detector does not see.
It sees values with pointers. Of these guard mode sees only what is written, or goes through their pointers. So run tests
with both. With the address sanitizer a use after Reset ends the program with the report of the sanitizer.
*/
package arenatest
