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

[NoHeap] fails a test when a function allocates on the heap, and names the places.

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
