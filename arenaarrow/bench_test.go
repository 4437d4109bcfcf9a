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

// BenchmarkTwo is BenchmarkFree with goroutines that share an allocator, or have a child each, and
// hold some blocks.
func BenchmarkTwo(b *testing.B) {
	for _, shared := range []bool{true, false} {
		b.Run(fmt.Sprint("shared=", shared), func(b *testing.B) {
			root := New(Options{})
			child := root.Child("query")
			b.RunParallel(func(pb *testing.PB) {
				a := child
				if !shared {
					a = root.Child("query")
				}
				var held [16][]byte
				for i := 0; pb.Next(); i++ {
					a.Free(held[i%16])
					held[i%16] = a.Allocate(64 << (i % 7))
				}
			})
		})
	}
}

// BenchmarkChild is a query of ten blocks, and one of none.
func BenchmarkChild(b *testing.B) {
	for _, blocks := range []int{0, 1, 10} {
		b.Run(fmt.Sprint("blocks=", blocks), func(b *testing.B) {
			root := New(Options{})
			var held [10][]byte
			for b.Loop() {
				q := root.Child("query")
				for i := range blocks {
					held[i] = q.Allocate(64 << i)
				}
				for i := range blocks {
					q.Free(held[i])
				}
				q.Close()
			}
		})
	}
}

// BenchmarkOthers measures Stats of a child without blocks, and Close of a child with a leak, while
// others have a number of blocks.
func BenchmarkOthers(b *testing.B) {
	for _, blocks := range []int{1000, 1_000_000} {
		root := New(Options{StackRate: -1})
		other := root.Child("other")
		for range blocks {
			other.Allocate(64)
		}
		b.Run(fmt.Sprintf("stats/blocks=%d", blocks), func(b *testing.B) {
			q := root.Child("query")
			for b.Loop() {
				q.Stats()
			}
		})
		b.Run(fmt.Sprintf("close/blocks=%d", blocks), func(b *testing.B) {
			for b.Loop() {
				q := root.Child("query")
				block := q.Allocate(100)
				q.Close()
				q.Free(block)
			}
		})
	}
}
