package arena_test

import (
	"fmt"
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
