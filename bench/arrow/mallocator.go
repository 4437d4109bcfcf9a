//go:build cgo

package arrow

import (
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
)

func init() {
	newMallocator = func() memory.Allocator { return mallocator.NewMallocator() }
}
