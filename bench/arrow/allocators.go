package main

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
)

// An allocator is a row of the table.
type allocator struct {
	name        string
	environment []string // What its processes have more in theirs.
	open        func() memory.Allocator
	missing     string // Says what a program needs in which open is nil.
}

// The first one is that which others are compared with.
var allocators = []*allocator{
	{name: "GoAllocator", open: goAllocator},
	{name: "GOGC=400", environment: []string{"GOGC=400"}, open: goAllocator},
	malloc,
	experiment,
	{name: "arenaarrow", open: func() memory.Allocator { return arenaarrow.New(arenaarrow.Options{}) }},
	inArena,
}

// An arenaAllocator is none: a workload that gets it makes its arrays in the arena.
type arenaAllocator struct {
	memory.Allocator
	arena *arena.Arena
}

var (
	// inArena is for the workloads that can make their arrays in an arena.
	inArena = &allocator{name: "in an arena", open: func() memory.Allocator { return &arenaAllocator{goAllocator(), arena.NewArena()} }}
	// malloc is arrow's own allocator over that of C.
	malloc = &allocator{name: "mallocator", missing: "cgo"}
	// experiment is an allocator of 2023 over the standard library's experimental arenas.
	experiment = &allocator{name: "arenas 2023", missing: "GOEXPERIMENT=arenas"}
)

func goAllocator() memory.Allocator { return memory.NewGoAllocator() }

// arenaOf returns that of an arenaAllocator, or nil.
func arenaOf(mem memory.Allocator) *arena.Arena {
	if c, ok := mem.(*counter); ok {
		mem = c.Allocator
	}
	if a, ok := mem.(*arenaAllocator); ok {
		return a.arena
	}
	return nil
}

// A counter counts the calls of an allocator.
type counter struct {
	memory.Allocator
	allocate, reallocate atomic.Int64
}

func (c *counter) Allocate(size int) []byte {
	c.allocate.Add(1)
	return c.Allocator.Allocate(size)
}

func (c *counter) Reallocate(size int, b []byte) []byte {
	c.reallocate.Add(1)
	return c.Allocator.Reallocate(size, b)
}
