package arena

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/swiss"
)

// A Map is a hash map whose storage lies in an arena.
//
// [NewMap] makes a Map. The zero Map is empty, and panics when something is put into it, like a nil
// map of Go. A Map must not be copied. Like Go's map it may be read by many goroutines at the same
// time, or written by one: the goroutine that uses the arena.
//
// Keys are compared by ==. As in Go's map a NaN is never found. A key that is an interface, or has
// one in it, panics when it holds something that cannot be compared. Keys and values are stored as
// given: the bytes of a string key do not move into the arena, see [String], and must not change
// while the map is in use.
//
// A Map that grows leaves its former memory, and what that refers to, to the next Reset. A hint
// avoids that.
//
// After a Reset of its arena a Map is stale: it is a zero Map, or another Map of the same type.
// After Free it can be read, and changed within the room that it has. It panics when it has to
// grow.
//
// Packages encoding/json and fmt treat a Map as a map of Go. [Map.UnmarshalJSON] says where decoded
// values lie. Other encoders get an error.
type Map[K comparable, V any] struct {
	_ noCopy
	mapTable[K, V]
}

// A mapTable is what a Map consists of.
type mapTable[K comparable, V any] struct {
	// The table is a Swiss table of groups. A key is in the group that the lower bits of
	// its hash say, or if that was full when the key came, in the first one on its path
	// that was not, which is 1, 3, 6, 10 ... groups further on.
	//
	// Invariants: len(groups) is 0 or a power of two; n is the number of full slots,
	// and at most room; slots that are not full are zero.
	groups []swiss.Group[K, V]
	n      int
	room   int // what n may become before the table grows
	mode   hashMode
	born   depth         // how many scopes were open when the map was made
	clears uint32        // times that the map was cleared
	former *former[K, V] // nil unless the arena is watched: copies of the tables that the map has grown out of, for its iterators
	arena  *Arena
}

// A former is a copy of a table, and the copies of smaller ones.
type former[K comparable, V any] struct {
	groups []swiss.Group[K, V]
	next   *former[K, V]
}

// NewMap returns an empty map in a, with room for hint entries. It grows beyond that. The map lives
// as a value of [New] does: until a is Reset, or for as long as something points at it.
//
// NewMap panics when hint is negative or larger than memory can be, and as New does. If the limit
// of a leaves room for the entries but not for the map, the room for the entries stays taken until
// Reset.
func NewMap[K comparable, V any](a *Arena, hint int) *Map[K, V] {
	if hint < 0 {
		panic(fmt.Sprintf("arena: NewMap: hint is %d, and must not be negative", hint))
	}
	if a != nil {
		a.check()
	}
	var groups []swiss.Group[K, V]
	if hint > 0 {
		n := groupsFor(hint)
		groups = MakeSlice[swiss.Group[K, V]](a, n, n)
	}
	m := New[Map[K, V]](a)
	*m = Map[K, V]{mapTable: emptyTable[K, V](a)} // no matter what a stale pointer wrote
	m.use(groups)
	return m
}

// emptyTable returns the table of a Map in a without room.
func emptyTable[K comparable, V any](a *Arena) mapTable[K, V] {
	return mapTable[K, V]{arena: a, mode: hashModeOf(reflect.TypeFor[K]().Kind()), born: a.depth()}
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return m.n }

// Get returns the value of k, and whether k is in the map.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if s := m.find(k); s != nil {
		return s.Val, true
	}
	return v, false
}

// Set sets the value of k. It adds k if that is missing.
func (m *Map[K, V]) Set(k K, v V) { *m.Entry(k) = v }

// Lookup returns a pointer to the value of k, or nil when k is missing. [Map.Entry] says how long
// the pointer is valid.
func (m *Map[K, V]) Lookup(k K) *V {
	if s := m.find(k); s != nil {
		return &s.Val
	}
	return nil
}

// find returns the slot of k, or nil. It looks into no group twice: that each is
// passed by some key, so that none ends the search, is rare, but possible.
func (m *Map[K, V]) find(k K) *swiss.Slot[K, V] {
	h := m.hash(k)
	if len(m.groups) == 0 {
		return nil
	}
	for i, step := h, uint64(1); ; i, step = i+step, step+1 {
		g := &m.groups[i&uint64(len(m.groups)-1)]
		lines := uint64(swiss.EachFull)
		if !looking && len(m.groups) >= manyGroups {
			lines = g.Lines()
		}
		for match := g.Match(h); match != 0; match &= (match - 1) & lines {
			s := g.Slot(match)
			if looking {
				m.keyIsRead(s.Key)
			}
			if s.Key == k {
				return s
			}
		}
		if g.Ctrl < swiss.Passed || step >= uint64(len(m.groups)) {
			return nil
		}
	}
}

// Entry returns a pointer to the value of k. If k is missing, Entry adds it with a zero value:
// *m.Entry(word)++ counts words. The pointer is valid until another key is added, k is deleted, or
// the map is cleared. A write through it after the map has grown is lost, and the tools that find
// mistakes report it.
func (m *Map[K, V]) Entry(k K) *V {
	h := m.hash(k)
	if len(m.groups) == 0 {
		m.grow(1)
	}
	for i, step := h, uint64(1); ; i, step = i+step, step+1 {
		g := &m.groups[i&uint64(len(m.groups)-1)]
		lines := uint64(swiss.EachFull)
		if !looking && len(m.groups) >= manyGroups {
			lines = g.Lines()
		}
		for match := g.Match(h); match != 0; match &= (match - 1) & lines {
			s := g.Slot(match)
			if looking {
				m.keyIsRead(s.Key)
			}
			if s.Key == k {
				if m.mode == hashAny {
					s.Key = k // 0 and -0 are equal; Go's map takes the later one, too
				}
				return &s.Val
			}
		}
		if g.Ctrl < swiss.Passed || step >= uint64(len(m.groups)) {
			break
		}
	}
	if m.n == m.room {
		m.grow(2 * len(m.groups))
	}
	m.n++
	s := m.free(h)
	s.Key = k
	return &s.Val
}

// free returns a free slot for a key with the hash h, and marks it as full.
func (m *Map[K, V]) free(h uint64) *swiss.Slot[K, V] {
	for i, step := h, uint64(1); step <= uint64(len(m.groups)); i, step = i+step, step+1 {
		g := &m.groups[i&uint64(len(m.groups)-1)]
		if free := ^g.Ctrl & swiss.EachFull; free != 0 {
			at := bits.TrailingZeros64(free)
			g.Ctrl |= (h>>57 | 0x80) << (at &^ 7 & 63)
			return g.Slot(free)
		}
		if g.Ctrl>>56 != 255 {
			g.Ctrl += swiss.Passed
		}
	}
	panic("arena: a Map was overwritten through a stale slice; find what is used after Reset")
}

// grow gives m a table of n groups. Where the arena is watched, pointers to values in the former
// one are stale from here on, as after a Reset: what is written there is lost.
func (m *Map[K, V]) grow(n int) {
	old := m.groups
	m.move(n)
	if len(old) > 0 && m.arena.watched() {
		m.former = &former[K, V]{slices.Clone(old), m.former}
		m.arena.left(blockOf(old).extent(mem.SizeOf[swiss.Group[K, V]](), reflect.TypeFor[swiss.Group[K, V]]()))
	}
}

// table returns the table that was groups, or a copy of it if m has grown since and the arena is
// watched.
func (m *Map[K, V]) table(groups []swiss.Group[K, V]) []swiss.Group[K, V] {
	for f := m.former; f != nil && len(m.groups) != len(groups); f = f.next {
		if len(f.groups) == len(groups) {
			return f.groups
		}
	}
	return groups
}

// move is grow, but for what it tells the watchers.
func (m *Map[K, V]) move(n int) {
	if m.mode == hashUnset {
		panic("arena: a Map is written to that was not made by NewMap, or whose arena was Reset; make a new one")
	}
	groups := makeBorn[swiss.Group[K, V]](m.arena, n, n, m.born)
	old := m.groups
	m.use(groups)
	mask := uint64(len(groups) - 1)
	s0, s1, s2 := secret[0], secret[1], secret[2]
	for i := range old {
		g := &old[i]
		for full := g.Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
			s := g.Slot(full)
			var h uint64
			if m.mode == hashWord && !looking {
				h = swiss.Mix(s2, swiss.Mix(swiss.Word(s.Key)^s0, s1)) // hash by hand
			} else {
				h = m.hash(s.Key)
			}
			d := &groups[h&mask]
			free := ^d.Ctrl & swiss.EachFull
			if free == 0 {
				*m.free(h) = *s
				continue
			}
			d.Ctrl |= (h>>57 | 0x80) << (bits.TrailingZeros64(free) &^ 7 & 63) // m.free by hand
			*d.Slot(free) = *s
		}
	}
}

// use makes groups, which are empty, the table.
func (m *Map[K, V]) use(groups []swiss.Group[K, V]) {
	m.groups = groups
	m.room = len(groups) * (swiss.Slots - 1)
	if len(groups) == 1 {
		m.room = swiss.Slots
	}
}

// rehash puts all keys where they belong, after pointers in them have changed. Maps in its values
// are rehashed first: their copies move.
func (m *Map[K, V]) rehash() {
	if m.mode != hashAny || len(m.groups) == 0 || kindOf(reflect.TypeFor[K]()) == kindPlain {
		return
	}
	if holdsMaps(reflect.TypeFor[V]()) {
		for i := range m.groups {
			for j := range m.groups[i].Slots {
				rehashIn(reflect.ValueOf(&m.groups[i].Slots[j].Val).Elem())
			}
		}
	}
	m.move(len(m.groups))
}

// All returns an iterator over the entries, in no particular order, which is another one each time.
// As with Go's map, the map may be changed meanwhile. An entry that is deleted before it is reached
// does not come. One that is added may come or not. None comes twice, but a key that is deleted and
// added again is a new entry.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if m.n == 0 {
			return
		}
		groups, clears := m.groups, m.clears
		// If all iterations began with the same group, a loop that deletes the first entry until
		// there are none would look at what it has left empty each time.
		i := 0
		if len(groups) > 1 {
			i = int(rand.Uint32())
		}
		for range len(groups) {
			i = (i + 1) & (len(groups) - 1)
			g := &groups[i]
			for full := g.Ctrl & swiss.EachFull; full != 0; full = g.Ctrl & swiss.EachFull &^ (full ^ (full - 1)) {
				s := g.Slot(full)
				k, v := s.Key, s.Val
				if len(m.groups) != len(groups) {
					// The map has grown: groups are as they were then.
					if s := m.find(k); s != nil {
						k, v = s.Key, s.Val
					} else if k == k || m.clears != clears {
						continue // gone; only a NaN is never found, nor gone but by Clear
					}
				}
				if !yield(k, v) {
					return
				}
				if m.former != nil {
					groups = m.table(groups)
					g = &groups[i]
				}
			}
		}
	}
}

// Keys returns an iterator over the keys. See [Map.All].
func (m *Map[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range m.All() {
			if !yield(k) {
				return
			}
		}
	}
}

// Values returns an iterator over the values. See [Map.All].
func (m *Map[K, V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range m.All() {
			if !yield(v) {
				return
			}
		}
	}
}

// Delete removes k, and reports whether it was in the map.
func (m *Map[K, V]) Delete(k K) bool {
	h := m.hash(k)
	if len(m.groups) == 0 {
		return false
	}
	for i, step := h, uint64(1); ; i, step = i+step, step+1 {
		g := &m.groups[i&uint64(len(m.groups)-1)]
		for match := g.Match(h); match != 0; match &= match - 1 {
			s := g.Slot(match)
			if looking {
				m.keyIsRead(s.Key)
			}
			if s.Key != k {
				continue
			}
			g.Ctrl &^= match & -match * 0xff >> 7
			*s = swiss.Slot[K, V]{}
			m.n--
			// The groups that were full when k came have one key less behind them.
			for j, step := h, uint64(1); j != i; j, step = j+step, step+1 {
				if g := &m.groups[j&uint64(len(m.groups)-1)]; g.Ctrl>>56 != 255 {
					g.Ctrl -= swiss.Passed
				}
			}
			return true
		}
		if g.Ctrl < swiss.Passed || step >= uint64(len(m.groups)) {
			return false
		}
	}
}

// Clear removes all entries and keeps the memory.
func (m *Map[K, V]) Clear() {
	clear(m.groups)
	m.n = 0
	m.clears++
}

// LookupText is [Map.Lookup] of a key that is the text of s, a string or bytes. It makes no string
// of bytes. It returns nil if the key is missing. To add the key, copy the text, which may change
// or end: m.Set(K(String(a, s)), v).
func LookupText[K ~string, V any, S ~string | ~[]byte](m *Map[K, V], s S) *V {
	return m.Lookup(K(viewOf(s)))
}

// CollectMap returns a new [Map] in a with the entries of seq, as maps.Collect does: CollectMap(a,
// maps.All(m)) of a map of Go. Keys and values are stored as given. If you know how many there will
// be, use [NewMap] with a hint, and [Map.Insert].
func CollectMap[K comparable, V any](a *Arena, seq iter.Seq2[K, V]) *Map[K, V] {
	m := NewMap[K, V](a, 0)
	m.Insert(seq)
	return m
}

// Insert sets the entries of seq, as maps.Insert does. Later ones win.
func (m *Map[K, V]) Insert(seq iter.Seq2[K, V]) {
	for k, v := range seq {
		m.Set(k, v)
	}
}

// Has reports whether k is in the map.
func (m *Map[K, V]) Has(k K) bool { return m.find(k) != nil }

// SortedKeys returns the keys of m in order, in a slice in a, which need not be the arena of m. It
// is empty when m is. They are ordered as by slices.Sort. For another order, or for keys that have
// none, collect the keys and use slices.SortFunc.
func SortedKeys[K cmp.Ordered, V any](a *Arena, m *Map[K, V]) []K {
	keys := MakeSlice[K](a, 0, m.n)
	for i := range m.groups {
		g := &m.groups[i]
		for full := g.Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
			k := g.Slot(full).Key
			if looking {
				m.keyIsRead(k)
			}
			keys = Append(a, keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
