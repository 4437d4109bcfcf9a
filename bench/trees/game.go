package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// A forest is where trees are made.
type forest interface {
	count(depth int) int // Makes a tree, and returns the number of its nodes.
	keep(nodes int)      // Makes a tree of so many nodes, which stays.
	kept() int           // Returns the number of its nodes.
	reset()              // Forgets what count has made.
	free()
}

var forests = map[string]func() forest{
	"heap": newHeapForest,
	"new":  newNewForest,
	"slab": newSlabForest,
	"ref":  newRefForest,
	"mmap": newMmapForest,
}

// game is the program of the Benchmarks Game, for trees up to depth n.
func game(n int, newForest func() forest, w io.Writer) {
	stretch := newForest()
	fmt.Fprintf(w, "stretch tree of depth %d\t check: %d\n", n+1, stretch.count(n+1))
	stretch.free()
	long := newForest()
	long.keep(1<<(n+1) - 1)
	f := newForest()
	for d := 4; d <= n; d += 2 {
		trees, sum := 1<<(n-d+4), 0
		for range trees {
			sum += f.count(d)
			f.reset()
		}
		fmt.Fprintf(w, "%d\t trees of depth %d\t check: %d\n", trees, d, sum)
	}
	f.free()
	fmt.Fprintf(w, "long lived tree of depth %d\t check: %d\n", n, long.kept())
	long.free()
}

// collections are what runtime.GC takes, in milliseconds.
type collections struct{ Median, Max float64 }

// collect measures collections while a tree is alive.
func collect(f forest, nodes int) collections {
	f.keep(nodes)
	for range 2 {
		runtime.GC()
	}
	var all []float64
	for range 15 {
		begin := time.Now()
		runtime.GC()
		all = append(all, float64(time.Since(begin).Microseconds())/1000)
	}
	if f.kept() != nodes {
		panic("nodes are missing")
	}
	slices.Sort(all)
	return collections{all[len(all)/2], all[len(all)-1]}
}
