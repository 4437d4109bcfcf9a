package arena_test

import (
	"fmt"

	"github.com/arena-go/arena"
)

// What makes many values takes their slab once.
func ExampleRefSlabOf() {
	type node struct {
		left, right arena.Ref[node]
	}
	a := arena.NewArena()
	defer a.Free()
	nodes := arena.RefSlabOf[node](a)

	var grow func(depth int) arena.Ref[node]
	grow = func(depth int) arena.Ref[node] {
		r := nodes.New() // inlined
		if depth > 0 {
			left, right := grow(depth-1), grow(depth-1)
			*r.Get(a) = node{left, right}
		}
		return r
	}
	var count func(r arena.Ref[node]) int
	count = func(r arena.Ref[node]) int {
		if r.IsNil() {
			return 0
		}
		n := r.Get(a)
		return 1 + count(n.left) + count(n.right)
	}
	fmt.Println(count(grow(10)), "nodes")
	// Output: 2047 nodes
}
