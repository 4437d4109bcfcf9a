package arena_test

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"expvar"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
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

func ExamplePtr() {
	a := arena.NewArena()
	p := arena.Ptr(a, Node{Word: "root"})
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

// The temporaries of a line live shorter than the words, which stay until Free. Their memory is
// used for each line.
func ExampleArena_Rewind() {
	a := arena.NewArena()
	defer a.Free()
	count := arena.NewMap[string, int](a, 0)
	for _, line := range []string{"Rose is a rose", "is a ROSE is a rose"} {
		m := a.Mark()
		for _, word := range arenastrings.Fields(a, line) {
			word = arenastrings.ToLower(a, word)
			n := count.Lookup(word)
			if n == nil {
				n = count.Entry(strings.Clone(word)) // longer than the scope
			}
			*n++
		}
		a.Rewind(m)
	}
	fmt.Println(count)
	// Output:
	// map[a:3 is:3 rose:4]
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
		nodes = arena.Push(a, nodes, arena.Ptr(a, node{name}))
	}
	fmt.Println(len(nodes), nodes[1].name)
	// Output: 2 Happy
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

// Code that a context reaches allocates from the arena of the request, and
// from the heap where there is none.
func ExampleNewContext() {
	answer := func(ctx context.Context, name string) string {
		return arena.Concat(arena.FromContext(ctx), "hello ", name)
	}
	arena.Do(func(a *arena.Arena) {
		ctx := arena.NewContext(context.Background(), a)
		fmt.Println(answer(ctx, "arena"))
		fmt.Println(a.Stats().InUse, "bytes")
	})
	fmt.Println(answer(context.Background(), "heap"))
	// Output:
	// hello arena
	// 11 bytes
	// hello heap
}

// A request is answered by several goroutines. Each has an arena of its own, and all that they make
// ends together.
func ExampleFork() {
	load := func(ctx context.Context, id int) string {
		a := arena.FromContext(ctx)
		return arena.Concat(a, "item ", arenastrings.Itoa(a, id))
	}
	g := arena.NewGroup() // Package arenahttp has one for each request.
	ctx := g.NewContext(context.Background())

	items := make([]string, 3)
	var all sync.WaitGroup
	for id := range items {
		all.Go(func() {
			ctx := arena.Fork(ctx) // once for each goroutine
			items[id] = load(ctx, id)
		})
	}
	all.Wait()
	fmt.Println(items)
	g.Free()
	// Output: [item 0 item 1 item 2]
}

// Each goroutine makes a part of a result that is used as a whole.
func ExampleGroup() {
	g := arena.NewGroup()
	lines := []string{"the cat saw the dog", "a rose is a rose", "so it goes"}
	trees := make([]*Node, len(lines))
	for range 2 { // one batch after the other, in the same memory
		for i, line := range lines {
			g.Go(func(a *arena.Arena) {
				var words *Node
				for word := range strings.FieldsSeq(line) {
					words = insert(a, words, word)
				}
				trees[i] = words
			})
		}
		g.Wait()
		for _, words := range trees { // all may read what all have made
			fmt.Print(size(words), " ")
		}
		g.Reset() // the trees are stale now
	}
	g.Free()
	// Output: 4 3 3 4 3 3
}

// A worker that goes on for long takes its arena once.
func ExampleGroup_Arena() {
	g := arena.NewGroup()
	defer g.Free()
	lines := make(chan string)
	trees := make(chan *Node)
	for range 2 {
		a := g.Arena() // for one goroutine
		go func() {
			for line := range lines {
				var words *Node
				for word := range strings.FieldsSeq(line) {
					words = insert(a, words, word)
				}
				trees <- words
			}
		}()
	}
	words := 0
	for _, line := range []string{"the cat saw the dog", "a rose is a rose"} {
		lines <- line
		words += size(<-trees)
	}
	close(lines)
	fmt.Println(words)
	// Output: 7
}

// Goroutines that somebody else has started, such as workers of a pool, borrow an arena.
func ExampleGroup_Do() {
	g := arena.NewGroup()
	defer g.Free()
	var workers sync.WaitGroup
	greetings := make([]string, 3)
	for i, name := range []string{"Ada", "Bob", "Cy"} {
		workers.Go(func() {
			g.Do(func(a *arena.Arena) { greetings[i] = arena.Concat(a, "Hello, ", name) })
		})
	}
	workers.Wait()
	fmt.Println(greetings)
	// Output: [Hello, Ada Hello, Bob Hello, Cy]
}

// Code that finds its arena in a context works in a Group, too.
func ExampleGroup_NewContext() {
	greet := func(ctx context.Context, name string) string {
		return arena.Concat(arena.FromContext(ctx), "Hello, ", name)
	}
	g := arena.NewGroup()
	defer g.Free()
	ctx := g.NewContext(context.Background())
	fmt.Println(greet(ctx, "Ada"))
	fmt.Println(g.Stats().InUse, "bytes")
	// Output:
	// Hello, Ada
	// 10 bytes
}

// The Stats are of what all goroutines have made together.
func ExampleGroup_Stats() {
	g := arena.NewGroup()
	defer g.Free()
	for range 4 {
		g.Go(func(a *arena.Arena) {
			for range 250 {
				arena.New[Node](a)
			}
		})
	}
	g.Wait()
	for _, t := range g.Stats().Types {
		fmt.Println(t.Count, t.Name)
	}
	// Output: 1000 arena_test.Node
}

// The error of a limit says whose it was, and what was asked for.
func ExampleLimitError_Error() {
	a := arena.NewWith(arena.Options{Name: "upload", Limit: 1 << 20})
	err := arena.Try(func() { arena.MakeSlice[byte](a, 2<<20, 2<<20) })
	var limit *arena.LimitError
	if errors.As(err, &limit) {
		fmt.Println(limit.Name, limit.Limit, limit.Needed)
	}
	fmt.Println(err)
	// Output:
	// upload 1048576 2097152
	// arena: limit exceeded: arena upload holds 0 bytes, needs 2097152 more, and may hold 1048576 (Options.Limit)
}

// Code that need not know the numbers asks for ErrLimit, also where the error was wrapped.
func ExampleLimitError_Unwrap() {
	a := arena.NewWith(arena.Options{Limit: 1 << 20})
	err := arena.Try(func() { arena.MakeSlice[byte](a, 2<<20, 2<<20) })
	err = fmt.Errorf("upload: %w", err)
	fmt.Println(errors.Is(err, arena.ErrLimit))
	// Output: true
}

// A package that keeps what it has seen before asks for the limit, and takes no memory on suspicion
// if there is one.
func ExampleArena_Limit() {
	last := 1000 // fields of the line before
	fields := func(a *arena.Arena, line string) []string {
		room := 0
		if a.Limit() == 0 {
			room = last
		}
		list := arena.MakeSlice[string](a, 0, room)
		for field := range strings.SplitSeq(line, ",") {
			list = arena.Push(a, list, field)
		}
		last = len(list)
		return list
	}
	a := arena.NewWith(arena.Options{Limit: 1 << 10})
	fmt.Println(a.Limit(), fields(a, "a,b,c"))
	// Output: 1024 [a b c]
}

// The words of a text are counted. They are copied into the arena when they come for the
// first time, since the buffer that they come in is used again.
func ExampleMakeMap() {
	a := arena.NewArena()
	for _, line := range []string{"to be or not to be", "that is the question"} {
		count := arena.MakeMap[map[string]int](a, 0)
		for _, word := range strings.Fields(line) {
			count[word]++
		}
		fmt.Println(count)
		a.Reset() // the next line gets the same map, and it is empty
	}
	// Output:
	// map[be:2 not:1 or:1 to:2]
	// map[is:1 question:1 that:1 the:1]
}

func ExampleNewMap() {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 0)
	for _, line := range []string{"the quick fox", "and the lazy dog", "and the end"} {
		buffer := []byte(line)
		for word := range strings.FieldsSeq(string(buffer)) {
			if n := m.Lookup(word); n != nil {
				*n++
			} else {
				m.Set(arena.String(a, word), 1)
			}
		}
	}
	n, _ := m.Get("the")
	fmt.Println(m.Len(), "words;", "the:", n)
	a.Reset()
	// Output: 7 words; the: 3
}

func ExampleMap_Entry() {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 0)
	for word := range strings.FieldsSeq("to be or not to be") {
		*m.Entry(word)++
	}
	n, _ := m.Get("be")
	fmt.Println(m.Len(), "words;", "be:", n)
	// Output: 4 words; be: 2
}

func ExampleMap_All() {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 3)
	m.Set("one", 1)
	m.Set("two", 2)
	m.Set("three", 3)
	for k, v := range m.All() {
		if v%2 == 0 {
			m.Delete(k) // the map may be changed meanwhile
		}
	}
	fmt.Println(slices.Sorted(m.Keys()))
	// Output: [one three]
}

// The lines come as bytes. The map has a copy of each that is new.
func ExampleLookupText() {
	a := arena.NewArena()
	counts := arena.NewMap[string, int](a, 0)
	in := bufio.NewScanner(strings.NewReader("get\nput\nget\n"))
	for in.Scan() {
		if n := arena.LookupText(counts, in.Bytes()); n != nil {
			*n++
		} else {
			counts.Set(arena.String(a, in.Bytes()), 1)
		}
	}
	fmt.Println(counts)
	// Output: map[get:2 put:1]
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

// A map of batch after batch keeps its room.
func ExampleMap_Clear() {
	m := arena.NewMap[string, int](arena.NewArena(), 0)
	for _, batch := range []string{"a b a", "c c c d"} {
		m.Clear()
		for word := range strings.FieldsSeq(batch) {
			*m.Entry(word)++
		}
		fmt.Println(m)
	}
	// Output:
	// map[a:2 b:1]
	// map[c:3 d:1]
}

func ExampleMap_Values() {
	m := arena.CollectMap(arena.NewArena(), maps.All(map[string]int{"a": 1, "b": 2}))
	sum := 0
	for n := range m.Values() {
		sum += n
	}
	fmt.Println(sum)
	// Output: 3
}

// Package fmt prints a Map as it prints a map of Go, with all verbs and flags.
func ExampleMap_Format() {
	m := arena.CollectMap(arena.NewArena(), maps.All(map[int]int{10: 255, 11: 254}))
	fmt.Printf("%v %x\n", m, m)
	// Output: map[10:255 11:254] map[a:ff b:fe]
}

func ExampleMap_MarshalJSON() {
	m := arena.CollectMap(arena.NewArena(), maps.All(map[string]int{"b": 2, "a": 1}))
	text, err := json.Marshal(m)
	fmt.Printf("%s %v\n", text, err)
	// Output: {"a":1,"b":2} <nil>
}

// What is decoded for the entries lies on the heap. Package arenajson has it in the arena as well.
func ExampleMap_UnmarshalJSON() {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 0)
	m.Set("a", 1)
	err := json.Unmarshal([]byte(`{"b": 2}`), m)
	fmt.Println(m, err)
	// Output: map[a:1 b:2] <nil>
}

// Package encoding/xml has no maps, and nothing is left out in silence.
func ExampleMap_MarshalText() {
	m := arena.NewMap[string, int](arena.NewArena(), 0)
	_, err := xml.Marshal(m)
	fmt.Println(err)
	// Output: arena: a Map is not text; encode what All returns
}

func ExampleMap_UnmarshalText() {
	m := arena.NewMap[string, int](arena.NewArena(), 0)
	err := xml.Unmarshal([]byte("<m>text</m>"), m)
	fmt.Println(err)
	// Output: arena: a Map is not text; decode into something else, and Set its entries
}

// A decoder that knows no Map but maps of Go makes one of these, and hands over its entries.
func ExampleMap_CopyFrom() {
	a := arena.NewArena()
	var ports arena.Map[string, int] // a field of what is decoded, say
	decoded := map[string]int{"http": 80, "ssh": 22}
	ports.CopyFrom(a, &decoded)
	fmt.Println(&ports)
	// Output: map[http:80 ssh:22]
}

// An encoder that knows no Map gets a map of Go.
func ExampleMap_CopyTo() {
	m := arena.NewMap[string, int](arena.NewArena(), 0)
	m.Set("http", 80)
	entries := map[string]int{}
	m.CopyTo(&entries)
	fmt.Println(entries)
	// Output: map[http:80]
}

// A budget is a Memory that several arenas share, and that never exceeds a number of bytes. The
// bytes are from the heap here. The bytes of package offheap are not.
type budget struct{ left atomic.Int64 }

var errBudget = errors.New("the budget is used up")

func (b *budget) Alloc(size int) ([]byte, error) {
	if b.left.Add(int64(-size)) < 0 {
		b.left.Add(int64(size))
		return nil, errBudget
	}
	return make([]byte, size), nil
}

func (b *budget) Free(mem []byte) { b.left.Add(int64(len(mem))) }

// Try makes an error of the panic, which says for which arena there was no memory, and why.
func ExampleMemoryError_Error() {
	var b budget
	b.left.Store(1 << 20)
	first := arena.NewWith(arena.Options{Name: "first", Memory: &b})
	second := arena.NewWith(arena.Options{Name: "second", Memory: &b})
	defer second.Free()

	arena.MakeSlice[byte](first, 800_000, 800_000)
	sort := func() { arena.MakeSlice[byte](second, 800_000, 800_000) }
	err := arena.Try(sort)
	fmt.Println(err)
	var e *arena.MemoryError
	fmt.Println(errors.As(err, &e) && e.Unwrap() == errBudget, errors.Is(err, errBudget))

	first.Free()
	fmt.Println(arena.Try(sort))
	// Output:
	// arena: no memory for arena second: 800000 bytes: the budget is used up
	// true true
	// <nil>
}

// A server has one Pool. Each request takes an arena from it and gives it back.
func ExamplePool() {
	pool := &arena.Pool{
		Options: arena.Options{Name: "requests", Limit: 64 << 20}, // of each request
		Retain:  1 << 20,                                          // of each arena that waits for the next
	}
	handle := func(request string) int {
		a := pool.Get()
		defer pool.Put(a) // nothing of the request is left
		var words *Node
		for word := range strings.FieldsSeq(request) {
			words = insert(a, words, word)
		}
		return size(words)
	}
	for _, request := range []string{"the cat saw the dog", "a rose is a rose is a rose"} {
		fmt.Println(handle(request), "words")
	}
	s := pool.Stats()
	fmt.Println(s.Gets, "arenas given away,", s.Puts, "back,", s.Out, "out")
	// Output:
	// 4 words
	// 3 words
	// 2 arenas given away, 2 back, 0 out
}

// The Stats of a Pool are a variable of package expvar, at /debug/vars of the
// program. A Lost that rises is a missing Put.
func ExamplePool_Stats() {
	var pool arena.Pool
	if expvar.Get("arenas") == nil { // once in a program
		expvar.Publish("arenas", expvar.Func(func() any { return pool.Stats() }))
	}

	a := pool.Get()
	arena.MakeSlice[byte](a, 1000, 1000)
	pool.Put(a)
	var s arena.PoolStats
	if err := json.Unmarshal([]byte(expvar.Get("arenas").String()), &s); err != nil {
		fmt.Println(err)
	}
	fmt.Println(s.Gets, s.Puts, s.Lost, s.Allocated)
	// Output: 1 1 0 1000
}

// What is needed after Do is copied out, here as a number.
func ExampleDo() {
	count := func(text string) (n int) {
		arena.Do(func(a *arena.Arena) {
			var words *Node
			for word := range strings.FieldsSeq(text) {
				words = insert(a, words, word)
			}
			n = size(words)
		})
		return n
	}
	fmt.Println(count("a rose is a rose is a rose"))
	// Output: 3
}

// Do of a Pool is Get and Put around a function, also when that panics.
func ExamplePool_Do() {
	var pool arena.Pool
	var n int
	pool.Do(func(a *arena.Arena) {
		n = size(insert(a, insert(a, nil, "one"), "two"))
	})
	fmt.Println(n, pool.Stats().Puts)
	// Output: 2 1
}

// A caller that stops waiting cannot give the arena back, since the other goroutine is still using
// it.
func ExamplePool_Drop() {
	var pool arena.Pool
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // say, because it took too long

	a := pool.Get()
	result := make(chan string, 1)
	begin := make(chan bool)
	go func() {
		<-begin
		result <- arena.Concat(a, "late ", "answer")
	}()
	select {
	case text := <-result:
		fmt.Println(text)
		pool.Put(a)
	case <-ctx.Done():
		pool.Drop(a) // The collector takes it when the goroutine is done.
	}
	close(begin)
	fmt.Println(<-result)
	s := pool.Stats()
	fmt.Println(s.Puts, "put,", s.Dropped, "dropped,", s.Out, "out")
	// Output:
	// late answer
	// 0 put, 1 dropped, 0 out
}

// A program limits what each Do may take, and sees what all of them did.
func ExampleSetDoPool() {
	pool := &arena.Pool{Options: arena.Options{Name: "do", Limit: 1 << 20}}
	defer arena.SetDoPool(arena.SetDoPool(pool)) // a main function does not put the former one back

	err := arena.Try(func() {
		arena.Do(func(a *arena.Arena) { arena.MakeSlice[byte](a, 1<<30, 1<<30) })
	})
	fmt.Println(errors.Is(err, arena.ErrLimit), pool.Stats().LimitHits)
	// Output: true 1
}

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
