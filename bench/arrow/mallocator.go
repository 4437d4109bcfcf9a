//go:build cgo

package main

import (
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
)

func init() {
	malloc.open = func() memory.Allocator { return mallocator.NewMallocator() }
}
