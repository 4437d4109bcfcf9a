// Package order has statements that call something that changes what they are made of. What of them is computed first is for the compiler to say, and
// must be the same with an arena.
package order

import (
	"fmt"
	"strings"
)

// A State changes with each call.
type State struct {
	n     int
	text  string
	bytes []byte
	list  []string
	ch    chan string
}

func start() *State {
	s := &State{n: 1, text: "t", bytes: []byte("b0"), list: []string{"l", "m"}, ch: make(chan string, 1)}
	s.ch <- "c"
	return s
}

func (s *State) next() string {
	s.n++
	s.text += fmt.Sprint(s.n)
	s.bytes[1]++
	s.list[0] += "+"
	return strings.Repeat("n", s.n)
}

func (s *State) count() int { s.next(); return s.n }

func (s *State) now() string { return s.text } // it is inlined

// A Node is what literals make.
type Node struct {
	A, B  string
	N     int
	V     any
	Next  *Node
	Words []string
}

// A Result has all that is made.
type Result struct {
	Texts []string
	Nodes []*Node
	Lists [][]string
	Anys  []any
	Maps  map[string]string
	Lines map[string][]int
}

func (r *Result) texts(all ...string) { r.Texts = append(r.Texts, all...) }

//go:noinline
func (r *Result) nodes(a, b *Node) { r.Nodes = append(r.Nodes, a, b) }

//go:noinline
func (r *Result) pair(v any, s string) { r.Anys = append(r.Anys, v, s) }

//go:noinline
func (r *Result) list(v []string, s string) { r.Lists = append(r.Lists, v, []string{s}) }

//go:noinline
func both(a, b string) string { return a + "&" + b }

//go:noinline
func kept(r *Result, s string) string {
	r.Texts = append(r.Texts, s)
	return s
}

// Run makes what results have.
func Run() *Result {
	r := &Result{Maps: map[string]string{}, Lines: map[string][]int{}}
	concat(r, start(), "p")
	conversions(r, start(), "p")
	literals(r, start(), "p")
	boxes(r, start(), "p")
	lists(r, start(), "p")
	maps(r, start(), "p")
	others(r, start(), "p")
	sequence(r, start(), "p")
	random(r)
	return r
}

func concat(r *Result, s *State, p string) {
	r.texts(s.text+"!", s.next())          // stays: text
	r.texts(p+"!", s.next())               // moves: text
	r.texts(s.next(), s.text+"!")          // moves: text
	r.texts(s.now()+"!", s.next())         // moves: text
	r.texts(kept(r, s.text+"!"), s.next()) // moves: text
	r.texts(s.text+"!", both("a", p)[1:])  // stays: text
	r.texts(s.text[1:]+"!", s.next())      // moves: text
	r.texts(s.list[0]+"!", s.next())       // stays: text
	r.texts(s.text+"!", <-s.ch)            // stays: text
	q := p
	change := func() string { q += "q"; return q }
	r.texts(q+"!", change()) // stays: text
	x, y := q+"?", change()  // stays: text
	o := p
	of := &o
	r.texts(o+"?", s.next(), *of) // stays: text
	r.texts(x, y)
	s.text += s.next()
	r.texts(s.text)
}

func conversions(r *Result, s *State, p string) {
	r.texts(string(s.bytes), s.next()) // stays: text
	b := s.bytes
	r.texts(string(b), s.next())                                           // stays: text
	r.texts(string(b), string(append(b[:1], p...)))                        // stays: text
	r.texts(s.next(), string(b))                                           // moves: text
	r.texts(string(rune('a'+s.n)), s.next())                               // stays: text
	r.Anys = append(r.Anys, []byte(s.text), s.next())                      // moves: text
	r.Maps[string(s.bytes)] = s.next()                                     // stays: text
	r.Lines[string(s.bytes)] = append(r.Lines[string(s.bytes)], s.n)       // moves: text
	r.Lines[string(s.bytes)] = append(r.Lines[string(s.bytes)], s.count()) // stays: text
	r.Anys = append(r.Anys, make([]int, s.n), s.next())                    // moves: a slice
}

func literals(r *Result, s *State, p string) {
	r.nodes(&Node{A: s.text}, &Node{A: s.next()})                    // stays: a value
	r.nodes(&Node{A: p, N: len(s.list)}, &Node{A: s.next()})         // moves: a value
	r.nodes(&Node{A: s.next(), B: s.text}, &Node{A: p})              // moves: a value
	r.nodes(&Node{A: p, Next: &Node{N: s.n}}, &Node{A: s.next()})    // stays: a value
	r.nodes(&Node{A: s.text, B: s.next()}, nil)                      // moves: a value
	r.nodes(&Node{A: s.text + "!", B: s.next()}, nil)                // stays: text
	n := &Node{A: p, N: len(s.text), B: s.next()}                    // moves: a value
	m := &Node{A: s.text, N: len(s.text), B: s.next(), Next: n}      // moves: a value
	o := &Node{A: p + s.text, B: s.next(), Words: []string{s.now()}} // stays: text
	r.nodes(m, o)
}

func boxes(r *Result, s *State, p string) {
	r.pair(s.n, s.next())                     // stays: a value in an interface
	r.pair(s.text, s.next())                  // stays: a value in an interface
	r.pair(p, s.next())                       // moves: a value in an interface
	r.pair(s.count(), s.next())               // moves: a value in an interface
	r.pair(Node{A: s.text}, s.next())         // stays: a value in an interface
	r.nodes(&Node{V: s.n, N: s.count()}, nil) // stays: a value in an interface
	r.Texts = append(r.Texts, fmt.Sprint(s.n, s.next()))
}

func lists(r *Result, s *State, p string) {
	r.list([]string{s.text, p}, s.next())         // stays: a slice
	r.list([]string{p, "a"}, s.next())            // moves: a slice
	r.list([]string{s.text, s.next()}, p)         // moves: a slice
	r.list(append(s.list, s.text), s.next())      // moves: append
	r.list(append([]string{s.text}, p), s.next()) // moves: append
	s.list = append(s.list, s.text+"!", s.next()) // stays: text
	r.Lists = append(r.Lists, s.list)
}

func maps(r *Result, s *State, p string) {
	early := map[string]string{"t": "t", "t2": "t2"}
	r.texts(early[s.text], s.next())
	m := map[string]string{} // moves: a map
	m["a"] = p
	m[s.text] = "t"
	m[s.next()] += s.text
	r.texts(s.next(), m["a"], s.next(), m[s.text])
	mixed := map[string]int{}
	mixed["a"] = 1
	r.texts(fmt.Sprint(mixed["a"], func() int { mixed["a"]++; return mixed["a"] }()))
	added := map[string]int{}
	added[s.text] += s.count()
	r.texts(fmt.Sprint(added["t2345"], len(added)))
}

func others(r *Result, s *State, p string) {
	switch s.text + "!" {
	case s.next(), s.text, s.text + s.next():
		r.texts("case")
	default:
		r.texts(s.text)
	}
	if x := s.text + "?"; x != s.next() || s.text+"." == s.next() { // moves: text
		r.texts(x)
	}
	func() { r.texts(s.text+"!", s.next()) }()
	defer r.texts(s.text+"d", s.next()) // stays: text
	a, b := results(s, p)
	r.texts(a, b)
}

func results(s *State, p string) (string, string) {
	if s.n > 1000 {
		return p + "!", s.next() // moves: text
	}
	return s.text + "!", s.next() // stays: text
}

// sequence calls in the middle of expressions.
func sequence(r *Result, s *State, p string) {
	r.texts(both(s.text+"a", s.next())+s.text, s.next()) // stays: text
	r.nodes(&Node{A: both(s.text, p), N: s.n % 7}, nil)  // moves: a value
	ok := s.text+"b" == p && s.next() == p || s.text+"c" == s.next()
	r.texts(fmt.Sprint(ok), s.text)
	r.list([]string{p + "d", "x"}[:s.count()%2], s.text+s.next()) // moves: text
}
