package arenastrings

import (
	"strconv"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/literal"
)

// Itoa returns i in decimal, as strconv.Itoa does, in a. See [FormatInt].
func Itoa(a *arena.Arena, i int) string { return FormatInt(a, int64(i), 10) }

// FormatInt returns i in the given base, as strconv.FormatInt does, in a. See [arena.String]. The
// text of small numbers is constant, and costs no memory. FormatInt panics like strconv.FormatInt,
// and if a has been freed.
func FormatInt(a *arena.Arena, i int64, base int) string {
	if a == nil {
		return strconv.FormatInt(i, base)
	}
	if 0 <= i && i < smallNumbers && base == 10 {
		arena.String(a, "") //arena:keep it panics when a has been freed
		return strconv.FormatInt(i, base)
	}
	if base != 10 {
		var digits [65]byte
		return arena.String(a, strconv.AppendInt(digits[:0], i, base))
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
	return arena.String(a, digits[at:])
}

// FormatUint returns i in the given base, as strconv.FormatUint does, in a. See [FormatInt].
func FormatUint(a *arena.Arena, i uint64, base int) string {
	if i < 1<<63 {
		return FormatInt(a, int64(i), base)
	}
	if a == nil {
		return strconv.FormatUint(i, base)
	}
	var digits [65]byte
	return arena.String(a, strconv.AppendUint(digits[:0], i, base))
}

// smallNumbers are those that strconv has the text of.
const smallNumbers = 100

// FormatFloat returns f as text, as strconv.FormatFloat does, in a. See [arena.String]. It panics
// if bits is neither 32 nor 64, and if a has been freed.
func FormatFloat(a *arena.Arena, f float64, format byte, precision, bits int) string {
	if a == nil {
		return strconv.FormatFloat(f, format, precision, bits)
	}
	n := literal.FloatRoom(format, precision)
	if n <= floatShort {
		var digits [floatShort]byte
		return arena.String(a, strconv.AppendFloat(digits[:0], f, format, precision, bits))
	}
	var digits [floatLong]byte
	if n <= floatLong {
		return arena.String(a, strconv.AppendFloat(digits[:0], f, format, precision, bits))
	}
	return stringOf(strconv.AppendFloat(arena.MakeSlice[byte](a, 0, n), f, format, precision, bits))
}

const (
	floatShort = 40
	floatLong  = 400
)

// Quote returns s as a Go string literal, as strconv.Quote does, in a. See [arena.String].
func Quote(a *arena.Arena, s string) string {
	read(s)
	if a == nil {
		return strconv.Quote(s)
	}
	if len(s) <= literal.QuotePiece {
		var room [literal.QuoteRoom]byte
		return arena.String(a, strconv.AppendQuote(room[:0], s))
	}
	text := append(arena.MakeSlice[byte](a, 0, len(s)+literal.QuoteRoom), '"')
	for s != "" {
		text, s = literal.AppendQuoted(arena.Grow(a, text, literal.QuoteRoom), s)
	}
	return stringOf(arena.Append(a, text, '"'))
}
