package main

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
)

// A refNode has references to its children.
type refNode struct{ left, right arena.Ref[refNode] }

// A refForest is in an arena, by a RefSlab.
type refForest struct {
	a    *arena.Arena
	slab *arena.RefSlab[refNode]
	tree arena.Ref[refNode]
}

func newRefForest() forest { return refForestWith(nil) }

// newMmapForest returns one whose memory is not in the Go heap.
func newMmapForest() forest { return refForestWith(new(offheap.Mmap)) }

func refForestWith(memory arena.Memory) forest {
	a := arena.NewWith(arena.Options{Memory: memory})
	return &refForest{a: a, slab: arena.RefSlabOf[refNode](a)}
}

func refTree(a *arena.Arena, s *arena.RefSlab[refNode], depth int) arena.Ref[refNode] {
	r := s.New()
	if depth > 0 {
		n := r.Get(a)
		n.left, n.right = refTree(a, s, depth-1), refTree(a, s, depth-1)
	}
	return r
}

func refCount(a *arena.Arena, r arena.Ref[refNode]) int {
	n := r.Get(a)
	if n.left.IsNil() {
		return 1
	}
	return 1 + refCount(a, n.left) + refCount(a, n.right)
}

// make makes a tree of n nodes.
func (f *refForest) make(n int) (r arena.Ref[refNode]) {
	if n > 0 {
		r = f.slab.New()
		p := r.Get(f.a)
		p.left, p.right = f.make((n-1)/2), f.make(n/2)
	}
	return r
}

// all counts the nodes of a tree that may have a node with one child.
func (f *refForest) all(r arena.Ref[refNode]) int {
	if r.IsNil() {
		return 0
	}
	n := r.Get(f.a)
	return 1 + f.all(n.left) + f.all(n.right)
}

func (f *refForest) count(depth int) int { return refCount(f.a, refTree(f.a, f.slab, depth)) }
func (f *refForest) keep(nodes int)      { f.tree = f.make(nodes) }
func (f *refForest) kept() int           { return f.all(f.tree) }
func (f *refForest) reset()              { f.a.Reset() }
func (f *refForest) free()               { f.a.Free() }
