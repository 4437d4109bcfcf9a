// Package scopes calls a parser in many ways. A comment at each function says what is proved of it.
package scopes

import (
	"errors"
	"strings"
)

// A Node is what Parse makes.
type Node struct {
	Name     string
	Value    *int
	Children []*Node
	next     *Node
}

// Text is a part of the node.
func (n *Node) Text() string { return n.Name }

// Len shares nothing with the node.
func (n *Node) Len() int {
	sum := 1
	for _, c := range n.Children {
		sum += c.Len()
	}
	return sum
}

// Walk calls f for each node.
func (n *Node) Walk(f func(*Node) bool) {
	if !f(n) {
		return
	}
	for _, c := range n.Children {
		c.Walk(f)
	}
}

// String is for fmt.
func (n *Node) String() string { return "<" + n.Name + ">" }

type parser struct {
	words []string
	depth int
}

// Parse makes a tree of text such as "a ( b c )".
func Parse(text string) (*Node, error) {
	p := &parser{}
	if strings.HasPrefix(text, "#") {
		return nil, errComment
	}
	p.words = append(p.words, strings.Fields(text)...)
	root := &Node{Name: "root"}
	if len(p.words) > 0 {
		root.Value = new(int)
	}
	if err := p.list(root); err != nil {
		return nil, err
	}
	return root, nil
}

var (
	errDepth   = errors.New("a parenthesis is missing")
	errComment = errors.New("there is a comment only")
)

func (p *parser) list(parent *Node) error {
	for len(p.words) > 0 {
		w := p.words[0]
		p.words = p.words[1:]
		switch w {
		case "(":
			if len(parent.Children) == 0 {
				return errDepth
			}
			p.depth++
			if err := p.list(parent.Children[len(parent.Children)-1]); err != nil {
				return err
			}
		case ")":
			if p.depth--; p.depth < 0 {
				return errDepth
			}
			return nil
		default:
			n := &Node{Name: w + "."}
			v := len(w)
			n.Value = &v
			if k := len(parent.Children); k > 0 {
				parent.Children[k-1].next = n
			}
			parent.Children = append(parent.Children, n)
		}
	}
	return nil
}
