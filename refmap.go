package arena

import (
	"iter"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/arena-go/arena/internal/swiss"
)

// A RefMap is a hash map in an arena that has no pointers. The collector spends no time on it, however large it
// is. It can be a part of values that have references, see [Ref], and be written to a file with them.
//
//	type index struct {
//		orders arena.RefMap[uint64, arena.Ref[order]]
//	}
//
// Keys and values are of plain types. The zero RefMap is empty and ready to use. It may lie anywhere, but
// everything that is put into it lies in one arena, and all methods must be given that arena. A RefMap must not be
// copied, except together with all of its arena. Like Go's map it may be read by many goroutines at the same time,
// or written by one: the one that uses the arena.
//
// Keys are compared by ==. As in Go's map a NaN is never found. The methods panic when K or V is not a plain type.
// Methods that add something panic as [NewRef] does. They also panic, with a [*MemoryError], when hundreds of keys have almost the same
// hash. That is only to be expected of keys that were made for it, by somebody with a view of the arena. A new map has another
// seed, and so has room for them. After a panic the map is as it was.
//
// A large map grows in steps of some tens of KiB, so no single Set takes long. It needs 1.6 to 1.7 times the
// memory of its keys and values. A small map doubles, and leaves up to 8 KiB of former memory to the next Reset.
// No memory is given back before that, but what is deleted makes room for what is added.
//
// The Region of an arena may be read-only, as that of a File that was opened. Methods that may change something
// then panic with a [MemoryError], also where nothing would change. Get, Lookup and All work. Clear, Grow and All
// panic when they find that the parts of the map contradict each other. All may have yielded some entries before that.
//
// A Reset of the arena makes a RefMap that lies elsewhere stale: set it to a zero RefMap. Until then its contents
// are unspecified, and its methods may panic.
type RefMap[K comparable, V any] struct {
	notText
	refTables[K, V]
}

// Len returns the number of entries.
func (m *RefMap[K, V]) Len() int { return int(min(m.n, math.MaxInt)) }

// Get returns the value of k, and whether k is in the map.
func (m *RefMap[K, V]) Get(a *Arena, k K) (v V, ok bool) {
	if s, _ := m.find(a, k); s != nil {
		return s.Val, true
	}
	return v, false
}

// Set sets the value of k. It adds k if that is missing.
func (m *RefMap[K, V]) Set(a *Arena, k K, v V) { *m.Entry(a, k) = v }

// Lookup returns a pointer to the value of k, or nil when k is missing. [RefMap.Entry] says how long the pointer
// is valid.
func (m *RefMap[K, V]) Lookup(a *Arena, k K) *V {
	if s, _ := m.find(a, k); s != nil {
		return &s.Val
	}
	return nil
}

// findAny is find where that does not know enough.
func (m *RefMap[K, V]) findAny(a *Arena, k K) (*swiss.Slot[K, V], uint64) {
	h, g, match := m.search(a, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}

// search returns the hash of k, the group of k, and a word whose lowest set bit says which slot of the group it is.
// The group is nil when k is missing. It finds what find does, and all else.
func (m *RefMap[K, V]) search(a *Arena, k K) (h uint64, g *swiss.Group[K, V], match uint64) {
	a.toRead()
	switch m.hash {
	case refWord:
		h = hashInt(swiss.Word(k), m.seed)
	case refUnset:
		m.mustBePlain("RefMap")
		return 0, nil, 0
	default:
		h = refHashKey(k, m.seed, m.hash)
	}
	t := &m.first
	if m.dir.off != 0 {
		t = m.dir.elem(a, uint32(h>>(-m.depth&63)))
	}
	return m.searchFrom(a, t, refHome(h, m.groups(h)), h, k)
}

// searchFrom is search for a key with the hash h in t, which begins with the group i.
func (m *RefMap[K, V]) searchFrom(a *Arena, t *refTable[K, V], i uint32, h uint64, k K) (uint64, *swiss.Group[K, V], uint64) {
	groups := m.groups(h)
	for range groups {
		g := t.group(a, i)
		for match := g.Match(h << refTag); match != 0; match &= match - 1 {
			if g.Slot(match).Key == k {
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

// Entry returns a pointer to the value of k. If k is missing, Entry adds it with a zero value: *m.Entry(a, k)++
// counts keys. The pointer is valid until another key is added, k is deleted, the map is cleared, or a is Reset or
// freed.
func (m *RefMap[K, V]) Entry(a *Arena, k K) *V {
	a.toWrite()
	if m.hash == refUnset {
		m.start("RefMap", refHashOf(reflect.TypeFor[K]()))
	}
	s, h := m.find(a, k)
	if s != nil {
		if m.hash != refWord {
			s.Key = k // 0 and -0 are equal; Go's map takes the later one, too
		}
		return &s.Val
	}
	s = m.add(a, m.room(a, h), h)
	s.Key = k
	return &s.Val
}

// Delete removes k, and reports whether it was in the map.
func (m *RefMap[K, V]) Delete(a *Arena, k K) bool {
	a.toWrite()
	h, g, match := m.search(a, k)
	if g != nil {
		m.remove(a, h, g, match)
	}
	return g != nil
}

// Grow makes room for n more entries. The map leaves no memory behind on the way there, and hardly has to grow
// later. Where n is small beside a large map, which grows in small steps anyway, Grow does nothing. It panics when n
// is negative, and as Set does.
func (m *RefMap[K, V]) Grow(a *Arena, n int) {
	a.toWrite()
	if m.hash == refUnset {
		m.start("RefMap", refHashOf(reflect.TypeFor[K]()))
	}
	m.growFor(a, n)
}

// Clear removes all entries and keeps the memory.
func (m *RefMap[K, V]) Clear(a *Arena) {
	a.toWrite()
	m.clear(a)
}

// All returns an iterator over the entries, in no particular order, which is another one each time. As with Go's map,
// the map may be changed meanwhile. An entry that is deleted before it is reached does not come. One that is added
// may come or not. None comes twice.
func (m *RefMap[K, V]) All(a *Arena) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		a.toRead()
		m.all(a, rand.Uint64(), func(k K) *swiss.Slot[K, V] {
			s, _ := m.find(a, k)
			return s
		}, func(s *swiss.Slot[K, V]) bool { return yield(s.Key, s.Val) })
	}
}
