package ref

import (
	"unsafe"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/swiss"
	"github.com/arena-go/arena/internal/tools"
)

// find returns the slot of k, or nil when k is missing, and the hash of k. Most keys are in the
// group that the search begins with, and find looks there with all in one function: in a large map
// the time goes into waiting for memory, and the fewer instructions there are, the more lookups the
// processor waits for at once. It leaves what is rare to others.
func (m *Map[K, V]) find(s Space, k K) (*swiss.Slot[K, V], uint64) {
	// SAFETY: Place has checked that the entry of the directory, and the group, lie in a chunk that
	// s keeps alive. Both are of plain types, so any bytes are valid ones (fact 5).
	if tools.Checking || !region.Readable(s.at) || m.hash != kindWord {
		return m.findAny(s, k)
	}
	h := hashInt(swiss.Word(k), m.seed)
	t := &m.first
	if m.dir.off != 0 {
		t = (*table[K, V])(region.Place(s.at, m.dirBits, m.dir.off, uint32(h>>(-m.depth&63)), unsafe.Sizeof(*t)))
		if t == nil {
			return m.findAny(s, k)
		}
	}
	groups, size := m.groups(h), unsafe.Sizeof(swiss.Group[K, V]{})
	i := home(h, groups)
	p := region.Place(s.at, t.bits, t.at.off, i, size)
	if p == nil {
		return m.findAny(s, k)
	}
	g, lines := (*swiss.Group[K, V])(p), swiss.LinesOf(p, size)
	for match := g.Match(h << tagShift); match != 0; match &= (match - 1) & lines {
		if e := g.Slot(match); e.Key == k {
			return e, h
		}
	}
	if g.Ctrl < swiss.Passed {
		return nil, h
	}
	_, g, match := m.searchFrom(s, t, groupAfter(i, h, groups), h, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}

// find is Map.find for text.
func (m *TextMap[V]) find(s Space, k string) (*swiss.Slot[textKey, V], uint64) {
	// SAFETY: Place has checked that the entry of the directory, and the group, lie in a chunk that
	// s keeps alive. Both are of plain types, so any bytes are valid ones (fact 5).
	if tools.Checking || !region.Readable(s.at) || m.hash != kindText2 {
		return m.findAny(s, k)
	}
	tools.TextIsRead(k)
	h := hashBytes(k, m.seed, secretOf(m.seed)) &^ (1<<25 - 1) // hashKey by hand
	t := &m.first
	if m.dir.off != 0 {
		t = (*table[textKey, V])(region.Place(s.at, m.dirBits, m.dir.off, uint32(h>>(-m.depth&63)), unsafe.Sizeof(*t)))
		if t == nil {
			return m.findAny(s, k)
		}
	}
	groups, size := m.groups(h), unsafe.Sizeof(swiss.Group[textKey, V]{})
	i := home(h, groups)
	p := region.Place(s.at, t.bits, t.at.off, i, size)
	if p == nil {
		return m.findAny(s, k)
	}
	g, lines := (*swiss.Group[textKey, V])(p), swiss.LinesOf(p, size)
	for match := g.Match(h << tagShift); match != 0; match &= (match - 1) & lines {
		if e := g.Slot(match); e.Key.hash == uint32(h>>32) && region.Equal(s.at, e.Key.text.off, e.Key.text.len, k) {
			return e, h
		}
	}
	if g.Ctrl < swiss.Passed {
		return nil, h
	}
	_, g, match := m.searchFrom(s, t, groupAfter(i, h, groups), h, k)
	if g == nil {
		return nil, h
	}
	return g.Slot(match), h
}
