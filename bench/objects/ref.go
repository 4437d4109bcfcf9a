package objects

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
)

// A refNode has references to its children.
type refNode struct{ left, right arena.Ref[refNode] }

// newRefs returns an arena with references, which the collector does not look into.
func newRefs() *space { return inRefs(arena.NewArena()) }

// newMappedRefs returns one whose memory is not on the Go heap.
func newMappedRefs() *space {
	return inRefs(arena.NewWith(arena.Options{Memory: new(offheap.Mmap), Finalize: true}))
}

func inRefs(a *arena.Arena) *space {
	nodes := arena.RefSlabOf[refNode](a)
	return &space{
		ints: func(n int) int {
			var m arena.RefMap[int, int]
			for i := range n {
				m.Set(a, scattered(i), i)
			}
			return m.Len()
		},
		words: func(keys []string) int {
			var m arena.RefTextMap[int]
			for i, k := range keys {
				m.Set(a, k, i)
			}
			return m.Len()
		},
		tree:    func(depth int) int { return refCount(a, refTree(a, nodes, depth)) },
		records: inArena(&a, nil, nil).records, // For requests beside the cache.
		live: func(n int, list bool) func() int {
			var first arena.Ref[refNode]
			if list {
				for range n {
					r := nodes.New()
					r.Get(a).left = first
					first = r
				}
			} else {
				first = refBalanced(a, nodes, n)
			}
			return func() int { return refAll(a, first) }
		},
		cache: newRefCache,
		end:   a.Reset,
		free:  a.Free,
	}
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

// refBalanced makes a tree of n nodes.
func refBalanced(a *arena.Arena, s *arena.RefSlab[refNode], n int) (r arena.Ref[refNode]) {
	if n > 0 {
		r = s.New()
		p := r.Get(a)
		p.left, p.right = refBalanced(a, s, (n-1)/2), refBalanced(a, s, n/2)
	}
	return r
}

// refAll counts the nodes of a list, or of a tree, that may have a node with one child.
func refAll(a *arena.Arena, r arena.Ref[refNode]) (n int) {
	for !r.IsNil() {
		p := r.Get(a)
		n += 1 + refAll(a, p.right)
		r = p.left
	}
	return n
}
