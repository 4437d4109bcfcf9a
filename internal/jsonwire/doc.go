// Package jsonwire reads and writes the syntax of JSON: white space, strings, numbers, literals,
// and where a value ends. It knows bytes and positions. What a value means, which type it becomes,
// where its memory comes from, and what an error says, is for its callers: the decoders and the
// encoder of arenajson, and the decoder of arenapb.
//
// # Terms
//
// A position is the index of a byte, or the length of the document. A function that reads begins at
// the position i and returns the position behind what it has read, end, or -1 if that is not there.
// It allocates nothing, and changes nothing but what it appends to.
//
// A [Text] is a document with [Pad] zero bytes behind it. Its methods read words without a look at
// the length, because no token contains a zero. Functions with a []byte read any document, with
// checks of its bounds.
//
// The dialects differ. encoding/json takes bytes that are not UTF-8 for U+FFFD, and half of a
// surrogate pair too; protojson refuses both. So functions report what they have seen, and their
// callers decide.
package jsonwire

import "math/bits"

// MaxNesting is how deeply arrays and objects may be nested, as in encoding/json.
const MaxNesting = 10000

const (
	// Ones has a 1 in each byte of a word, and Highs the highest bit.
	Ones  = 0x0101010101010101
	Highs = 0x8080808080808080
)

// Specials returns a word whose lowest bit that is set is the highest of the first byte of w that
// is a quote, a backslash or less than a space. Higher bits mean nothing. If there is no such byte,
// it returns 0.
func Specials(w uint64) uint64 {
	q := w ^ '"'*Ones
	b := w ^ '\\'*Ones
	return ((q-Ones)&^q | (b-Ones)&^b | (w-' '*Ones)&^w) & Highs
}

// before returns how many bytes of w come before the special one that m of [Specials] says, and the
// high bits of these.
func before(w, m uint64) (n int, high uint64) {
	k := bits.TrailingZeros64(m) // 7 more than the number of bits before
	return k >> 3, w & (1<<(k&56) - 1) & Highs
}

// IsDigit reports whether c is a digit.
func IsDigit(c byte) bool { return c-'0' <= 9 }

// escapes has the bytes that letters behind a backslash mean, and 0 for other bytes.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Unescaped returns the byte that the letter c means behind a backslash, or 0 if it means none, as
// u does not.
func Unescaped(c byte) byte { return escapes[c] }

// hexValues has the values of hexadecimal digits, and -1 for other bytes.
var hexValues = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range 10 {
		t['0'+i] = int8(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = int8(10+i), int8(10+i)
	}
	return t
}()

const hexDigits = "0123456789abcdef"
