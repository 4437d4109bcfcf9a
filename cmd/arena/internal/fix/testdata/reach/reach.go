// Package reach has the ways from a public root to where the work is. A comment says of each site what becomes of it.
package reach

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// A Node is what parsers make.
type Node struct {
	Text string
	Kids []*Node
}

// Parse formats what it has made for errors, which have nothing of it then.
func Parse(s string) (*Node, error) {
	n, err := parse(s)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	if len(n.Kids) > 2 {
		return nil, fmt.Errorf("%d kids of %s", len(n.Kids), n.Text)
	}
	if n, err = second(n); err != nil {
		return nil, err
	}
	if n.Text == "panic" {
		panic(fmt.Sprintf("panic of %s", n.Text))
	}
	return n, check(n)
}

func parse(s string) (*Node, error) {
	if s == "" {
		return nil, errors.New("nothing")
	}
	n := &Node{Text: s} // moves: a value
	for kid := range strings.SplitSeq(s, ",") {
		n.Kids = append(n.Kids, &Node{Text: kid + "!"}) // moves: append, a value, text
	}
	return n, nil
}

func second(n *Node) (*Node, error) {
	if n.Text == "second" {
		return nil, fail("no second of " + n.Text) // stays: text
	}
	return &Node{Text: n.Text, Kids: n.Kids}, nil // moves: a value
}

func fail(text string) error { return failWith(text) }

func failWith(text string) error { return &failure{text} }

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

var errs []error

func check(n *Node) error {
	for _, k := range n.Kids {
		if k.Text == "bad!" {
			return remember(fmt.Errorf("bad: %s", k.Text))
		}
	}
	return nil
}

// remember keeps an error for longer than any arena.
func remember(err error) error {
	errs = append(errs, err)
	return err
}

// Remembered returns the errors, from the first one.
func Remembered() (all []string) {
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}

// A buffer leads to the arena.
type buffer struct {
	text string
	at   int
}

func (b *buffer) word() string {
	from := b.at
	for b.at < len(b.text) && b.text[b.at] != ' ' {
		b.at++
	}
	return b.text[from:b.at] + ";" // moves: text
}

func (b *buffer) kids(n int) []*Node {
	return make([]*Node, 0, n+b.at) // moves: a slice
}

// commands are called with the buffer, and allocate in its arena.
var commands = map[byte]func(b *buffer, n *Node){
	'+': func(b *buffer, n *Node) {
		n.Kids = append(n.Kids, &Node{Text: b.word()}) // moves: append, a value
	},
	'-': func(b *buffer, n *Node) { n.Kids = b.kids(1) },
}

// Table calls functions of a table.
func Table(s string) *Node {
	b := &buffer{text: s}
	n := &Node{} // moves: a value
	for b.at < len(b.text) {
		c := b.text[b.at]
		b.at++
		if do := commands[c]; do != nil {
			do(b, n)
		}
	}
	return n
}

var (
	last     *Node
	watchers = map[string]func(n *Node){"package": func(n *Node) { last = n }}
)

func init() {
	var own *Node
	watchers["own"] = func(n *Node) {
		if own != nil && own.Text != "watched!" {
			panic(own.Text)
		}
		own = n
	}
}

// Watched gives what it makes to a function that keeps it.
func Watched(by string) string {
	n := &Node{Text: by[:0] + "watched!"} // stays: a value, text
	watchers[by](n)
	return n.Text
}

// Last is what was watched last.
func Last() string { return last.Text }

// A scratch is pooled, and New sets a field of it.
type scratch struct {
	sep   string
	words []string
}

func newScratch() *scratch { return &scratch{sep: ","} }

var scratches = sync.Pool{New: func() any { return newScratch() }}

func (s *scratch) split(text string) {
	s.words = s.words[:0]
	for w := range strings.SplitSeq(text, s.sep) {
		s.words = append(s.words, s.quoted(w)) // moves: append
	}
}

func (s *scratch) quoted(w string) string { return "<" + w + s.end() } // moves: text

func (s *scratch) end() string { return ">"[:len(s.sep)] + s.sep[1:] + strings.Repeat("!", len(s.sep)) } // moves: text

// Split uses a scratch. Nothing of it goes back to the pool and is read.
func Split(text string) string {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.split(text)
	return strings.Join(s.words, " ") // moves: text
}

// A Reader is used by one goroutine.
type Reader struct {
	text  string
	words []string
}

// Next allocates in an arena that its caller has. What it keeps of the call before is not read.
func (r *Reader) Next() *Node {
	r.words = nil
	r.fill()
	n := &Node{} // moves: a value
	for _, w := range r.words {
		n.Kids = append(n.Kids, &Node{Text: w}) // moves: append, a value
	}
	return n
}

func (r *Reader) fill() {
	for w := range strings.FieldsSeq(r.text) {
		r.words = append(r.words, w+r.mark()) // moves: append
	}
}

func (r *Reader) mark() string { return "." + r.text[:1] }

// NewReader returns a Reader.
func NewReader(text string) *Reader { return &Reader{text: text} }

// A Tokenizer is used by many goroutines at the same time, so the arena is a parameter, and no field.
type Tokenizer struct{ mark string }

// Tokens returns words with a mark.
func (t *Tokenizer) Tokens(text string) (all []string) {
	for w := range strings.FieldsSeq(text) {
		all = append(all, t.token(w)) // moves: append
	}
	return all
}

func (t *Tokenizer) token(w string) string { return t.open() + w } // moves: text

func (t *Tokenizer) open() string { return "(" + t.mark } // moves: text

var names = map[string]bool{}

// Unquoted keeps a part of what it is given.
func Unquoted(s string) int {
	quoted := `"` + s + `"` // stays: text
	name, _ := strconv.Unquote(quoted)
	names[name] = true
	return len(names)
}

// Name is a name that Unquoted has kept.
func Name() string {
	for name := range names {
		return name
	}
	return ""
}

// Background uses a text when the arena has ended, perhaps.
func Background(s string, done chan<- string) {
	text := s + "?" // stays: text
	go func() { done <- fmt.Sprintf("%s", text) }()
}

// Wide reads numbers of both orders, with the ones of a library, which keep nothing.
func Wide(text string) []*Node {
	return append(wide([]byte(text+"!"), binary.BigEndian), wide([]byte(text+"?"), binary.LittleEndian)...) // moves: append, text
}

func wide(b []byte, order binary.ByteOrder) (all []*Node) {
	d := base64.NewDecoder(base64.StdEncoding, bytes.NewReader(b))
	_, err := io.ReadAll(d)
	for len(b) >= 2 {
		all = append(all, &Node{Text: strconv.Itoa(int(order.Uint16(b)))}) // moves: append, a value, text
		b = b[2:]
	}
	if err != nil {
		return all
	}
	return all
}
