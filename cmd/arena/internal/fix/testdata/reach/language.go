package reach

import (
	"context"
	"io/fs"
)

// A sentence leads to the arena.
type sentence struct {
	text string
	at   int
}

func (s *sentence) next() *Node {
	s.at++
	return &Node{Text: s.text[s.at:] + "."} // moves: a value, text
}

// A grammar has a function for each first byte, and calls it.
type grammar struct {
	rules map[byte]func(s *sentence) *Node
	inner map[byte]*grammar
}

func (g *grammar) parse(s *sentence) *Node {
	for inner := g.inner[s.text[s.at]]; inner != nil; inner = g.inner[s.text[s.at]] {
		g = inner
		s.at++
	}
	return g.rules[s.text[s.at]](s)
}

// A ruler is a rule that has no method of its own for what it does.
type ruler interface{ rule(s *sentence) *Node }

type ruleFunc func(s *sentence) *Node

func (f ruleFunc) rule(s *sentence) *Node { return f(s) }

var (
	language = &grammar{}
	rulers   = map[string]ruler{"twice": ruleFunc(func(s *sentence) *Node {
		n := s.next()
		n.Kids = append(n.Kids, s.next()) // moves: append
		return n
	})}
)

func init() {
	language.rules = map[byte]func(s *sentence) *Node{'a': func(s *sentence) *Node { return s.next() }}
	language.inner = map[byte]*grammar{'b': language}
}

// Spoken finds functions of a package by methods, and by methods of functions.
func Spoken(text string) *Node {
	s := &sentence{text: text}
	n := language.parse(s)
	n.Kids = append(n.Kids, rulers["twice"].rule(s)) // moves: append
	return n
}

type nodeKey struct{}

// Walked passes on what it makes in a context, and has a literal that is called at once.
func Walked(ctx context.Context, files fs.FS, size uint32) (*Node, error) {
	ctx = context.WithValue(ctx, nodeKey{}, &Node{Kids: make([]*Node, 0, size)}) // moves: a value
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		n := ctx.Value(nodeKey{}).(*Node)
		n.Kids = append(n.Kids, &Node{Text: path + "/"}) // stays: append, a value, text
		return err
	})
	return ctx.Value(nodeKey{}).(*Node), err
}

// An ending is an option, which is called before what it is given to returns.
type ending func(n *Node)

// Ended has an option that uses what is around it, and passes on others.
func Ended(s string, endings ...ending) *Node {
	text := s + "!" // moves: text
	n := withEndings(func(n *Node) { n.Text = text })
	n.Kids = append(n.Kids, withEndings(endings...)) // moves: append
	return n
}

func withEndings(all ...ending) *Node {
	n := &Node{} // stays: a value
	for _, end := range all {
		end(n)
	}
	n.Kids = append(n.Kids, n) // stays: append
	return n
}
