package arena

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
)

// A refTables is what a RefMap and a RefTextMap consist of: tables of groups, which are those of Map. The upper bits of the
// hash of a key say in which table it is, by a directory that becomes twice as large when a
// table is split which is all that one entry of it leads to: extendible hashing (Fagin, Nievergelt, Pippenger and Strong,
// 1979). So no more than one table is moved at a time.
//
// A table of a large map does not double before it is split, since with good hashes all tables would do so at about the same time,
// and then be half empty. It has three to five units, grows by one, and is split into two of three, as in the
// partial expansions of Larson (1980). The units do not lie side by side. The bits after the upper ones are a
// fraction that says which of the groups is that of a key. If that is full the search goes on in steps of a length that the
// last bits say.
//
// An arena does not take single slices back. So units that a table has moved out of are on a list, and the next
// table that grows takes them.
//
// Any bytes in these structs, of a stale map or of a file that was damaged, lead to wrong results or to
// panics, and not to memory outside of the region, or to a loop without an end: references and indices are checked where they are used,
// and loops have a limit that was checked.
//
// Invariants: n is the sum of the n of the tables; slots that are not full, and the units of the
// list but for their first word, are zero; where dir is nil, first is the only table; a table of the depth d is in 1<<(depth-d)
// entries of the directory, which lie side by side.
type refTables[K comparable, V any] struct {
	_      noCopy
	seed   uint64
	n      uint64
	dir    Ref[refTable[K, V]] // the first of 1<<depth
	spare  Ref[group[K, V]]    // the list of units; ctrl of its first group is the reference to the next
	moves  uint32              // times that slots or tables were moved, or cleared
	clears uint32
	tables uint32 // how many were split
	depth  uint8
	hash   refHash
	first  refTable[K, V]
}

// A refTable is a table.
//
// Invariants: groups is 0, a power of two of less than a unit, or a multiple of a unit; n is the number of full
// slots, and at most refRoom(groups). Where a table is in several entries of the directory, the first has the right n.
type refTable[K comparable, V any] struct {
	units  [maxUnits]Ref[group[K, V]]
	groups uint32
	n      uint32
	depth  uint8 // the upper bits in which the hashes of its keys agree
}

const (
	maxUnits = 5
	maxDepth = 24

	// coarseDepth is the depth from which on tables grow by one unit. In a small map they double, which is faster.
	coarseDepth = 5

	// refStrides are the numbers below 32 that have no divisor in common with any number of groups, one in each
	// byte: with each of them a search comes to all groups.
	refStrides = 31<<56 | 29<<48 | 23<<40 | 19<<32 | 17<<24 | 13<<16 | 11<<8 | 1

	// refUnitSize is about the size of a unit, in bytes. A unit has a power of two of groups, four at least.
	refUnitSize = 8 << 10
)

var (
	errRefMap = errors.New("arena: a RefMap is stale, was copied, or its memory was overwritten; make it a zero RefMap after each Reset")
	errAlike  = errors.New("arena: a RefMap cannot hold so many keys with almost the same hash")
)

// refUnitBits returns the binary logarithm of the number of groups in a unit.
func refUnitBits[K comparable, V any]() int { return refUnitBitsFor(uint64(sizeOf[group[K, V]]())) }

// refUnitBitsFor is refUnitBits for groups of so many bytes.
func refUnitBitsFor(group uint64) int { return bits.Len64(max(refUnitSize/group, 4)) - 1 }

// table returns the table for keys with the hash h: that of its entries in the directory whose n is the right one.
func (m *refTables[K, V]) table(a *Arena, h uint64) *refTable[K, V] {
	if m.dir.off == 0 {
		if m.first.depth != 0 {
			panic(errRefMap)
		}
		return &m.first
	}
	i := uint32(h >> (64 - m.depth))
	t := m.dir.elem(a, i)
	if t.depth < m.depth {
		t = m.dir.elem(a, i&^(1<<(m.depth-t.depth)-1))
	}
	if t.depth > m.depth || m.depth > maxDepth {
		panic(errRefMap)
	}
	return t
}

// next returns the lowest hash for the table after t, which is that for the hash h, or 0 if t is the last one.
func (m *refTables[K, V]) next(t *refTable[K, V], h uint64) uint64 {
	return (h>>(64-t.depth) + 1) << (64 - t.depth)
}

// home returns the number of the group in which the search for a key with the hash h begins.
func (t *refTable[K, V]) home(h uint64) uint32 {
	return refHome(h, t.depth, t.groups)
}

// refHome is home for a table of the given depth and so many groups.
func refHome(h uint64, depth uint8, groups uint32) uint32 {
	return uint32(uint64(uint32(h<<(depth&63)>>32)) * uint64(groups) >> 32)
}

// after returns the number of the group that follows i in the search for a key with the hash h.
func (t *refTable[K, V]) after(i uint32, h uint64) uint32 {
	if i += uint32(uint64(refStrides) >> (h >> 25 & 7 * 8) & 0xff); i >= t.groups && t.groups != 0 {
		i %= t.groups // as a rule there is nothing to divide
	}
	return i
}

// size returns the number of groups, which is not larger than it can be.
func (t *refTable[K, V]) size() uint32 { return min(t.groups, maxUnits<<refUnitBits[K, V]()) }

// group returns the group i.
func (t *refTable[K, V]) group(a *Arena, i uint32) *group[K, V] {
	b := refUnitBits[K, V]()
	if i>>b >= maxUnits {
		panic(errRefMap)
	}
	return t.units[i>>b].elem(a, i&(1<<b-1))
}

// refRoom returns how many slots of a table may be full: six of the seven in each group, or all of a single one.
func refRoom(groups uint32) uint32 {
	if groups == 1 {
		return groupSlots
	}
	return groups * (groupSlots - 1)
}

// start makes m, which is zero, ready to be written to.
func (m *refTables[K, V]) start(what string, hash refHash) {
	m.mustBePlain(what)
	m.seed, m.hash = rand.Uint64()|1, hash
}

// mustBePlain panics when m cannot be written to. Otherwise it is empty.
func (m *refTables[K, V]) mustBePlain(what string) {
	mustBePlain[K](what)
	mustBePlain[V](what)
}

// hashOf returns the hash of the key in s, of which only the upper 39 bits count where it is text: 32 are in the key, and 7 in ctrl.
func (m *refTables[K, V]) hashOf(s *slot[K, V], ctrl uint64, nan *uint64) uint64 {
	if s.key != s.key {
		*nan += refSecret0
		return *nan
	}
	if k, ok := any(&s.key).(*textKey); ok {
		return uint64(k.hash)<<32 | (ctrl&0x7f)<<25
	}
	return refHashKey(s.key, m.seed, m.hash)
}

// refTag is by how much a hash is shifted for group.match: so the bits that it compares are those which say
// least about the group.
const refTag = 32

// refHashKey returns the hash of a key that is not text.
func refHashKey[K comparable](k K, seed uint64, hash refHash) uint64 {
	if hash == refWord {
		return hashInt(word(k), seed)
	}
	b := bytesOf((&[1]K{k})[:])
	switch hash {
	case refBytes:
		return hashBytes(stringOf(b), seed)
	case refAlike:
		return uint64(append(b, 0)[0]&3) << 61
	}
	return hashParts(b, refPartsOf(reflect.TypeFor[K]()), seed)
}

// add adds a key with the hash h to t, which has room for it, and returns its slot.
func (m *refTables[K, V]) add(a *Arena, t *refTable[K, V], h uint64) *slot[K, V] {
	i := t.home(h)
	for range t.size() {
		if s := t.group(a, i).put(h); s != nil {
			t.n++
			m.n++
			return s
		}
		i = t.after(i, h)
	}
	panic(errRefMap)
}

// put returns a free slot for a key with the hash h, and marks it as full, or notes that the key has passed by.
func (g *group[K, V]) put(h uint64) *slot[K, V] {
	if free := ^g.ctrl & eachFull; free != 0 {
		g.ctrl |= (h<<refTag>>57 | 0x80) << (bits.TrailingZeros64(free) &^ 7 & 63)
		return g.slot(free)
	}
	if g.ctrl>>56 != 255 {
		g.ctrl += passed
	}
	return nil
}

// remove removes the key with the hash h from the slot of g that match says.
func (m *refTables[K, V]) remove(a *Arena, h uint64, g *group[K, V], match uint64) {
	t := m.table(a, h)
	*g.slot(match) = slot[K, V]{}
	g.ctrl &^= match & -match * 0xff >> 7
	t.n--
	m.n--
	// The groups that were full when the key came have one key less behind them.
	i := t.home(h)
	for range t.size() {
		p := t.group(a, i)
		if p == g {
			return
		}
		if p.ctrl>>56 != 255 {
			p.ctrl -= passed
		}
		i = t.after(i, h)
	}
}

// room returns the table for a key with the hash h, when that has room for one.
func (m *refTables[K, V]) room(a *Arena, h uint64) *refTable[K, V] {
	t := m.table(a, h)
	for t.n >= refRoom(t.groups) {
		m.grow(a, t, h, 0)
		t = m.table(a, h)
	}
	return t
}

// grow gives t, the table for the hash h, more groups, or splits it. A small table that is to have room for so many
// entries gets it at once: it would leave each smaller one behind. Where grow fails no key has moved.
func (m *refTables[K, V]) grow(a *Arena, t *refTable[K, V], h, room uint64) {
	unit := uint32(1) << refUnitBits[K, V]()
	split := t.groups >= maxUnits*unit
	var to [2]refTable[K, V]
	switch {
	case split:
		if t.depth == m.depth {
			m.deepen(a)
			t = m.table(a, h)
		}
		for i, n := range m.count(a, t) {
			to[i].groups, to[i].depth = maxUnits*unit, t.depth+1
			for t.depth >= coarseDepth && to[i].groups > unit && refRoom(to[i].groups-unit) > n+n/16 {
				to[i].groups -= unit
			}
		}
	case t.depth < coarseDepth:
		groups := max(2*t.groups, 1)
		for uint64(refRoom(groups)) < room && groups < maxUnits*unit {
			groups *= 2
		}
		to[0] = refTable[K, V]{groups: min(groups, maxUnits*unit), depth: t.depth}
	default:
		to[0] = refTable[K, V]{groups: (t.groups/unit + 1) * unit, depth: t.depth}
	}

	// All memory comes first.
	m.reserve(a, (to[0].groups+to[1].groups)/unit)
	if to[0].groups < unit {
		s, _ := NewRefSlice[group[K, V]](a, int(to[0].groups))
		to[0].units[0].off = s.off
	}
	for i := range to {
		for j := range to[i].groups / unit {
			to[i].units[j] = m.take(a)
		}
	}

	old := *t
	m.move(a, &old, &to)
	m.moves++
	if split {
		m.tables++
		half := uint64(1) << (63 - old.depth)
		m.enter(a, h&^half, &to[0])
		m.enter(a, h|half, &to[1])
	} else {
		m.enter(a, h, &to[0])
	}
	for i := range old.size() / unit {
		m.give(a, old.units[i])
	}
}

// half tells which half of t is that of the hash h.
func (t *refTable[K, V]) half(h uint64) uint64 { return h >> (63 - t.depth) & 1 }

// move puts the keys of t, or the two halves of them, into to.
func (m *refTables[K, V]) move(a *Arena, t *refTable[K, V], to *[2]refTable[K, V]) {
	var into [2][maxUnits][]group[K, V]
	unit := uint32(1) << refUnitBits[K, V]()
	for i := range to {
		for j := range (to[i].groups + unit - 1) / unit {
			into[i][j] = m.unit(a, to[i].units[j], min(to[i].groups, unit))
		}
	}
	var n [2]uint32
	nan := uint64(0)
	for i := range t.size() {
		g := t.group(a, i)
	keys:
		for full := g.ctrl & eachFull; full != 0; full &= full - 1 {
			s := g.slot(full)
			h := uint64(0)
			if m.hash == refWord {
				h = hashInt(word(s.key), m.seed)
			} else {
				h = m.hashOf(s, g.ctrl>>(bits.TrailingZeros64(full)&^7), &nan)
			}
			half := uint64(0)
			if to[1].groups > 0 {
				half = t.half(h)
			}
			n[half]++
			d := &to[half]
			at := d.home(h)
			for range d.groups {
				if p := into[half][at/unit][at%unit].put(h); p != nil {
					*p = *s
					continue keys
				}
				at = d.after(at, h)
			}
			panic(errRefMap)
		}
	}
	to[0].n, to[1].n = n[0], n[1]
}

// count returns how many keys of t are in each half.
func (m *refTables[K, V]) count(a *Arena, t *refTable[K, V]) (n [2]uint32) {
	nan := uint64(0)
	for i := range t.size() {
		g := t.group(a, i)
		for full := g.ctrl & eachFull; full != 0; full &= full - 1 {
			n[t.half(m.hashOf(g.slot(full), g.ctrl>>(bits.TrailingZeros64(full)&^7), &nan))]++
		}
	}
	return n
}

// enter makes t the table for keys that agree with h in t.depth bits.
func (m *refTables[K, V]) enter(a *Arena, h uint64, t *refTable[K, V]) {
	if m.dir.IsNil() {
		m.first = *t
		return
	}
	i := uint32(h>>(64-t.depth)) << (m.depth - t.depth)
	for j := range uint32(1) << (m.depth - t.depth) {
		*m.dir.elem(a, i+j) = *t
	}
}

// deepen makes the directory twice as large.
func (m *refTables[K, V]) deepen(a *Arena) {
	n := uint32(1) << m.depth
	if m.depth >= maxDepth || n > 64+16*m.tables {
		panic(errAlike)
	}
	if !m.dir.IsNil() {
		m.dir.elem(a, n-1) // before there is memory for twice as much
	}
	dir, d := NewRefSlice[refTable[K, V]](a, int(2*n))
	if m.dir.IsNil() {
		d[0], d[1] = m.first, m.first
	} else {
		for i := range n {
			t := *m.dir.elem(a, i)
			d[2*i], d[2*i+1] = t, t
		}
	}
	m.dir.off, m.first = dir.off, refTable[K, V]{}
	m.depth++
	m.moves++
}

// reserve makes sure that there are n units on the list.
func (m *refTables[K, V]) reserve(a *Arena, n uint32) {
	for u := m.spare; n > 0 && !u.IsNil(); n-- {
		u.off = uint32(u.elem(a, 0).ctrl)
	}
	for ; n > 0; n-- {
		s, g := NewRefSlice[group[K, V]](a, 1<<refUnitBits[K, V]())
		g[0].ctrl = uint64(m.spare.off)
		m.spare.off = s.off
	}
}

// take takes a unit from the list.
func (m *refTables[K, V]) take(a *Arena) Ref[group[K, V]] {
	u := m.spare
	g := u.elem(a, 0)
	m.spare.off = uint32(g.ctrl)
	g.ctrl = 0
	return u
}

// give puts u on the list.
func (m *refTables[K, V]) give(a *Arena, u Ref[group[K, V]]) {
	g := m.unit(a, u, 1<<refUnitBits[K, V]())
	clear(g)
	g[0].ctrl = uint64(m.spare.off)
	m.spare = u
}

// unit returns the n groups at u.
func (m *refTables[K, V]) unit(a *Arena, u Ref[group[K, V]], n uint32) []group[K, V] {
	return RefSlice[group[K, V]]{off: u.off, len: n}.Get(a)
}

// growFor makes room for n more entries.
func (m *refTables[K, V]) growFor(a *Arena, n int) {
	if n < 0 {
		panic(fmt.Sprintf("arena: Grow of a RefMap by %d entries, which must not be negative", n))
	}
	if uint64(n) > 1<<32 || uint64(n)*uint64(sizeOf[slot[K, V]]()) > 1<<32*refGranule {
		panic(&MemoryError{Size: int64(n), Err: errFull})
	}
	m.survey(a)
	all := m.n + uint64(n)
	for h, more := uint64(0), false; ; {
		t := m.table(a, h)
		share := all >> t.depth
		if t.depth > 0 {
			share += 4 * uint64(math.Sqrt(float64(share))) // hashes are random
		}
		next := m.next(t, h)
		if uint64(refRoom(t.groups)) < share {
			m.grow(a, t, h, share) // one step, so that the directory grows with the tables
			more = true
		}
		if h = next; h == 0 {
			if !more {
				return
			}
			more = false
		}
	}
}

// survey panics unless the tables have as many entries as the map, and no more groups than there is memory for. In a file that was damaged,
// or made for that, all entries of a large directory may lead to the same groups, and the time for all of them would be without a bound.
func (m *refTables[K, V]) survey(a *Arena) {
	n, groups := uint64(0), uint64(0)
	for h := uint64(0); ; {
		t := m.table(a, h)
		n += uint64(t.n)
		groups += uint64(t.size())
		if t.n > groupSlots*t.size() {
			panic(errRefMap)
		}
		if h = m.next(t, h); h == 0 {
			break
		}
	}
	if n != m.n || groups > a.refSlots(sizeOf[group[K, V]]()) {
		panic(errRefMap)
	}
}

// clear removes all entries.
func (m *refTables[K, V]) clear(a *Arena) {
	m.survey(a)
	for h := uint64(0); ; {
		t := m.table(a, h)
		for i := range t.size() {
			*t.group(a, i) = group[K, V]{}
		}
		t.n = 0
		if h = m.next(t, h); h == 0 {
			break
		}
	}
	m.n = 0
	m.moves++
	m.clears++
}

// all calls yield with the slots that are full, until it returns false. The map may be changed meanwhile. What find
// returns is the slot of a key.
//
// What is in a table is copied before the first of it is yielded, since the entries may move.
func (m *refTables[K, V]) all(a *Arena, find func(k K) *slot[K, V], yield func(s *slot[K, V]) bool) {
	if m.n == 0 {
		return
	}
	m.survey(a)
	var groups []group[K, V]
	surveyed, room := m.moves, a.refSlots(sizeOf[group[K, V]]())
	for h := uint64(0); m.n > 0; {
		t := m.table(a, h)
		after, moves, clears := m.next(t, h), m.moves, m.clears
		if moves != surveyed { // by what yield has done
			surveyed, room = moves, a.refSlots(sizeOf[group[K, V]]())
		}
		if uint64(t.size()) > room {
			panic(errRefMap)
		}
		room -= uint64(t.size())
		groups = slices.Grow(groups[:0], int(t.size()))
		full := 0
		for i := range t.size() {
			g := t.group(a, i)
			full += bits.OnesCount64(g.ctrl & eachFull)
			groups = append(groups, *g)
		}
		if full != int(t.n) {
			panic(errRefMap)
		}
		for i := range groups {
			var now *group[K, V]
			if m.moves == moves {
				now = t.group(a, uint32(i))
			}
			for full := groups[i].ctrl & eachFull; full != 0; full &= full - 1 {
				s := groups[i].slot(full)
				switch k := s.key; {
				case m.moves == moves && now.ctrl&full&-full != 0 && (now.slot(full).key == k || k != k):
					s = now.slot(full)
				case k == k:
					if s = find(k); s == nil {
						continue
					}
				case m.clears != clears:
					continue // only Clear removes a NaN
				}
				if !yield(s) {
					return
				}
				a.toRead()
			}
		}
		if h = after; h == 0 {
			return
		}
	}
}
