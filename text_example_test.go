package arena_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

// A parser that works on bytes makes text in the arena, and nothing on the heap.
func ExampleString() {
	a := arena.NewArena()
	line := []byte("GET /index.html")
	path := arena.String(a, line[4:])
	clear(line) // the text is a copy
	fmt.Println(path)
	// Output: /index.html
}

func ExampleBytes() {
	a := arena.NewArena()
	b := arena.Bytes(a, "text")
	b[0] = 'T'
	fmt.Printf("%s %d\n", b, cap(b))
	// Output: Text 4
}

func ExampleReadAll() {
	a := arena.NewArena()
	body, err := arena.ReadAll(a, strings.NewReader("what a client sends"))
	fmt.Printf("%s, %v\n", body, err)
	// Output: what a client sends, <nil>
}

func ExampleReadAllLimit() {
	a := arena.NewArena()
	_, err := arena.ReadAllLimit(a, strings.NewReader("what a client sends"), 4)
	fmt.Println(errors.Is(err, arena.ErrLimit))
	// Output: true
}

func ExampleGrow() {
	a := arena.NewArena()
	s := arena.Grow(a, []int{1}, 100)
	fmt.Println(s, cap(s) > 100)
	// Output: [1] true
}

func ExampleCollect() {
	a := arena.NewArena()
	fmt.Println(arena.Collect(a, strings.SplitSeq("a,b,c", ",")))
	// Output: [a b c]
}

func ExampleAppendSeq() {
	a := arena.NewArena()
	parts := arena.MakeSlice[string](a, 0, 3)
	fmt.Println(arena.AppendSeq(a, parts, strings.SplitSeq("a,b,c", ",")))
	// Output: [a b c]
}

// A tree whose nodes are values of several types holds them in interfaces.
func ExampleBox() {
	a := arena.NewArena()
	values := arena.SliceOf(a, arena.Box(a, 1000), arena.Box(a, "text"), arena.Box(a, 2.5))
	for _, v := range values {
		switch v := v.(type) {
		case int:
			fmt.Println("int", v)
		default:
			fmt.Printf("%T %v\n", v, v)
		}
	}
	// Output:
	// int 1000
	// string text
	// float64 2.5
}

// A cache that was given the arena of a request may be asked when the request is over.
func ExampleArena_OrHeap() {
	a := arena.NewArena()
	greet := func(name string) string { return arena.Concat(a.OrHeap(), "Hello, ", name) }
	fmt.Println(greet("Ada"))
	a.Free()
	fmt.Println(greet("Bob")) // on the heap
	// Output:
	// Hello, Ada
	// Hello, Bob
}

func ExampleConcat() {
	a := arena.NewArena()
	host, port := "localhost", 8080
	fmt.Println(arena.Concat(a, "http://", host, ":", arenastrings.Itoa(a, port), "/"))
	// Output: http://localhost:8080/
}

func ExampleJoin() {
	a := arena.NewArena()
	columns := arena.SliceOf(a, "id", "name")
	fmt.Println(arena.Concat(a, "SELECT ", arena.Join(a, columns, ", "), " FROM users"))
	// Output: SELECT id, name FROM users
}
