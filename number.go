package arena

import (
	"strconv"
	"unicode/utf8"

	"github.com/arena-go/arena/internal/mem"
)

// Itoa returns i in decimal, as strconv.Itoa does, in a. See [FormatInt].
func Itoa(a *Arena, i int) string { return FormatInt(a, int64(i), 10) }

// FormatInt returns i in the given base, as strconv.FormatInt does, in a. See [String]. The text of small numbers is
// constant, and takes no memory. FormatInt panics as strconv.FormatInt does, and when a has been freed.
func FormatInt(a *Arena, i int64, base int) string {
	if a == nil {
		return strconv.FormatInt(i, base)
	}
	if 0 <= i && i < smallNumbers && base == 10 {
		a.check()
		return strconv.FormatInt(i, base)
	}
	if base != 10 {
		var digits [65]byte
		return String(a, strconv.AppendInt(digits[:0], i, base))
	}
	u := uint64(i)
	if i < 0 {
		u = -u
	}
	var digits [20]byte
	at := len(digits) - 1
	for ; u >= 10; u /= 10 {
		digits[at] = byte('0' + u%10)
		at--
	}
	digits[at] = byte('0' + u)
	if i < 0 {
		at--
		digits[at] = '-'
	}
	return String(a, digits[at:])
}

// FormatUint returns i in the given base, as strconv.FormatUint does, in a. See [FormatInt].
func FormatUint(a *Arena, i uint64, base int) string {
	if i < 1<<63 {
		return FormatInt(a, int64(i), base)
	}
	if a == nil {
		return strconv.FormatUint(i, base)
	}
	var digits [65]byte
	return String(a, strconv.AppendUint(digits[:0], i, base))
}

// smallNumbers are those that strconv has the text of.
const smallNumbers = 100

// FormatFloat returns f as text, as strconv.FormatFloat does, in a. See [String]. It panics when bits is neither 32
// nor 64, and when a has been freed.
func FormatFloat(a *Arena, f float64, format byte, precision, bits int) string {
	if a == nil {
		return strconv.FormatFloat(f, format, precision, bits)
	}
	n := floatRoom(format, precision)
	if n <= floatShort {
		var digits [floatShort]byte
		return String(a, strconv.AppendFloat(digits[:0], f, format, precision, bits))
	}
	var digits [floatLong]byte
	if n <= floatLong {
		return String(a, strconv.AppendFloat(digits[:0], f, format, precision, bits))
	}
	return mem.StringOf(strconv.AppendFloat(MakeSlice[byte](a, 0, n), f, format, precision, bits))
}

const (
	floatShort = 40
	floatLong  = 400
)

// floatRoom returns how many bytes the text of a number may have: the digits and, in front of the point or behind
// it, the zeros of the least and the largest number. No number has more than 767 digits, and g and b have no zeros behind them.
func floatRoom(format byte, precision int) int {
	n := 32
	switch format {
	case 'f':
		n = 352
	case 'g', 'G':
		precision = min(precision, 767)
	case 'b':
		precision = 0
	}
	return n + min(max(precision, 0), maxBytes-n)
}

// Quote returns s as a Go string literal, as strconv.Quote does, in a. See [String].
func Quote(a *Arena, s string) string {
	textIsRead(s)
	if a == nil {
		return strconv.Quote(s)
	}
	if len(s) <= quotePiece {
		var room [quoteRoom]byte
		return String(a, strconv.AppendQuote(room[:0], s))
	}
	text := append(MakeSlice[byte](a, 0, len(s)+quoteRoom), '"')
	for s != "" {
		text, s = appendQuoted(Grow(a, text, quoteRoom), s)
	}
	return mem.StringOf(Append(a, text, '"'))
}

// quotePiece is the number of bytes that are quoted at a time, and quoteRoom what they may become, with quotes: four
// bytes each.
const (
	quotePiece = 64
	quoteRoom  = 4*quotePiece + 2
)

// appendQuoted appends the beginning of s to b, as it is in a literal, and returns the rest of s. b is not empty, and
// has quoteRoom. strconv.AppendQuote of all of s would go to the heap where there is much to escape.
func appendQuoted(b []byte, s string) (quoted []byte, rest string) {
	n := min(len(s), quotePiece)
	if n < len(s) {
		// Not within a rune. What follows three bytes that begin none is not part of one.
		for back := range utf8.UTFMax {
			if utf8.RuneStart(s[n-back]) {
				n -= back
				break
			}
		}
	}
	at := len(b) - 1
	last := b[at]
	quoted = strconv.AppendQuote(b[:at], s[:n])
	quoted[at] = last // in place of the quote
	return quoted[:len(quoted)-1], s[n:]
}
