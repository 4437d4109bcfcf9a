package arena

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"strings"
)

// A RefTextTree is a [RefTree] whose keys are text, in the order of their bytes. The bytes of a key are copied
// into the arena when it is added. They stay there until Reset, also when the key is deleted. Methods return keys
// as [RefString.Get] does: the strings share the memory of the arena.
type RefTextTree[V any] struct {
	notText
	nodes treeNodes[treeText, V]
}

// A treeText is text, and the first 8 bytes of it, which are most often all that is looked at.
type treeText struct {
	prefix uint64
	text   RefString
}

// prefixOf returns the number that has the same order among others as the first bytes of s.
func prefixOf(s string) uint64 {
	textIsRead(s) // and not only as much of it as is copied here: it is compared with keys
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// compare compares the text of k with s, whose prefix is p.
func (k treeText) compare(a *Arena, s string, p uint64) int {
	switch {
	case k.prefix != p:
		return cmp.Compare(k.prefix, p)
	case k.text.len <= 8 && len(s) <= 8:
		return cmp.Compare(int(k.text.len), len(s)) // the shorter one has zeros in its prefix
	}
	return strings.Compare(k.text.Get(a), s)
}

// rankText returns the rank of s in keys; see [rank].
func rankText(a *Arena, keys []treeText, s string, p uint64, orEqual bool) int {
	i, j := 0, len(keys)
	for i < j {
		h := (i + j) / 2
		if c := keys[h].compare(a, s, p); c < 0 || c == 0 && orEqual {
			i = h + 1
		} else {
			j = h
		}
	}
	return i
}

// rankOfText returns the rank of s.
func rankOfText(a *Arena, s string) rank[treeText] {
	p := prefixOf(s)
	return func(keys []treeText, orEqual bool) int {
		textIsRead(s) // again: the iteration may come later
		return rankText(a, keys, s, p, orEqual)
	}
}

// seek sets c to the place of k, and reports whether it is there.
func (t *RefTextTree[V]) seek(a *Arena, c *treeCursor[treeText, V], k string) bool {
	p := prefixOf(k)
	t.nodes.seek(a, c, func(keys []treeText, orEqual bool) int { return rankText(a, keys, k, p, orEqual) }, false)
	return c.i < c.n && c.leaf.keys[c.i].compare(a, k, p) == 0
}

// Len returns the number of entries.
func (t *RefTextTree[V]) Len() int { return int(min(t.nodes.n, math.MaxInt)) }

// Get returns the value of k, and whether k is in the tree.
func (t *RefTextTree[V]) Get(a *Arena, k string) (v V, ok bool) {
	if p := t.Lookup(a, k); p != nil {
		return *p, true
	}
	return v, false
}

// Lookup returns a pointer to the value of k, or nil when k is missing. [RefTree.Entry] says how long the pointer
// is valid.
func (t *RefTextTree[V]) Lookup(a *Arena, k string) *V {
	a.toRead()
	var c treeCursor[treeText, V]
	if t.seek(a, &c, k) {
		return &c.leaf.vals[c.i]
	}
	return nil
}

// Set sets the value of k. It adds k if that is missing. It panics as [NewRef] does, and leaves the tree as it was
// then.
func (t *RefTextTree[V]) Set(a *Arena, k string, v V) { *t.Entry(a, k) = v }

// Entry returns a pointer to the value of k. If k is missing, Entry adds it with a zero value. [RefTree.Entry]
// says how long the pointer is valid.
func (t *RefTextTree[V]) Entry(a *Arena, k string) *V {
	a.toWrite()
	var c treeCursor[treeText, V]
	if t.seek(a, &c, k) {
		return &c.leaf.vals[c.i]
	}
	t.nodes.room(a, &c)
	return t.nodes.insert(a, &c, treeText{prefixOf(k), NewRefString(a, k)})
}

// Delete removes k, and reports whether it was in the tree. The bytes of the key stay in the arena.
func (t *RefTextTree[V]) Delete(a *Arena, k string) bool {
	a.toWrite()
	var c treeCursor[treeText, V]
	if !t.seek(a, &c, k) {
		return false
	}
	if !t.nodes.take(c.leaf, c.i) {
		t.nodes.mend(a, &c)
	}
	return true
}

// Clear removes all entries and keeps the memory.
func (t *RefTextTree[V]) Clear(a *Arena) {
	a.toWrite()
	t.nodes.clear(a)
}

// Min returns the entry with the least key, and whether there is one.
func (t *RefTextTree[V]) Min(a *Arena) (k string, v V, ok bool) {
	a.toRead()
	key, v, ok := t.nodes.end(a, +1)
	return key.text.Get(a), v, ok
}

// Max returns the entry with the greatest key, and whether there is one.
func (t *RefTextTree[V]) Max(a *Arena) (k string, v V, ok bool) {
	a.toRead()
	key, v, ok := t.nodes.end(a, -1)
	return key.text.Get(a), v, ok
}

// All returns an iterator over the entries, from the least key upwards. See [RefTree.All].
func (t *RefTextTree[V]) All(a *Arena) iter.Seq2[string, V] {
	return t.iterate(a, +1, rankFirst, false)
}

// Backward returns an iterator over the entries, from the greatest key downwards. See [RefTree.All].
func (t *RefTextTree[V]) Backward(a *Arena) iter.Seq2[string, V] {
	return t.iterate(a, -1, rankLast, false)
}

// From returns an iterator over the entries with keys >= k, upwards. The keys that begin with k come first. See
// [RefTree.All].
func (t *RefTextTree[V]) From(a *Arena, k string) iter.Seq2[string, V] {
	return t.iterate(a, +1, rankOfText(a, k), false)
}

// BackwardFrom returns an iterator over the entries with keys <= k, downwards. See [RefTree.All].
func (t *RefTextTree[V]) BackwardFrom(a *Arena, k string) iter.Seq2[string, V] {
	return t.iterate(a, -1, rankOfText(a, k), true)
}

// Range returns an iterator over the entries with low <= key < high, upwards. See [RefTree.All].
func (t *RefTextTree[V]) Range(a *Arena, low, high string) iter.Seq2[string, V] {
	return until(t.From(a, low), high)
}

func (t *RefTextTree[V]) iterate(a *Arena, step int, from rank[treeText], orEqual bool) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		order := func(keys []treeText, k treeText, orEqual bool) int {
			s := k.text.Get(a)
			return rankText(a, keys, s, prefixOf(s), orEqual)
		}
		a.toRead()
		changes, room := uint32(0), uint64(0)
		t.nodes.walk(a, step, from, orEqual, order, func(k treeText, v V) bool {
			// Each key has text of its own, of which there is no more than memory: so what is compared is bounded in a damaged tree, too.
			if room == 0 || changes != t.nodes.changes {
				changes, room = t.nodes.changes, a.refSlots(1)
			}
			if uint64(k.text.len) >= room {
				panic(errTree)
			}
			room -= uint64(k.text.len)
			return yield(k.text.Get(a), v)
		})
	}
}
