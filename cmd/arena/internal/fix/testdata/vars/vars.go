// Package vars stores texts in what variables of the package refer to. A comment says of each site what becomes of it.
package vars

import (
	"fmt"
	"slices"
)

type node struct{ text string }

type keeper struct {
	last string
	n    *node
}

func (k *keeper) keep(n *node) { k.n = n }

type table struct{ k *keeper }

var (
	kept   keeper
	ptr        = &kept
	any1   any = ptr
	list       = []*node{{}, {}}
	set        = func(s string) { kept.last = s }
	setter     = map[string]func(string){"set": set}
)

func field(k *keeper) *string { return &k.last }

func both(a, b *keeper) *keeper {
	if a != nil {
		return a
	}
	return b
}

// Ways is how many ways to the variables there are. Each stores a text that ends with an x.
const Ways = 15

// Run calls one of them, and returns what the arena is for.
func Run(s string, way int) *node {
	switch way {
	case 0:
		method(s)
	case 1:
		result(s)
	case 2:
		typeSwitch(s)
	case 3:
		embedded(s)
	case 4:
		array(s)
	case 5:
		literal(s)
	case 6:
		element(s)
	case 7:
		channel(s)
	case 8:
		local(s)
	case 9:
		function(s)
	case 10:
		entry(s)
	case 11:
		either(s)
	case 12:
		sorted(s)
	case 13:
		part(s)
	case 14:
		address(s)
	}
	return &node{text: s + "y"} // moves: a value, text
}

func method(s string) {
	f := kept.keep
	f(&node{text: s + "x"}) // stays: a value, text
}

func result(s string) { *field(ptr) = s + "x" } // stays: text

func typeSwitch(s string) {
	switch k := any1.(type) {
	case *keeper:
		k.last = s + "x" // stays: text
	}
}

func embedded(s string) {
	var w struct{ *keeper }
	w.keeper = ptr
	w.last = s + "x" // stays: text
}

func array(s string) {
	all := [2]*keeper{ptr}
	all[0].last = s + "x" // stays: text
}

func literal(s string) {
	m := map[int]*keeper{1: ptr}
	m[1].last = s + "x" // stays: text
}

func element(s string) {
	m := map[int]*keeper{}
	m[1] = ptr
	for _, k := range m {
		k.last = s + "x" // stays: text
	}
}

func channel(s string) {
	c := make(chan *keeper, 1)
	c <- ptr
	k := <-c
	k.last = s + "x" // stays: text
}

func local(s string) {
	t := &table{k: ptr}
	t.k.last = s + "x" // stays: text
}

func function(s string) { set(s + "x") } // stays: text

func entry(s string) { setter["set"](s + "x") } // stays: text

func either(s string) {
	k := both(ptr, &keeper{})
	k.last = s + "x" // stays: text
}

func sorted(s string) {
	slices.SortFunc(list[:2], func(a, b *node) int { a.text = s + "x"; b.text = a.text; return 0 }) // stays: text
}

func part(s string) {
	l := list[:1]
	l = append(l[:0], &node{text: s + "x"}) // stays: a value, text
	_ = l
}

func address(s string) {
	l := append([]**node(nil), &list[0])
	*l[0] = &node{text: s + "x"} // stays: a value, text
}

// Others are what the variables do not refer to.
func Others(s string) []string {
	k := &keeper{last: s + "y"} // moves: text
	t := table{k: k}
	t.k.last = s + "y" // moves: text
	l := append([]*node(nil), list...)
	l = append(l, &node{text: s + "y"}) // moves: a value, text
	h := &holder{}
	h.in.name = names[s]
	h.in.n = &node{text: s + "y"} // moves: a value, text
	steps[len(s)%1](h, s+"y")     // moves: text
	return []string{h.in.n.text, fmt.Sprint(l[len(l)-1].text), t.k.last}
}

type holder struct {
	in struct {
		name string
		n    *node
	}
}

var (
	names = map[string]string{"a": "b"}
	steps = []func(h *holder, s string){step}
)

func step(h *holder, s string) { h.in.name = s }
