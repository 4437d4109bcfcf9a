package ref

import (
	"iter"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/swiss"
)

// A Map is a hash map in an arena that has no pointers. The collector spends no time on it, however
// large it is. It can be a part of values that have references, see [Of], and be written to a file
// with them.
//
//	type index struct {
//		orders ref.Map[uint64, ref.Of[order]]
//	}
//
// Keys and values are of plain types. The zero Map is empty and ready to use. It may lie anywhere,
// but everything that is put into it lies in one arena, and all methods must be given its [Space].
// A Map must not be copied, except together with all of its arena. Like Go's map it may be read by
// many goroutines at the same time, or written by one, which uses the arena.
//
// Keys are compared by ==. As in Go's map a NaN is never found. The methods panic when K or V is
// not a plain type. Methods that add something panic as [New] does. They also panic, with an
// [*arena.MemoryError], when hundreds of keys have almost the same hash. That is only to be
// expected of keys that were made for it, by somebody who sees the arena. A new map has another
// seed, and so has room for them. After a panic the map is as it was.
//
// A large map grows in steps of some tens of KiB, so no single Set takes long. It needs 1.6 to 1.7
// times the memory of its keys and values. A small map doubles, and leaves up to 8 KiB of former
// memory to the next Reset. No memory is freed before that, but deleted entries make room for new
// ones.
//
// The Region of an arena may be read-only, like an opened File. Methods that may change something
// then panic with an [*arena.MemoryError], also where nothing would change. Get, Lookup and All
// work. Clear, Grow and All panic when they find that the parts of the map contradict each other.
// All may have yielded some entries before that.
//
// A Reset of the arena makes a Map that lies elsewhere stale: set it to a zero Map. Until then its
// contents are unspecified, and its methods may panic.
type Map[K comparable, V any] struct {
	notText
	tables[K, V]
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return int(min(m.n, math.MaxInt)) }

// Get returns the value of k, and whether k is in the map.
func (m *Map[K, V]) Get(s Space, k K) (v V, ok bool) {
	if e, _ := m.find(s, k); e != nil {
		return e.Val, true
	}
	return v, false
}

// Set sets the value of k. It adds k if that is missing.
func (m *Map[K, V]) Set(s Space, k K, v V) { *m.Entry(s, k) = v }

// Lookup returns a pointer to the value of k, or nil when k is missing. [Map.Entry] says how long
// the pointer is valid.
func (m *Map[K, V]) Lookup(s Space, k K) *V {
	if e, _ := m.find(s, k); e != nil {
		return &e.Val
	}
	return nil
}

// findAny is find where that does not know enough.
func (m *Map[K, V]) findAny(s Space, k K) (*swiss.Slot[K, V], uint64) {
	h, g, match := m.search(s, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}

// search returns the hash of k, the group of k, and a word whose lowest set bit says which slot of
// the group it is. The group is nil when k is missing. It finds what find does, and all else.
func (m *Map[K, V]) search(s Space, k K) (h uint64, g *swiss.Group[K, V], match uint64) {
	region.ToRead(s.at)
	switch m.hash {
	case kindWord:
		h = hashInt(swiss.Word(k), m.seed)
	case kindUnset:
		m.mustBePlain("Map")
		return 0, nil, 0
	default:
		h = hashOfKey(k, m.seed, m.hash)
	}
	t := &m.first
	if m.dir.off != 0 {
		t = m.dir.elem(s, uint32(h>>(-m.depth&63)))
	}
	return m.searchFrom(s, t, home(h, m.groups(h)), h, k)
}

// searchFrom is search for a key with the hash h in t, which begins with the group i.
func (m *Map[K, V]) searchFrom(s Space, t *table[K, V], i uint32, h uint64, k K) (uint64, *swiss.Group[K, V], uint64) {
	groups := m.groups(h)
	for range groups {
		g := t.group(s, i)
		for match := g.Match(h << tagShift); match != 0; match &= match - 1 {
			if g.Slot(match).Key == k {
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
// *m.Entry(a, k)++ counts keys. The pointer is valid until another key is added, k is deleted, the
// map is cleared, or the arena is Reset or freed.
func (m *Map[K, V]) Entry(s Space, k K) *V {
	region.ToWrite(s.at)
	if m.hash == kindUnset {
		m.start("Map", kindOf(reflect.TypeFor[K]()))
	}
	e, h := m.find(s, k)
	if e != nil {
		if m.hash != kindWord {
			e.Key = k // 0 and -0 are equal; Go's map takes the later one, too
		}
		return &e.Val
	}
	e = m.add(s, m.room(s, h), h)
	e.Key = k
	return &e.Val
}

// Delete removes k, and reports whether it was in the map.
func (m *Map[K, V]) Delete(s Space, k K) bool {
	region.ToWrite(s.at)
	h, g, match := m.search(s, k)
	if g != nil {
		m.remove(s, h, g, match)
	}
	return g != nil
}

// Grow makes room for n more entries. The map leaves no memory behind on the way there, and hardly
// has to grow later. If n is small next to a large map, which grows in small steps anyway, Grow
// does nothing. It panics when n is negative, and as Set does.
func (m *Map[K, V]) Grow(s Space, n int) {
	region.ToWrite(s.at)
	if m.hash == kindUnset {
		m.start("Map", kindOf(reflect.TypeFor[K]()))
	}
	m.growFor(s, n)
}

// Clear removes all entries and keeps the memory.
func (m *Map[K, V]) Clear(s Space) {
	region.ToWrite(s.at)
	m.clear(s)
}

// All returns an iterator over the entries, in no particular order, which is another one each time.
// As with Go's map, the map may be changed meanwhile. An entry that is deleted before it is reached
// does not come. One that is added may come or not. No key comes twice.
func (m *Map[K, V]) All(s Space) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		region.ToRead(s.at)
		m.all(s, rand.Uint64(), func(k K) *swiss.Slot[K, V] {
			e, _ := m.find(s, k)
			return e
		}, func(e *swiss.Slot[K, V]) bool { return yield(e.Key, e.Val) })
	}
}
