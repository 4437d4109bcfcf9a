package ref

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/swiss"
)

// A tables is what a Map and a TextMap consist of: tables of groups, as in arena.Map. The upper
// bits of the hash of a key say in which table it is, by a directory that becomes twice as large
// when a table is split which is all that one entry of it leads to: extendible hashing (Fagin,
// Nievergelt, Pippenger and Strong, 1979). So no more than one table is moved at a time: half of
// its keys go to a new one.
//
// With good hashes all tables of one size would be split at about the same time, and be half empty
// after it. So there are eight sizes, each of which is 1.09 times the one before. The three upper
// bits of a hash say which size its table has. Both halves of a table that is split keep its size.
// So at any time about as many tables are nearly full as at any other.
//
// The bits below the upper ones are a fraction that says to which group a key belongs. If that is
// full the search goes on in steps of a length that the last bits say.
//
// Any bytes in these structs, of a stale map or of a file that was damaged, lead to wrong results
// or to panics, and not to memory outside of the region, or to a loop without an end: references
// and indices are checked where they are used, and loops have a limit that was checked.
//
// Invariants: n is the sum of the n of the tables; slots that are not full are zero; where dir is
// nil, first is the only table; a table of the depth d is in 1<<(depth-d) entries of the directory,
// which lie side by side; the bytes of sizes for the hashes of one table are equal.
type tables[K comparable, V any] struct {
	_       noCopy
	seed    uint64
	n       uint64
	sizes   uint64          // byte i is how many groups there are in the tables for hashes that begin with the three bits i
	dir     Of[table[K, V]] // the first of 1<<depth
	moves   uint32          // times that slots or tables were moved, or cleared
	clears  uint32
	splits  uint32 // of tables
	depth   uint8
	dirBits uint8 // of the reference dir
	hash    hashKind
	first   table[K, V]
}

// A table is a table.
//
// Invariants: n is the number of full slots, and at most roomFor of its groups. Where a table is in
// several entries of the directory, the first has the right n.
type table[K comparable, V any] struct {
	at    Of[swiss.Group[K, V]] // the first of its groups
	n     uint16
	depth uint8 // the upper bits in which the hashes of its keys agree
	bits  uint8 // of the reference, so that a look-up need not count them
}

const (
	maxDepth = 22

	// tableSizes are the sizes of tables, in 64ths of the smallest one, and sizeBits says how many
	// there are.
	tableSizes = 118<<56 | 107<<48 | 98<<40 | 90<<32 | 83<<24 | 75<<16 | 70<<8 | 64
	sizeBits   = 3

	// eachSize is 1 in each byte of sizes.
	eachSize = 0x0101010101010101

	// strides are 1 and primes that divide no number of groups, one in each
	// byte: with each of them a search comes to all groups.
	strides = 31<<56 | 29<<48 | 23<<40 | 19<<32 | 17<<24 | 13<<16 | 11<<8 | 1

	// homeAt and homeBits say which bits of a hash are the fraction. The lowest 7 of them are those
	// that group.match compares.
	homeAt   = 25
	homeBits = 17

	// tableSize is about the size of the smallest table of a large map, in bytes. It has a power of
	// two of groups, four at least.
	tableSize = 8 << 10
)

var (
	errMap   = errors.New("ref: a Map is stale, was copied, or its memory was overwritten; make it a zero Map after each Reset")
	errAlike = errors.New("a Map cannot hold so many keys with almost the same hash, which somebody who knows its seed may have made; copy its entries into a new Map, which has another seed")
)

// tableBits returns the binary logarithm of the number of groups in the smallest table of a large
// map. The largest has less than 256.
func tableBits[K comparable, V any]() int {
	return min(bits.Len64(max(tableSize/uint64(mem.SizeOf[swiss.Group[K, V]]()), 4))-1, 7)
}

// sizeOf returns how many groups there are in the tables for hashes that begin with the bits i,
// where the smallest have 1<<b.
func sizeOf(i uint64, b int) uint32 {
	n := uint32(uint64(tableSizes)>>(8*i)&0xff) << b >> 6
	for j := 1; j < 8; j++ {
		if n%uint32(uint64(strides)>>(8*j)&0xff) == 0 {
			n++
			j = 0
		}
	}
	return n
}

// tableAt returns an empty table of the groups at r.
func tableAt[K comparable, V any](r Slice[swiss.Group[K, V]], depth uint8) (t table[K, V]) {
	t.at.off, t.depth, t.bits = r.off, depth, uint8(bits.Len32(r.off))
	return t
}

// table returns the table for keys with the hash h: the entry of the directory whose n is right.
func (m *tables[K, V]) table(s Space, h uint64) *table[K, V] {
	if m.dir.off == 0 {
		if m.first.depth != 0 {
			panic(errMap)
		}
		return &m.first
	}
	i := uint32(h >> (64 - m.depth))
	t := m.dir.elem(s, i)
	if t.depth < m.depth {
		t = m.dir.elem(s, i&^(1<<(m.depth-t.depth)-1))
	}
	if t.depth > m.depth || m.depth > maxDepth {
		panic(errMap)
	}
	return t
}

// next returns the lowest hash for the table after t, which is that for the hash h, or 0 if t is
// the last one.
func (m *tables[K, V]) next(t *table[K, V], h uint64) uint64 {
	return (h>>(64-t.depth) + 1) << (64 - t.depth)
}

// groups returns how many groups there are in the table for the hash h.
func (m *tables[K, V]) groups(h uint64) uint32 {
	return uint32(m.sizes >> (h >> (64 - sizeBits) << 3) & 0xff)
}

// home returns the number of the group in which the search for a key with the hash h begins, in a
// table of n.
func home(h uint64, groups uint32) uint32 {
	return uint32(h>>homeAt) & (1<<homeBits - 1) * groups >> homeBits
}

// groupAfter returns the number of the group that follows i in the search for a key with the hash
// h.
func groupAfter(i uint32, h uint64, groups uint32) uint32 {
	if i += uint32(uint64(strides) >> (h >> 25 & 7 * 8) & 0xff); i >= groups && groups != 0 {
		i %= groups // as a rule there is nothing to divide
	}
	return i
}

// group returns the group i.
func (t *table[K, V]) group(s Space, i uint32) *swiss.Group[K, V] { return t.at.elem(s, i) }

// roomFor returns how many slots of a table may be full: 13 of the 14 in two groups, or all of a
// single one.
func roomFor(groups uint32) uint32 { return groups*swiss.Slots - groups/2 }

// start makes m, which is zero, ready to be written to.
func (m *tables[K, V]) start(what string, hash hashKind) {
	m.mustBePlain(what)
	m.seed, m.hash = newSeed(), hash
}

// mustBePlain panics when m cannot be written to. Otherwise it is empty.
func (m *tables[K, V]) mustBePlain(what string) {
	mustBePlain[K](what)
	mustBePlain[V](what)
}

// hashOf returns the hash of the key in s, of which only the upper 39 bits count where it is text:
// 32 are in the key, and 7 in ctrl.
func (m *tables[K, V]) hashOf(e *swiss.Slot[K, V], ctrl uint64, nan *uint64) uint64 {
	if e.Key != e.Key {
		*nan += secret0
		return *nan
	}
	if k, ok := any(&e.Key).(*textKey); ok {
		return uint64(k.hash)<<32 | (ctrl&0x7f)<<25
	}
	return hashOfKey(e.Key, m.seed, m.hash)
}

// tagShift is by how much a hash is shifted for group.match: so the bits that it compares are those
// which say least about the group.
const tagShift = 32

// hashOfKey returns the hash of a key that is not text.
func hashOfKey[K comparable](k K, seed uint64, hash hashKind) uint64 {
	if hash == kindWord {
		return hashInt(swiss.Word(k), seed)
	}
	b := mem.BytesOf((&[1]K{k})[:])
	switch hash {
	case kindBytes2:
		return hashBytes(mem.StringOf(b), seed, secretOf(seed))
	case kindParts2:
		return hashParts(b, partsOf(reflect.TypeFor[K]()), seed, secretOf(seed))
	case kindBytes:
		return hashBytes(mem.StringOf(b), seed, secret0)
	case kindAlike:
		return uint64(append(b, 0)[0]&3) << 61
	}
	return hashParts(b, partsOf(reflect.TypeFor[K]()), seed, secret0)
}

// add adds a key with the hash h to t, which has room for it, and returns its slot.
func (m *tables[K, V]) add(s Space, t *table[K, V], h uint64) *swiss.Slot[K, V] {
	groups := m.groups(h)
	i := home(h, groups)
	for range groups {
		if e := put(t.group(s, i), h); e != nil {
			t.n++
			m.n++
			return e
		}
		i = groupAfter(i, h, groups)
	}
	panic(errMap)
}

// put returns a free slot for a key with the hash h, and marks it as full, or notes that the key
// has passed by.
func put[K comparable, V any](g *swiss.Group[K, V], h uint64) *swiss.Slot[K, V] {
	if free := ^g.Ctrl & swiss.EachFull; free != 0 {
		g.Ctrl |= (h<<tagShift>>57 | 0x80) << (bits.TrailingZeros64(free) &^ 7 & 63)
		return g.Slot(free)
	}
	if g.Ctrl>>56 != 255 {
		g.Ctrl += swiss.Passed
	}
	return nil
}

// remove removes the key with the hash h from the slot of g that match says.
func (m *tables[K, V]) remove(s Space, h uint64, g *swiss.Group[K, V], match uint64) {
	t := m.table(s, h)
	*g.Slot(match) = swiss.Slot[K, V]{}
	g.Ctrl &^= match & -match * 0xff >> 7
	t.n--
	m.n--
	// The groups that were full when the key came have one key less behind them.
	groups := m.groups(h)
	i := home(h, groups)
	for range groups {
		p := t.group(s, i)
		if p == g {
			return
		}
		if p.Ctrl>>56 != 255 {
			p.Ctrl -= swiss.Passed
		}
		i = groupAfter(i, h, groups)
	}
}

// room returns the table for a key with the hash h, when that has room for one.
func (m *tables[K, V]) room(s Space, h uint64) *table[K, V] {
	t := m.table(s, h)
	for uint32(t.n) >= roomFor(m.groups(h)) {
		m.grow(s, t, h, 0)
		t = m.table(s, h)
	}
	return t
}

// grow gives t, the table for the hash h, more groups, or splits it. A small table that is to have
// room for many entries gets it at once: it would leave each smaller one behind. Where grow fails
// no key has moved.
func (m *tables[K, V]) grow(s Space, t *table[K, V], h, room uint64) {
	least := uint32(1) << tableBits[K, V]()
	groups := max(2*m.groups(h), 1)
	if !m.dir.IsNil() || groups > least {
		m.split(s, t, h)
		return
	}
	for uint64(roomFor(groups)) < room && groups < least {
		groups *= 2
	}
	r, to := NewSlice[swiss.Group[K, V]](s, int(groups))
	nan := uint64(0)
	for i := range m.groups(h) {
		g := t.group(s, i)
		for full := g.Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
			e := g.Slot(full)
			*putInto(to, m.hashIn(g, full, &nan)) = *e
		}
	}
	next := tableAt(r, 0)
	next.n = t.n
	m.first, m.sizes = next, uint64(groups)*eachSize
	m.moves++
}

// hashIn returns the hash of the key in the slot of g that full says.
func (m *tables[K, V]) hashIn(g *swiss.Group[K, V], full uint64, nan *uint64) uint64 {
	e := g.Slot(full)
	if m.hash == kindWord {
		return hashInt(swiss.Word(e.Key), m.seed)
	}
	return m.hashOf(e, g.Ctrl>>(bits.TrailingZeros64(full)&^7), nan)
}

// putInto is put for a key with the hash h in a table of these groups, which has room for it.
// tables.add does the same, and takes fewer instructions for a single key.
func putInto[K comparable, V any](to []swiss.Group[K, V], h uint64) *swiss.Slot[K, V] {
	i := home(h, uint32(len(to)))
	for range to {
		if e := put(&to[i], h); e != nil {
			return e
		}
		i = groupAfter(i, h, uint32(len(to)))
	}
	panic(errMap)
}

// split makes a second table of the keys of t, the table for the hash h, whose hashes have a 1
// behind the bits in which all of them agree.
func (m *tables[K, V]) split(s Space, t *table[K, V], h uint64) {
	// All memory comes first.
	if t.depth == m.depth {
		m.deepen(s)
		t = m.table(s, h)
	}
	half := uint64(1) << (63 - t.depth)
	low, high := *t, h&^(half-1)|half // high is the lowest hash of the second table
	from, sizes := m.groups(h), m.sizes
	groups := from
	if t.depth < sizeBits {
		groups = sizeOf(high>>(64-sizeBits), tableBits[K, V]())
		first, n := high>>(64-sizeBits)*8, uint(8)<<(sizeBits-1-t.depth)
		each := uint64(1)<<n - 1
		sizes = sizes&^(each<<first) | uint64(groups)*eachSize&each<<first
	}
	left := Slice[swiss.Group[K, V]]{off: t.at.off, len: from}.Get(s)
	r, right := NewSlice[swiss.Group[K, V]](s, int(groups))

	low.depth, low.n = t.depth+1, 0
	second := tableAt(r, low.depth)
	var away [256]uint8 // the slots of each group that have keys of another group
	nan := uint64(0)
	for i := range left {
		left[i].Ctrl &= swiss.Passed - 1
	}
	for i := range left {
		g := &left[i]
		for full := g.Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
			e := g.Slot(full)
			h := m.hashIn(g, full, &nan)
			if h&half != 0 {
				*putInto(right, h) = *e
				*e = swiss.Slot[K, V]{}
				g.Ctrl &^= full & -full * 0xff >> 7
				second.n++
				continue
			}
			low.n++
			if home(h, from) != uint32(i) && e.Key == e.Key {
				away[i] |= 1 << (bits.TrailingZeros64(full) >> 3)
			}
		}
	}
	// There may be room for them in a group that comes earlier now.
	for i := range left {
		g := &left[i]
		for ; away[i] != 0; away[i] &= away[i] - 1 {
			full := uint64(0x80) << (bits.TrailingZeros8(away[i]) * 8)
			h, e := m.hashIn(g, full, &nan), *g.Slot(full)
			*g.Slot(full) = swiss.Slot[K, V]{}
			g.Ctrl &^= full * 0xff >> 7
			*putInto(left, h) = e
		}
	}
	m.sizes = sizes
	m.moves++
	m.splits++
	m.enter(s, h&^half, &low)
	m.enter(s, high, &second)
}

// enter makes t the table for keys that agree with h in t.depth bits.
func (m *tables[K, V]) enter(s Space, h uint64, t *table[K, V]) {
	if m.dir.IsNil() {
		m.first = *t
		return
	}
	i := uint32(h>>(64-t.depth)) << (m.depth - t.depth)
	for j := range uint32(1) << (m.depth - t.depth) {
		*m.dir.elem(s, i+j) = *t
	}
}

// deepen makes the directory twice as large.
func (m *tables[K, V]) deepen(s Space) {
	n := uint32(1) << m.depth
	if m.depth >= maxDepth || n > 64+16*m.splits {
		region.Fail(s.at, int64(n)*int64(mem.SizeOf[table[K, V]]()), errAlike)
	}
	if !m.dir.IsNil() {
		m.dir.elem(s, n-1) // before there is memory for twice as much
	}
	dir, d := NewSlice[table[K, V]](s, int(2*n))
	if m.dir.IsNil() {
		d[0], d[1] = m.first, m.first
	} else {
		for i := range n {
			t := *m.dir.elem(s, i)
			d[2*i], d[2*i+1] = t, t
		}
	}
	m.dir.off, m.dirBits, m.first = dir.off, uint8(bits.Len32(dir.off)), table[K, V]{}
	m.depth++
	m.moves++
}

// growFor makes room for n more entries.
func (m *tables[K, V]) growFor(s Space, n int) {
	if n < 0 {
		panic(fmt.Sprintf("ref: Grow of a Map by %d entries, which must not be negative", n))
	}
	if uint64(n) > 1<<32 || uint64(n)*uint64(mem.SizeOf[swiss.Slot[K, V]]()) > 1<<32*region.Granule {
		each := min(uint64(mem.SizeOf[swiss.Slot[K, V]]()), math.MaxInt64/uint64(n))
		region.Fail(s.at, int64(uint64(n)*each), region.ErrFull)
	}
	if n < 1<<min(m.depth, maxDepth) {
		return // less than one for each table: it would take longer to look at all of them than to add these
	}
	m.survey(s, 0)
	all := m.n + uint64(n)
	for h, more := uint64(0), false; ; {
		t := m.table(s, h)
		share := all >> t.depth
		if t.depth > 0 {
			share += 3 * uint64(math.Sqrt(float64(share))) // hashes are random
		}
		next := m.next(t, h)
		if uint64(roomFor(m.groups(h))) < share {
			m.grow(s, t, h, share) // one step, so that the directory grows with the tables
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

// survey panics unless the tables have as many entries as the map, and no more groups than there is
// memory for. It goes through the tables as all does, from that for the hash start on. In a file
// that was damaged, or made for that, all entries of a large directory may lead to the same groups,
// and the time for all of them would be without a bound. survey returns the number of groups.
func (m *tables[K, V]) survey(s Space, start uint64) (groups uint64) {
	n := uint64(0)
	for h, wrapped := start, false; ; {
		t := m.table(s, h)
		n += uint64(t.n)
		groups += uint64(m.groups(h))
		if uint32(t.n) > swiss.Slots*m.groups(h) {
			panic(errMap)
		}
		if h = m.next(t, h); m.around(h, start, &wrapped) {
			break
		}
	}
	if n != m.n || groups > region.Capacity(s.at, mem.SizeOf[swiss.Group[K, V]]()) {
		panic(errMap)
	}
	return groups
}

// around tells whether a walk through all tables that began at the hash start, and comes to h, has
// come to its end.
func (m *tables[K, V]) around(h, start uint64, wrapped *bool) bool {
	if h == 0 && !*wrapped {
		*wrapped = true
		return start == 0
	}
	return *wrapped && (h == 0 || h >= start)
}

// clear removes all entries.
func (m *tables[K, V]) clear(s Space) {
	m.survey(s, 0)
	for h := uint64(0); ; {
		t := m.table(s, h)
		for i := range m.groups(h) {
			*t.group(s, i) = swiss.Group[K, V]{}
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

// all calls yield with the slots that are full, until it returns false. The map may be changed
// meanwhile. What find returns is the slot of a key. The first table is that for the hash random:
// if it were always the same one, a loop that deletes the first entry until there are none would
// look at each table that it has left empty each time.
//
// What is in a table is copied before the second of it is yielded, since the entries may move.
//
// In a map that contradicts itself no more is yielded than its number of entries, and what there is
// memory for. Tables are distinct, so they have no more entries than the map, unless it was changed
// meanwhile. survey knows, and so it comes where tables have had more, and where they have had
// less.
func (m *tables[K, V]) all(s Space, random uint64, find func(k K) *swiss.Slot[K, V], yield func(e *swiss.Slot[K, V]) bool) {
	if m.n == 0 {
		return
	}
	start := random &^ (1<<(64-m.table(s, random).depth) - 1)
	var first struct { // the entry that comes before anything was copied
		key      K
		from, to uint64 // the hashes of its table
		came     bool
	}
	var groups []swiss.Group[K, V]
	var at [256]uint8 // which they are
	left, surveyed, room := m.n, m.moves, region.Capacity(s.at, mem.SizeOf[swiss.Group[K, V]]())
	for h, wrapped := start, false; m.n > 0; {
		t, size := m.table(s, h), m.groups(h)
		after, moves, clears := m.next(t, h), m.moves, m.clears
		if moves != surveyed { // by what yield has done
			surveyed, room = moves, region.Capacity(s.at, mem.SizeOf[swiss.Group[K, V]]())
		}
		if t.n > 0 && groups == nil && !first.came {
			if e := t.some(s, uint32(random), size); e.Key == e.Key {
				first.key, first.from, first.to, first.came = e.Key, h, after-1, true
				if !yield(e) {
					return
				}
				region.ToRead(s.at)
				continue // several tables may have replaced this one by now
			}
		}
		if uint64(size) > room {
			panic(errMap)
		}
		room -= uint64(size)
		if uint64(t.n) > left {
			m.survey(s, start)
			left = m.n
		}
		left -= uint64(t.n)
		groups = m.copyFull(s, t, size, groups[:0], &at)
		if first.came && h-first.from <= first.to-first.from {
			if e := find(first.key); e != nil {
				first.key = e.Key // which is another one of the same text when it was added again
			}
		}
		for i := range groups {
			var now *swiss.Group[K, V]
			if m.moves == moves {
				now = t.group(s, uint32(at[i]))
			}
			for full := groups[i].Ctrl & swiss.EachFull; full != 0; full &= full - 1 {
				e := groups[i].Slot(full)
				switch k := e.Key; {
				case first.came && k == first.key && h-first.from <= first.to-first.from:
					continue
				case m.moves == moves && now.Ctrl&full&-full != 0 && (now.Slot(full).Key == k || k != k):
					e = now.Slot(full)
				case k == k:
					if e = find(k); e == nil {
						continue
					}
				case m.clears != clears:
					continue // only Clear removes a NaN
				}
				if !yield(e) {
					return
				}
				region.ToRead(s.at)
			}
		}
		if h = after; m.around(h, start, &wrapped) {
			if left > 0 {
				m.survey(s, start)
			}
			return
		}
	}
}

// some returns a full slot of t, which has n groups: of the first group with one, from a random
// group on.
func (t *table[K, V]) some(s Space, random, groups uint32) *swiss.Slot[K, V] {
	for i := range groups {
		if g := t.group(s, (random%groups+i)%groups); g.Ctrl&swiss.EachFull != 0 {
			return g.Slot(g.Ctrl & swiss.EachFull)
		}
	}
	panic(errMap)
}

// copyFull appends the groups of t with entries to groups, which is empty, and sets at to which of
// its groups they are.
func (m *tables[K, V]) copyFull(s Space, t *table[K, V], size uint32, groups []swiss.Group[K, V], at *[256]uint8) []swiss.Group[K, V] {
	groups = slices.Grow(groups, int(min(size, uint32(t.n))))
	full := 0
	for i := uint32(0); i < size && t.n > 0; i++ {
		if g := t.group(s, i); g.Ctrl&swiss.EachFull != 0 {
			full += bits.OnesCount64(g.Ctrl & swiss.EachFull)
			at[len(groups)] = uint8(i)
			groups = append(groups, *g)
		}
	}
	if full != int(t.n) {
		panic(errMap)
	}
	return groups
}
