// Package reg keeps things.
package reg

import "io"

// A Node is kept.
type Node struct {
	Name string
	Next *Node
}

// ReadRune reads nothing.
func (n *Node) ReadRune() (r rune, size int, err error) { return 0, 0, io.EOF }

// Last is kept by the package.
var Last *Node

// Any is kept by the package.
var Any any

// A List has nodes.
type List struct{ nodes []*Node }

// Std is a list that the package keeps.
var Std List

// Add adds a node.
func (l *List) Add(n *Node) { l.nodes = append(l.nodes, n) }

// Get returns the list that the package keeps.
func Get() *List { return &Std }

// Keep keeps a node.
func Keep(n *Node) { Last = n }

// A Shape is implemented by types that embed others.
type Shape interface{ Name(b []byte) string }

// A Square is a shape.
type Square struct{}

// Name returns a name.
func (*Square) Name(b []byte) string { return string(b) } // moves: text

// A Circle embeds a square, and has a name of its own.
type Circle struct{ *Square }

// Name returns another name.
func (Circle) Name([]byte) string { return "circle" }

// Nodes returns the nodes.
func (l *List) Nodes() []*Node { return l.nodes }

// Count reads a map.
func Count(m map[string]int) int { return len(m) }

// Write writes nothing.
func Write(w io.Writer) {}
