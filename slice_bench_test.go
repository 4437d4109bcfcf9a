package arena_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/arena-go/arena"
)

func BenchmarkSlice(b *testing.B) {
	var keep [][]byte
	bench(b, sizes, textLengthsOf, inArena(func(a *arena.Arena, n int) (sum int) {
		keep = slices.Grow(keep[:0], n)[:n]
		for i := range keep {
			keep[i] = arena.MakeSlice[byte](a, textLengths[i%256], textLengths[i%256])
		}
		for _, s := range keep {
			sum += len(s) + int(s[0])
		}
		return sum
	})...)
}

// BenchmarkAppend appends n ints one by one; to one slice, and to eight in turn.
func BenchmarkAppend(b *testing.B) {
	for _, slices := range []int{1, 8} {
		b.Run(fmt.Sprintf("slices=%d", slices), func(b *testing.B) {
			bench(b, sizes, below, inArena(func(a *arena.Arena, n int) (sum int) {
				var s [8][]int
				for i := range n {
					at := i % slices
					s[at] = arena.Append(a, s[at], i)
				}
				for _, s := range s {
					for _, x := range s {
						sum += x
					}
				}
				return sum
			})...)
		})
	}
}
