// Inline is a program for TestInlines: it uses the package as others do, since
// generic code is compiled where it is used. Each comment that begins with
// "inlines" names the function that is to be inlined on its line.
package main

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// A point is plain, a person has pointers.
type (
	point  struct{ x, y int }
	person struct {
		name string
		next *person
	}
)

func slabInt(s *arena.Slab[int]) *int          { return s.New() } // inlines (*Slab[go.shape.int]).New
func slabPoint(s *arena.Slab[point]) *point    { return s.New() } // inlines (*Slab[go.shape.struct { main.x int; main.y int }]).New
func slabPerson(s *arena.Slab[person]) *person { return s.New() } // inlines (*Slab[go.shape.struct { main.name string; main.next *main.person }]).New

func newInt(a *arena.Arena) *int       { return arena.New[int](a) }    // inlines New[go.shape.int]
func newPoint(a *arena.Arena) *point   { return arena.New[point](a) }  // inlines New[go.shape.struct { main.x int; main.y int }]
func newPerson(a *arena.Arena) *person { return arena.New[person](a) } // inlines New[go.shape.struct { main.name string; main.next *main.person }]

func putPoint(a *arena.Arena) *point   { return arena.Ptr(a, point{1, 2}) }          // inlines Ptr[go.shape.struct { main.x int; main.y int }]
func putPerson(a *arena.Arena) *person { return arena.Ptr(a, person{name: "Niki"}) } // inlines Ptr[go.shape.struct { main.name string; main.next *main.person }]

func appendInt(a *arena.Arena, s []int) []int { return arena.Append(a, s, 1) } // inlines Append[go.shape.int,go.shape.[]int]
func pushInt(a *arena.Arena, s []int) []int   { return arena.Push(a, s, 1) }   // inlines Push[go.shape.int,go.shape.[]int]

// With a nil arena these are what they replace.
func text(a *arena.Arena, b []byte) string     { return arena.String(a, b) }               // inlines String[go.shape.[]uint8]
func makeInts(a *arena.Arena, n int) []int     { return arena.MakeSlice[int](a, n, n) }    // inlines MakeSlice[go.shape.int]
func makeTexts(a *arena.Arena, n int) []string { return arena.MakeSlice[string](a, n, n) } // inlines MakeSlice[go.shape.string]
func boxText(a *arena.Arena, s string) any     { return arena.Box(a, s) }                  // inlines Box[go.shape.string]

func mapGet(m *arena.Map[string, int], k string) int { v, _ := m.Get(k); return v } // inlines (*Map[go.shape.string,go.shape.int]).Get
func mapSet(m *arena.Map[string, int], k string)     { m.Set(k, 1) }                // inlines (*Map[go.shape.string,go.shape.int]).Set

func refGet(s ref.Space, r ref.Of[point]) *point { return r.Get(s) } // inlines ref.Of[go.shape.struct { main.x int; main.y int }].Get
func refNew(s *ref.Slab[point]) ref.Of[point]    { return s.New() }  // inlines ref.(*Slab[go.shape.struct { main.x int; main.y int }]).New

// What these call of other packages is inlined into them: see ref/inline.go.
func containers(s ref.Space) {
	ref.New[point](s)
	var numbers ref.Map[int, int]
	numbers.Set(s, 1, 1)
	numbers.Delete(s, 1)
	for range numbers.All(s) {
	}
	var texts ref.TextMap[int]
	texts.Set(s, "a", 1)
	for range texts.All(s) {
	}
	var list ref.List[int]
	list.Append(s, 1)
	list.Get(s)
	var tree ref.Tree[int, int]
	tree.Set(s, 1, 1)
	tree.Get(s, 1)
	slice, _ := ref.NewSlice[int](s, 1)
	slice.Get(s)
}

func heapText() int { b := arena.NewBuilder(nil); b.WriteByte(1); return b.Len() } // inlines NewBuilder

func main() {
	a := arena.NewArena() // inlines NewArena
	slabInt(arena.SlabOf[int](a))
	slabPoint(arena.SlabOf[point](a))
	slabPerson(arena.SlabOf[person](a))
	newInt(a)
	newPoint(a)
	newPerson(a)
	putPoint(a)
	putPerson(a)
	appendInt(a, nil)
	pushInt(a, nil)
	m := arena.NewMap[string, int](a, 0)
	mapSet(m, "a")
	mapGet(m, "a")
	text(a, nil)
	makeInts(a, 1)
	makeTexts(a, 1)
	boxText(a, "")
	heapText()
	refGet(ref.In(a), refNew(ref.SlabOf[point](ref.In(a))))
	containers(ref.In(a))
}
