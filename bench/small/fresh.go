package small

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/bench/internal/suite"
)

// Types of values, as programs have them.
type (
	t0 struct{ _ int }
	t1 struct{ _, _ int }
	t2 struct{ _ string }
	t3 struct {
		_ *t0
		_ int
	}
	t4 struct {
		_ string
		_ *t1
	}
	t5 struct{ _ [4]int }
	t6 struct {
		_ bool
		_ *t3
	}
	t7 struct {
		_ any
		_ int
	}
	t8  struct{ _ []int }
	t9  struct{ _, _ string }
	t10 struct {
		_, _ *t2
		_    int
	}
	t11 struct {
		_ [8]int
		_ string
	}
)

// kept keeps the compiler from giving values a place on the stack.
var kept [12]any

// fresh makes few values of several types in a new arena.
func fresh() (all []suite.Workload) {
	for _, f := range []struct {
		name, about string
		n           int
		onHeap      func(n int) int
		in          func(a *arena.Arena, n int) int
		bound       func(n int) int
		least       func(n int) int
	}{
		{"fresh-1", "Values of one type.", 10, heap1, in1, bound1, nil},
		{"fresh-5", "Values of five types.", 10, heapOf(5), inOf(5), bound5, leastOfTypes(5, 2)},
		{"fresh-8", "Values of eight types.", 62, heapOf(8), inOf(8), bound8, leastOfTypes(8, 8)},
		{"fresh-12", "Values of twelve types.", 120, heapOf(12), inOf(12), nil, nil},
	} {
		sizes := []int{f.n}
		if f.name == "fresh-12" {
			sizes = []int{12, f.n}
		}
		ways := append(inArenas(f.onHeap, f.in), scoped(f.in))
		if f.bound != nil {
			ways = append(ways, repeat("bound", noArena, nothing, func(_ *arena.Arena, n int) int { return f.bound(n) }))
		}
		if f.least != nil {
			ways = append(ways, repeat("bound-types", noArena, nothing, func(_ *arena.Arena, n int) int { return f.least(n) }))
		}
		all = append(all, suite.Workload{
			Name: f.name, Title: "A few values, by number of types", Unit: "values", About: f.about + " They are made in turns.",
			Sizes: sizes, Quick: []int{f.n}, Implementations: ways,
		})
	}
	return all
}

// scoped makes the values in a scope of an arena.
func scoped(in func(a *arena.Arena, n int) int) suite.Implementation {
	a := arena.NewArena()
	var m arena.Mark
	return repeat("arena-scope", func() *arena.Arena { m = a.Mark(); return a }, func(a *arena.Arena) { a.Rewind(m) }, in)
}

func heap1(n int) int {
	for range n {
		kept[0] = new(t0)
	}
	return n
}

func in1(a *arena.Arena, n int) int {
	for range n {
		kept[0] = arena.New[t0](a)
	}
	return n
}

// heapOf makes values of up to twelve types, in turns. It is not inlined, because nothing is
// inlined in what becomes part of a large function.
//
//go:noinline
func heapOf(types int) func(n int) int {
	return func(n int) int {
		for i, t := 0, 0; i < n; i++ {
			switch t {
			case 0:
				kept[0] = new(t0)
			case 1:
				kept[1] = new(t1)
			case 2:
				kept[2] = new(t2)
			case 3:
				kept[3] = new(t3)
			case 4:
				kept[4] = new(t4)
			case 5:
				kept[5] = new(t5)
			case 6:
				kept[6] = new(t6)
			case 7:
				kept[7] = new(t7)
			case 8:
				kept[8] = new(t8)
			case 9:
				kept[9] = new(t9)
			case 10:
				kept[10] = new(t10)
			case 11:
				kept[11] = new(t11)
			}
			if t++; t == types {
				t = 0
			}
		}
		return n
	}
}

// inOf is heapOf, in an arena.
//
//go:noinline
func inOf(types int) func(a *arena.Arena, n int) int {
	return func(a *arena.Arena, n int) int {
		for i, t := 0, 0; i < n; i++ {
			switch t {
			case 0:
				kept[0] = arena.New[t0](a)
			case 1:
				kept[1] = arena.New[t1](a)
			case 2:
				kept[2] = arena.New[t2](a)
			case 3:
				kept[3] = arena.New[t3](a)
			case 4:
				kept[4] = arena.New[t4](a)
			case 5:
				kept[5] = arena.New[t5](a)
			case 6:
				kept[6] = arena.New[t6](a)
			case 7:
				kept[7] = arena.New[t7](a)
			case 8:
				kept[8] = arena.New[t8](a)
			case 9:
				kept[9] = arena.New[t9](a)
			case 10:
				kept[10] = arena.New[t10](a)
			case 11:
				kept[11] = arena.New[t11](a)
			}
			if t++; t == types {
				t = 0
			}
		}
		return n
	}
}
