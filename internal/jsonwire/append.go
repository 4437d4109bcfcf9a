package jsonwire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// special returns a number that is 0 if none of the eight bytes of w has to be looked at: a control
// character, a quote, a backslash, what is not ASCII, and with escapeHTML <, > and &.
func special(w uint64, escapeHTML bool) uint64 {
	// In a byte below 0x80 a subtraction sets the high bit if the byte is less than what is
	// subtracted; where one borrows from the byte above it, the result is not 0 anyway.
	x := w | (w - ' '*Ones) | (w ^ '\\'*Ones - Ones)
	if escapeHTML {
		x |= (w | 2*Ones) ^ '>'*Ones - Ones // < is > without bit 1
		x |= (w | 4*Ones) ^ '&'*Ones - Ones // " is & without bit 2
	} else {
		x |= w ^ '"'*Ones - Ones
	}
	return x & Highs
}

// Load8 returns the eight bytes of s from i on.
func Load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Load4 returns four bytes.
func Load4(s string, i int) uint64 {
	s = s[i : i+4]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// A Style says how strings are written.
type Style uint8

const (
	HTML  Style = 1 << iota // <, > and & are escaped
	V2                      // what is not UTF-8 becomes U+FFFD itself, and not its escape, as with encoding/json of Go 1.27
	Plain                   // nothing is escaped but what has to be, and what is not UTF-8 stays: callers look for it
)

// Room returns b with capacity for n more bytes.
func Room(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		return slices.Grow(b, n)
	}
	return b
}

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string, style Style) []byte {
	b = Room(b, len(s)+2)
	n := len(b)
	d := b[n : n+len(s)+2]
	d[0] = '"'
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := Load8(s, i)
		if special(w, style&HTML != 0) != 0 {
			return append(appendEscaped(b[:n+1+i], s[i:], style), '"')
		}
		binary.LittleEndian.PutUint64(d[1+i:], w)
	}
	if i < len(s) {
		if !shortText(d[1+i:], s[i:], style&HTML != 0) {
			return append(appendEscaped(b[:n+1+i], s[i:], style), '"')
		}
	}
	d[len(d)-1] = '"'
	return b[:n+len(d)]
}

// AppendText appends s as a JSON string as protojson does, which escapes only what it has to. It
// reports false if s is not UTF-8.
func AppendText(b []byte, s string) (_ []byte, ok bool) {
	b = Room(b, len(s)+2)
	n := len(b)
	d := b[n : n+len(s)+2]
	d[0] = '"'
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := Load8(s, i)
		if special(w, false) != 0 {
			return appendText(b[:n+1+i], s[i:])
		}
		binary.LittleEndian.PutUint64(d[1+i:], w)
	}
	if i < len(s) && !shortText(d[1+i:], s[i:], false) {
		return appendText(b[:n+1+i], s[i:])
	}
	d[len(d)-1] = '"'
	return b[:n+len(d)], true
}

// appendText appends s and the quote behind it.
func appendText(b []byte, s string) (_ []byte, ok bool) {
	if !utf8.ValidString(s) {
		return b, false
	}
	done := 0 // what has been appended
	for i := 0; i < len(s); {
		if i+8 <= len(s) && Specials(Load8(s, i)) == 0 {
			i += 8
			continue
		}
		c := s[i]
		i++
		if c < ' ' || c == '"' || c == '\\' {
			b = append(b, s[done:i-1]...)
			b = appendEscape(b, c)
			done = i
		}
	}
	return append(append(b, s[done:]...), '"'), true
}

// shortText writes s, of one to seven bytes, to d. It returns false if it has to be looked at.
func shortText(d []byte, s string, escapeHTML bool) bool {
	if n := len(s); n >= 4 {
		x, y := Load4(s, 0), Load4(s, n-4)
		if special(x|y<<32, escapeHTML) != 0 {
			return false
		}
		binary.LittleEndian.PutUint32(d, uint32(x))
		binary.LittleEndian.PutUint32(d[n-4:], uint32(y))
		return true
	} else {
		x, y, z := s[0], s[n/2], s[n-1]
		if special(uint64(x)|uint64(y)<<8|uint64(z)<<16|' '*(Ones&^0xFFFFFF), escapeHTML) != 0 {
			return false
		}
		d[n-1], d[n/2], d[0] = z, y, x
		return true
	}
}

// appendEscaped appends s without the quotes.
func appendEscaped(b []byte, s string, style Style) []byte {
	done := 0 // what has been appended
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			m := special(Load8(s, i), style&HTML != 0)
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3 // the first one is never wrong
		}
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && !(style&HTML != 0 && (c == '<' || c == '>' || c == '&')) {
				i++
				continue
			}
			b = append(b, s[done:i]...)
			i++
			done = i
			b = appendEscape(b, c)
			continue
		}
		n := 0
		if isFirst(c) {
			if n = plainRunes(s[i:]); n > 0 {
				i += n
				continue
			}
			n = runeLen(s, i)
		}
		if style&Plain != 0 {
			i += max(n, 1)
			continue
		}
		if n == 0 {
			b = append(b, s[done:i]...)
			if style&V2 != 0 {
				b = append(b, "\ufffd"...)
			} else {
				b = append(b, `\ufffd`...)
			}
			i++
		} else if c == 0xE2 && s[i+1] == 0x80 && s[i+2]&^1 == 0xA8 { // U+2028 or U+2029
			b = append(b, s[done:i]...)
			b = append(b, '\\', 'u', '2', '0', '2', hexDigits[s[i+2]&15])
			i += n
		} else {
			i += n
			continue
		}
		done = i
	}
	return append(b, s[done:]...)
}

// plainRunes returns the length of the characters of two and three bytes at the start of s that are
// valid, and no line separators. It looks at four bytes at a time, and so not at the end of s.
func plainRunes(s string) int {
	// Two characters of three bytes, neither of which begins with E0, E2 or ED.
	const odd = 1<<0x0 | 1<<0x2 | 1<<0xD
	i := 0
	for i+8 <= len(s) {
		w := Load8(s, i)
		if w&0xC0C0F0C0C0F0 != 0x8080E08080E0 || odd>>(w&15)&1 != 0 || odd>>(w>>24&15)&1 != 0 {
			break
		}
		i += 6
	}
	for i+4 <= len(s) {
		w := Load4(s, i)
		if w&0xC0C0F0 == 0x8080E0 {
			// 20 and 0F are bits of the second and the first byte that are 0 if a shorter form
			// would do, and 20 and 0D in surrogates.
			if m := w & 0x200F; m == 0 || m == 0x200D || w&0xFEFFFF == 0xA880E2 {
				break
			}
			i += 3
		} else if w&0xC0E0 == 0x80C0 && w&0x1E != 0 {
			i += 2
		} else {
			break
		}
	}
	return i
}

// isFirst tells whether a character of more than one byte can begin with c.
func isFirst(c byte) bool { return c-0xC2 < 0xF5-0xC2 }

// runeLen returns the length of the character at s[i], which is not ASCII, or 0 if it is not UTF-8.
func runeLen(s string, i int) int {
	const tail = 0xC0 // of these bits, a byte that continues a character has the first
	switch c := s[i]; {
	case c < 0xC2:
	case c < 0xE0:
		if i+1 < len(s) && s[i+1]&tail == 0x80 {
			return 2
		}
	case c < 0xF0:
		if i+2 < len(s) && s[i+1]&tail == 0x80 && s[i+2]&tail == 0x80 && !(c == 0xE0 && s[i+1] < 0xA0) && !(c == 0xED && s[i+1] > 0x9F) {
			return 3
		}
	case c < 0xF5:
		if i+3 < len(s) && s[i+1]&tail == 0x80 && s[i+2]&tail == 0x80 && s[i+3]&tail == 0x80 && !(c == 0xF0 && s[i+1] < 0x90) && !(c == 0xF4 && s[i+1] > 0x8F) {
			return 4
		}
	}
	return 0
}

// appendEscape appends the escape of c.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		c = 'b'
	case '\f':
		c = 'f'
	case '\n':
		c = 'n'
	case '\r':
		c = 'r'
	case '\t':
		c = 't'
	default:
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(b, '\\', c)
}

// AppendBool appends true or false.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}
