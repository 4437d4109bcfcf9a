package syncpool

import (
	"bytes"
	"fmt"
	"strings"

	"example.com/corpus/lib"
)

func text() string {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.WriteString("x")
	return b.String()
}

func clone() []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	return bytes.Clone(b.Bytes())
}

func copied() []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	return append([]byte(nil), b.Bytes()...)
}

func never() *item {
	return items.Get().(*item)
}

func grown(s string) {
	p := slices.Get().(*[]byte)
	b := append((*p)[:0], s...)
	fmt.Println(string(b))
	*p = b
	slices.Put(p)
}

func replaced() int {
	x := items.Get().(*item)
	items.Put(x)
	x = &item{}
	return x.n
}

func counted() int {
	x := items.Get().(*item)
	n := x.n
	items.Put(x)
	return n
}

func eitherWay(ok bool) int {
	x := items.Get().(*item)
	if ok {
		items.Put(x)
		return 0
	}
	n := x.n
	items.Put(x)
	return n
}

func perTurn(all []string) {
	for _, s := range all {
		b := buffers.Get().(*bytes.Buffer)
		b.WriteString(s)
		fmt.Println(b.String())
		buffers.Put(b)
	}
}

type config struct{ name string }
type job struct{ c *config }

func sharedPart() *config {
	x := get2()
	c := x.c
	items.Put(x)
	return c
}

func get2() *job { return items.Get().(*job) }

func acrossCopy() string {
	b := lib.GetBuffer()
	s := strings.Clone(string(b.B))
	lib.PutBuffer(b)
	return s
}

func nilled() *item {
	x := items.Get().(*item)
	if x.n > 10 {
		items.Put(x)
		return nil
	}
	return x
}

func taken(x any) {
	if b, ok := x.(*bytes.Buffer); ok {
		b.Reset()
		buffers.Put(b)
	}
}

func flagged(x *item, pooled bool) int {
	if pooled {
		n := x.n
		items.Put(x)
		return n
	}
	return x.n
}
