package arenaarrow

import (
	"fmt"
	"testing"
)

// BenchmarkFree is what a block costs that is freed at once, and one that lies among others.
func BenchmarkFree(b *testing.B) {
	root := New(Options{})
	child := root.Child("query")
	for name, a := range map[string]*Allocator{"root": root, "child": child} {
		for _, size := range []int{64, 1 << 10, 32 << 10, 64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					a.Free(a.Allocate(size))
				}
			})
		}
	}
}

// BenchmarkGrow doubles a block from 64 bytes to 64 KiB.
func BenchmarkGrow(b *testing.B) {
	a := New(Options{}).Child("query")
	for b.Loop() {
		block := a.Allocate(64)
		for n := 128; n <= 64<<10; n *= 2 {
			block = a.Reallocate(n, block)
		}
		a.Free(block)
	}
}
