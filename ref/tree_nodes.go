package ref

import "errors"

// treeNodes are the nodes of a B+ tree: all that a Tree and a TextTree are, but for the order of
// their keys. Entries lie in leaves, all at the same depth. An inner node has a key between each
// two of its kids: those in the kids after it are greater, all others are not.
//
// Invariants, for a tree that nothing else has written to:
//
//	root, height and n are 0, or root is a leaf if height is 0, and an inner node if not
//	a leaf has 1 to leafSize entries, an inner node 2 to innerSize kids
//	those that are not the first or the last of their depth have at least leafLeast, or innerLeast
//	nodes that are not in use are on one of the two lists, with n == notUsed
//
// The bytes may come from a damaged file, or be overwritten through a stale slice. So nothing here
// trusts a number in them to be an index or to end a loop.
//
// The lists are of type Of, and not numbers as root is, so that a tree is plain only where its keys
// and values are.
type treeNodes[K, V any] struct {
	n       uint64
	root    uint32
	height  uint32 // inner nodes above a leaf
	leaves  Of[treeLeaf[K, V]]
	inners  Of[treeInner[K]]
	changes uint32 // times that entries came, went or moved
	_       noCopy
}

type treeLeaf[K, V any] struct {
	n    uint32
	free Of[treeLeaf[K, V]] // the next one on the list
	keys [leafSize]K
	vals [leafSize]V
}

type treeInner[K any] struct {
	n    uint32 // kids
	free Of[treeInner[K]]
	keys [innerSize - 1]K // keys[i] is the bound between kids i and i+1
	kids [innerSize]uint32
}

const (
	leafSize  = 31 // a leaf of two words an entry has 504 bytes
	innerSize = 64

	// A third, and not a half: a node that was just split, or merged, is not merged, or split,
	// soon.
	leafLeast  = leafSize / 3
	innerLeast = innerSize / 3

	maxHeight = 8 // no arena has room for more
	notUsed   = 1<<32 - 1
)

var errTree = errors.New("ref: a tree of references is damaged: its bytes are not what was written, or something else has written to them; make it anew")

// leaf returns the leaf at r.
func (t *treeNodes[K, V]) leaf(s Space, r uint32) *treeLeaf[K, V] {
	l := Of[treeLeaf[K, V]]{off: r}.Get(s)
	if l == nil || l.n > leafSize {
		panic(errTree)
	}
	return l
}

// inner returns the inner node at r.
func (t *treeNodes[K, V]) inner(s Space, r uint32) *treeInner[K] {
	n := Of[treeInner[K]]{off: r}.Get(s)
	if n == nil || n.n-1 >= innerSize {
		panic(errTree)
	}
	return n
}

// depth returns height.
func (t *treeNodes[K, V]) depth() int {
	if t.height > maxHeight {
		panic(errTree)
	}
	return int(t.height)
}

// room takes from the arena what insert needs at c, or panics and leaves the tree as it was.
func (t *treeNodes[K, V]) room(s Space, c *treeCursor[K, V]) {
	if t.root == 0 {
		mustBePlain[K]("a tree")
		mustBePlain[V]("a tree")
	}
	if c.leaf != nil && c.n < leafSize {
		return
	}
	if r := t.leaves; r.IsNil() {
		r, l := New[treeLeaf[K, V]](s)
		l.n, t.leaves = notUsed, r
	} else if r.Get(s).n != notUsed {
		panic(errTree)
	}
	if c.leaf == nil {
		return
	}
	need := 1 // for a new root
	for level := c.height - 1; level >= 0; level-- {
		if c.inners[level].n < innerSize {
			need--
			break
		}
		need++
	}
	if need > c.height && c.height == maxHeight {
		panic(errTree)
	}
	for r := t.inners; need > 0; need-- {
		if r.IsNil() {
			r, in := New[treeInner[K]](s)
			in.n, in.free, t.inners = notUsed, t.inners, r
			continue
		}
		in := r.Get(s)
		if in.n != notUsed {
			panic(errTree)
		}
		r = in.free
	}
}

// newLeaf takes a leaf from the list, of which room has seen to it that there is one.
func (t *treeNodes[K, V]) newLeaf(s Space) (uint32, *treeLeaf[K, V]) {
	r := t.leaves
	l := r.Get(s)
	if l == nil || l.n != notUsed {
		panic(errTree)
	}
	l.n, t.leaves = 0, l.free
	return r.off, l
}

// newInner takes an inner node from the list.
func (t *treeNodes[K, V]) newInner(s Space) (uint32, *treeInner[K]) {
	r := t.inners
	in := r.Get(s)
	if in == nil || in.n != notUsed {
		panic(errTree)
	}
	in.n, t.inners = 0, in.free
	return r.off, in
}

func (t *treeNodes[K, V]) dropLeaf(r uint32, l *treeLeaf[K, V]) {
	l.n, l.free, t.leaves = notUsed, t.leaves, Of[treeLeaf[K, V]]{off: r}
}

func (t *treeNodes[K, V]) dropInner(r uint32, in *treeInner[K]) {
	in.n, in.free, t.inners = notUsed, t.inners, Of[treeInner[K]]{off: r}
}

// insert adds an entry with the key k, and a zero value, at c, and returns a pointer to the value.
// It needs what room has taken.
func (t *treeNodes[K, V]) insert(s Space, c *treeCursor[K, V], k K) *V {
	switch {
	case c.leaf == nil:
		r, l := t.newLeaf(s)
		t.root = r
		c.enter(l, r)
	case c.n == leafSize:
		t.split(s, c, k)
	}
	return t.put(c.leaf, c.i, k)
}

// put adds an entry at i to the leaf l, which is not full.
func (t *treeNodes[K, V]) put(l *treeLeaf[K, V], i int, k K) *V {
	n := int(l.n)
	if n >= leafSize || i > n {
		panic(errTree)
	}
	copy(l.keys[i+1:n+1], l.keys[i:n])
	copy(l.vals[i+1:n+1], l.vals[i:n])
	var zero V
	l.keys[i], l.vals[i] = k, zero
	l.n++
	t.n++
	t.changes++
	return &l.vals[i]
}

// split makes two leaves of the one at c, which is full, and c a place for k in one of them. Where
// keys come in order, up or down, the leaf stays full, and the other one is empty.
func (t *treeNodes[K, V]) split(s Space, c *treeCursor[K, V], k K) {
	left := c.leaf
	r, right := t.newLeaf(s)
	m := (leafSize + 1) / 2
	first, last := c.edges(c.height)
	switch {
	case c.i == leafSize && last:
		m = leafSize
	case c.i == 0 && first:
		m = 0
	}
	copy(right.keys[:], left.keys[m:])
	copy(right.vals[:], left.vals[m:])
	left.n, right.n = uint32(m), uint32(leafSize-m)
	bound := k
	if m > 0 {
		bound = left.keys[m-1]
		if c.i >= m {
			c.enter(right, r)
			c.i -= m
		}
	}

	// The new node and its bound go into the parent, and if that is full half of it into the next
	// one.
	for level := c.height - 1; level >= 0; level-- {
		in, at := c.inners[level], c.at[level]
		if in.n < innerSize {
			in.add(at, bound, r)
			return
		}
		r, bound = t.splitInner(s, c, level, bound, r)
	}
	root, in := t.newInner(s)
	in.n, in.kids[0], in.kids[1], in.keys[0] = 2, t.root, r, bound
	t.root = root
	t.height++
}

// splitInner makes two nodes of the one at a level of c, which is full, and of the new kid r and
// the bound before it. It returns the new node, and the bound before that.
func (t *treeNodes[K, V]) splitInner(s Space, c *treeCursor[K, V], level int, bound K, r uint32) (uint32, K) {
	left, at := c.inners[level], c.at[level]
	kids := make([]uint32, innerSize+1)
	copy(kids, left.kids[:at+1])
	kids[at+1] = r
	copy(kids[at+2:], left.kids[at+1:])
	keys := make([]K, innerSize)
	copy(keys, left.keys[:at])
	keys[at] = bound
	copy(keys[at+1:], left.keys[at:])

	m := innerSize/2 + 1
	first, last := c.edges(level)
	switch {
	case at == innerSize-1 && last:
		m = innerSize - 1
	case at == 0 && first:
		m = 2
	}
	ref, right := t.newInner(s)
	left.set(kids[:m], keys)
	right.set(kids[m:], keys[m:])
	return ref, keys[m-1]
}

// set makes kids the kids of n, and the first of keys the bounds between them.
func (n *treeInner[K]) set(kids []uint32, keys []K) {
	n.n = uint32(len(kids))
	copy(n.kids[:], kids)
	copy(n.keys[:len(kids)-1], keys)
}

// add adds the kid r, and the bound before it, behind the kid at, to a node that is not full.
func (n *treeInner[K]) add(at int, bound K, r uint32) {
	end := int(n.n)
	if at >= end || end >= innerSize {
		panic(errTree)
	}
	copy(n.keys[at+1:end], n.keys[at:end-1])
	copy(n.kids[at+2:end+1], n.kids[at+1:end])
	n.keys[at], n.kids[at+1] = bound, r
	n.n++
}

// cut removes the kid behind the kid at, and the bound between them.
func (n *treeInner[K]) cut(at int) {
	end := int(n.n)
	if at+1 >= end || end > innerSize {
		panic(errTree)
	}
	copy(n.keys[at:end-2], n.keys[at+1:end-1])
	copy(n.kids[at+1:end-1], n.kids[at+2:end])
	n.n--
}

// take removes the entry at i from the leaf l. It reports whether that has enough left.
func (t *treeNodes[K, V]) take(l *treeLeaf[K, V], i int) bool {
	n := int(l.n)
	copy(l.keys[i:n-1], l.keys[i+1:n])
	copy(l.vals[i:n-1], l.vals[i+1:n])
	l.n--
	t.n--
	t.changes++
	return l.n >= leafLeast
}

// mend merges a leaf with few entries left into the leaf next to it, or shares the entries between
// the two. It does the same with the inner nodes above that have few kids left.
func (t *treeNodes[K, V]) mend(s Space, c *treeCursor[K, V]) {
	if c.height == 0 {
		if c.leaf.n == 0 {
			t.root = 0
			t.dropLeaf(c.ref, c.leaf)
		}
		return
	}
	level := c.height - 1
	in, at := c.inners[level], c.pair(level)
	l, r := in.kids[at], in.kids[at+1]
	left, right := t.leaf(s, l), t.leaf(s, r)
	n, m := int(left.n), int(right.n)
	switch half := (n + m) / 2; {
	case left == right:
		panic(errTree)
	case n+m <= leafSize:
		copy(left.keys[n:], right.keys[:m])
		copy(left.vals[n:], right.vals[:m])
		left.n = uint32(n + m)
		t.dropLeaf(r, right)
		in.cut(at)
	case n < half:
		move := half - n
		copy(left.keys[n:], right.keys[:move])
		copy(left.vals[n:], right.vals[:move])
		copy(right.keys[:], right.keys[move:m])
		copy(right.vals[:], right.vals[move:m])
		left.n, right.n = uint32(half), uint32(m-move)
		in.keys[at] = left.keys[half-1]
	default:
		move := n - half
		copy(right.keys[move:], right.keys[:m])
		copy(right.vals[move:], right.vals[:m])
		copy(right.keys[:move], left.keys[half:n])
		copy(right.vals[:move], left.vals[half:n])
		left.n, right.n = uint32(half), uint32(m+move)
		in.keys[at] = left.keys[half-1]
	}
	for level--; level >= 0 && c.inners[level+1].n < innerLeast; level-- {
		t.mendInner(s, c, level)
	}
	if root := c.inners[0]; root.n == 1 {
		r := t.root
		t.root = root.kids[0]
		t.height--
		t.dropInner(r, root)
	}
}

// mendInner does what mend does with the kid of c at a level, which is an inner node.
func (t *treeNodes[K, V]) mendInner(s Space, c *treeCursor[K, V], level int) {
	in, at := c.inners[level], c.pair(level)
	l, r := in.kids[at], in.kids[at+1]
	left, right := t.inner(s, l), t.inner(s, r)
	if left == right {
		panic(errTree)
	}
	n, m := int(left.n), int(right.n)
	kids := make([]uint32, 2*innerSize)
	copy(kids, left.kids[:n])
	kids = kids[:n+copy(kids[n:], right.kids[:m])]
	keys := make([]K, 2*innerSize)
	copy(keys, left.keys[:n-1])
	keys[n-1] = in.keys[at]
	copy(keys[n:], right.keys[:m-1])
	if n+m <= innerSize {
		left.set(kids, keys)
		t.dropInner(r, right)
		in.cut(at)
		return
	}
	half := (n + m) / 2
	left.set(kids[:half], keys)
	right.set(kids[half:], keys[half:])
	in.keys[at] = keys[half-1]
}

// clear removes all entries, and puts the nodes on the lists.
func (t *treeNodes[K, V]) clear(s Space) {
	if t.root != 0 {
		t.drop(s, t.root, t.depth())
	}
	t.n, t.root, t.height = 0, 0, 0
	t.changes++
}

// drop puts the node at r, with that many inner nodes above a leaf, and all below it on the lists.
// It comes to no node twice.
func (t *treeNodes[K, V]) drop(s Space, r uint32, height int) {
	if height == 0 {
		t.dropLeaf(r, t.leaf(s, r))
		return
	}
	in := t.inner(s, r)
	n := in.n
	t.dropInner(r, in)
	for _, kid := range in.kids[:n] {
		t.drop(s, kid, height-1)
	}
}
