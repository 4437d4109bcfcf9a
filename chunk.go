package arena

import (
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/mem"
)

// Sizes of chunks in bytes. An arena's first chunk is small, so that an arena
// with one int in it is cheap; each further one doubles what is there, and adds a
// quarter when there is more, up to a size that still fits the second-level cache.
const (
	firstChunk = 256
	maxChunk   = 256 << 10
	maxHint    = 2 << 10
	evenChunk  = 2 << 10 // sizes of memory of the runtime are multiples of this, among others

	leastApart = 16 // bytes of a chunk with one value: the runtime lets smaller objects share memory

	doubled      = 32 << 10 // up to this many bytes
	doubledTight = 4 << 10
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
type chunks struct {
	size  int  // bytes of a slot
	tight bool // it doubles less often: what is in it is kept, or Reset many times
	apart bool // each value, slice and text has a chunk of its own
	again bool // some of the chunks can be used again after Free: the whole ones
	position
	bytes int64
	list  []block // regular chunks, used from the last to the first
	large *large
	first [1]block // list's array for the first chunk: most slabs of small arenas have no other
}

// A position is how far the regular chunks are used.
type position struct {
	low, cur int32
	need     int32 // the most chunks that a Reset found used since releaseIdle
	hint     int32 // slots that the next chunk should have, if known
	gone     int32 // what an index in list and gone make together is the same for as long as the chunk is in use
}

// large are the chunks of those slices that are too long for a regular chunk.
//
// Invariants: list[:used] holds one slice each; list[used:] is retained.
type large struct {
	list []largeChunk
	used int
	need int // as chunks.need
}

type largeChunk struct {
	mem  block
	used int // slots handed out; those after it are zero, or dirty if lazy
	born int // how many scopes were open when what has it was made; it is in use until there are fewer
}

// regular returns the slots of the next regular chunk.
func (c *chunks) regular() int {
	if c.size == 0 {
		return 1 << 20
	}
	if c.apart {
		return 1
	}
	if c.hint > 0 {
		return int(c.hint)
	}
	bytes := int(min(c.bytes+firstChunk, maxChunk))
	if bytes > doubled || c.tight && bytes > doubledTight {
		bytes = int(min((c.bytes/4+evenChunk)/evenChunk*evenChunk, maxChunk))
	}
	if c.size > 1 {
		// The runtime puts a header of 8 bytes before memory with pointers in
		// it: leave room for it in the size class.
		bytes -= 8
	}
	return max(bytes/c.size, 1)
}

// next makes another chunk, of at least need slots, the current one, and
// returns it zeroed. The retained ones come first. The caller has used up, or
// gives up, what remains of the current chunk. Its slots are of type t.
func (c *chunks) next(st *stores, t *slotType, need int, lazy bool) block {
	if c.low > 0 && c.list[c.low-1].n >= need {
		c.low--
		c.cur = c.low
		m := c.list[c.low]
		if lazy {
			t.clear(m, 0, m.n)
		}
		return m
	}
	want := c.regular()
	if want*c.size+wordBytes+c.size > leastRecycled && c.recycles(st, t) {
		want = c.fitting(want, need)
	}
	m := c.make(st, t, want, need)
	c.hint = 0
	if c.list == nil {
		c.list = c.first[:0]
	}
	c.list = append(c.list, m)
	if len(c.list) == 2 {
		c.first[0].at = pointer{} // The list lies elsewhere now. When it forgets a chunk, nothing else keeps that.
	}
	c.cur = int32(len(c.list) - 1)
	return m
}

// isLarge reports whether a slice of n slots that does not fit into the current chunk gets a chunk
// of its own, instead of a part of the next regular chunk. The first chunk, and one whose size is
// known, is for whatever fits: often there will be no other.
func (c *chunks) isLarge(n int) bool {
	regular := c.regular()
	return c.size > 0 && n > regular/2 && (c.bytes > 0 && c.hint == 0 || n > regular || c.apart)
}

// slice returns n zeroed slots in a chunk of their own, for something that was made when born
// scopes were open.
func (c *chunks) slice(st *stores, t *slotType, n int, lazy bool, born int) block {
	l := c.large
	if l == nil {
		l = new(large)
		c.large = l
	}
	// The retained chunks come in the order of the last round. A bad fit is
	// left for a later request; so is the search after a few. All of a chunk counts to a
	// limit, so there little of it may be left over.
	most := 4*n + 3
	if st.isLimited() {
		most = n + n/8
	}
	free := l.list[l.used:]
	for i := range free[:min(len(free), 8)] {
		if slots := free[i].mem.n; n <= slots && slots <= most {
			free[0], free[i] = free[i], free[0]
			free[0].used, free[0].born = n, born
			l.used++
			if lazy {
				t.clear(free[0].mem, 0, n)
			}
			return free[0].mem.first(n)
		}
	}
	m := c.make(st, t, n, n)
	l.list = slices.Insert(l.list, l.used, largeChunk{m, n, born})
	l.used++
	if len(l.list) > l.used {
		c.releaseLarge(st) // the new one takes the place of one that did not fit
	}
	return m.first(n)
}

// make returns a new chunk of want slots, or of fewer, down to need, where there is
// a limit. Plain values lie in the arena's Memory, if it has one.
func (c *chunks) make(st *stores, t *slotType, want, need int) block {
	if st.provider != nil {
		want = st.worth(c.size, want, need)
	}
	slots := st.reserve(c.size, want, need)
	var given []byte
	if from := st.giver(); from != nil && c.size > 0 && kindOf(t.typ) == kindPlain {
		given, slots = st.take(from, c.size, slots, need, t.typ)
	}
	var m block
	if given != nil {
		m = block{startOf(given), slots}
	} else if c.apart {
		m = t.make(max(slots, (leastApart+c.size-1)/max(c.size, 1))).first(slots)
	} else if i := c.whole(slots); i >= 0 && c.recycles(st, t) {
		m, c.again = take(i, slots), true
	} else {
		m = t.make(slots)
	}
	c.bytes += int64(slots) * int64(c.size)
	st.placed(m.at, slots*c.size)
	st.keep(c, m, t)
	hide(m, c.size)
	return m
}

// resetOne is reset where only the current chunk has been used, which the
// caller zeroes. It reports false where that is not the one to go on with.
func (c *chunks) resetOne() bool {
	if int(c.cur) != len(c.list)-1 {
		return false
	}
	c.low = c.cur
	if c.need == 0 {
		c.need = 1
	}
	return true
}

// reset takes all chunks back and returns the one to go on with, zeroed; there
// is none before the first. The current chunk was handed out but for its slots
// [from, to). Unless lazy the other chunks are zeroed too.
func (c *chunks) reset(t *slotType, lazy bool, from, to int) (m block, ok bool) {
	if l := c.large; l != nil {
		if !lazy {
			for _, l := range l.list[:l.used] {
				t.clear(l.mem, 0, l.used)
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
			t.clear(m, 0, from)
			t.clear(m, to, m.n)
		} else {
			t.clear(m, 0, m.n)
		}
	}
	c.low, c.cur = top, top
	return m, true
}

// A spare says which chunks are spare, so that release may let them go.
type spare int

const (
	spareIdle   spare = iota // after a Reset: what no Reset since the last releaseIdle found used
	spareAll                 // after a Reset: anything
	spareUnused              // at any time: what has not been used since the last Reset
)

// release lets spare chunks go, the large ones first and then the smallest, until excess
// bytes are gone or no more are spare.
func (c *chunks) release(st *stores, which spare, excess int64) {
	goal := c.bytes - excess
	if l := c.large; l != nil {
		keep := 0
		switch which {
		case spareIdle:
			keep, l.need = l.need, 0
		case spareUnused:
			keep = l.used
		}
		for len(l.list) > keep && c.bytes > goal {
			c.releaseLarge(st)
		}
	}
	keep := int32(0)
	switch which {
	case spareIdle:
		keep, c.need = c.need, 0
	case spareUnused:
		keep = int32(len(c.list)) - c.low
	}
	n := int32(0)
	for left := c.bytes; int32(len(c.list))-n > keep && left > goal; n++ {
		left -= int64(c.list[n].n) * int64(c.size)
	}
	if n == 0 {
		return
	}
	// They are off the list before somebody else gets to know of it.
	gone := slices.Clone(c.list[:n])
	c.list = slices.Delete(c.list, 0, int(n))
	c.low = max(c.low-n, 0)
	c.cur = max(c.cur-n, 0)
	c.gone += n
	for _, m := range gone {
		c.uncount(st, m)
	}
	mem.Each(gone, st.letGo)
}

// releaseLarge releases the last large chunk, which is retained.
func (c *chunks) releaseLarge(st *stores) {
	last := len(c.large.list) - 1
	m := c.large.list[last].mem
	c.large.list = slices.Delete(c.large.list, last, last+1)
	c.releaseOne(st, m)
}

// releaseOne releases m, which is off the list.
func (c *chunks) releaseOne(st *stores, m block) {
	c.uncount(st, m)
	st.letGo(m)
}

func (c *chunks) uncount(st *stores, m block) {
	n := int64(m.n) * int64(c.size)
	c.bytes -= n
	st.unreserve(n)
}

// letGo leaves m, which nobody counts any more, to the collector or to the Memory, which may panic.
func (st *stores) letGo(m block) {
	if st.provider != nil {
		st.provider.release(m.at)
	}
}

// releaseAll releases all chunks, of which used slots were in use. The next arena will
// often need as many: its first chunk is made for just them, up to maxHint bytes.
func (c *chunks) releaseAll(used int) {
	if int64(used)*int64(c.size) > maxHint {
		used = maxHint / c.size
	}
	if c.again {
		c.recycle()
	}
	*c = chunks{size: c.size, tight: c.tight, position: position{hint: int32(used)}}
}

// count returns the number of chunks.
func (c *chunks) count() int {
	n := len(c.list)
	if c.large != nil {
		n += len(c.large.list)
	}
	return n
}

// extents appends the extents of the chunks to all.
func (c *chunks) extents(all []extent, typ reflect.Type) []extent {
	for _, m := range c.list {
		all = append(all, m.extent(c.size, typ))
	}
	if c.large != nil {
		for _, l := range c.large.list {
			all = append(all, l.mem.extent(c.size, typ))
		}
	}
	return all
}

// A block is the memory of one chunk: n slots, which begin at at. Its slab knows what the slots
// are. So the code for chunks is there once, and not for each type.
type block struct {
	at pointer
	n  int
}

// A header is what a slice is in memory: a block of as many slots as the slice is long, and its
// capacity.
type header struct {
	block
	cap int
}

// first returns the first n slots of b, to hand out.
func (b block) first(n int) block { return block{b.at, min(n, b.n)} }

// extent returns the memory of b, whose slots are of type t and have size bytes.
func (b block) extent(size int, t reflect.Type) extent { return extent{b.at, b.n * size, t} }

// A slotType says what the slots of a slab are. Two functions are all that is compiled for each
// type that is known then; the methods of a generic type would come with a description of each. For
// other types package reflect does the work: see view.
type slotType struct {
	typ   reflect.Type
	make  func(n int) block           // a new zeroed block
	clear func(b block, from, to int) // zeroes the slots [from, to) of a block of this type, with write barriers where it needs them
}

func slotTypeFor[T any]() slotType {
	return slotType{reflect.TypeFor[T](), makeSlots[T], clearSlots[T]}
}

func makeSlots[T any](n int) block { return blockOf(make([]T, n)) }
