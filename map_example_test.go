package arena_test

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

// The words of a text are counted. They are copied into the arena when they come for the
// first time, since the buffer that they come in is used again.
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
