package arena

import (
	"reflect"
	"slices"
)

// Sizes of chunks in bytes. An arena's first chunk is small, so that an arena
// with one int in it is cheap; each further one doubles what is there, up to a
// size that still fits the second-level cache.
const (
	firstChunk = 256
	maxChunk   = 256 << 10
	maxHint    = 2 << 10
)

// chunks is the list of chunks that a slab or the plain memory of an arena
// works through, and what remains of it between Resets.
//
// Invariants:
//
//	0 <= low <= len(list); list[low:] has been used since the last Reset
//	list is empty, or low <= cur < len(list); list[cur] is handed out now
//	list[:low] is retained; it is zero, or dirty if lazy
//	bytes = size * (slots of list and large), their part of stores.reserved
type chunks[B block[B]] struct {
	size  int // bytes of a slot
	bytes int64
	list  []B // regular chunks, used from the last to the first
	low   int32
	cur   int32
	need  int32 // the most chunks that a Reset found used since trimIdle
	hint  int32 // slots that the next chunk should have, if known
	large *large[B]
	first [1]B // list's array for the first chunk: most slabs of small arenas have no other
}

// large are the chunks of those slices that are too long for a regular chunk.
//
// Invariants: list[:used] holds one slice each; list[used:] is retained.
type large[B any] struct {
	list []largeChunk[B]
	used int
	need int // as chunks.need
}

type largeChunk[B any] struct {
	mem  B
	used int // slots handed out; those after it are zero, or dirty if lazy
}

// regular returns the slots of the next regular chunk.
func (c *chunks[B]) regular() int {
	if c.size == 0 {
		return 1 << 20
	}
	if c.hint > 0 {
		return int(c.hint)
	}
	bytes := int(min(c.bytes+firstChunk, maxChunk))
	if c.size > 1 {
		// The runtime puts a header of 8 bytes before memory with pointers in
		// it: leave room for it in the size class.
		bytes -= 8
	}
	return max(bytes/c.size, 1)
}

// next makes another chunk, of at least need slots, the current one, and
// returns it zeroed. The retained ones come first. The caller has used up, or
// gives up, what remains of the current chunk. Chunks are made as proto makes them.
func (c *chunks[B]) next(st *stores, proto B, need int, lazy bool) B {
	if c.low > 0 && c.list[c.low-1].slots() >= need {
		c.low--
		c.cur = c.low
		m := c.list[c.low]
		if lazy {
			m.clear(0, m.slots())
		}
		return m
	}
	m := c.make(st, proto, c.regular(), need)
	c.hint = 0
	if c.list == nil {
		c.list = c.first[:0]
	}
	c.list = append(c.list, m)
	c.cur = int32(len(c.list) - 1)
	return m
}

// isLarge tells whether a slice of n slots, for which the current chunk has no
// room, gets a chunk of its own rather than a part of the next regular one. The first chunk,
// and one whose size is known, is for whatever fits: often there will be no other.
func (c *chunks[B]) isLarge(n int) bool {
	regular := c.regular()
	return c.size > 0 && n > regular/2 && (c.bytes > 0 && c.hint == 0 || n > regular)
}

// slice returns n zeroed slots in a chunk of their own.
func (c *chunks[B]) slice(st *stores, proto B, n int, lazy bool) B {
	l := c.large
	if l == nil {
		l = new(large[B])
		c.large = l
	}
	// The retained chunks come in the order of the last round. A bad fit is
	// left for a later request; so is the search after a few.
	free := l.list[l.used:]
	for i := range free[:min(len(free), 8)] {
		if slots := free[i].mem.slots(); n <= slots && slots/4 <= n {
			free[0], free[i] = free[i], free[0]
			free[0].used = n
			l.used++
			if lazy {
				free[0].mem.clear(0, n)
			}
			return free[0].mem.first(n)
		}
	}
	m := c.make(st, proto, n, n)
	if len(l.list) > l.used {
		c.dropLarge(st) // the new one takes the place of one that did not fit
	}
	l.list = slices.Insert(l.list, l.used, largeChunk[B]{m, n})
	l.used++
	return m.first(n)
}

// make returns a new chunk of want slots, or of fewer, down to need, where there is
// a limit. Plain values lie in memory of whoever gives some to the arena.
func (c *chunks[B]) make(st *stores, proto B, want, need int) B {
	if st.provider != nil {
		want = st.worth(c.size, want, need)
	}
	slots := st.reserve(c.size, want, need)
	var mem []byte
	if from := st.giver(); from != nil && c.size > 0 && kindOf(proto.elem()) == kindPlain {
		mem, slots = st.take(from, c.size, slots, need, proto.elem())
	}
	var m B
	if mem != nil {
		m = proto.over(mem, slots)
	} else {
		m = proto.make(slots)
	}
	c.bytes += int64(slots) * int64(c.size)
	st.placed(m.start(), slots*c.size)
	hide(m, c.size)
	return m
}

// resetOne is reset where only the current chunk has been used, which the
// caller zeroes. It reports false where that is not the one to go on with.
func (c *chunks[B]) resetOne() bool {
	if int(c.cur) != len(c.list)-1 {
		return false
	}
	c.low = c.cur
	c.need = max(c.need, 1)
	return true
}

// reset takes all chunks back and returns the one to go on with, zeroed; there
// is none before the first. The current chunk was handed out but for its slots
// [from, to). Unless lazy the other chunks are zeroed too.
func (c *chunks[B]) reset(lazy bool, from, to int) (m B, ok bool) {
	if l := c.large; l != nil {
		if !lazy {
			for _, l := range l.list[:l.used] {
				l.mem.clear(0, l.used)
			}
		}
		l.need = max(l.need, l.used)
		l.used = 0
	}
	top := int32(len(c.list)) - 1
	if top < 0 {
		return m, false
	}
	c.need = max(c.need, top+1-c.low)
	for i := c.low; i <= top; i++ {
		if lazy && i != top {
			continue
		}
		m = c.list[i]
		if i == c.cur {
			m.clear(0, from)
			m.clear(to, m.slots())
		} else {
			m.clear(0, m.slots())
		}
	}
	c.low, c.cur = top, top
	return m, true
}

// A trimming tells which chunks trim may drop.
type trimming int

const (
	trimIdle   trimming = iota // after a Reset: what no Reset since the last trimIdle found used
	trimAll                    // after a Reset: anything
	trimUnused                 // at any time: what has not been used since the last Reset
)

// trim drops chunks, the large ones first and then the smallest, until excess
// bytes are gone or it may drop no more.
func (c *chunks[B]) trim(st *stores, how trimming, excess int64) {
	goal := c.bytes - excess
	if l := c.large; l != nil {
		keep := 0
		switch how {
		case trimIdle:
			keep, l.need = l.need, 0
		case trimUnused:
			keep = l.used
		}
		for len(l.list) > keep && c.bytes > goal {
			c.dropLarge(st)
		}
	}
	keep := int32(0)
	switch how {
	case trimIdle:
		keep, c.need = c.need, 0
	case trimUnused:
		keep = int32(len(c.list)) - c.low
	}
	n := int32(0)
	for left := c.bytes; int32(len(c.list))-n > keep && left > goal; n++ {
		left -= int64(c.list[n].slots()) * int64(c.size)
	}
	if n == 0 {
		return
	}
	// They are off the list before somebody else gets to know of it.
	dropped := slices.Clone(c.list[:n])
	c.list = slices.Delete(c.list, 0, int(n))
	c.low = max(c.low-n, 0)
	c.cur = max(c.cur-n, 0)
	for _, m := range dropped {
		c.drop(st, m)
	}
}

// dropLarge drops the last large chunk, which is retained.
func (c *chunks[B]) dropLarge(st *stores) {
	last := len(c.large.list) - 1
	m := c.large.list[last].mem
	c.large.list = slices.Delete(c.large.list, last, last+1)
	c.drop(st, m)
}

func (c *chunks[B]) drop(st *stores, m B) {
	n := int64(m.slots()) * int64(c.size)
	c.bytes -= n
	st.release(n)
	if st.provider != nil {
		st.provider.free(m.start())
	}
}

// free drops all chunks, of which used slots were in use. The next arena will
// often need as many: its first chunk is made for just them, up to maxHint bytes.
func (c *chunks[B]) free(used int) {
	if int64(used)*int64(c.size) > maxHint {
		used = maxHint / c.size
	}
	*c = chunks[B]{size: c.size, hint: int32(used)}
}

// count returns the number of chunks.
func (c *chunks[B]) count() int {
	n := len(c.list)
	if c.large != nil {
		n += len(c.large.list)
	}
	return n
}

// extents appends those of the chunks to all.
func (c *chunks[B]) extents(all []extent, typ reflect.Type) []extent {
	for _, m := range c.list {
		all = append(all, extent{m.start(), m.slots() * c.size, typ})
	}
	if c.large != nil {
		for _, l := range c.large.list {
			all = append(all, extent{l.mem.start(), l.mem.slots() * c.size, typ})
		}
	}
	return all
}
