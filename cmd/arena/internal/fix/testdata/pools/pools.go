// Package pools has parsers that come from a sync.Pool.
package pools

import (
	"strings"
	"sync"
)

// A Node is a list, or a word.
type Node struct {
	Name string
	Size int
	Kids []*Node
}

type parser struct {
	words  []string
	memo   *Node // the shortest tree so far: it is read before it is written
	result *Node
}

var parsers = sync.Pool{New: func() any { return &parser{} }}

func newParser(text string) *parser {
	p := parsers.Get().(*parser)
	p.words = strings.Fields(text)
	return p
}

func (p *parser) close() { parsers.Put(p) }

// Parse returns the tree of a text. In a word _ is a space.
func Parse(text string) *Node {
	p := newParser(text)
	defer p.close()
	if p.memo != nil && p.memo.Name == text {
		return &Node{Name: text, Size: p.memo.Size}
	}
	n := p.list(text)
	if p.memo == nil || len(text) < len(p.memo.Name) {
		p.memo = n
	}
	return n
}

// Last returns the same, and reads the parser when it has gone back.
func Last(text string) *Node {
	p := newParser(text)
	p.result = p.list(text)
	parsers.Put(p)
	return p.result
}

// Words takes a parser where there is no arena.
func Words(text string) int {
	p := newParser(text)
	defer p.close()
	if p.memo != nil && p.memo.Name == text {
		return p.memo.Size
	}
	return len(p.words)
}

func (p *parser) list(text string) *Node {
	n := &Node{Name: string([]byte(text))}
	for len(p.words) > 0 {
		n.Kids = append(n.Kids, p.word())
		n.Size++
	}
	return n
}

func (p *parser) word() *Node {
	n := p.leaf(strings.ReplaceAll(p.words[0], "_", " "))
	p.words = p.words[1:]
	return n
}

func (p *parser) leaf(name string) *Node { return &Node{Name: name, Size: 1} }

// Zeroed returns the tree by a parser that its deferred function clears.
func Zeroed(text string) *Node {
	r := readers.Get().(*reader)
	defer func() {
		*r = noReader
		readers.Put(r)
	}()
	r.rest = text
	return r.all()
}

type reader struct {
	rest string
	last *Node
}

var readers = &sync.Pool{New: func() any { return new(reader) }}

var noReader reader

func (r *reader) all() *Node {
	n := &Node{Name: r.rest + "!"}
	for r.rest != "" {
		if r.last != nil {
			n.Name = r.last.Name + n.Name
		}
		r.last = r.one()
		n.Kids = append(n.Kids, r.last)
	}
	return n
}

func (r *reader) one() *Node {
	word, rest, _ := strings.Cut(r.rest, " ")
	r.rest = rest
	return r.made(word)
}

func (r *reader) made(word string) *Node { return &Node{Name: word + "."} }

// Cleared returns the tree by a parser that is cleared where it is taken: then it has no arena.
func Cleared(text string) *Node {
	e := eaters.Get().(*eater)
	defer eaters.Put(e)
	was := e.last
	*e = noEater
	e.last = &Node{Name: text + "?", Size: len(text)}
	n := e.all(text)
	if was != nil && was.Size != len(was.Name)-1 {
		n.Name = "changed"
	}
	return n
}

type eater struct{ last *Node }

var eaters = sync.Pool{New: func() any { return &eater{} }}

var noEater eater

func (e *eater) all(text string) *Node  { return &Node{Name: text, Kids: []*Node{e.one(text)}} }
func (e *eater) one(text string) *Node  { return &Node{Name: text + "1", Kids: []*Node{e.more(text)}} }
func (e *eater) more(text string) *Node { return &Node{Name: text + "2"} }

// Kept tells by an interface whether what was kept of the last text is as it was. The method stores its parameter in what comes from a pool.
func Kept(text string) bool {
	n := &Node{Name: text + "#", Size: len(text)}
	var k keeper = notes{}
	return k.keep(n)
}

type keeper interface{ keep(n *Node) bool }

type notes struct{}

type memo struct{ last *Node }

var memos = sync.Pool{New: func() any { return &memo{} }}

func (notes) keep(n *Node) bool {
	m := memos.Get().(*memo)
	defer memos.Put(m)
	was := m.last
	m.last = n
	return was == nil || was.Size == len(was.Name)-1
}

func (m *memo) a() *Node { return &Node{Name: "a", Kids: []*Node{m.b()}} }
func (m *memo) b() *Node { return &Node{Name: "b", Kids: []*Node{m.c()}} }
func (m *memo) c() *Node { return &Node{Name: "c"} }

// Memo uses these parsers in an arena.
func Memo(text string) *Node {
	m := memos.Get().(*memo)
	defer memos.Put(m)
	m.last = &Node{Name: text + "#", Size: len(text)}
	return m.a()
}

// Held has a holder in a variable of the package, so that never has an arena, and its methods get it
// as a parameter.
func Held(text string) int {
	held = &holder{}
	return held.all(text).Size
}

var held *holder

type holder struct{ last *Node }

func (h *holder) all(text string) *Node {
	h.last = &Node{Size: len(h.one(text).Name)}
	return h.last
}
func (h *holder) one(text string) *Node { return &Node{Name: text + h.two(text).Name} }
func (h *holder) two(text string) *Node { return &Node{Name: text + "2"} }
