// Package iterators has functions that return iterators. What these make moves if loops range over
// them at once, and nothing keeps what they yield.
package iterators

import (
	"iter"
	"slices"
)

type node struct {
	text  string
	child *node
}

var kept *node

var all []*node

// Run is a root.
func Run(text string, in *node) (sum int) {
	for n := range plain(text) {
		sum += len(n.text)
	}
	for n := range keptBy(text) {
		kept = n
	}
	for n := range wrapped(text) {
		kept = n
	}
	set := inVariable(text)
	for n := range set {
		kept = n
	}
	fields(text)
	inGoroutine(text)
	pulled(text)
	for n := range Exported(text) {
		sum += len(n.text)
	}
	var s sequence = lister{}
	for n := range s.list(text) {
		sum += len(n.text)
	}
	value := taken
	for n := range value(text) {
		sum += len(n.text)
	}
	for n := range walk(text, 2) {
		kept = n
	}
	for n := range helped(text) {
		kept = n
	}
	for n := range aliased(text) {
		kept = n
	}
	all = slices.Collect(collected(text))
	list := slices.Collect(gathered(text))
	sum += len(list)
	c := make(chan *node, 1)
	for n := range sent(text) {
		c <- n
	}
	it, _ := two(text)
	for n := range it {
		kept = n
	}
	var last *node
	for n := range lastOf(text) {
		last = n
	}
	kept = last
	for n := range parts(all[0]) {
		n.child = &node{text, nil} // stays: a value
	}
	for n := range parts(in) {
		sum += len(n.text)
	}
	for range variable {
	}
	for n := range outer(text) {
		kept = n
	}
	for n := range either(text) {
		kept = n
	}
	kept2 := called(text)
	kept2(func(n *node) bool { kept = n; return true })
	for i, n := range pairs(text) {
		all[i] = n
	}
	func() {
		for n := range inLiteral(text) {
			kept = n
		}
	}()
	hold = func() {
		for n := range later(text) {
			kept = n
		}
	}
	for n := range inner(text) {
		sum += len(n.text)
	}
	for n := range fromAll(text) {
		n.child = &node{text, nil} // stays: a value
	}
	given(text)
	m := &machine{text: text}
	for n := range m.steps() {
		kept = n
	}
	return sum + m.run() + m.more()
}

var hold func()

func plain(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // moves: a value
	}
}

func keptBy(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func wrapped(text string) iter.Seq[*node] { return (wrappedToo(text)) }

func wrappedToo(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func inVariable(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

type holder struct{ it iter.Seq[*node] }

var holds holder

func fields(text string) {
	holds.it = ofField(text)
	for n := range holds.it {
		_ = n
	}
}

func ofField(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func inGoroutine(text string) {
	go func() {
		for n := range ofGoroutine(text) {
			_ = n
		}
	}()
}

func ofGoroutine(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func pulled(text string) {
	next, stop := iter.Pull(ofPull(text))
	defer stop()
	n, _ := next()
	_ = n
}

func ofPull(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

// Exported may be called by others, who keep the iterator.
func Exported(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // moves: a value
	}
}

type sequence interface {
	list(text string) iter.Seq[*node]
}

type lister struct{}

func (lister) list(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // moves: a value
	}
}

func taken(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // moves: a value
	}
}

func walk(text string, n int) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if n > 0 {
			walk(text, n-1)(yield)
		}
		yield(&node{text, nil}) // stays: a value
	}
}

func helped(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		help(text, yield)
	}
}

func help(text string, yield func(*node) bool) {
	yield(&node{text, nil}) // stays: a value
}

func aliased(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		y := yield
		y(&node{text, nil}) // stays: a value
	}
}

func collected(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func gathered(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func sent(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // moves: a value
	}
}

func two(text string) (iter.Seq[*node], error) {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}, nil
}

func lastOf(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func parts(in *node) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for ; in != nil; in = in.child {
			if !yield(in) {
				return
			}
		}
	}
}

var variable = early("early")

func early(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil})
	}
}

func outer(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for n := range inside(text) {
			yield(n)
		}
	}
}

func inside(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func either(text string) iter.Seq[*node] {
	it := func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
	if text == "" {
		it = func(yield func(*node) bool) {
			yield(&node{text + "!", nil}) // stays: a value
		}
	}
	return it
}

func called(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func pairs(text string) iter.Seq2[int, *node] {
	return func(yield func(int, *node) bool) {
		yield(0, &node{text, nil}) // stays: a value
	}
}

func inLiteral(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func later(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}
}

func inner(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		func() {
			n := &node{text, nil} // stays: a value
			hold = func() { kept = n }
			yield(&node{text, nil}) // moves: a value
		}()
	}
}

func fromAll(text string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(all[0])
	}
}

// A machine is a carrier.
type machine struct {
	text  string
	nodes []*node
}

func (m *machine) steps() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		m.nodes = append(m.nodes, nil)
		yield(&node{m.text, nil}) // stays: a value
	}
}

func (m *machine) run() (sum int) {
	for n := range m.free() {
		sum += len(n.text)
	}
	return sum
}

func (m *machine) free() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{m.text, nil}) // moves: a value
	}
}

func (m *machine) more() int {
	for n := range m.stored() {
		all[0].child = n
	}
	return 0
}

func (m *machine) stored() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		yield(&node{m.text, nil}) // stays: a value
	}
}

// given gives literals to functions that keep what these yield.
func given(text string) {
	each(func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	})
	each(func(yield func(*node) bool) {
		y := yield
		y(&node{text, nil}) // stays: a value
	})
	each(func(yield func(*node) bool) {
		helpToo(text, yield)
	})
	for n := range same(func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}) {
		kept = n
	}
	for n := range filter(func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	}) {
		kept = n
	}
	for n := range again(text) {
		kept = n
	}
}

func each(it iter.Seq[*node]) {
	for n := range it {
		kept = n
	}
}

func helpToo(text string, yield func(*node) bool) {
	yield(&node{text, nil}) // stays: a value
}

func same(it iter.Seq[*node]) iter.Seq[*node] { return it }

func filter(it iter.Seq[*node]) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for n := range it {
			if !yield(n) {
				return
			}
		}
	}
}

func again(text string) iter.Seq[*node] {
	return same(func(yield func(*node) bool) {
		yield(&node{text, nil}) // stays: a value
	})
}
