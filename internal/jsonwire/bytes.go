package jsonwire

import (
	"encoding/binary"
)

// The functions of this file read any document, with checks of its bounds.

// Char returns the byte of b at position i, or 0 at the end.
func Char(b []byte, i int) byte {
	if uint(i) < uint(len(b)) {
		return b[i]
	}
	return 0
}

// Has reports whether word is what b has at position i.
func Has(b []byte, i int, word string) bool {
	return len(b)-i >= len(word) && string(b[i:i+len(word)]) == word
}

// Word returns the position behind word, if that is at i, or -1.
func Word(b []byte, i int, word string) int {
	if !Has(b, i, word) {
		return -1
	}
	return i + len(word)
}

// Space returns the position of the first byte from i on that is no white space.
func Space(b []byte, i int) int {
	for uint(i) < uint(len(b)) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// Comma goes on behind a value that ends at i, in an array or object that ends with the byte last.
// It returns the position of the next one and true, or the position behind the array or object and
// false. The position is -1 if neither follows.
func Comma(b []byte, i int, last byte) (end int, more bool) {
	c := Char(b, i)
	if c != ',' && c != last {
		i = Space(b, i)
		c = Char(b, i)
	}
	switch c {
	case ',':
		return Space(b, i+1), true
	case last:
		return i + 1, false
	}
	return -1, false
}

// EndOfRun returns the position of the first byte from i on that is a quote, a backslash or less
// than a space, or the end, and whether all bytes before it are ASCII.
func EndOfRun(b []byte, i int) (end int, ascii bool) {
	var high uint64
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if m := Specials(w); m != 0 {
			n, h := before(w, m)
			return i + n, (high|h)&Highs == 0
		}
		high |= w
		i += 8
	}
	for ; i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' '; i++ {
		high |= uint64(b[i])
	}
	return i, high&Highs == 0
}

// Escape returns the position behind the escape whose backslash is at i, or -1.
func Escape(b []byte, i int) int {
	switch c := Char(b, i+1); {
	case escapes[c] != 0:
		return i + 2
	case c == 'u' && Hex4(b, i+2) >= 0:
		return i + 6
	}
	return -1
}

// Hex4 returns the value of the four hexadecimal digits at i, or a negative number.
func Hex4(b []byte, i int) rune {
	if len(b)-i < 4 {
		return -1
	}
	b = b[i : i+4]
	return rune(hexValues[b[0]])<<12 | rune(hexValues[b[1]])<<8 | rune(hexValues[b[2]])<<4 | rune(hexValues[b[3]])
}

// Digits returns where the digits from i on end.
func Digits[S ~string | ~[]byte](s S, i int) int {
	for i < len(s) && IsDigit(s[i]) {
		i++
	}
	return i
}

// Number returns the length of the number at the start of s, or 0 if there is none.
func Number[S ~string | ~[]byte](s S) int {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i == len(s) || !IsDigit(s[i]):
		return 0
	case s[i] == '0':
		i++
	default:
		i = Digits(s, i)
	}
	if i < len(s) && s[i] == '.' {
		if j := Digits(s, i+1); j > i+1 {
			i = j
		} else {
			return 0
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if i = Digits(s, j); i == j {
			return 0
		}
	}
	return i
}
