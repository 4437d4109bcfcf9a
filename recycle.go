package arena

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// Chunks of plain types are used again after Free, once the collector has proved that nothing points into them. Without
// that, a program that makes a new arena for each unit of work has the collector run for memory which it has just given up.
//
// A chunk that can be used again is an object of words of one of few sizes. Free gives it a finalizer. The collector runs
// the finalizer when it finds the object unreachable, by pointers to values and slices in it too (fact 3), and hands the
// object back, which nobody else can reach any more: weak pointers to it are nil by then. It goes to a sync.Pool, which the collector empties.
//
// Chunks with pointers are not used again. What they point at would stay alive for one more collection, and a chunk with
// a pointer to one of its own values, as in a tree, would never become unreachable: an object with a
// finalizer keeps what it points at.
//
// Only arenas without options take part, and none in programs that are built to find mistakes.
const (
	leastRecycled = 16 << 10
	recycledSizes = 5        // powers of two, from leastRecycled to maxChunk
	maxRecycled   = 1 << 10  // bytes of a slot, so that little of a chunk is left over
	maxWaiting    = 16 << 20 // bytes of all chunks which were freed and which the collector has not looked at
)

// recycled are the chunks that can be used again, by size.
var recycled [recycledSizes]recycler

// waiting counts the bytes that maxWaiting bounds.
var waiting atomic.Int64

// A recycler has the chunks of one size.
type recycler struct {
	free sync.Pool // of *uint64, the first word of each
	back func(first *uint64)
}

func init() {
	for i := range recycled {
		r := &recycled[i]
		r.back = func(first *uint64) {
			waiting.Add(-recycledBytes(i))
			r.free.Put(first)
		}
	}
}

// recycledBytes returns the bytes of a chunk of a size.
func recycledBytes(i int) int64 { return leastRecycled << i }

// recycles tells whether chunks of c, whose slots are of type t, can be used again.
func (c *chunks) recycles(st *stores, t *slotType) bool {
	return !checking && st.arena.opt == nil && 0 < c.size && c.size <= maxRecycled && kindOf(t.typ) == kindPlain
}

// fitting returns how many slots a regular chunk has, which is to have want of them: as many as fill an object that can be used again, if
// there is one that is not larger, but has room for need.
func (c *chunks) fitting(want, need int) int {
	i := min(c.class(want), recycledSizes-1)
	if i < 0 || c.tight {
		return want
	}
	if n := int(recycledBytes(i)) / c.size; n >= need {
		return n
	}
	return want
}

// class returns the largest size of which a chunk has at most n slots, or -1 if there is none.
func (c *chunks) class(n int) int { return bits.Len(uint((n*c.size+c.size-1)/leastRecycled)) - 1 }

// whole returns the size of the chunks of n slots that can be used again, or -1 if none has so many.
func (c *chunks) whole(n int) int {
	i := c.class(n)
	if uint(i) < recycledSizes && int(recycledBytes(i))/c.size == n {
		return i
	}
	return -1
}

// take returns n zeroed slots in a chunk of size i, which has been used before if there is one.
func take(i, n int) block {
	if first, _ := recycled[i].free.Get().(*uint64); first != nil {
		b := wordsAt(first, int(recycledBytes(i))/wordBytes)
		wordSlots.clear(b, 0, b.n)
		return block{b.at, n}
	}
	return block{wordSlots.make(int(recycledBytes(i)) / wordBytes).at, n}
}

// recycle has the chunks of c used again when nothing points into them any more. c forgets them next.
func (c *chunks) recycle() {
	for _, m := range c.list {
		c.recycleOne(m)
	}
	if c.large != nil {
		for _, l := range c.large.list {
			c.recycleOne(l.mem)
		}
	}
}

func (c *chunks) recycleOne(m block) {
	i := c.whole(m.n)
	if i < 0 {
		return
	}
	bytes := recycledBytes(i)
	if waiting.Add(bytes) > maxWaiting {
		waiting.Add(-bytes)
		return
	}
	runtime.SetFinalizer(slotAt[uint64](block{m.at, 1}, 0), recycled[i].back)
}
