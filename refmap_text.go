package arena

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/arena-go/arena/internal/swiss"
)

// A RefTextMap is a [RefMap] whose keys are text. The bytes of a key are copied into the arena when it is added.
// They stay there until Reset, also when the key is deleted. In all else it is like a RefMap.
type RefTextMap[V any] struct {
	notText
	refTables[textKey, V]
}

// A textKey is the key of a RefTextMap. It has the upper 32 bits of its hash. So the key can be moved without a
// look at its text, and its text is hardly ever compared in vain.
type textKey struct {
	text RefString
	hash uint32
}

// hashKey returns the hash of k: 39 bits, see refTables.hashOf.
func (m *RefTextMap[V]) hashKey(k string) uint64 {
	textIsRead(k)
	secret := refSecret(m.seed)
	switch m.hash {
	case refText:
		secret = refSecret0
	case refAlike:
		return uint64(len(k)&3) << 61
	}
	return hashBytes(k, m.seed, secret) &^ (1<<25 - 1)
}

// Len returns the number of entries.
func (m *RefTextMap[V]) Len() int { return int(min(m.n, math.MaxInt)) }

// Get returns the value of k, and whether k is in the map.
func (m *RefTextMap[V]) Get(a *Arena, k string) (v V, ok bool) {
	if s, _ := m.find(a, k); s != nil {
		return s.Val, true
	}
	return v, false
}

// Set sets the value of k. It adds k if that is missing.
func (m *RefTextMap[V]) Set(a *Arena, k string, v V) { *m.Entry(a, k) = v }

// Lookup returns a pointer to the value of k, or nil when k is missing. [RefMap.Entry] says how long the pointer
// is valid.
func (m *RefTextMap[V]) Lookup(a *Arena, k string) *V {
	if s, _ := m.find(a, k); s != nil {
		return &s.Val
	}
	return nil
}

// findAny is find where that does not know enough.
func (m *RefTextMap[V]) findAny(a *Arena, k string) (*swiss.Slot[textKey, V], uint64) {
	h, g, match := m.search(a, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}

// search returns the hash of k, the group of k, and a word whose lowest set bit says which slot of the group it is.
// The group is nil when k is missing. It finds what find does, and all else.
func (m *RefTextMap[V]) search(a *Arena, k string) (h uint64, g *swiss.Group[textKey, V], match uint64) {
	a.toRead()
	if m.hash == refUnset {
		m.mustBePlain("RefTextMap")
		return 0, nil, 0
	}
	h = m.hashKey(k)
	t := &m.first
	if m.dir.off != 0 {
		t = m.dir.elem(a, uint32(h>>(-m.depth&63)))
	}
	return m.searchFrom(a, t, refHome(h, m.groups(h)), h, k)
}

// searchFrom is search for a key with the hash h in t, which begins with the group i.
func (m *RefTextMap[V]) searchFrom(a *Arena, t *refTable[textKey, V], i uint32, h uint64, k string) (uint64, *swiss.Group[textKey, V], uint64) {
	groups := m.groups(h)
	for range groups {
		g := t.group(a, i)
		for match := g.Match(h << refTag); match != 0; match &= match - 1 {
			s := g.Slot(match)
			if s.Key.hash == uint32(h>>32) && s.Key.text.Len() == len(k) && s.Key.text.Get(a) == k {
				return h, g, match
			}
		}
		if g.Ctrl < swiss.Passed {
			break
		}
		i = refAfter(i, h, groups)
	}
	return h, nil, 0
}

// Entry returns a pointer to the value of k. If k is missing, Entry adds it with a zero value: *m.Entry(a, word)++
// counts words. [RefMap.Entry] says how long the pointer is valid.
func (m *RefTextMap[V]) Entry(a *Arena, k string) *V {
	a.toWrite()
	if m.hash == refUnset {
		m.start("RefTextMap", refText2)
	}
	s, h := m.find(a, k)
	if s != nil {
		return &s.Val
	}
	t := m.room(a, h)
	key := textKey{NewRefString(a, k), uint32(h >> 32)}
	s = m.add(a, t, h)
	s.Key = key
	return &s.Val
}

// Delete removes k, and reports whether it was in the map. The bytes of the key stay in the arena.
func (m *RefTextMap[V]) Delete(a *Arena, k string) bool {
	a.toWrite()
	h, g, match := m.search(a, k)
	if g != nil {
		m.remove(a, h, g, match)
	}
	return g != nil
}

// Grow makes room for n more entries, but not for the text of their keys. See [RefMap.Grow].
func (m *RefTextMap[V]) Grow(a *Arena, n int) {
	a.toWrite()
	if m.hash == refUnset {
		m.start("RefTextMap", refText2)
	}
	m.growFor(a, n)
}

// Clear removes all entries and keeps the memory, also that of the keys.
func (m *RefTextMap[V]) Clear(a *Arena) {
	a.toWrite()
	m.clear(a)
}

// All returns an iterator over the entries, in no particular order. The strings share the memory of the arena. All
// together they are no longer than that, also in a damaged map, of which All panics instead. See [RefMap.All].
func (m *RefTextMap[V]) All(a *Arena) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		a.toRead()
		bytes := uint64(0)
		m.all(a, rand.Uint64(), func(k textKey) *swiss.Slot[textKey, V] {
			s, _ := m.find(a, k.text.Get(a))
			return s
		}, func(s *swiss.Slot[textKey, V]) bool {
			// Each key has text of its own, of which there is no more than memory.
			if bytes += uint64(s.Key.text.len); bytes > a.refSlots(1) {
				panic(errRefMap)
			}
			return yield(s.Key.text.Get(a), s.Val)
		})
	}
}
