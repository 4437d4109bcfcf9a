// Package tree has the nodes of expressions.
package tree

// A Node is part of an expression.
type Node interface{ Value() int }

// A Number is a node.
type Number int

func (n *Number) Value() int { return int(*n) }

// A Sum is a node.
type Sum struct {
	Terms []Node
	Names map[string]int
}

func (s *Sum) Value() (v int) {
	for _, t := range s.Terms {
		v += t.Value()
	}
	return v
}

// Pair returns two nodes in a slice.
func Pair(a, b Node) []Node { return []Node{a, b} }

// Keep returns a list that has v, of any type.
func Keep[T any](list []*T, v T) []*T { return append(list, &v) }
