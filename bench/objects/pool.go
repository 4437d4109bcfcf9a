package objects

import "sync"

// newPool returns sync.Pools to which everything is put back, one by one. What is put back is
// zeroed.
func newPool() *space {
	var all backs
	smalls, people, holders, nodes := poolOf[small](), poolOf[person](), poolOf[holder](), poolOf[node]()
	return &space{
		small:  func(n int) []*small { return poolValues(smalls, n, all.later) },
		people: func(n int) []*person { return poolValues(people, n, all.later) },
		crowd:  func(keep []*person) { copy(keep, poolValues(people, len(keep), all.later)) },
		holders: func(n int) []*holder {
			s := poolValues(holders, n, all.later)
			for i, h := range s {
				h.elements = append(h.elements, i)
			}
			return s
		},
		tree: func(depth int) int {
			t := poolTree(nodes, depth)
			all.later(func() { poolTreeBack(nodes, t) })
			return t.count()
		},
		end:  all.end,
		free: all.end,
	}
}

// backs are what puts back, one by one, what was made.
type backs []func()

func (b *backs) later(back func()) { *b = append(*b, back) }

func (b *backs) end() {
	for _, back := range *b {
		back()
	}
	*b = (*b)[:0]
}

// A pool has values, and slices for them.
type pool[T any] struct{ values, slices sync.Pool }

func poolOf[T any]() *pool[T] {
	return &pool[T]{sync.Pool{New: func() any { return new(T) }}, sync.Pool{New: func() any { return new([]*T) }}}
}

// poolValues returns n values, and calls later with what puts them back.
func poolValues[T any](p *pool[T], n int, later func(func())) []*T {
	slice := p.slices.Get().(*[]*T)
	if cap(*slice) < n {
		*slice = make([]*T, n)
	}
	s := (*slice)[:n]
	for i := range s {
		s[i] = p.values.Get().(*T)
	}
	later(func() {
		for i, v := range s {
			clean(v)
			p.values.Put(v)
			s[i] = nil
		}
		p.slices.Put(slice)
	})
	return s
}

// clean zeroes a value. A holder keeps the memory of its slice, which is what pools are for.
func clean[T any](v *T) {
	if h, ok := any(v).(*holder); ok {
		h.id, h.elements = 0, h.elements[:0]
		return
	}
	var zero T
	*v = zero
}

func poolTree(p *pool[node], depth int) *node {
	n := p.values.Get().(*node)
	if depth > 0 {
		n.left, n.right = poolTree(p, depth-1), poolTree(p, depth-1)
	}
	return n
}

func poolTreeBack(p *pool[node], n *node) {
	if n.left != nil {
		poolTreeBack(p, n.left)
		poolTreeBack(p, n.right)
	}
	*n = node{}
	p.values.Put(n)
}
