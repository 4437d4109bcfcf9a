package main

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// A use is the ways to use a value.
type use struct{ read, write func() }

// A point is plain.
type point struct{ x, y int }

// A node is not.
type node struct {
	n    int
	name string
	list []int
	next *point
	any  any
}

func newNode(a *arena.Arena) *node {
	arena.New[node](a) // so that what follows is not the last one of a chunk
	n := arena.New[node](a)
	*n = node{
		n: 1, name: arena.String(a, "some text"), list: arena.SliceOf(a, 1, 2, 3),
		next: arena.Ptr(a, point{1, 2}), any: arena.Ptr(a, point{3, 4}),
	}
	return n
}

// things make a value in an arena.
var things = map[string]func(a *arena.Arena) use{
	"struct":        structure,
	"field text":    fieldText,
	"field slice":   fieldSlice,
	"field ptr":     fieldPointer,
	"field any":     fieldInterface,
	"plain":         plain,
	"ints":          ints,
	"bools":         bools,
	"pointers":      pointers,
	"elements":      elements,
	"text":          text,
	"text ==":       textEqual,
	"text copied":   textCopied,
	"text cache":    textCache,
	"text sync.Map": textSyncMap,
	"map ref":       mapRef,
	"map text ref":  mapTextRef,
	"built":         built,
	"builder":       builder,
	"map":           mapped,
	"map all":       mapAll,
	"value":         value,
	"values":        values,
}

func structure(a *arena.Arena) use {
	v := newNode(a)
	return use{
		func() { sink = v.n }, // ACCESS struct read
		func() { v.n = 7 },    // ACCESS struct write
	}
}

func fieldText(a *arena.Arena) use {
	v := newNode(a)
	return use{
		func() { sink = v.name[3] },                 // ACCESS field text read
		func() { *unsafe.StringData(v.name) = 'x' }, // ACCESS field text write
	}
}

func fieldSlice(a *arena.Arena) use {
	v := newNode(a)
	return use{
		func() { sink = v.list[1] }, // ACCESS field slice read
		func() { v.list[1] = 7 },    // ACCESS field slice write
	}
}

func fieldPointer(a *arena.Arena) use {
	v := newNode(a)
	return use{
		func() { sink = v.next.y }, // ACCESS field ptr read
		func() { v.next.y = 7 },    // ACCESS field ptr write
	}
}

func fieldInterface(a *arena.Arena) use {
	v := newNode(a)
	return use{
		func() { sink = v.any.(*point).y }, // ACCESS field any read
		func() { v.any.(*point).y = 7 },    // ACCESS field any write
	}
}

func plain(a *arena.Arena) use {
	v := arena.Ptr(a, point{1, 2})
	return use{
		func() { sink = v.y }, // ACCESS plain read
		func() { v.y = 7 },    // ACCESS plain write
	}
}

func ints(a *arena.Arena) use {
	s := arena.SliceOf(a, 1, 2, 3)
	return use{
		func() { sink = s[1] }, // ACCESS ints read
		func() { s[1] = 7 },    // ACCESS ints write
	}
}

func bools(a *arena.Arena) use {
	s := arena.SliceOf(a, false, false)
	return use{
		func() { sink = s[1] }, // ACCESS bools read
		func() { s[1] = true }, // ACCESS bools write
	}
}

func pointers(a *arena.Arena) use {
	s := arena.SliceOf(a, arena.New[point](a), arena.New[point](a))
	return use{
		func() { sink = s[1] == nil }, // ACCESS pointers read
		func() { s[1] = nil },         // ACCESS pointers write
	}
}

func elements(a *arena.Arena) use {
	s := arena.SliceOf(a, arena.New[point](a), arena.New[point](a))
	return use{
		func() { sink = s[1].y }, // ACCESS elements read
		func() { s[1].y = 7 },    // ACCESS elements write
	}
}

func text(a *arena.Arena) use {
	s := arena.String(a, "some text")
	return use{
		func() { sink = s[3] },                 // ACCESS text read
		func() { *unsafe.StringData(s) = 'x' }, // ACCESS text write
	}
}

func textEqual(a *arena.Arena) use {
	s, t := arena.String(a, "some text"), fmt.Sprint("some", " text")
	return use{read: func() {
		sink = s == t // ACCESS text == read
	}}
}

func textCopied(a *arena.Arena) use {
	s := arena.String(a, "some text")
	return use{read: func() {
		sink = append([]byte("copy of "), s...) // ACCESS text copied read
	}}
}

// cache and shared are global, and have texts of arenas as keys: the mistake that is made most.
var (
	cache  = map[string]int{}
	shared sync.Map
)

// hit is what a lookup found: 1 or 0.
func hit(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

func textCache(a *arena.Arena) use {
	cache[arena.String(a, "some text")] = 1
	return use{read: func() {
		_, ok := cache[fmt.Sprint("some", " text")] // ACCESS text cache read
		sink = hit(ok)
	}}
}

func textSyncMap(a *arena.Arena) use {
	shared.Store(arena.String(a, "some text"), 1)
	return use{read: func() {
		_, ok := shared.Load(fmt.Sprint("some", " text")) // ACCESS text sync.Map read
		sink = hit(ok)
	}}
}

// passed are ways to read a text: those of the language and of the standard library, and those of the package.
var passed = map[string]func(s string){
	"text +":             func(s string) { sink = s + "!" },                       // ACCESS text + read
	"text strings.Clone": func(s string) { sink = strings.Clone(s) },              // ACCESS text strings.Clone read
	"text bytes":         func(s string) { sink = []byte(s) },                     // ACCESS text bytes read
	"text Contains":      func(s string) { sink = hit(strings.Contains(s, "x")) }, // ACCESS text Contains read
	"text range": func(s string) {
		sink = len(s)
		for _, c := range s { // ACCESS text range read
			sink = c
		}
	},

	"text Clone":       func(s string) { sink = arena.Clone(s) },                                                             // ACCESS text Clone read
	"text DeepClone":   func(s string) { sink = arena.DeepClone(s) },                                                         // ACCESS text DeepClone read
	"text String":      func(s string) { sink = arena.String(live, s) },                                                      // ACCESS text String read
	"text String nil":  func(s string) { sink = arena.String(nil, s) },                                                       // ACCESS text String nil read
	"text Concat":      func(s string) { sink = arena.Concat(live, "a ", s) },                                                // ACCESS text Concat read
	"text Join":        func(s string) { sink = arena.Join(live, []string{"a", "b"}, s) },                                    // ACCESS text Join read
	"text WriteString": func(s string) { arena.NewBuilder(live).WriteString(s) },                                             // ACCESS text WriteString read
	"text WriteQuote":  func(s string) { arena.NewBuilder(live).WriteQuote(s) },                                              // ACCESS text WriteQuote read
	"text Sprintf":     func(s string) { sink = arena.Sprintf(live, "%s", s) },                                               // ACCESS text Sprintf read
	"text Printf":      func(s string) { arena.NewBuilder(live).Printf("%v", s) },                                            // ACCESS text Printf read
	"text Map.Set":     func(s string) { arena.NewMap[string, int](live, 0).Set(s, 1) },                                      // ACCESS text Map.Set read
	"text Map.Get":     func(s string) { _, ok := liveMap().Get(s); sink = hit(ok) },                                         // ACCESS text Map.Get read
	"text RefTextMap":  func(s string) { new(ref.TextMap[int]).Set(ref.In(live), s, 1) },                                     // ACCESS text RefTextMap read
	"text RefTextTree": func(s string) { t := new(ref.TextTree[int]); t.Set(ref.In(live), s, 1); t.Set(ref.In(live), s, 2) }, // ACCESS text RefTextTree read
	"text RefString":   func(s string) { sink = ref.NewString(ref.In(live), s).Len() },                                       // ACCESS text RefString read
}

// live is an arena that is not ended.
var live = arena.NewArena()

func liveMap() *arena.Map[string, int] {
	m := arena.NewMap[string, int](live, 0)
	m.Set("some text", 1)
	return m
}

func init() {
	for name, f := range passed {
		things[name] = func(a *arena.Arena) use {
			s := arena.String(a, "some text")
			return use{read: func() { f(s) }}
		}
	}
	things["text kept"] = func(a *arena.Arena) use {
		m := arena.NewMap[string, int](live, 0)
		m.Set(arena.String(a, "some text"), 1)
		return use{read: func() {
			_, ok := m.Get(fmt.Sprint("some", " text")) // ACCESS text kept read
			sink = hit(ok)
		}}
	}
}

// mapRef is about a pointer to a value of a Map that has grown since.
func mapRef(a *arena.Arena) use {
	m := arena.NewMap[int, int](a, 0)
	p := m.Entry(1)
	*p = 10
	for i := range 100 {
		m.Set(i+2, i) // END map ref
	}
	return use{
		func() { sink = *p }, // ACCESS map ref read
		func() { *p = 77 },   // ACCESS map ref write
	}
}

func mapTextRef(a *arena.Arena) use {
	m := arena.NewMap[string, int](a, 0)
	p := m.Entry("one")
	*p = 10
	for i := range 100 {
		m.Set(fmt.Sprint(i), i) // END map text ref
	}
	return use{
		func() { sink = *p }, // ACCESS map text ref read
		func() { *p = 77 },   // ACCESS map text ref write
	}
}

func built(a *arena.Arena) use {
	b := arena.NewBuilder(a)
	b.WriteString("some ")
	b.WriteString("text")
	s := b.String()
	return use{
		func() { sink = s[3] },                 // ACCESS built read
		func() { *unsafe.StringData(s) = 'x' }, // ACCESS built write
	}
}

func builder(a *arena.Arena) use {
	b := arena.NewBuilder(a)
	b.WriteString("some text")
	return use{
		func() { sink = b.String()[3] },  // ACCESS builder read
		func() { b.WriteString("more") }, // ACCESS builder write
	}
}

func mapped(a *arena.Arena) use {
	m := arena.NewMap[int, int](a, 10)
	m.Set(1, 10)
	return use{
		func() { sink, _ = m.Get(1) }, // ACCESS map read
		func() { m.Set(1, 20) },       // ACCESS map write
	}
}

func mapAll(a *arena.Arena) use {
	m := arena.NewMap[int, int](a, 10)
	m.Set(1, 10)
	return use{read: func() {
		for k := range m.All() { // ACCESS map all read
			sink = k
		}
	}}
}

func value(a *arena.Arena) use {
	v := arena.NewValue(a, reflect.TypeFor[point]()).Interface().(*point)
	return use{
		func() { sink = v.y }, // ACCESS value read
		func() { v.y = 7 },    // ACCESS value write
	}
}

func values(a *arena.Arena) use {
	v := arena.MakeSliceValue(a, reflect.TypeFor[[]int](), 3, 3)
	return use{
		func() { sink = v.Index(1).Int() }, // ACCESS values read
		func() { v.Index(1).SetInt(7) },    // ACCESS values write
	}
}
