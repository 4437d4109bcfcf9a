// Package live has interfaces with two types each: one that the roots use, and one that keeps what
// it gets. The second one is made elsewhere, and reaches the roots, or does not.
package live

import (
	"container/list"
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

type node struct{ next *node }

var kept []*node

// Run is a root.
func Run(text string) (all []*node) {
	all = append(all, run1(text))
	all = append(all, run2(text))
	all = append(all, run3(text))
	all = append(all, run4(text))
	all = append(all, run5(text))
	all = append(all, run6(text))
	all = append(all, run7(text))
	all = append(all, run8(text))
	all = append(all, run9(text))
	all = append(all, run10(text))
	all = append(all, run11(text))
	all = append(all, run12(text))
	all = append(all, run13(text))
	all = append(all, run14(text))
	all = append(all, run15(text))
	all = append(all, run16(text))
	all = append(all, run17(text))
	all = append(all, run18(text))
	all = append(all, run19(text))
	all = append(all, run20(text))
	all = append(all, run21(text))
	all = append(all, run22(text))
	all = append(all, run23(text))
	all = append(all, run24(text))
	all = append(all, run25(text))
	all = append(all, run26(text))
	return all
}

// A type that only other functions use.
type taker1 interface{ take1(n *node) }

type keeper1 struct{ _ int }

func (*keeper1) take1(n *node) { kept = append(kept, n) }

func use1() { var t taker1 = &keeper1{}; t.take1(nil) }

type quiet1 struct{}

func (quiet1) take1(n *node) {}

type idle1 struct{ _ int }

func (*idle1) take1(n *node) {}

func run1(text string) *node {
	var t taker1 = quiet1{}
	if text == "" {
		t = &idle1{}
	}
	if text == "" {
		t = quiet1{}
	}
	n := &node{nil} // moves: a value
	t.take1(n)
	return &node{nil}
}

// A variable of a package.
type taker2 interface{ take2(n *node) }

type quiet2 struct{}

func (quiet2) take2(n *node) {}

type keeper2 struct{ _ int }

func (*keeper2) take2(n *node) { kept = append(kept, n) }

var t2 taker2 = &keeper2{}

func run2(text string) *node {
	t := t2
	if text == "" {
		t = quiet2{}
	}
	n := &node{nil} // stays: a value
	t.take2(n)
	return &node{nil}
}

// A variable that is set elsewhere.
type taker3 interface{ take3(n *node) }

type quiet3 struct{}

func (quiet3) take3(n *node) {}

type keeper3 struct{ _ int }

func (*keeper3) take3(n *node) { kept = append(kept, n) }

var t3 taker3

func Set3(k *keeper3) { t3 = k }

func run3(text string) *node {
	t := t3
	if text == "" {
		t = quiet3{}
	}
	n := &node{nil} // stays: a value
	t.take3(n)
	return &node{nil}
}

// A field of what a variable refers to.
type taker4 interface{ take4(n *node) }

type quiet4 struct{}

func (quiet4) take4(n *node) {}

type keeper4 struct{ _ int }

func (*keeper4) take4(n *node) { kept = append(kept, n) }

var s4 = &struct{ in struct{ t taker4 } }{}

func init() { s4.in.t = &keeper4{} }

func run4(text string) *node {
	t := s4.in.t
	if text == "" {
		t = quiet4{}
	}
	n := &node{nil} // stays: a value
	t.take4(n)
	return &node{nil}
}

// An empty interface.
type taker5 interface{ take5(n *node) }

type quiet5 struct{}

func (quiet5) take5(n *node) {}

type keeper5 struct{ _ int }

func (*keeper5) take5(n *node) { kept = append(kept, n) }

var a5 any = &keeper5{}

func run5(text string) *node {
	t := a5.(taker5)
	if text == "" {
		t = quiet5{}
	}
	n := &node{nil} // stays: a value
	t.take5(n)
	return &node{nil}
}

// A switch.
type taker6 interface{ take6(n *node) }

type quiet6 struct{}

func (quiet6) take6(n *node) {}

type keeper6 struct{ _ int }

func (*keeper6) take6(n *node) { kept = append(kept, n) }

var a6 any = &keeper6{}

func run6(text string) *node {
	var t taker6
	switch x := a6.(type) {
	case taker6:
		t = x
	}
	if text == "" {
		t = quiet6{}
	}
	n := &node{nil} // stays: a value
	t.take6(n)
	return &node{nil}
}

// A function in a variable.
type taker7 interface{ take7(n *node) }

type quiet7 struct{}

func (quiet7) take7(n *node) {}

type keeper7 struct{ _ int }

func (*keeper7) take7(n *node) { kept = append(kept, n) }

var f7 = func() taker7 { return &keeper7{} }

func run7(text string) *node {
	t := f7()
	if text == "" {
		t = quiet7{}
	}
	n := &node{nil} // stays: a value
	t.take7(n)
	return &node{nil}
}

// A function that sets a field.
type taker8 interface{ take8(n *node) }

type quiet8 struct{}

func (quiet8) take8(n *node) {}

type keeper8 struct{ _ int }

func (*keeper8) take8(n *node) { kept = append(kept, n) }

type holder8 struct{ t taker8 }

var f8 = func(h *holder8) { h.t = &keeper8{} }

func run8(text string) *node {
	h := &holder8{}
	f8(h)
	t := h.t
	if text == "" {
		t = quiet8{}
	}
	n := &node{nil} // stays: a value
	t.take8(n)
	return &node{nil}
}

// A channel.
type taker9 interface{ take9(n *node) }

type quiet9 struct{}

func (quiet9) take9(n *node) {}

type keeper9 struct{ _ int }

func (*keeper9) take9(n *node) { kept = append(kept, n) }

var c9 = make(chan taker9, 1)

func init() { c9 <- &keeper9{} }

func run9(text string) *node {
	t := <-c9
	if text == "" {
		t = quiet9{}
	}
	n := &node{nil} // stays: a value
	t.take9(n)
	return &node{nil}
}

// A generic type.
type taker10 interface{ take10(n *node) }

type quiet10 struct{}

func (quiet10) take10(n *node) {}

type keeper10 struct{ _ int }

func (*keeper10) take10(n *node) { kept = append(kept, n) }

type box10[T any] struct{ v T }

var b10 box10[taker10]

func run10(text string) *node {
	t := b10.v
	if text == "" {
		t = quiet10{}
	}
	n := &node{nil} // moves: a value
	t.take10(n)
	return &node{nil}
}

// An atomic value.
type taker11 interface{ take11(n *node) }

type quiet11 struct{}

func (quiet11) take11(n *node) {}

type keeper11 struct{ _ int }

func (*keeper11) take11(n *node) { kept = append(kept, n) }

var v11 atomic.Value

func init() { v11.Store(&keeper11{}) }

func run11(text string) *node {
	t := v11.Load().(taker11)
	if text == "" {
		t = quiet11{}
	}
	n := &node{nil} // stays: a value
	t.take11(n)
	return &node{nil}
}

// A map of package sync.
type taker12 interface{ take12(n *node) }

type quiet12 struct{}

func (quiet12) take12(n *node) {}

type keeper12 struct{ _ int }

func (*keeper12) take12(n *node) { kept = append(kept, n) }

var m12 sync.Map

func init() { m12.Store(1, &keeper12{}) }

func run12(text string) *node {
	v, _ := m12.Load(1)
	t := v.(taker12)
	if text == "" {
		t = quiet12{}
	}
	n := &node{nil} // stays: a value
	t.take12(n)
	return &node{nil}
}

// A list.
type taker13 interface{ take13(n *node) }

type quiet13 struct{}

func (quiet13) take13(n *node) {}

type keeper13 struct{ _ int }

func (*keeper13) take13(n *node) { kept = append(kept, n) }

var l13 = list.New()

func init() { l13.PushBack(&keeper13{}) }

func run13(text string) *node {
	t := l13.Front().Value.(taker13)
	if text == "" {
		t = quiet13{}
	}
	n := &node{nil} // stays: a value
	t.take13(n)
	return &node{nil}
}

// A context.
type taker14 interface{ take14(n *node) }

type quiet14 struct{}

func (quiet14) take14(n *node) {}

type keeper14 struct{ _ int }

func (*keeper14) take14(n *node) { kept = append(kept, n) }

var ctx14 = context.WithValue(context.Background(), 1, &keeper14{})

func run14(text string) *node {
	t := ctx14.Value(1).(taker14)
	if text == "" {
		t = quiet14{}
	}
	n := &node{nil} // stays: a value
	t.take14(n)
	return &node{nil}
}

// Reflection.
type taker15 interface{ take15(n *node) }

type quiet15 struct{}

func (quiet15) take15(n *node) {}

type keeper15 struct{ _ int }

func (*keeper15) take15(n *node) { kept = append(kept, n) }

var r15 = reflect.ValueOf(&keeper15{})

func run15(text string) *node {
	t := r15.Interface().(taker15)
	if text == "" {
		t = quiet15{}
	}
	n := &node{nil} // stays: a value
	t.take15(n)
	return &node{nil}
}

// An unsafe pointer.
type taker16 interface{ take16(n *node) }

type quiet16 struct{}

func (quiet16) take16(n *node) {}

type keeper16 struct{ _ int }

func (*keeper16) take16(n *node) { kept = append(kept, n) }

type holder16 struct{ t taker16 }

var p16 = unsafe.Pointer(&holder16{&keeper16{}})

func run16(text string) *node {
	t := (*holder16)(p16).t
	if text == "" {
		t = quiet16{}
	}
	n := &node{nil} // stays: a value
	t.take16(n)
	return &node{nil}
}

// A target of errors.As.
type taker17 interface{ take17(n *node) }

type quiet17 struct{}

func (quiet17) take17(n *node) {}

type keeper17 struct{ _ int }

func (*keeper17) take17(n *node) { kept = append(kept, n) }

func (*keeper17) Error() string { return "" }

var e17 error = &keeper17{}

func run17(text string) *node {
	var t taker17
	errors.As(e17, &t)
	if text == "" {
		t = quiet17{}
	}
	n := &node{nil} // stays: a value
	t.take17(n)
	return &node{nil}
}

// A factory.
type taker18 interface{ take18(n *node) }

type quiet18 struct{}

func (quiet18) take18(n *node) {}

type keeper18 struct{ _ int }

func (*keeper18) take18(n *node) { kept = append(kept, n) }

type maker18 interface{ make() taker18 }

type makes18 struct{}

func (makes18) make() taker18 { return &keeper18{} }

var m18 maker18 = makes18{}

func run18(text string) *node {
	t := m18.make()
	if text == "" {
		t = quiet18{}
	}
	n := &node{nil} // stays: a value
	t.take18(n)
	return &node{nil}
}

// A factory of functions.
type taker19 interface{ take19(n *node) }

type quiet19 struct{}

func (quiet19) take19(n *node) {}

type keeper19 struct{ _ int }

func (*keeper19) take19(n *node) { kept = append(kept, n) }

type makes19 struct{ _ int }

func (*makes19) make() taker19 { return &keeper19{} }

var m19 = (&makes19{}).make

func run19(text string) *node {
	t := m19()
	if text == "" {
		t = quiet19{}
	}
	n := &node{nil} // stays: a value
	t.take19(n)
	return &node{nil}
}

// An embedded type.
type taker20 interface{ take20(n *node) }

type quiet20 struct{}

func (quiet20) take20(n *node) {}

type keeper20 struct{ _ int }

func (*keeper20) take20(n *node) { kept = append(kept, n) }

type outer20 struct{ *keeper20 }

var t20 taker20

func init() { t20 = outer20{&keeper20{}} }

func run20(text string) *node {
	t := t20
	if text == "" {
		t = quiet20{}
	}
	n := &node{nil} // stays: a value
	t.take20(n)
	return &node{nil}
}

// A literal that is made elsewhere.
type taker21 interface{ take21(n *node) }

type quiet21 struct{}

func (quiet21) take21(n *node) {}

type keeper21 struct{ _ int }

func (*keeper21) take21(n *node) { kept = append(kept, n) }

var f21 func() taker21

func Tell21(k *keeper21) { f21 = func() taker21 { return k } }

func run21(text string) *node {
	t := f21()
	if text == "" {
		t = quiet21{}
	}
	n := &node{nil} // stays: a value
	t.take21(n)
	return &node{nil}
}

// A type argument.
type taker22 interface{ take22(n *node) }

type quiet22 struct{}

func (quiet22) take22(n *node) {}

type keeper22 struct{ _ int }

func (*keeper22) take22(n *node) { kept = append(kept, n) }

func new22[T any, P interface {
	*T
	taker22
}]() taker22 {
	return P(new(T))
}

func run22(text string) *node {
	t := new22[keeper22]()
	if text == "" {
		t = quiet22{}
	}
	n := &node{nil} // stays: a value
	t.take22(n)
	return &node{nil}
}

// A table of functions.
type taker23 interface{ take23(n *node) }

type quiet23 struct{}

func (quiet23) take23(n *node) {}

type keeper23 struct{ _ int }

func (*keeper23) take23(n *node) { kept = append(kept, n) }

var table23 = map[string]func() taker23{"a": made23}

func made23() taker23 { return &keeper23{} }

func run23(text string) *node {
	t := table23[text]()
	if text == "" {
		t = quiet23{}
	}
	n := &node{nil} // stays: a value
	t.take23(n)
	return &node{nil}
}

// A type that is made as a part.
type taker24 interface{ take24(n *node) }

type quiet24 struct{}

func (quiet24) take24(n *node) {}

type keeper24 struct{ _ int }

func (*keeper24) take24(n *node) { kept = append(kept, n) }

type parts24 struct{ k keeper24 }

func run24(text string) *node {
	p := new(parts24)
	var t taker24 = &p.k
	if text == "" {
		t = quiet24{}
	}
	n := &node{nil} // stays: a value
	t.take24(n)
	return &node{nil}
}

// A wider interface.
type taker25 interface{ take25(n *node) }

type quiet25 struct{}

func (quiet25) take25(n *node) {}

type keeper25 struct{ _ int }

func (*keeper25) take25(n *node) { kept = append(kept, n) }

type wider25 interface {
	taker25
	more()
}

func (*keeper25) more() {}

var w25 wider25 = &keeper25{}

func run25(text string) *node {
	var t taker25 = w25
	if text == "" {
		t = quiet25{}
	}
	n := &node{nil} // stays: a value
	t.take25(n)
	return &node{nil}
}

// A method that registers it.
type taker26 interface{ take26(n *node) }

type quiet26 struct{}

func (quiet26) take26(n *node) {}

type keeper26 struct{ _ int }

func (*keeper26) take26(n *node) { kept = append(kept, n) }

var t26 []taker26

func register26(t ...taker26) { t26 = append(t26, t...) }

func init() { register26(&keeper26{}) }

func run26(text string) *node {
	t := t26[0]
	if text == "" {
		t = quiet26{}
	}
	n := &node{nil} // stays: a value
	t.take26(n)
	return &node{nil}
}

// Steps is a carrier. Its methods are called when the root has returned, by functions that make
// what the root does not know.
type Steps struct {
	text  string
	nodes []*node
}

// NewSteps is a root.
func NewSteps(text string) *Steps { return &Steps{text: text} }

type taker27 interface{ take27(n *node) }

type quiet27 struct{}

func (quiet27) take27(n *node) {}

// Keeper27 is of other packages.
type Keeper27 struct{ _ int }

func (*Keeper27) take27(n *node) { kept = append(kept, n) }

// Tell is called with what keeps the node.
func (s *Steps) Tell(t taker27) {
	if t == nil {
		t = quiet27{}
	}
	n := &node{nil} // stays: a value
	s.nodes = append(s.nodes, nil)
	t.take27(n)
}

type taker28 interface{ take28(n *node) }

type quiet28 struct{}

func (quiet28) take28(n *node) {}

type keeper28 struct{ _ int }

func (*keeper28) take28(n *node) { kept = append(kept, n) }

func give28(t taker28, n *node) { t.take28(n) }

// Next makes a node that one caller keeps.
func (s *Steps) Next() *node {
	give28(quiet28{}, s.nodes[0])
	s.nodes = append(s.nodes, nil)
	return &node{nil} // stays: a value
}

// Steps28 is where a function finds the carrier.
var Steps28 struct{ s *Steps }

func use28(t taker28) { give28(t, Steps28.s.Next()) }

func keep28() { use28(&keeper28{}) }

// Other makes a node that nobody keeps.
func (s *Steps) Other() *node {
	s.nodes = append(s.nodes, nil)
	return &node{nil} // moves: a value
}
