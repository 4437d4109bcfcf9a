package ref

import (
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
)

// A treeCursor is a place between two entries of a tree, or before the first, or behind the last
// one. It is good until the tree changes.
type treeCursor[K, V any] struct {
	inners [maxHeight]*treeInner[K] // from the root on
	at     [maxHeight]int           // which kid
	height int
	leaf   *treeLeaf[K, V] // nil in a tree without nodes
	ref    uint32          // to the leaf
	n      int             // entries of the leaf
	i      int             // those that are before the place
}

// A rank returns how many of keys, which are in order, are less than some key, or with orEqual how
// many are not greater.
type rank[K any] func(keys []K, orEqual bool) int

func rankFirst[K any]([]K, bool) int       { return 0 }
func rankLast[K any](keys []K, _ bool) int { return len(keys) }

// seek sets c to the place before the first entry that is not less than the key, or with orEqual
// before the first that is greater.
func (t *treeNodes[K, V]) seek(s Space, c *treeCursor[K, V], find rank[K], orEqual bool) {
	*c = treeCursor[K, V]{height: t.depth()}
	if t.root == 0 {
		return
	}
	r := t.root
	for level := range c.height {
		in := t.inner(s, r)
		at := find(in.keys[:in.n-1], false)
		c.inners[level], c.at[level] = in, at
		r = in.kids[at]
	}
	c.enter(t.leaf(s, r), r)
	c.i = find(c.leaf.keys[:c.n], orEqual)
}

func (c *treeCursor[K, V]) enter(l *treeLeaf[K, V], r uint32) {
	c.leaf, c.ref, c.n = l, r, int(l.n)
}

// turn moves c to the start of the next leaf, or with step -1 to the end of the one before. It
// reports false when there is none.
func (c *treeCursor[K, V]) turn(s Space, t *treeNodes[K, V], step int) bool {
	level := c.height - 1
	for ; ; level-- {
		if level < 0 {
			return false
		}
		if at := c.at[level] + step; at >= 0 && at < min(int(c.inners[level].n), innerSize) {
			c.at[level] = at
			break
		}
	}
	r := c.inners[level].kids[c.at[level]]
	for level++; level < c.height; level++ {
		in := t.inner(s, r)
		c.inners[level], c.at[level] = in, 0
		if step < 0 {
			c.at[level] = int(in.n) - 1
		}
		r = in.kids[c.at[level]]
	}
	c.enter(t.leaf(s, r), r)
	c.i = 0
	if step < 0 {
		c.i = c.n
	}
	return true
}

// entry returns the position in its leaf of the entry behind c, or with step -1 before c; it
// reports false when there is none.
func (c *treeCursor[K, V]) entry(s Space, t *treeNodes[K, V], step int) (i int, ok bool) {
	if c.leaf == nil {
		return 0, false
	}
	for {
		if step > 0 && c.i < c.n {
			return c.i, true
		}
		if step < 0 && c.i > 0 {
			return c.i - 1, true
		}
		if !c.turn(s, t, step) {
			return 0, false
		}
		if c.n == 0 {
			panic(errTree)
		}
	}
}

// end returns the first entry, or with step -1 the last one.
func (t *treeNodes[K, V]) end(s Space, step int) (k K, v V, ok bool) {
	var c treeCursor[K, V]
	if step > 0 {
		t.seek(s, &c, rankFirst, false)
	} else {
		t.seek(s, &c, rankLast, false)
	}
	i, ok := c.entry(s, t, step)
	if ok {
		k, v = c.leaf.keys[i], c.leaf.vals[i]
	}
	return k, v, ok
}

// walk calls yield with the entries from a place on, upwards, or with step -1 downwards, until it
// returns false. The place is the result of seek(from, orEqual); of any other key, order tells the
// rank.
//
// When the tree has changed, walk looks for the key where it was. That keys come in order is
// checked once a leaf, and that there are no more than n, and than memory has room for: a tree that
// is damaged may lead round in circles, or to the same leaf by all ways.
func (t *treeNodes[K, V]) walk(s Space, step int, from rank[K], orEqual bool, order func(keys []K, k K, orEqual bool) int, yield func(K, V) bool) {
	var c treeCursor[K, V]
	var mark K // the first key that came in the last leaf, or the last one before a change
	t.seek(s, &c, from, orEqual)
	first, left := true, min(t.n, leafSize*region.Capacity(s.at, mem.SizeOf[treeLeaf[K, V]]()))
next:
	for i, ok := c.entry(s, t, step); ok; i, ok = c.entry(s, t, step) {
		leaf, changes := c.leaf, t.changes
		if !first && (order(leaf.keys[i:i+1], mark, step > 0) == 0) != (step > 0) {
			panic(errTree)
		}
		mark, first = leaf.keys[i], false
		for ; i >= 0 && i < c.n; i += step {
			if left == 0 {
				panic(errTree) // there are more than n
			}
			left--
			k := leaf.keys[i]
			if !yield(k, leaf.vals[i]) {
				return
			}
			region.ToRead(s.at)
			if t.changes != changes {
				mark, left = k, min(t.n, leafSize*region.Capacity(s.at, mem.SizeOf[treeLeaf[K, V]]()))
				t.seek(s, &c, func(keys []K, orEqual bool) int { return order(keys, k, orEqual) }, step > 0)
				continue next
			}
		}
		c.i = max(i, 0)
	}
}

// edges tells whether the node at a level, or at height the leaf, is the first or the last of its
// depth.
func (c *treeCursor[K, V]) edges(level int) (first, last bool) {
	first, last = true, true
	for l := range level {
		first = first && c.at[l] == 0
		last = last && c.at[l] == int(c.inners[l].n)-1
	}
	return first, last
}

// pair returns the first of two adjacent kids, one of which is the kid of c at a level.
func (c *treeCursor[K, V]) pair(level int) int {
	n := int(c.inners[level].n)
	at := min(c.at[level], n-2)
	if at < 0 || n > innerSize {
		panic(errTree)
	}
	return at
}
