package arena_test

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
)

// A decoder keeps its handles with the arena, so that it need not look for them in each call.
func ExampleLocal() {
	type tools struct {
		nodes arena.TypeSlab
	}
	found := 0
	decode := func(a *arena.Arena, word string) *Node {
		t, first := arena.Local[tools](a)
		if first {
			t.nodes = arena.SlabOfType(a, reflect.TypeFor[Node]())
		} else {
			found++
		}
		n := (*Node)(t.nodes.New())
		n.Word = arena.String(a, word)
		return n
	}
	a := arena.NewArena()
	for _, word := range []string{"one", "two", "three"} {
		fmt.Println(decode(a, word).Word)
		a.Reset() // Local keeps the tools
	}
	fmt.Println("found", found, "times")
	// Output:
	// one
	// two
	// three
	// found 2 times
}
