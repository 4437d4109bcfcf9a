// Package memory: this file stands for the one of the same name in a copy of
// arrow-go. The names are arrow-go's, what they do depends on the setting.
package memory

import (
	"os"

	"github.com/arena-go/arena/arenaarrow"
)

// GoAllocator is what arrow-go and its tests use when they are given no other allocator.
type GoAllocator struct{}

// NewGoAllocator returns a GoAllocator. All of them share one arenaarrow.Allocator, or none.
func NewGoAllocator() *GoAllocator { return &GoAllocator{} }

var _ Allocator = (*GoAllocator)(nil)

// shared is nil with the setting heap.
var shared = settle(os.Getenv("ARENAARROW_SUITE"))

func settle(setting string) *arenaarrow.Allocator {
	switch setting {
	case "heap":
		return nil
	case "arena":
		return arenaarrow.New(arenaarrow.Options{})
	case "debug":
		return arenaarrow.New(arenaarrow.Options{Debug: true})
	}
	panic("suite: set ARENAARROW_SUITE to heap, arena or debug")
}

// Allocate returns size zeroed bytes, aligned and with no spare capacity.
func (*GoAllocator) Allocate(size int) []byte {
	if shared != nil {
		return shared.Allocate(size)
	}
	padded := make([]byte, size+alignment)
	address := int(addressOf(padded))
	start := roundUpToMultipleOf64(address) - address
	return padded[start : start+size : start+size]
}

// Reallocate returns b with size bytes, which on the heap moves only when it has to.
func (g *GoAllocator) Reallocate(size int, b []byte) []byte {
	if shared != nil {
		return shared.Reallocate(size, b)
	}
	if size <= cap(b) {
		return b[:size]
	}
	moved := g.Allocate(size)
	copy(moved, b)
	return moved
}

// Free gives b back, which on the heap is for the collector to do.
func (*GoAllocator) Free(b []byte) {
	if shared != nil {
		shared.Free(b)
	}
}
