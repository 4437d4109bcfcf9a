package arena

import (
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/arena-go/arena/internal/swiss"
)

// elem returns a pointer to the element i of the slice of Ts that begins at r. It panics when that does not lie
// in a; whether the slice is as long as that is for the caller to know.
func (r Ref[T]) elem(a *Arena, i uint32) *T {
	if checking {
		r.off = a.checkRef(r.off, reflect.TypeFor[T]())
	}
	// SAFETY: as in Get. The element lies in the chunk that the slice begins in, and is aligned, since its size is a
	// multiple of its alignment. The sum does not overflow: i is below 1<<32, and the size of a T below 1<<31.
	if a != nil && a.refs != nil {
		c, size := &a.refs.chunks[bits.Len32(r.off)], uint64(unsafe.Sizeof(*new(T)))
		if at := uint64(r.off-c.base)*refGranule + uint64(i)*size; at+size <= c.size {
			return (*T)(unsafe.Add(c.at.to, at))
		}
	}
	panic((*badRef)(a))
}

// find returns the slot of k, or nil when k is missing, and the hash of k. Most keys are in the group that the search begins with,
// and find looks there with all in one function: in a large map the time is that of waiting for memory, and the
// fewer instructions there are, the more lookups the processor waits for at once. It leaves what is rare to others.
func (m *RefMap[K, V]) find(a *Arena, k K) (*swiss.Slot[K, V], uint64) {
	// SAFETY: place has checked that the entry of the directory, and the group, lie in a chunk that refs keeps alive.
	// Both are of plain types, so any bytes are valid ones (fact 5).
	refs := a.refsToRead()
	if refs == nil || m.hash != refWord {
		return m.findAny(a, k)
	}
	h := hashInt(swiss.Word(k), m.seed)
	t := &m.first
	if m.dir.off != 0 {
		t = (*refTable[K, V])(refs.place(m.dirBits, m.dir.off, uint32(h>>(-m.depth&63)), unsafe.Sizeof(*t)))
		if t == nil {
			return m.findAny(a, k)
		}
	}
	groups, size := m.groups(h), unsafe.Sizeof(swiss.Group[K, V]{})
	i := refHome(h, groups)
	p := refs.place(t.bits, t.at.off, i, size)
	if p == nil {
		return m.findAny(a, k)
	}
	g, lines := (*swiss.Group[K, V])(p), swiss.LinesOf(p, size)
	for match := g.Match(h << refTag); match != 0; match &= (match - 1) & lines {
		if s := g.Slot(match); s.Key == k {
			return s, h
		}
	}
	if g.Ctrl < swiss.Passed {
		return nil, h
	}
	_, g, match := m.searchFrom(a, t, refAfter(i, h, groups), h, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}

// find is that of RefMap, for text.
func (m *RefTextMap[V]) find(a *Arena, k string) (*swiss.Slot[textKey, V], uint64) {
	// SAFETY: place has checked that the entry of the directory, and the group, lie in a chunk that refs keeps alive.
	// Both are of plain types, so any bytes are valid ones (fact 5).
	refs := a.refsToRead()
	if refs == nil || m.hash != refText2 {
		return m.findAny(a, k)
	}
	textIsRead(k)
	h := hashBytes(k, m.seed, refSecret(m.seed)) &^ (1<<25 - 1) // hashKey by hand
	t := &m.first
	if m.dir.off != 0 {
		t = (*refTable[textKey, V])(refs.place(m.dirBits, m.dir.off, uint32(h>>(-m.depth&63)), unsafe.Sizeof(*t)))
		if t == nil {
			return m.findAny(a, k)
		}
	}
	groups, size := m.groups(h), unsafe.Sizeof(swiss.Group[textKey, V]{})
	i := refHome(h, groups)
	p := refs.place(t.bits, t.at.off, i, size)
	if p == nil {
		return m.findAny(a, k)
	}
	g, lines := (*swiss.Group[textKey, V])(p), swiss.LinesOf(p, size)
	for match := g.Match(h << refTag); match != 0; match &= (match - 1) & lines {
		if s := g.Slot(match); s.Key.hash == uint32(h>>32) && s.Key.text.equals(refs, k) {
			return s, h
		}
	}
	if g.Ctrl < swiss.Passed {
		return nil, h
	}
	_, g, match := m.searchFrom(a, t, refAfter(i, h, groups), h, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}

// place returns the element i of those of size bytes that begin at the reference off, a number with so many bits, or nil when that does
// not lie in g.
func (g *refRegion) place(bits uint8, off, i uint32, size uintptr) unsafe.Pointer {
	// SAFETY: as in elem. With the wrong number of bits it is another place, which lies in g as well.
	if int(bits) >= len(g.chunks) {
		return nil
	}
	c := &g.chunks[bits]
	if at := uint64(off-c.base)*refGranule + uint64(i)*uint64(size); at+uint64(size) <= c.size {
		return unsafe.Add(c.at.to, at)
	}
	return nil
}

// equals reports whether r is a reference to a text equal to s. It is false where Get panics.
func (r RefString) equals(refs *refRegion, s string) bool {
	// SAFETY: as in refBytes. The bytes are compared and not kept.
	c := &refs.chunks[bits.Len32(r.off)]
	at := uint64(r.off-c.base) * refGranule
	return int(r.len) == len(s) && at+uint64(r.len) <= c.size && unsafe.String((*byte)(unsafe.Add(c.at.to, at)), len(s)) == s
}
