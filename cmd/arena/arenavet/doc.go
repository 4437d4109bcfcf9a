// Package arenavet finds mistakes in the use of arenas before the program runs: what is used after
// its arena has ended, what is kept longer, arenas in two goroutines, and arenas that nobody
// returns. It finds the same for values of a sync.Pool.
//
// [Analyzers] are analyzers of golang.org/x/tools/go/analysis, one for each code of a finding.
// Command arena runs them, by itself or by go vet, and other drivers can. codes.md has a section
// for each code; [Explain] returns one.
//
// # How it works
//
// Each function is followed on its SSA form. The state at a place has for each value which arenas
// it may lie in, and since when that arena has ended; the same for places in memory, by paths such
// as p.name; and for each arena whether it is open. States of several ways are joined. When nothing
// changes any more, each instruction that looks at memory is checked.
//
// A use is certain if the value is stale on all ways to it. It is also certain if the end of the
// arena, or the making of the value, leads to the use whatever the conditions say, except
// conditions that end a loop: then there is no run of the program in which the one happens without
// the other. The same holds for the way on which a variable becomes the value, or its arena, and
// for a defer statement under a condition. Everything else may be right, because conditions may
// depend on each other. It is reported with the flag maybe only. What a turn of a loop leaves in
// older elements, if only errors end the loop, is certain if nothing takes it away.
//
// What callers have to know of a function is its summary, in terms of its parameters: where results
// come from, what is stored where, which arenas end, what is used, and whether goroutines go on. It
// is a fact, so that it is there in other packages. Packages that have neither arenas nor a
// sync.Pool are not followed, and functions that take more than a bounded number of steps are left
// out.
//
// What a function does with functions that it was given is in its summary, too: which it calls,
// with what, and whether that ends before it returns. So callbacks, options, and loops over
// functions are followed. Where a value may be one of a few functions, what all of them do is
// certain.
//
// Functions of this project are known by their names: see names.go. What functions of the standard
// library return and keep is in library.txt, which TestLibrary derives from their sources. So
// vendored code and other versions are analyzed as well.
package arenavet
