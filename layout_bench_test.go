package arena_test

import (
	"fmt"
	"testing"

	"github.com/arena-go/arena"
)

// Types of a small tree, from 16 to 96 bytes, most of them with pointers.
type (
	ident    struct{ _ string }
	number   struct{ _, _ int }
	unary    struct{ _, _ any }
	binary   struct{ _, _, _, _ uintptr }
	callExpr struct {
		_ *ident
		_ []any
		_ int
	}
	field struct {
		_, _ string
		_    any
	}
	list struct {
		_, _ *list
		_    int
	}
	blockStmt struct {
		_    []any
		_, _ int
	}
	fun struct {
		_    *ident
		_, _ []any
		_    *blockStmt
	}
	comment struct {
		_ string
		_ int
	}
	ret struct {
		_ []any
		_ int
	}
	imports struct {
		_, _ string
		_    *comment
		_, _ int
	}
)

// mixed makes the i-th of a round of values of 12 types, or of the first few of them.
func mixed(a *arena.Arena, i int) any {
	switch i {
	case 0:
		return arena.New[ident](a)
	case 1:
		return arena.New[number](a)
	case 2:
		return arena.New[unary](a)
	case 3:
		return arena.New[binary](a)
	case 4:
		return arena.New[callExpr](a)
	case 5:
		return arena.New[field](a)
	case 6:
		return arena.New[list](a)
	case 7:
		return arena.New[blockStmt](a)
	case 8:
		return arena.New[fun](a)
	case 9:
		return arena.New[comment](a)
	case 10:
		return arena.New[ret](a)
	}
	return arena.New[imports](a)
}

// mixedHeap is mixed without arenas.
func mixedHeap(i int) any {
	switch i {
	case 0:
		return new(ident)
	case 1:
		return new(number)
	case 2:
		return new(unary)
	case 3:
		return new(binary)
	case 4:
		return new(callExpr)
	case 5:
		return new(field)
	case 6:
		return new(list)
	case 7:
		return new(blockStmt)
	case 8:
		return new(fun)
	case 9:
		return new(comment)
	case 10:
		return new(ret)
	}
	return new(imports)
}

// BenchmarkFresh makes few values of several types in a new arena, which it frees.
func BenchmarkFresh(b *testing.B) {
	keep := make([]any, 1000)
	for _, shape := range [][2]int{{1, 1}, {2, 1}, {10, 1}, {10, 5}, {12, 12}, {24, 12}, {62, 8}, {120, 12}, {1000, 12}} {
		n, types := shape[0], shape[1]
		run := func(impl string, round func()) {
			b.Run(fmt.Sprintf("n=%d/types=%d/impl=%s", n, types, impl), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					round()
				}
			})
		}
		run("heap", func() {
			for i, k := 0, 0; i < n; i++ {
				keep[i] = mixedHeap(k)
				if k++; k == types {
					k = 0
				}
			}
		})
		run("free", func() {
			a := arena.NewArena()
			for i, k := 0, 0; i < n; i++ {
				keep[i] = mixed(a, k)
				if k++; k == types {
					k = 0
				}
			}
			a.Free()
		})
	}
}
