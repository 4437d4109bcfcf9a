package ref

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/swiss"
	"github.com/arena-go/arena/internal/tools"
)

// A TextMap is a [Map] whose keys are text. The bytes of a key are copied into the arena when it is
// added. They stay there until Reset, also when the key is deleted. In all else it is like a Map.
type TextMap[V any] struct {
	notText
	tables[textKey, V]
}

// A textKey is the key of a TextMap. It has the upper 32 bits of its hash. So the key can be moved
// without a look at its text, and its text is hardly ever compared in vain.
type textKey struct {
	text String
	hash uint32
}

// hashKey returns the hash of k: 39 bits, see tables.hashOf.
func (m *TextMap[V]) hashKey(k string) uint64 {
	tools.TextIsRead(k)
	secret := secretOf(m.seed)
	switch m.hash {
	case kindText:
		secret = secret0
	case kindAlike:
		return uint64(len(k)&3) << 61
	}
	return hashBytes(k, m.seed, secret) &^ (1<<25 - 1)
}

// Len returns the number of entries.
func (m *TextMap[V]) Len() int { return int(min(m.n, math.MaxInt)) }

// Get returns the value of k, and whether k is in the map.
func (m *TextMap[V]) Get(s Space, k string) (v V, ok bool) {
	if e, _ := m.find(s, k); e != nil {
		return e.Val, true
	}
	return v, false
}

// Set sets the value of k. It adds k if that is missing.
func (m *TextMap[V]) Set(s Space, k string, v V) { *m.Entry(s, k) = v }

// Lookup returns a pointer to the value of k, or nil when k is missing. [Map.Entry] says how long
// the pointer is valid.
func (m *TextMap[V]) Lookup(s Space, k string) *V {
	if e, _ := m.find(s, k); e != nil {
		return &e.Val
	}
	return nil
}

// findAny is find where that does not know enough.
func (m *TextMap[V]) findAny(s Space, k string) (*swiss.Slot[textKey, V], uint64) {
	h, g, match := m.search(s, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}

// search returns the hash of k, the group of k, and a word whose lowest set bit says which slot of
// the group it is. The group is nil when k is missing. It finds what find does, and all else.
func (m *TextMap[V]) search(s Space, k string) (h uint64, g *swiss.Group[textKey, V], match uint64) {
	region.ToRead(s.at)
	if m.hash == kindUnset {
		m.mustBePlain("TextMap")
		return 0, nil, 0
	}
	h = m.hashKey(k)
	t := &m.first
	if m.dir.off != 0 {
		t = m.dir.elem(s, uint32(h>>(-m.depth&63)))
	}
	return m.searchFrom(s, t, home(h, m.groups(h)), h, k)
}

// searchFrom is search for a key with the hash h in t, which begins with the group i.
func (m *TextMap[V]) searchFrom(s Space, t *table[textKey, V], i uint32, h uint64, k string) (uint64, *swiss.Group[textKey, V], uint64) {
	groups := m.groups(h)
	for range groups {
		g := t.group(s, i)
		for match := g.Match(h << tagShift); match != 0; match &= match - 1 {
			e := g.Slot(match)
			if e.Key.hash == uint32(h>>32) && e.Key.text.Len() == len(k) && e.Key.text.Get(s) == k {
				return h, g, match
			}
		}
		if g.Ctrl < swiss.Passed {
			break
		}
		i = groupAfter(i, h, groups)
	}
	return h, nil, 0
}

// Entry returns a pointer to the value of k. If k is missing, Entry adds it with a zero value:
// *m.Entry(a, word)++ counts words. [Map.Entry] says how long the pointer is valid.
func (m *TextMap[V]) Entry(s Space, k string) *V {
	region.ToWrite(s.at)
	if m.hash == kindUnset {
		m.start("TextMap", kindText2)
	}
	e, h := m.find(s, k)
	if e != nil {
		return &e.Val
	}
	t := m.room(s, h)
	key := textKey{NewString(s, k), uint32(h >> 32)}
	e = m.add(s, t, h)
	e.Key = key
	return &e.Val
}

// Delete removes k, and reports whether it was in the map. The bytes of the key stay in the arena.
func (m *TextMap[V]) Delete(s Space, k string) bool {
	region.ToWrite(s.at)
	h, g, match := m.search(s, k)
	if g != nil {
		m.remove(s, h, g, match)
	}
	return g != nil
}

// Grow makes room for n more entries, but not for the text of their keys. See [Map.Grow].
func (m *TextMap[V]) Grow(s Space, n int) {
	region.ToWrite(s.at)
	if m.hash == kindUnset {
		m.start("TextMap", kindText2)
	}
	m.growFor(s, n)
}

// Clear removes all entries and keeps the memory, also of the keys.
func (m *TextMap[V]) Clear(s Space) {
	region.ToWrite(s.at)
	m.clear(s)
}

// All returns an iterator over the entries, in no particular order. The strings share the memory of
// the arena. All together they are no longer than that, also in a damaged map, of which All panics
// instead. See [Map.All].
func (m *TextMap[V]) All(s Space) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		region.ToRead(s.at)
		bytes := uint64(0)
		m.all(s, rand.Uint64(), func(k textKey) *swiss.Slot[textKey, V] {
			e, _ := m.find(s, k.text.Get(s))
			return e
		}, func(e *swiss.Slot[textKey, V]) bool {
			// Each key has text of its own, of which there is no more than memory.
			if bytes += uint64(e.Key.text.len); bytes > region.Capacity(s.at, 1) {
				panic(errMap)
			}
			return yield(e.Key.text.Get(s), e.Val)
		})
	}
}
