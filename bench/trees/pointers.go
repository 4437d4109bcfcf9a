package main

import "github.com/arena-go/arena"

// A node has pointers to its children. Those of a leaf are nil.
type node struct{ left, right *node }

func (n *node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

// all counts the nodes of trees that may have a node with one child.
func (n *node) all() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.all() + n.right.all()
}

// A heapForest is on the Go heap.
type heapForest struct{ tree *node }

func newHeapForest() forest { return new(heapForest) }

func heapTree(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{heapTree(depth - 1), heapTree(depth - 1)}
}

func (f *heapForest) count(depth int) int { return heapTree(depth).count() }
func (f *heapForest) keep(nodes int)      { f.tree = tree(nodes, func() *node { return new(node) }) }
func (f *heapForest) kept() int           { return f.tree.all() }
func (f *heapForest) reset()              {}
func (f *heapForest) free()               {}

// tree returns a tree of n nodes.
func tree(n int, make func() *node) *node {
	if n == 0 {
		return nil
	}
	t := make()
	t.left, t.right = tree((n-1)/2, make), tree(n/2, make)
	return t
}

// A newForest is in an arena, by New.
type newForest struct {
	a    arena.Arena
	tree *node
}

func newNewForest() forest { return new(newForest) }

func newTree(a *arena.Arena, depth int) *node {
	n := arena.New[node](a)
	if depth > 0 {
		n.left, n.right = newTree(a, depth-1), newTree(a, depth-1)
	}
	return n
}

func (f *newForest) count(depth int) int { return newTree(&f.a, depth).count() }
func (f *newForest) keep(nodes int) {
	f.tree = tree(nodes, func() *node { return arena.New[node](&f.a) })
}
func (f *newForest) kept() int { return f.tree.all() }
func (f *newForest) reset()    { f.a.Reset() }
func (f *newForest) free()     { f.a.Free() }

// A slabForest is in an arena, by a Slab.
type slabForest struct {
	newForest
	slab *arena.Slab[node]
}

func newSlabForest() forest {
	f := new(slabForest)
	f.slab = arena.SlabOf[node](&f.a)
	return f
}

func slabTree(s *arena.Slab[node], depth int) *node {
	n := s.New()
	if depth > 0 {
		n.left, n.right = slabTree(s, depth-1), slabTree(s, depth-1)
	}
	return n
}

func (f *slabForest) count(depth int) int { return slabTree(f.slab, depth).count() }
