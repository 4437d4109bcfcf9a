/*
Package arenatest gives tests arenas that find mistakes, and finds what an arena should have
taken and the heap got instead.

	func TestParse(t *testing.T) {
		a := arenatest.New(t)
		doc := parse(a, text)
		a.Reset()
		use(doc) // fails the test, with the stacks of this use, of the Reset and of New
	}

[New] is for tests that need an arena, [Options] for those that make a Pool or a Group, [GuardDo] for code that calls arena.Do. Such
arenas are in guard mode, see [arena.Options]: slow, and large, but otherwise like all arenas.

[NoHeap] fails where a function allocates on the heap, and names the places.

# What a mistake looks like

What is found without a fault is an error of the test: a write to a stale value, a second Free, an arena
that nobody has Put or freed. The test goes on.

A fault, which is a use of inaccessible memory, is a panic in the goroutine of the test that called New or
Options. It ends the program, as a panic in a test does. The report is in the log of the test where
[arena.CatchFaults] is supported, which is linux on amd64 and arm64. A fault from which something recovers, a method that package fmt or log/slog calls, or a handler's middleware, is an
error of the test there, too, when the test ends at the latest, with the stack of the access as far as frame pointers tell it. With

	defer arenatest.Recover(t)

it is an error of the test on all systems, and other tests go on. In other goroutines a fault is fatal,
and the report comes before the trace of goroutines, where it is supported; to have a panic there, too, which [Recover]
can turn into an error, such a goroutine calls debug.SetPanicOnFault(true) before.

With the race detector a use after Reset is a data race besides, but for what only reads a string, which it does not see. It sees values with pointers, of
which guard mode sees only what is written or goes through them: run tests with both. With the
address sanitizer it ends the program with the report of the sanitizer.
*/
package arenatest
