package arenakit_test

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
)

// A Node is a node of a list.
type Node struct {
	Word  string
	Right *Node
}

// A decoder knows a type at run time only, and asks once for where its values lie.
func ExampleSlabOf() {
	a := arena.NewArena()
	nodes := arenakit.SlabOf(a, reflect.TypeFor[Node]())
	var list *Node
	for _, word := range []string{"b", "a"} {
		n := (*Node)(nodes.New()) // a decoder of any type writes to the fields by their offsets
		n.Word, n.Right = word, list
		list = n
	}
	fmt.Println(list.Word, list.Right.Word)
	// Output: a b
}

func ExampleSlab_Slice() {
	a := arena.NewArena()
	t := reflect.TypeFor[int64]()
	p := arenakit.SlabOf(a, t).Slice(3)
	s := reflect.SliceAt(t, p, 3)
	s.Index(1).SetInt(7)
	fmt.Println(s)
	// Output: [0 7 0]
}

// A decoder that does not know how many elements will come makes its slice longer as it reads, and
// returns the rest.
func ExampleSlab_Extend() {
	a := arena.NewArena()
	t := reflect.TypeFor[int64]()
	slab := arenakit.SlabOf(a, t)

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
func ExampleSlab_Expect() {
	a := arena.NewArena()
	nodes := arenakit.SlabOf(a, reflect.TypeFor[Node]())
	nodes.Expect(1000)
	for range 1000 {
		nodes.New()
	}
	fmt.Println(a.Stats().Chunks)
	// Output: 1
}

// An adapter that serves one arena after the other keeps its Slab, and asks for another only when
// the arena has another.
func ExampleSlab_For() {
	nodeType := reflect.TypeFor[Node]()
	var nodes arenakit.Slab
	decode := func(a *arena.Arena, word string) *Node {
		var ok bool
		if nodes, ok = nodes.For(a); !ok {
			nodes = arenakit.SlabOf(a, nodeType)
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

// A decoder keeps its handles with the arena, so that it need not look for them in each call.
func ExampleLocal() {
	type tools struct {
		nodes arenakit.Slab
	}
	found := 0
	decode := func(a *arena.Arena, word string) *Node {
		t, first := arenakit.Local[tools](a)
		if first {
			t.nodes = arenakit.SlabOf(a, reflect.TypeFor[Node]())
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
