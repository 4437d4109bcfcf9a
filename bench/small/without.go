package small

import (
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/bench/internal/suite"
)

// without does what programs for arenas do, without an arena. There is no arena to reset, so these
// have one way each besides the heap.
func without() []suite.Workload {
	both := func(onHeap func(n int) int, in func(a *arena.Arena, n int) int) []suite.Implementation {
		return inArenas(onHeap, in)[:2]
	}
	return []suite.Workload{
		{
			Name: "nil-tree", Title: "A syntax tree without an arena", Unit: "nodes",
			About: "A tree of n expressions of four types is made and evaluated: new(T), and arena.New[T] of a nil arena.",
			Sizes: []int{100}, Quick: []int{100},
			Implementations: both(func(n int) int { return heapTree(n).value() }, func(a *arena.Arena, n int) int { return treeIn(a, n).value() }),
		},
		{
			Name: "nil-parser", Title: "A parser without an arena", Unit: "fields",
			About: "A line of n numbers is parsed into a slice of pointers: append, and arena.Push of a nil arena.",
			Sizes: []int{100}, Quick: []int{100},
			Implementations: both(parse, parseIn),
		},
		{
			Name: "nil-text", Title: "Text without an arena", Unit: "strings",
			About: "n strings of up to 100 bytes are copied: strings.Clone, and arena.String of a nil arena.",
			Sizes: []int{100}, Quick: []int{100},
			Implementations: both(copies, copiesIn),
		},
	}
}

type (
	expression interface{ value() int }
	number     struct{ n int }
	negation   struct{ of expression }
	sum        struct{ left, right expression }
	choice     struct{ condition, then, otherwise expression }
)

func (e *number) value() int   { return e.n }
func (e *negation) value() int { return -e.of.value() }
func (e *sum) value() int      { return e.left.value() + e.right.value() }
func (e *choice) value() int {
	if e.condition.value() > 0 {
		return e.then.value()
	}
	return e.otherwise.value()
}

func heapTree(n int) expression {
	switch {
	case n <= 1:
		e := new(number)
		e.n = n
		return e
	case n%5 == 0:
		e := new(negation)
		e.of = heapTree(n - 1)
		return e
	case n%3 == 0:
		e := new(choice)
		e.condition, e.then, e.otherwise = heapTree((n-1)/3), heapTree((n-1)/3), heapTree((n-1)/3)
		return e
	}
	e := new(sum)
	e.left, e.right = heapTree((n-1)/2), heapTree((n-1)/2)
	return e
}

func treeIn(a *arena.Arena, n int) expression {
	switch {
	case n <= 1:
		e := arena.New[number](a)
		e.n = n
		return e
	case n%5 == 0:
		e := arena.New[negation](a)
		e.of = treeIn(a, n-1)
		return e
	case n%3 == 0:
		e := arena.New[choice](a)
		e.condition, e.then, e.otherwise = treeIn(a, (n-1)/3), treeIn(a, (n-1)/3), treeIn(a, (n-1)/3)
		return e
	}
	e := arena.New[sum](a)
	e.left, e.right = treeIn(a, (n-1)/2), treeIn(a, (n-1)/2)
	return e
}

var numbersLine = strings.Repeat("12345 ", 1000)

func parse(n int) (total int) {
	var all []*number
	v := 0
	for _, c := range []byte(numbersLine[:6*n]) {
		if c != ' ' {
			v = 10*v + int(c-'0')
			continue
		}
		e := new(number)
		e.n = v
		all, v = append(all, e), 0
	}
	for _, e := range all {
		total += e.n
	}
	return total
}

func parseIn(a *arena.Arena, n int) (total int) {
	var all []*number
	v := 0
	for _, c := range []byte(numbersLine[:6*n]) {
		if c != ' ' {
			v = 10*v + int(c-'0')
			continue
		}
		e := arena.New[number](a)
		e.n = v
		all, v = arena.Push(a, all, e), 0
	}
	for _, e := range all {
		total += e.n
	}
	return total
}

func copies(n int) (total int) {
	for i := range n {
		total += len(strings.Clone(numbersLine[:i+1]))
	}
	return total
}

func copiesIn(a *arena.Arena, n int) (total int) {
	for i := range n {
		total += len(arena.String(a, numbersLine[:i+1]))
	}
	return total
}
