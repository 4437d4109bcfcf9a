package arena_test

import (
	"fmt"

	"github.com/arena-go/arena"
)

func ExampleRefList() {
	type word struct {
		text  arena.RefString
		lines arena.RefList[uint32]
	}
	a := arena.NewArena()
	_, w := arena.NewRef[word](a)
	w.text = arena.NewRefString(a, "arena")
	for line := range uint32(3) {
		w.lines.Append(a, line)
	}
	fmt.Println(w.text.Get(a), w.lines.Get(a))
	// Output: arena [0 1 2]
}

func ExampleRefList_Grow() {
	a := arena.NewArena()
	var l arena.RefList[uint32]
	l.Grow(a, 1000) // no former memory is left behind on the way there
	used := a.Stats().RefBytes
	for i := range uint32(1000) {
		l.Append(a, i)
	}
	fmt.Println(l.Len(), a.Stats().RefBytes == used)
	// Output: 1000 true
}

// A list is a stack, with Append and Truncate.
func ExampleRefList_Truncate() {
	a := arena.NewArena()
	var stack arena.RefList[uint32]
	stack.Append(a, 1, 2, 3)
	top := stack.Get(a)[stack.Len()-1]
	stack.Truncate(stack.Len() - 1)
	stack.Append(a, 4)
	fmt.Println(top, stack.Get(a))
	// Output: 3 [1 2 4]
}
