package arenajson

import "unicode/utf8"

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special returns a number that is 0 if none of the eight bytes of w has to be looked at: a control character,
// a quote, a backslash, what is not ASCII, and with escapeHTML <, > and &.
func special(w uint64, escapeHTML bool) uint64 {
	// In a byte below 0x80 a subtraction sets the high bit if the byte is less than what is subtracted; where one borrows from the byte
	// above it, the result is not 0 anyway.
	x := w | (w - ' '*lowBits) | (w ^ '\\'*lowBits - lowBits)
	if escapeHTML {
		x |= (w | 2*lowBits) ^ '>'*lowBits - lowBits // < is > without bit 1
		x |= (w | 4*lowBits) ^ '&'*lowBits - lowBits // " is & without bit 2
	} else {
		x |= w ^ '"'*lowBits - lowBits
	}
	return x & highBits
}

// clean returns how many bytes at the start of s need no look, at least up to the last multiple of eight.
func clean(s string, escapeHTML bool) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if special(load8(s, i), escapeHTML) != 0 {
			return i
		}
	}
	if i < len(s) {
		if special(load1to7(s[i:]), escapeHTML) != 0 {
			return i
		}
	}
	return len(s)
}

// load8 returns the eight bytes of s from i on.
func load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load4(s string, i int) uint64 {
	s = s[i : i+4]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// load1to7 returns the bytes of s, some of them twice, and blanks.
func load1to7(s string) uint64 {
	if n := len(s); n >= 4 {
		return load4(s, 0) | load4(s, n-4)<<32
	} else {
		return uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16 | ' '*(lowBits&^0xFFFFFF)
	}
}

// appendText appends s as a JSON string.
func appendText(b []byte, s string, escapeHTML bool) []byte {
	b = room(b, len(s)+2)
	b = append(b, '"')
	i := clean(s, escapeHTML)
	b = append(b, s[:i]...)
	if i < len(s) {
		b = appendEscaped(b, s[i:], escapeHTML)
	}
	return append(b, '"')
}

const hexDigits = "0123456789abcdef"

// replacement is what stands for a byte that is not UTF-8.
var replacement = map[bool]string{false: `\ufffd`, true: "\ufffd"}[onV2]

// appendEscaped appends s without the quotes.
func appendEscaped(b []byte, s string, escapeHTML bool) []byte {
	done := 0 // what has been appended
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if i+8 <= len(s) && special(load8(s, i), escapeHTML) == 0 {
				i += 8
				continue
			}
			if c >= ' ' && c != '"' && c != '\\' && !(escapeHTML && (c == '<' || c == '>' || c == '&')) {
				i++
				continue
			}
			b = append(b, s[done:i]...)
			i++
			done = i
			b = appendEscape(b, c)
			continue
		}
		if c >= 0xC2 && c < 0xE0 && i+1 < len(s) && s[i+1]&0xC0 == 0x80 {
			i += 2
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(append(b, s[done:i]...), replacement...)
		case r == '\u2028' || r == '\u2029':
			b = append(b, s[done:i]...)
			b = append(b, '\\', 'u', '2', '0', '2', hexDigits[r&15])
		default:
			i += n
			continue
		}
		i += n
		done = i
	}
	return append(b, s[done:]...)
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

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}
