package jsonwire

import (
	"encoding/binary"
	"unsafe"
)

// Pad is how many zero bytes stand behind a [Text].
const Pad = 24

// A Text is a document with [Pad] zero bytes behind it. The zero Text is none.
//
// Reading by address is sound for this reason. A position is the index of a byte of the document,
// or of the first zero behind it. No step goes beyond a zero: it is no white space, and neither a
// part nor the end of a string, a number or a literal. So a position is at most the length of the
// document, and the 16 bytes from there on are in the text. The maker of a Text keeps the zeros
// behind it as long as it is read.
type Text struct{ p unsafe.Pointer }

// TextOf returns b as a Text. The Pad bytes behind b, within its capacity, are zero.
func TextOf(b []byte) Text {
	// SAFETY: see Text. It is the address of the first byte, which keeps all of b alive.
	return Text{unsafe.Pointer(unsafe.SliceData(b))}
}

// TextOfString is TextOf for a string that ends with the Pad zero bytes.
func TextOfString(s string) Text {
	// SAFETY: see Text. It is the address of the first byte, which keeps all of s alive.
	return Text{unsafe.Pointer(unsafe.StringData(s))}
}

// IsNone reports whether text is the zero Text.
func (text Text) IsNone() bool { return text.p == nil }

// Word returns the eight bytes at position i. The first is the lowest.
func (text Text) Word(i int) uint64 {
	// SAFETY: see Text.
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(text.p, i))[:])
}

// Half returns four bytes.
func (text Text) Half(i int) uint32 {
	// SAFETY: see Text.
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(text.p, i))[:])
}

// Char returns the byte at position i.
func (text Text) Char(i int) byte {
	// SAFETY: see Text.
	return *(*byte)(unsafe.Add(text.p, i))
}

// Bytes returns the bytes from position i up to j.
func (text Text) Bytes(i, j int) []byte {
	// SAFETY: see Text. The result ends where the text does, or before.
	return unsafe.Slice((*byte)(unsafe.Add(text.p, i)), j-i)[: j-i : j-i]
}

// View returns the bytes from position i up to j as a string. It is valid as long as nobody changes
// these bytes.
func (text Text) View(i, j int) string {
	// SAFETY: see Text. The result ends where the text does, or before.
	return unsafe.String((*byte)(unsafe.Add(text.p, i)), j-i)
}

// storeWord writes eight bytes to b at position n. b has them.
func storeWord(b []byte, n int, w uint64) {
	// SAFETY: the caller has compared n+8 with the length of b.
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), n))[:], w)
}
