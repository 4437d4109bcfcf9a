// Package tree has trees, which visitors see.
package tree

type Node struct {
	Name     string
	Children []*Node
}

// A Visitor sees the nodes of a tree.
type Visitor interface {
	Enter(n *Node, depth int) bool
}

func Walk(v Visitor, n *Node) { walk(v, n, 0) }

func walk(v Visitor, n *Node, depth int) {
	if !v.Enter(n, depth) {
		return
	}
	for _, c := range n.Children {
		walk(v, c, depth+1)
	}
}
