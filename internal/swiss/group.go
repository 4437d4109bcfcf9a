// Package swiss is what arena.Map and ref.Map have in common: groups of slots, and the parts of
// their hash functions.
package swiss

import "math/bits"

// A Group has Slots slots and a control word. Its byte i is 0 when slot i is
// free, and has its upper bit and 7 bits of the hash of the key when it is full.
// The uppermost byte counts the keys that were put into a later group because
// this one was full: where it is 0 a search ends. It stays at 255 once it is there.
//
// That no key has to be marked as deleted is from F14 (Bronson and Shi, Facebook,
// 2019), the rest from Abseil's Swiss tables (Kulukundis, 2017).
type Group[K comparable, V any] struct {
	Ctrl  uint64
	Slots [Slots]Slot[K, V]
}

// A Slot has the value first, because a struct that ends with a value of size zero
// is padded.
type Slot[K comparable, V any] struct {
	Val V
	Key K
}

const (
	Slots = 7 // of a group

	EachByte = 0x0001010101010101 // of those that belong to a slot
	EachFull = 0x0080808080808080
	Passed   = 1 << 56 // one key in a later group
)

// Match returns a word with the upper bit of each byte set whose slot may have a
// key with the hash h. The others are free, or have other hashes.
func (g *Group[K, V]) Match(h uint64) uint64 {
	x := g.Ctrl ^ (h>>57|0x80)*EachByte
	return (x - EachByte) &^ x & EachFull
}

// Slot returns the slot of the lowest bit that is set in match, which is not 0.
func (g *Group[K, V]) Slot(match uint64) *Slot[K, V] {
	return &g.Slots[bits.TrailingZeros64(match)>>3]
}

// Bytes8 returns the first 8 bytes of s.
func Bytes8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Bytes4 returns the first 4 bytes of s.
func Bytes4(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// Mix returns the halves of a product folded into one.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
