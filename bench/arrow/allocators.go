package arrow

import (
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/bench/internal/suite"
)

// Of these a program has those that it was built with.
var (
	// newMallocator returns arrow's own allocator over C's malloc.
	newMallocator func() memory.Allocator
	// newArenas2023 returns an allocator of 2023 over the standard library's experimental arenas.
	newArenas2023 func() memory.Allocator
)

func newGoAllocator() memory.Allocator { return memory.NewGoAllocator() }

func newArenaAllocator() memory.Allocator { return arenaarrow.New(arenaarrow.Options{}) }

// implementations returns the allocators, and arrays in an arena if the workload can make them.
func (w *workload) implementations() []suite.Implementation {
	malloc := suite.Implementation{Name: "mallocator", Open: w.with(newMallocator)}
	if malloc.Open == nil {
		malloc.Missing = "cgo"
	}
	all := []suite.Implementation{
		{Name: "GoAllocator", Open: w.with(newGoAllocator)},
		{Name: "GoAllocator-gogc400", Environment: []string{"GOGC=400"}, Open: w.with(newGoAllocator)},
		malloc,
		{Name: "arenas2023", Program: suite.Experiment, Open: w.with(newArenas2023)},
		{Name: "arenaarrow", Open: w.with(newArenaAllocator)},
	}
	if w.prepareIn != nil {
		all = append(all, suite.Implementation{Name: "arenaarrow-build", Open: func(rows int) func() uint64 {
			pass, a := w.prepareIn(rows), arena.NewArena()
			return round(func(d *digest) { pass(a, d) })
		}})
	}
	return all
}

// with returns the Open of an allocator, or nil if there is none.
func (w *workload) with(open func() memory.Allocator) func(rows int) func() uint64 {
	if open == nil {
		return nil
	}
	return func(rows int) func() uint64 {
		pass, mem := w.prepare(rows), open()
		return round(func(d *digest) { pass(mem, d) })
	}
}
