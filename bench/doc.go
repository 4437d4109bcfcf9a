// Package bench has nothing: its directories are commands that measure arenas against others. It is a
// module of its own because some of these are other people's modules.
//
//	go run ./bench/trees      binary trees: the heap, arenas, bumpalo in Rust, C
//	go run ./bench/entries    millions of entries: Go's map, maps in arenas, caches
//	go run ./bench/arrow      work with Arrow: Go's heap, malloc, arenas
//
// Each measurement is a process of its own, and those that are compared take turns.
package bench
