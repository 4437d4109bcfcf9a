package syncpool

import (
	"bytes"
	"fmt"
	"sync"

	"example.com/corpus/lib"
)

type item struct {
	data []byte
	n    int
}

var (
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	slices  = sync.Pool{New: func() any { b := make([]byte, 0, 100); return &b }}
	items   = sync.Pool{New: func() any { return new(item) }}
	last    *item
)

func returned() []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.WriteString("x")
	return b.Bytes() // want `syncpool: .* is returned after sync.Pool.Put`
}

func usedAfter() int {
	x := items.Get().(*item)
	items.Put(x)
	return x.n // want `syncpool: .* is used after sync.Pool.Put`
}

func putTwice(bad bool) {
	x := items.Get().(*item)
	defer items.Put(x) // want `syncpool: `
	if bad {
		items.Put(x)
		return
	}
	x.n++
}

func putTwicePlain() {
	x := items.Get().(*item)
	items.Put(x)
	items.Put(x) // want `syncpool: `
}

func returnedItself() *item {
	x := items.Get().(*item)
	items.Put(x)
	return x // want `syncpool: `
}

func sliceAfter(s string) byte {
	p := slices.Get().(*[]byte)
	b := *p
	slices.Put(p)
	return b[0] // want `syncpool: `
}

func across() {
	b := lib.GetBuffer()
	b.B = append(b.B, 'x')
	lib.PutBuffer(b)
	fmt.Println(b.B) // want `syncpool: .* is used after lib.PutBuffer`
}

func next() {
	b := buffers.Get().(*bytes.Buffer)
	b.WriteString("abc")
	part := b.Next(2)
	b.Reset()
	buffers.Put(b)
	fmt.Println(string(part)) // want `syncpool: `
}

func goroutine() {
	x := items.Get().(*item)
	go func() { fmt.Println(x.n) }() // want `syncpool: `
	items.Put(x)
}

func written() {
	b := buffers.Get().(*bytes.Buffer)
	buffers.Put(b)
	b.Reset() // want `syncpool: `
}

func get() *item   { return items.Get().(*item) }
func put(x *item)  { x.n = 0; items.Put(x) }
func show(x *item) { fmt.Println(x.n) }

func wrapped() {
	x := get()
	put(x)
	show(x) // want `syncpool: `
}

func putParameter(x *item) {
	items.Put(x)
	x.n = 0 // want `syncpool: `
}
