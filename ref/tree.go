package ref

import (
	"cmp"
	"iter"
	"math"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/tools"
)

// A Tree is a map in the order of its keys. It lies in an arena. The zero Tree is empty and
// ready to use.
//
// Keys and values are of plain types, like the values of an [Of]: a tree of other types panics when
// something is put into it. Keys are in the order of [cmp.Compare]: NaNs are equal, and less than
// all numbers. For text as the key there is [TextTree]. For keys of two parts there are trees of
// trees: a ref.Tree[uint32, ref.Tree[int64, V]] is one, which can be written to a file as well. Use
// an inner tree through the pointer that Entry or Lookup returns. Get, Set and the values that
// iterators yield are copies of it, which must not be changed, and go vet reports them.
//
// The tree is plain itself. So it may be a field or an element of what lies in an arena, and is
// written to a file with that. All methods must be given the [Space] in which the tree was when
// something was first put into it. With another Space, or after Reset, they panic, or find some
// other values of plain types. A Tree must not be copied: both copies would use the same nodes.
//
// The Region of an arena may be read-only, like an opened File. Methods that may change something
// then panic with an [*arena.MemoryError], also where nothing would change.
//
// Like Go's map a Tree may be read by many goroutines at the same time, or written by one, which
// uses the arena.
//
// It is a B+ tree. An entry takes its own size when keys come in order, up or down, and half as
// much on top when they do not. A tree has memory for at least 31 entries. Where values are large,
// or there are many trees of few entries, put a Of into the tree. Nodes are at least a third full.
// Nodes that Delete and Clear leave empty are used again by the same tree, and by nothing else
// until Reset.
type Tree[K cmp.Ordered, V any] struct {
	notText
	nodes treeNodes[K, V]
}

// Len returns the number of entries.
func (t *Tree[K, V]) Len() int { return int(min(t.nodes.n, math.MaxInt)) }

// Get returns the value of k, and whether k is in the tree.
func (t *Tree[K, V]) Get(s Space, k K) (v V, ok bool) {
	if leaf, i, ok := t.find(s, k); ok {
		return leaf.vals[i], true
	}
	return v, false
}

// Lookup returns a pointer to the value of k, or nil when k is missing. [Tree.Entry] says how long
// the pointer is valid.
func (t *Tree[K, V]) Lookup(s Space, k K) *V {
	if leaf, i, ok := t.find(s, k); ok {
		return &leaf.vals[i]
	}
	return nil
}

// Set sets the value of k. It adds k if that is missing. It panics as [New] does, and leaves the
// tree as it was then.
func (t *Tree[K, V]) Set(s Space, k K, v V) { *t.Entry(s, k) = v }

// Entry returns a pointer to the value of k. If k is missing, Entry adds it with a zero value:
// *t.Entry(a, word)++ counts words. The pointer is valid until a key is added or deleted, or the
// tree is cleared. Entry panics as Set does.
func (t *Tree[K, V]) Entry(s Space, k K) *V {
	region.ToWrite(s.at)
	leaf, i, ok := t.find(s, k)
	switch {
	case ok:
		return &leaf.vals[i]
	case leaf != nil && leaf.n < leafSize:
		return t.nodes.put(leaf, i, k)
	}
	var c treeCursor[K, V]
	t.nodes.seek(s, &c, rankOf(k), false)
	t.nodes.room(s, &c)
	return t.nodes.insert(s, &c, k)
}

// Delete removes k, and reports whether it was in the tree.
func (t *Tree[K, V]) Delete(s Space, k K) bool {
	region.ToWrite(s.at)
	leaf, i, ok := t.find(s, k)
	if ok && !t.nodes.take(leaf, i) {
		var c treeCursor[K, V]
		t.nodes.seek(s, &c, rankOf(k), false)
		t.nodes.mend(s, &c)
	}
	return ok
}

// Clear removes all entries and keeps the memory.
func (t *Tree[K, V]) Clear(s Space) {
	region.ToWrite(s.at)
	t.nodes.clear(s)
}

// Min returns the entry with the least key, and whether there is one.
func (t *Tree[K, V]) Min(s Space) (k K, v V, ok bool) {
	region.ToRead(s.at)
	return t.nodes.end(s, +1)
}

// Max returns the entry with the greatest key, and whether there is one.
func (t *Tree[K, V]) Max(s Space) (k K, v V, ok bool) {
	region.ToRead(s.at)
	return t.nodes.end(s, -1)
}

// All returns an iterator over the entries, from the least key upwards.
//
// The tree may be changed meanwhile. Each change costs the iterator a search: it goes on behind the
// key where it is, whether that is still in the tree or not.
func (t *Tree[K, V]) All(s Space) iter.Seq2[K, V] { return t.iterate(s, +1, rankFirst, false) }

// Backward returns an iterator over the entries, from the greatest key downwards. See [Tree.All].
func (t *Tree[K, V]) Backward(s Space) iter.Seq2[K, V] { return t.iterate(s, -1, rankLast, false) }

// From returns an iterator over the entries whose keys are not less than k, upwards. See
// [Tree.All].
func (t *Tree[K, V]) From(s Space, k K) iter.Seq2[K, V] {
	return t.iterate(s, +1, rankOf(k), false)
}

// BackwardFrom returns an iterator over the entries whose keys are not greater than k, downwards.
// See [Tree.All].
func (t *Tree[K, V]) BackwardFrom(s Space, k K) iter.Seq2[K, V] {
	return t.iterate(s, -1, rankOf(k), true)
}

// Range returns an iterator over the entries whose keys are not less than low, and less than high,
// upwards. See [Tree.All].
func (t *Tree[K, V]) Range(s Space, low, high K) iter.Seq2[K, V] {
	return until(t.From(s, low), high)
}

// until returns an iterator over what comes in entries before the first key that is not less than
// high.
func until[K cmp.Ordered, V any](entries iter.Seq2[K, V], high K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if text, ok := any(high).(string); ok {
			tools.TextIsRead(text)
		}
		for k, v := range entries {
			if !cmp.Less(k, high) || !yield(k, v) {
				return
			}
		}
	}
}

func (t *Tree[K, V]) iterate(s Space, step int, from rank[K], orEqual bool) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		region.ToRead(s.at)
		t.nodes.walk(s, step, from, orEqual, rankIn[K], yield)
	}
}

// find returns the leaf where k is or would be, the position in it, and whether k is there. The
// leaf is nil in a tree without leaves.
func (t *Tree[K, V]) find(s Space, k K) (leaf *treeLeaf[K, V], i int, ok bool) {
	region.ToRead(s.at)
	r := t.nodes.root
	if r == 0 {
		return nil, 0, false
	}
	for range t.nodes.depth() {
		in := t.nodes.inner(s, r)
		r = in.kids[search(in.keys[:], int(in.n)-1, k)]
	}
	leaf = t.nodes.leaf(s, r)
	i = search(leaf.keys[:], int(leaf.n), k)
	return leaf, i, i < int(leaf.n) && !cmp.Less(k, leaf.keys[i])
}

// search returns how many of the first n keys are less than k. It looks at each eighth key first,
// and then at the seven before one of these: more comparisons than halving takes, but none of them
// has to wait for another one, nor is there a branch to predict. The length of keys is one less
// than a multiple of eight. Only the first key can be a NaN.
func search[K cmp.Ordered](keys []K, n int, k K) int {
	i, number := 0, one(k == k)
	for j := 7; j < len(keys); j += 8 {
		i += one(j < n) & one(keys[j] < k) << 3
	}
	end := i
	for j, at := range keys[i : i+7] {
		end += one(i+j < n) & (one(at < k) | one(at != at)&number)
	}
	return end
}

// one returns 1 for true.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rankOf returns the rank of k.
func rankOf[K cmp.Ordered](k K) rank[K] {
	return func(keys []K, orEqual bool) int { return rankIn(keys, k, orEqual) }
}

// rankIn returns the rank of k in keys; see [rank].
func rankIn[K cmp.Ordered](keys []K, k K, orEqual bool) int {
	i, n := 0, len(keys)
	for n > 0 {
		half := n / 2
		if at := keys[i+half]; cmp.Less(at, k) || orEqual && !cmp.Less(k, at) {
			i += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return i
}
