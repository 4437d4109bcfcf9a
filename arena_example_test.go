package arena_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/arena-go/arena"
)

type Node struct {
	Word        string
	Left, Right *Node
}

// insert returns the tree with word in it. With a nil arena it is an ordinary
// Go function.
func insert(a *arena.Arena, t *Node, word string) *Node {
	switch {
	case t == nil:
		t = arena.New[Node](a)
		t.Word = arena.String(a, word)
	case word < t.Word:
		t.Left = insert(a, t.Left, word)
	case word > t.Word:
		t.Right = insert(a, t.Right, word)
	}
	return t
}

func size(t *Node) int {
	if t == nil {
		return 0
	}
	return size(t.Left) + 1 + size(t.Right)
}

// The work of a round is done in an arena, which is emptied for the next.
func Example() {
	a := arena.NewArena()
	defer a.Free()
	for _, line := range []string{"the cat saw the dog", "a rose is a rose is a rose"} {
		var words *Node
		for word := range strings.FieldsSeq(line) {
			words = insert(a, words, word)
		}
		fmt.Println(size(words), "words")
		a.Reset() // words and all it points at is stale now
	}
	// Output:
	// 4 words
	// 3 words
}

func ExampleNew() {
	type point struct{ X, Y int }
	a := arena.NewArena()
	p := arena.New[point](a)
	q := arena.New[point](nil) // the Go heap
	fmt.Println(*p, *q)
	// Output: {0 0} {0 0}
}

func ExamplePut() {
	a := arena.NewArena()
	p := arena.Put(a, Node{Word: "root"})
	fmt.Println(p.Word)
	// Output: root
}

func ExampleSlabOf() {
	a := arena.NewArena()
	nodes := arena.SlabOf[Node](a) // once
	var list *Node
	for range 1000 {
		n := nodes.New() // inlined
		n.Right = list
		list = n
	}
	fmt.Println(a.Stats().Types[0].Count)
	// Output: 1000
}

// What is needed after Free is copied out before. A value that is not would stay valid, but the
// tools that find mistakes would report its use.
func ExampleArena_Free() {
	a := arena.NewArena()
	s := arena.String(a, "still here")
	kept := arena.Clone(s)
	a.Free()
	fmt.Println(kept)
	// Output: still here
}

// What is needed after Reset is copied out before.
func ExampleArena_Reset() {
	a := arena.NewArena()
	tree := insert(a, insert(a, nil, "b"), "a")
	kept := arena.DeepClone(tree)
	a.Reset()
	fmt.Println(kept.Left.Word, kept.Word)
	// Output: a b
}

func ExampleArena_Stats() {
	a := arena.NewArena()
	insert(a, insert(a, nil, "seven"), "eight")
	for _, t := range a.Stats().Types {
		fmt.Println(t.Count, t.Name) // and t.Bytes
	}
	// Output:
	// 2 arena_test.Node
	// 2 text
}

func ExampleMakeSlice() {
	a := arena.NewArena()
	s := arena.MakeSlice[int](a, 2, 10)
	fmt.Println(s, cap(s))
	// Output: [0 0] 10
}

func ExampleMakeSliceAligned() {
	a := arena.NewArena()
	s := arena.MakeSliceAligned[float64](a, 8, 8, 64) // one cache line
	fmt.Println(len(s), reflect.ValueOf(s).Pointer()%64)
	// Output: 8 0
}

func ExampleSliceOf() {
	a := arena.NewArena()
	fmt.Println(arena.SliceOf(a, "x", "y"))
	// Output: [x y]
}

func ExampleAppend() {
	a := arena.NewArena()
	var squares []int
	for i := range 5 {
		squares = arena.Append(a, squares, i*i)
	}
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExamplePush() {
	type node struct{ name string }
	a := arena.NewArena()
	var nodes []*node
	for _, name := range []string{"Doc", "Happy"} {
		nodes = arena.Push(a, nodes, arena.Put(a, node{name}))
	}
	fmt.Println(len(nodes), nodes[1].name)
	// Output: 2 Happy
}

func ExampleAppendNew() {
	a := arena.NewArena()
	few := arena.SliceOf(a, 1, 2)
	more := arena.AppendNew(a, few, 3, 4)
	more[0] = 9
	fmt.Println(few, more)
	// Output: [1 2] [9 2 3 4]
}

func ExamplePushNew() {
	a := arena.NewArena()
	few := arena.SliceOf(a, 1, 2)
	more := arena.PushNew(a, few, 3)
	more[0] = 9
	fmt.Println(few, more)
	// Output: [1 2] [9 2 3]
}

func ExampleSprintf() {
	a := arena.NewArena()
	fmt.Println(arena.Sprintf(a, "%d %s", 7, "dwarfs"), arena.Concat(a, "snow", "white"))
	// Output: 7 dwarfs snowwhite
}

func ExampleNewValue() {
	a := arena.NewArena()
	v := arena.NewValue(a, reflect.TypeFor[Node]())
	v.Elem().Field(0).SetString("by reflection")
	fmt.Println(v.Interface().(*Node).Word)
	// Output: by reflection
}

func ExampleMakeSliceValue() {
	a := arena.NewArena()
	v := arena.MakeSliceValue(a, reflect.TypeFor[[]string](), 2, 4)
	v.Index(1).SetString("z")
	fmt.Printf("%q\n", v.Interface())
	// Output: ["" "z"]
}

// A limit makes a hostile input an error.
func ExampleTry() {
	a := arena.NewWith(arena.Options{Name: "upload", Limit: 1 << 20})
	err := arena.Try(func() {
		arena.MakeSlice[byte](a, 1<<30, 1<<30)
	})
	fmt.Println(errors.Is(err, arena.ErrLimit))
	fmt.Println(err)
	// Output:
	// true
	// arena: limit exceeded: arena upload holds 0 bytes, needs 1073741824 more, and may hold 1048576 (Options.Limit)
}
