package main

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/arena-go/arena"
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
		next: arena.Put(a, point{1, 2}), any: arena.Put(a, point{3, 4}),
	}
	return n
}

// things make a value in an arena.
var things = map[string]func(a *arena.Arena) use{
	"struct":      structure,
	"field text":  fieldText,
	"field slice": fieldSlice,
	"field ptr":   fieldPointer,
	"field any":   fieldInterface,
	"plain":       plain,
	"ints":        ints,
	"bools":       bools,
	"pointers":    pointers,
	"elements":    elements,
	"text":        text,
	"text ==":     textEqual,
	"text copied": textCopied,
	"built":       built,
	"builder":     builder,
	"map":         mapped,
	"map all":     mapAll,
	"value":       value,
	"values":      values,
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
	v := arena.Put(a, point{1, 2})
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
