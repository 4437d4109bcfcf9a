package arena

import "math/bits"

// A group has groupSlots slots and a control word. Its byte i is 0 when slot i is
// free, and has its upper bit and 7 bits of the hash of the key when it is full.
// The uppermost byte counts the keys that were put into a later group because
// this one was full: where it is 0 a search ends. It stays at 255 once it is there.
//
// That no key has to be marked as deleted is from F14 (Bronson and Shi, Facebook,
// 2019), the rest from Abseil's Swiss tables (Kulukundis, 2017).
type group[K comparable, V any] struct {
	ctrl  uint64
	slots [groupSlots]slot[K, V]
}

// A slot has the value first, because a struct that ends with a value of size zero
// is padded.
type slot[K comparable, V any] struct {
	val V
	key K
}

const (
	groupSlots = 7

	eachByte = 0x0001010101010101 // of those that belong to a slot
	eachFull = 0x0080808080808080
	passed   = 1 << 56 // one key in a later group

	manyGroups = 1024 // more than the cache next to the processor holds: a lookup waits for memory
)

// groupsFor returns how many groups a table for n entries has: so many that one
// slot in seven stays free. A table of one group may be full.
func groupsFor(n int) int {
	if n <= groupSlots {
		return 1
	}
	return 1 << bits.Len(uint((n-1)/(groupSlots-1)))
}

// match returns a word with the upper bit of each byte set whose slot may have a
// key with the hash h. The others are free, or have other hashes.
func (g *group[K, V]) match(h uint64) uint64 {
	x := g.ctrl ^ (h>>57|0x80)*eachByte
	return (x - eachByte) &^ x & eachFull
}

// slot returns the slot of the lowest bit that is set in match, which is not 0.
func (g *group[K, V]) slot(match uint64) *slot[K, V] {
	return &g.slots[bits.TrailingZeros64(match)>>3]
}
