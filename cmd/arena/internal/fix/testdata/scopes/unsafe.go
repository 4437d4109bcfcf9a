package scopes

import (
	"sync/atomic"
	"unsafe"
)

// Memory under two types, by package unsafe or a conversion.

type view struct {
	Name     string
	Value    *int64
	Children []*view
	next     *view
}

func OtherType(text string) string { // returned
	n, _ := Parse(text)
	return (*view)(unsafe.Pointer(n)).Children[0].Name
}

type chain struct{ n *Node }
type chain2 struct{ n *view }

func OtherTypeIn(text string) *view { // returned
	n, _ := Parse(text)
	c := &struct{ c *chain }{&chain{n}}
	return (*struct{ c *chain2 })(unsafe.Pointer(c)).c.n
}

func Word(text string) *Node { // returned
	n, _ := Parse(text)
	var v any = n
	return (*Node)((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1])
}

func StoreByWord(text string, to *cache) { // unknown
	n, _ := Parse(text)
	var v any = to
	(*cache)((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]).nodes = n.Children
}

func MadeInterface(text string) int { // unknown: visit
	n, _ := Parse(text)
	var from, to any = keeper{}, n
	(*[2]unsafe.Pointer)(unsafe.Pointer(&to))[0] = (*[2]unsafe.Pointer)(unsafe.Pointer(&from))[0]
	to.(visitor).visit(n)
	return 0
}

func Captured(text string) *Node { // returned
	n, _ := Parse(text)
	f := func() int { return n.Len() }
	return (*struct {
		code uintptr
		n    *Node
	})(*(*unsafe.Pointer)(unsafe.Pointer(&f))).n
}

func Number(text string) uint64 { // unknown: number
	n, _ := Parse(text)
	return uint64(uintptr(unsafe.Pointer(n))) // unique only as long as it lives
}

func Arithmetic(text string) *string { // returned
	n, _ := Parse(text)
	return (*string)(unsafe.Add(unsafe.Pointer(n), unsafe.Offsetof(n.Name)))
}

func Pointer(text string) *Node { // unknown
	n, _ := Parse(text)
	var p unsafe.Pointer
	atomic.StorePointer(&p, unsafe.Pointer(n))
	return (*Node)(p)
}

func Slice(text string) []string { // returned
	n, _ := Parse(text)
	return unsafe.Slice(&n.Children[0].Name, 1)
}

type tagged struct {
	a *struct {
		N *Node `a:"1"`
	}
	b int
	c string
}

type untagged struct {
	a *struct{ N *Node }
	b int
	c string
}

func Tags(text string) *Node { // returned
	n, _ := Parse(text)
	t := tagged{}
	t.a = &struct {
		N *Node `a:"1"`
	}{n}
	return untagged(t).a.N
}

func TagsByPointer(text string) *Node { // returned
	n, _ := Parse(text)
	t := &tagged{}
	t.a = &struct {
		N *Node `a:"1"`
	}{n}
	return (*untagged)(t).a.N
}

func TagsOfFunc(text string) (name string) { // returned
	n, _ := Parse(text)
	f := func(s *struct{ N *Node }, _ int, _ string) { name = s.N.Name }
	n.call((func(*struct {
		N *Node `a:"1"`
	}, int, string))(f))
	return name
}

//go:noinline
func (n *Node) call(f func(*struct {
	N *Node `a:"1"`
}, int, string)) {
	f(&struct {
		N *Node `a:"1"`
	}{n.Children[0]}, 0, "")
}

func Array(text string) *Node { // returned
	n, _ := Parse(text)
	return [1]*Node(n.Children[:1])[0]
}

func ArrayPointer(text string) *Node { // returned
	n, _ := Parse(text)
	return (*[1]*Node)(n.Children)[0]
}
