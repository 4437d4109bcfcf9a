package objects

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
)

// A refNode has references to its children.
type refNode struct{ left, right ref.Of[refNode] }

// newRefs returns an arena with references, which the collector does not look into.
func newRefs() *space { return inRefs(arena.NewArena()) }

// newMappedRefs returns one whose memory is not on the Go heap.
func newMappedRefs() *space {
	return inRefs(arena.NewWith(arena.Options{Memory: new(offheap.Mmap), Finalize: true}))
}

func inRefs(a *arena.Arena) *space {
	in := ref.In(a)
	nodes := ref.SlabOf[refNode](in)
	return &space{
		ints: func(n int) int {
			var m ref.Map[int, int]
			for i := range n {
				m.Set(in, scattered(i), i)
			}
			return m.Len()
		},
		words: func(keys []string) int {
			var m ref.TextMap[int]
			for i, k := range keys {
				m.Set(in, k, i)
			}
			return m.Len()
		},
		tree:    func(depth int) int { return refCount(in, refTree(in, nodes, depth)) },
		records: inArena(&a, nil, nil).records, // For requests beside the cache.
		live: func(n int, list bool) func() int {
			var first ref.Of[refNode]
			if list {
				for range n {
					r := nodes.New()
					r.Get(in).left = first
					first = r
				}
			} else {
				first = refBalanced(in, nodes, n)
			}
			return func() int { return refAll(in, first) }
		},
		cache: newRefCache,
		end:   a.Reset,
		free:  a.Free,
	}
}

func refTree(in ref.Space, s *ref.Slab[refNode], depth int) ref.Of[refNode] {
	r := s.New()
	if depth > 0 {
		n := r.Get(in)
		n.left, n.right = refTree(in, s, depth-1), refTree(in, s, depth-1)
	}
	return r
}

func refCount(in ref.Space, r ref.Of[refNode]) int {
	n := r.Get(in)
	if n.left.IsNil() {
		return 1
	}
	return 1 + refCount(in, n.left) + refCount(in, n.right)
}

// refBalanced makes a tree of n nodes.
func refBalanced(in ref.Space, s *ref.Slab[refNode], n int) (r ref.Of[refNode]) {
	if n > 0 {
		r = s.New()
		p := r.Get(in)
		p.left, p.right = refBalanced(in, s, (n-1)/2), refBalanced(in, s, n/2)
	}
	return r
}

// refAll counts the nodes of a list, or of a tree, that may have a node with one child.
func refAll(in ref.Space, r ref.Of[refNode]) (n int) {
	for !r.IsNil() {
		p := r.Get(in)
		n += 1 + refAll(in, p.right)
		r = p.left
	}
	return n
}
