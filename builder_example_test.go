package arena_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/arena-go/arena"
)

// A line of a log is made without package fmt, whose arguments are on the heap.
func ExampleBuilder() {
	b := arena.NewBuilder(arena.NewArena())
	b.WriteString("user=")
	b.WriteQuote("Ada")
	b.WriteString(" items=")
	b.WriteInt(-3, 10)
	b.WriteString(" trace=")
	b.WriteUint(0xC0FFEE, 16)
	b.WriteString(" took=")
	b.WriteFloat(2.5, 'f', 1, 64)
	b.WriteRune('µ')
	b.WriteByte('s')
	b.WriteString(" cached=")
	b.WriteBool(true)
	fmt.Println(b)
	// Output: user="Ada" items=-3 trace=c0ffee took=2.5µs cached=true
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

func ExampleBuilder_String() {
	b := arena.NewBuilder(arena.NewArena())
	b.WriteString("a")
	s := b.String() // shares the memory of b, which nobody changes
	b.WriteString("b")
	fmt.Println(s, b.String())
	// Output: a ab
}

func ExampleBuilder_Bytes() {
	b := arena.NewBuilder(arena.NewArena())
	b.WriteString("text")
	p := b.Bytes() // shares the memory of b, too
	p[0] = 'T'
	fmt.Printf("%s, %d bytes\n", p, b.Len())
	// Output: Text, 4 bytes
}

// Who knows the length spares the Builder its growing.
func ExampleBuilder_Grow() {
	words := []string{"to", "be", "or", "not"}
	n := 0
	for _, w := range words {
		n += len(w) + 1
	}
	b := arena.NewBuilder(arena.NewArena())
	b.Grow(n)
	room := b.Cap()
	for _, w := range words {
		b.WriteString(w)
		b.WriteByte(' ')
	}
	fmt.Println(b, room >= n, b.Cap() == room)
	// Output: to be or not  true true
}

// One Builder serves for many short texts, which lie side by side.
func ExampleBuilder_Reset() {
	a := arena.NewArena()
	b := arena.NewBuilder(a)
	var urls []string
	for id := range int64(3) {
		b.Reset()
		b.WriteString("/items/")
		b.WriteInt(id, 10)
		urls = arena.Push(a, urls, b.String())
	}
	fmt.Println(urls)
	// Output: [/items/0 /items/1 /items/2]
}

func ExampleBuilder_Printf() {
	b := arena.NewBuilder(arena.NewArena())
	b.Printf("%08b|%-6s|", 5, "left") // the arguments are on the heap, the text is not
	fmt.Println(b)
	// Output: 00000101|left  |
}

// A Builder is text to packages such as encoding/json.
func ExampleBuilder_MarshalText() {
	a := arena.NewArena()
	answer := struct{ Greeting *arena.Builder }{arena.NewBuilder(a)}
	answer.Greeting.WriteString("Hello, ")
	answer.Greeting.WriteString("Ada")
	text, err := json.Marshal(answer)
	fmt.Printf("%s %v\n", text, err)
	// Output: {"Greeting":"Hello, Ada"} <nil>
}

func ExampleBuilder_UnmarshalText() {
	a := arena.NewArena()
	request := struct{ Name *arena.Builder }{arena.NewBuilder(a)}
	err := json.Unmarshal([]byte(`{"Name": "Ada"}`), &request)
	fmt.Println(request.Name, err)
	// Output: Ada <nil>
}
