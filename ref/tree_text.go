package ref

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"strings"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/tools"
)

// A TextTree is a [Tree] whose keys are text, in the order of their bytes. The bytes of a key are
// copied into the arena when it is added. They stay there until Reset, also when the key is
// deleted. Methods return keys as [String.Get] does: the strings share the memory of the arena.
type TextTree[V any] struct {
	notText
	nodes treeNodes[treeText, V]
}

// A treeText is text, and the first 8 bytes of it, which are most often all that is looked at.
type treeText struct {
	prefix uint64
	text   String
}

// prefixOf returns the number that has the same order among others as the first bytes of s.
func prefixOf(text string) uint64 {
	tools.TextIsRead(text) // and not only as much of it as is copied here: it is compared with keys
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// compare compares the text of k with text, whose prefix is p.
func (k treeText) compare(s Space, text string, p uint64) int {
	switch {
	case k.prefix != p:
		return cmp.Compare(k.prefix, p)
	case k.text.len <= 8 && len(text) <= 8:
		return cmp.Compare(int(k.text.len), len(text)) // the shorter one has zeros in its prefix
	}
	return strings.Compare(k.text.Get(s), text)
}

// rankText returns the rank of text in keys; see [rank].
func rankText(s Space, keys []treeText, text string, p uint64, orEqual bool) int {
	i, j := 0, len(keys)
	for i < j {
		h := (i + j) / 2
		if c := keys[h].compare(s, text, p); c < 0 || c == 0 && orEqual {
			i = h + 1
		} else {
			j = h
		}
	}
	return i
}

// rankOfText returns the rank of text.
func rankOfText(s Space, text string) rank[treeText] {
	p := prefixOf(text)
	return func(keys []treeText, orEqual bool) int {
		tools.TextIsRead(text) // again: the iteration may come later
		return rankText(s, keys, text, p, orEqual)
	}
}

// seek sets c to the place of k, and reports whether it is there.
func (t *TextTree[V]) seek(s Space, c *treeCursor[treeText, V], k string) bool {
	p := prefixOf(k)
	t.nodes.seek(s, c, func(keys []treeText, orEqual bool) int { return rankText(s, keys, k, p, orEqual) }, false)
	return c.i < c.n && c.leaf.keys[c.i].compare(s, k, p) == 0
}

// Len returns the number of entries.
func (t *TextTree[V]) Len() int { return int(min(t.nodes.n, math.MaxInt)) }

// Get returns the value of k, and whether k is in the tree.
func (t *TextTree[V]) Get(s Space, k string) (v V, ok bool) {
	if p := t.Lookup(s, k); p != nil {
		return *p, true
	}
	return v, false
}

// Lookup returns a pointer to the value of k, or nil when k is missing. [Tree.Entry] says how long
// the pointer is valid.
func (t *TextTree[V]) Lookup(s Space, k string) *V {
	region.ToRead(s.at)
	var c treeCursor[treeText, V]
	if t.seek(s, &c, k) {
		return &c.leaf.vals[c.i]
	}
	return nil
}

// Set sets the value of k. It adds k if that is missing. It panics as [New] does, and leaves the
// tree as it was then.
func (t *TextTree[V]) Set(s Space, k string, v V) { *t.Entry(s, k) = v }

// Entry returns a pointer to the value of k. If k is missing, Entry adds it with a zero value.
// [Tree.Entry] says how long the pointer is valid.
func (t *TextTree[V]) Entry(s Space, k string) *V {
	region.ToWrite(s.at)
	var c treeCursor[treeText, V]
	if t.seek(s, &c, k) {
		return &c.leaf.vals[c.i]
	}
	t.nodes.room(s, &c)
	return t.nodes.insert(s, &c, treeText{prefixOf(k), NewString(s, k)})
}

// Delete removes k, and reports whether it was in the tree. The bytes of the key stay in the arena.
func (t *TextTree[V]) Delete(s Space, k string) bool {
	region.ToWrite(s.at)
	var c treeCursor[treeText, V]
	if !t.seek(s, &c, k) {
		return false
	}
	if !t.nodes.take(c.leaf, c.i) {
		t.nodes.mend(s, &c)
	}
	return true
}

// Clear removes all entries and keeps the memory.
func (t *TextTree[V]) Clear(s Space) {
	region.ToWrite(s.at)
	t.nodes.clear(s)
}

// Min returns the entry with the least key, and whether there is one.
func (t *TextTree[V]) Min(s Space) (k string, v V, ok bool) {
	region.ToRead(s.at)
	key, v, ok := t.nodes.end(s, +1)
	return key.text.Get(s), v, ok
}

// Max returns the entry with the greatest key, and whether there is one.
func (t *TextTree[V]) Max(s Space) (k string, v V, ok bool) {
	region.ToRead(s.at)
	key, v, ok := t.nodes.end(s, -1)
	return key.text.Get(s), v, ok
}

// All returns an iterator over the entries, from the least key upwards. See [Tree.All].
func (t *TextTree[V]) All(s Space) iter.Seq2[string, V] {
	return t.iterate(s, +1, rankFirst, false)
}

// Backward returns an iterator over the entries, from the greatest key downwards. See [Tree.All].
func (t *TextTree[V]) Backward(s Space) iter.Seq2[string, V] {
	return t.iterate(s, -1, rankLast, false)
}

// From returns an iterator over the entries with keys >= k, upwards. See [Tree.All].
func (t *TextTree[V]) From(s Space, k string) iter.Seq2[string, V] {
	return t.iterate(s, +1, rankOfText(s, k), false)
}

// Prefix returns an iterator over the entries whose keys begin with prefix, upwards. See
// [Tree.All].
func (t *TextTree[V]) Prefix(s Space, prefix string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for k, v := range t.From(s, prefix) {
			if !strings.HasPrefix(k, prefix) || !yield(k, v) {
				return
			}
		}
	}
}

// BackwardFrom returns an iterator over the entries with keys <= k, downwards. See [Tree.All].
func (t *TextTree[V]) BackwardFrom(s Space, k string) iter.Seq2[string, V] {
	return t.iterate(s, -1, rankOfText(s, k), true)
}

// Range returns an iterator over the entries with low <= key < high, upwards. See [Tree.All].
func (t *TextTree[V]) Range(s Space, low, high string) iter.Seq2[string, V] {
	return until(t.From(s, low), high)
}

func (t *TextTree[V]) iterate(s Space, step int, from rank[treeText], orEqual bool) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		order := func(keys []treeText, k treeText, orEqual bool) int {
			text := k.text.Get(s)
			return rankText(s, keys, text, prefixOf(text), orEqual)
		}
		region.ToRead(s.at)
		changes, room := uint32(0), uint64(0)
		t.nodes.walk(s, step, from, orEqual, order, func(k treeText, v V) bool {
			// Each key has text of its own, of which there is no more than memory: so what is
			// compared is bounded in a damaged tree, too.
			if room == 0 || changes != t.nodes.changes {
				changes, room = t.nodes.changes, region.Capacity(s.at, 1)
			}
			if uint64(k.text.len) >= room {
				panic(errTree)
			}
			room -= uint64(k.text.len)
			return yield(k.text.Get(s), v)
		})
	}
}
