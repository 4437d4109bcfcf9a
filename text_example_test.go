package arena_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/arena-go/arena"
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

func ExampleItoa() {
	a := arena.NewArena()
	fmt.Println(arena.Concat(a, "page ", arena.Itoa(a, 12)))
	// Output: page 12
}

func ExampleFormatInt() {
	fmt.Println(arena.FormatInt(arena.NewArena(), -255, 16))
	// Output: -ff
}

func ExampleFormatUint() {
	fmt.Println(arena.FormatUint(arena.NewArena(), 1<<64-1, 10))
	// Output: 18446744073709551615
}

func ExampleFormatFloat() {
	fmt.Println(arena.FormatFloat(arena.NewArena(), 2.5, 'f', 2, 64))
	// Output: 2.50
}

func ExampleQuote() {
	fmt.Println(arena.Quote(arena.NewArena(), "a\tb"))
	// Output: "a\tb"
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

func ExampleBuilder_ReadFrom() {
	b := arena.NewBuilder(arena.NewArena())
	b.WriteString("> ")
	io.Copy(b, strings.NewReader("quoted")) // by ReadFrom, or WriteTo of the Reader
	fmt.Println(b)
	// Output: > quoted
}

func ExampleBuilder_AvailableBuffer() {
	b := arena.NewBuilder(arena.NewArena())
	b.Grow(len(time.DateOnly))
	b.Write(time.Unix(0, 0).UTC().AppendFormat(b.AvailableBuffer(), time.DateOnly))
	fmt.Println(b, b.Available() >= 0)
	// Output: 1970-01-01 true
}

func ExampleBuilder_Truncate() {
	b := arena.NewBuilder(arena.NewArena())
	for _, s := range []string{"a", "b"} {
		b.WriteString(s)
		b.WriteString(", ")
	}
	b.Truncate(b.Len() - 2)
	fmt.Println(b)
	// Output: a, b
}

func ExampleBuilder_WriteJSONString() {
	b := arena.NewBuilder(arena.NewArena())
	b.WriteString(`{"name": `)
	b.WriteJSONString("Ada \"&\" Co.")
	b.WriteString("}")
	fmt.Println(b)
	// Output: {"name": "Ada \"\u0026\" Co."}
}

// The lines come as bytes. The map has a copy of each that is new.
func ExampleEntryText() {
	a := arena.NewArena()
	counts := arena.NewMap[string, int](a, 0)
	in := bufio.NewScanner(strings.NewReader("get\nput\nget\n"))
	for in.Scan() {
		*arena.EntryText(counts, in.Bytes())++
	}
	fmt.Println(counts)
	// Output: map[get:2 put:1]
}

func ExampleGetText() {
	m := arena.NewMap[string, int](arena.NewArena(), 0)
	m.Set("seven", 7)
	n, ok := arena.GetText(m, []byte("seven"))
	fmt.Println(n, ok)
	// Output: 7 true
}

func ExampleGrow() {
	a := arena.NewArena()
	s := arena.Grow(a, []int{1}, 100)
	fmt.Println(s, cap(s) > 100)
	// Output: [1] true
}

func ExampleConcatSlices() {
	fmt.Println(arena.ConcatSlices(arena.NewArena(), []int{1}, []int{2, 3}))
	// Output: [1 2 3]
}

func ExampleRepeatSlice() {
	fmt.Println(arena.RepeatSlice(arena.NewArena(), []int{1, 2}, 2))
	// Output: [1 2 1 2]
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

func ExampleCollectMap() {
	a := arena.NewArena()
	m := arena.CollectMap(a, maps.All(map[string]int{"a": 1}))
	fmt.Println(m)
	// Output: map[a:1]
}

func ExampleMap_Insert() {
	m := arena.NewMap[int, string](arena.NewArena(), 2)
	m.Insert(slices.All([]string{"zero", "one"}))
	fmt.Println(m)
	// Output: map[0:zero 1:one]
}

func ExampleMap_Has() {
	m := arena.NewMap[string, int](arena.NewArena(), 0)
	m.Set("a", 0)
	fmt.Println(m.Has("a"), m.Has("b"))
	// Output: true false
}

func ExampleSortedKeys() {
	a := arena.NewArena()
	m := arena.CollectMap(a, maps.All(map[string]int{"b": 1, "a": 2}))
	for _, k := range arena.SortedKeys(a, m) {
		n, _ := m.Get(k)
		fmt.Println(k, n)
	}
	// Output:
	// a 2
	// b 1
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

// A Bool makes a type plain that could not have a reference with a bool in it.
func ExampleBool() {
	type task struct {
		done arena.Bool
		n    int32
	}
	a := arena.NewArena()
	_, t := arena.NewRef[task](a)
	t.done = arena.BoolOf(true)
	fmt.Println(t.done, t.done.Is())
	// Output: true true
}

func ExampleBoolOf() {
	fmt.Println(arena.BoolOf(1 < 2))
	// Output: true
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
