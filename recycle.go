package arena

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Chunks of plain types are used again after Free, once the collector has proved that nothing
// points into them. Otherwise a program that makes a new arena for each unit of work has the
// collector run for the memory that it has just given up.
//
// Such a chunk is an object of words, of one of few sizes. Free gives the object a finalizer. The
// collector runs it when the object is unreachable, also by pointers to values and slices in it
// (fact 3): then nobody else can reach the object, and weak pointers to it are nil. The finalizer
// puts it into a sync.Pool, which the collector empties. The first word of the object belongs to no
// slot, so a program cannot set a finalizer of its own, which may be set only where an object
// begins.
//
// Chunks with pointers are not used again: an object with a finalizer keeps what it points at for
// one more collection, or for ever if that is itself, as in a tree.
//
// Arenas with options take no part, nor do programs that are built to find mistakes.
const (
	leastRecycled = 16 << 10
	recycledSizes = 5        // powers of two, from leastRecycled to maxChunk
	maxRecycled   = 1 << 10  // bytes of a slot, so that little of a chunk is left over
	maxWaiting    = 16 << 20 // bytes of freed chunks that the collector has not looked at
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

// recycledBytes returns the bytes of an object of a size.
func recycledBytes(i int) int64 { return leastRecycled << i }

// recycledSlots returns the slots of c in an object of a size: all but its first word.
func (c *chunks) recycledSlots(i int) int { return (int(recycledBytes(i)) - wordBytes) / c.size }

// recycles tells whether chunks of c, whose slots are of type t, can be used again.
func (c *chunks) recycles(st *stores, t *slotType) bool {
	return !checking && st.arena.opt == nil && 0 < c.size && c.size <= maxRecycled && kindOf(t.typ) == kindPlain
}

// fitting returns want, the slots of a regular chunk, or as many as fill the largest object that
// can be used again, if it has room for need and not for more than want.
func (c *chunks) fitting(want, need int) int {
	if c.tight {
		return want
	}
	for i := recycledSizes - 1; i >= 0; i-- {
		if n := c.recycledSlots(i); n <= want {
			if n >= need {
				return n
			}
			break
		}
	}
	return want
}

// whole returns the size of the objects of n slots that can be used again, or -1 if there is none.
func (c *chunks) whole(n int) int {
	if c.size > 0 {
		for i := range recycled {
			if c.recycledSlots(i) == n {
				return i
			}
		}
	}
	return -1
}

// take returns n zeroed slots in an object of size i, which has been used before if there is one.
func take(i, n int) block {
	words := int(recycledBytes(i)) / wordBytes
	first, _ := recycled[i].free.Get().(*uint64)
	if first == nil {
		return block{wordSlots.make(words).part(1, words, wordBytes).at, n}
	}
	b := wordsAt(first, words)
	wordSlots.clear(b, 0, words)
	return block{b.part(1, words, wordBytes).at, n}
}

// recycle has the chunks of c used again when nothing points into them any more. c forgets them
// next.
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

// recycleOne gives the object of m, if it can be used again, the finalizer.
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
	runtime.SetFinalizer(wordBefore(m), recycled[i].back)
}
