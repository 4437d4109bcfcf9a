package arena_test

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
)

// A decoder knows a type at run time only, and asks once for where its values lie.
func ExampleSlabOfType() {
	a := arena.NewArena()
	nodes := arena.SlabOfType(a, reflect.TypeFor[Node]())
	var list *Node
	for _, word := range []string{"b", "a"} {
		n := (*Node)(nodes.New()) // a decoder of any type writes to the fields by their offsets
		n.Word, n.Right = word, list
		list = n
	}
	fmt.Println(list.Word, list.Right.Word)
	// Output: a b
}

func ExampleTypeSlab_Slice() {
	a := arena.NewArena()
	t := reflect.TypeFor[int64]()
	p := arena.SlabOfType(a, t).Slice(3)
	s := reflect.SliceAt(t, p, 3)
	s.Index(1).SetInt(7)
	fmt.Println(s)
	// Output: [0 7 0]
}

// A decoder that does not know how many elements will come makes its slice longer as it reads, and gives back the rest.
func ExampleTypeSlab_Extend() {
	a := arena.NewArena()
	t := reflect.TypeFor[int64]()
	slab := arena.SlabOfType(a, t)

	n := 2
	p := slab.Slice(n)
	read := 0
	for i := range int64(5) { // what is read
		if read == n {
			if !slab.Extend(p, n, n) {
				longer := slab.Slice(2 * n)
				reflect.Copy(reflect.SliceAt(t, longer, n), reflect.SliceAt(t, p, n))
				p = longer
			}
			n *= 2
		}
		reflect.SliceAt(t, p, n).Index(read).SetInt(i * i)
		read++
	}
	slab.Shrink(p, n, read)
	fmt.Println(reflect.SliceAt(t, p, read))
	// Output: [0 1 4 9 16]
}

// Who knows how many values will come has them in one piece of memory.
func ExampleTypeSlab_Expect() {
	a := arena.NewArena()
	nodes := arena.SlabOfType(a, reflect.TypeFor[Node]())
	nodes.Expect(1000)
	for range 1000 {
		nodes.New()
	}
	fmt.Println(a.Stats().Chunks)
	// Output: 1
}

// An adapter that serves one arena after the other keeps its TypeSlab, and asks for another only when the arena has another.
func ExampleTypeSlab_For() {
	nodeType := reflect.TypeFor[Node]()
	var nodes arena.TypeSlab
	decode := func(a *arena.Arena, word string) *Node {
		var ok bool
		if nodes, ok = nodes.For(a); !ok {
			nodes = arena.SlabOfType(a, nodeType)
		}
		n := (*Node)(nodes.New())
		n.Word = arena.String(a, word)
		return n
	}
	for _, word := range []string{"one", "two"} {
		a := arena.NewArena()
		fmt.Println(decode(a, word).Word)
		a.Free()
	}
	// Output:
	// one
	// two
}
