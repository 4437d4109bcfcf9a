package jsonwire

import "math/bits"

const (
	wordNull = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	wordTrue = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	wordAlse = 'a' | 'l'<<8 | 's'<<16 | 'e'<<24
)

// IsNull reports whether there is null at i.
func (text Text) IsNull(i int) bool { return text.Half(i) == wordNull }

// IsTrue reports whether there is true at i.
func (text Text) IsTrue(i int) bool { return text.Half(i) == wordTrue }

// IsFalse reports whether there is false at i.
func (text Text) IsFalse(i int) bool { return text.Char(i) == 'f' && text.Half(i+1) == wordAlse }

// Space returns the position of the first byte from i on that is no white space.
func (text Text) Space(i int) int {
	for {
		switch text.Char(i) {
		case '\n', '\r':
			i++
			for text.Word(i) == ' '*Ones {
				i += 8
			}
		case ' ', '\t':
			i++
		default:
			return i
		}
	}
}

// IsBlank reports whether there are n spaces at i.
func (text Text) IsBlank(i, n int) bool {
	for ; n >= 8; n -= 8 {
		if text.Word(i) != ' '*Ones {
			return false
		}
		i += 8
	}
	return (text.Word(i)^' '*Ones)<<(64-8*n) == 0
}

// EndOfString returns the position of the quote that ends the string whose text begins at i, which
// has no escape, and whether there is a byte of 0x80 or more in it. If it has an escape or an
// error, end is the position of that.
func (text Text) EndOfString(i int) (end int, ascii bool) {
	var high uint64
	for {
		w := text.Word(i)
		if m := Specials(w); m != 0 {
			n := bits.TrailingZeros64(m) // 7 more than the number of bits before
			high |= w & (1<<(n&56) - 1)
			return i + n>>3, high&Highs == 0
		}
		high |= w
		i += 8
	}
}

// IsUTF8 reports whether the text from i up to end is valid UTF-8. The byte at end is ASCII.
func (text Text) IsUTF8(i, end int) bool {
	for i < end {
		switch w := text.Word(i); {
		case w&0xc0c0f0 == 0x8080e0:
			if second := w & 0x200f; second == 0 || second == 0x200d {
				return false // it is too long, or a surrogate
			}
			i += 3
		case w&0x80 == 0:
			i += bits.TrailingZeros64(w&Highs) >> 3
		case w&0xc0e0 == 0x80c0:
			if w&0x1e == 0 {
				return false
			}
			i += 2
		case w&0xc0c0c0f8 == 0x808080f0:
			if lead, second := w&7, w&0x3000; lead|second == 0 || lead == 4 && second != 0 || lead > 4 {
				return false
			}
			i += 4
		default:
			return false
		}
	}
	return true
}

// SkipString returns the position behind the string whose text begins at i, or -1.
func (text Text) SkipString(i int) int {
	for {
		i, _ = text.EndOfString(i)
		switch text.Char(i) {
		case '"':
			return i + 1
		case '\\':
			if i = text.SkipEscape(i); i < 0 {
				return -1
			}
		default:
			return -1
		}
	}
}

// SkipEscape returns the position behind the escape whose backslash is at i, or -1.
func (text Text) SkipEscape(i int) int {
	switch text.Char(i + 1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if text.Hex4(i+2) >= 0 {
			return i + 6
		}
	}
	return -1
}

// Hex4 returns the value of the four hexadecimal digits at i, or a negative number.
func (text Text) Hex4(i int) rune {
	w := text.Half(i)
	return rune(hexValues[byte(w)])<<12 | rune(hexValues[byte(w>>8)])<<8 | rune(hexValues[byte(w>>16)])<<4 | rune(hexValues[w>>24])
}

// SkipNumber returns the position behind the number at i, or -1.
func (text Text) SkipNumber(i int) int {
	if text.Char(i) == '-' {
		i++
	}
	switch c := text.Char(i); {
	case c == '0':
		i++
	case IsDigit(c):
		i = text.skipDigits(i + 1)
	default:
		return -1
	}
	if text.Char(i) == '.' {
		if i++; !IsDigit(text.Char(i)) {
			return -1
		}
		i = text.skipDigits(i + 1)
	}
	if text.Char(i)|0x20 == 'e' {
		i++
		if c := text.Char(i); c == '-' || c == '+' {
			i++
		}
		if !IsDigit(text.Char(i)) {
			return -1
		}
		i = text.skipDigits(i + 1)
	}
	return i
}

func (text Text) skipDigits(i int) int {
	for IsDigit(text.Char(i)) {
		i++
	}
	return i
}

// Skip returns the position behind the value at i, or -1 if it has an error, or would be nested
// more deeply than MaxNesting. depth is how many arrays and objects it is in.
func (text Text) Skip(i, depth int) int {
	switch c := text.Char(i); c {
	case '"':
		return text.SkipString(i + 1)
	case '{':
		if depth++; depth > MaxNesting {
			return -1
		}
		if i = text.Space(i + 1); text.Char(i) == '}' {
			return i + 1
		}
		for {
			if text.Char(i) != '"' {
				return -1
			}
			if i = text.SkipString(i + 1); i < 0 {
				return -1
			}
			if text.Char(i) != ':' {
				if i = text.Space(i); text.Char(i) != ':' {
					return -1
				}
			}
			if i = text.Skip(text.Space(i+1), depth); i < 0 {
				return -1
			}
			if text.Char(i) != ',' {
				switch i = text.Space(i); text.Char(i) {
				case '}':
					return i + 1
				case ',':
				default:
					return -1
				}
			}
			i = text.Space(i + 1)
		}
	case '[':
		if depth++; depth > MaxNesting {
			return -1
		}
		if i = text.Space(i + 1); text.Char(i) == ']' {
			return i + 1
		}
		for {
			if i = text.Skip(i, depth); i < 0 {
				return -1
			}
			if text.Char(i) != ',' {
				switch i = text.Space(i); text.Char(i) {
				case ']':
					return i + 1
				case ',':
				default:
					return -1
				}
			}
			i = text.Space(i + 1)
		}
	case 't':
		if text.IsTrue(i) {
			return i + 4
		}
	case 'f':
		if text.Half(i+1) == wordAlse {
			return i + 5
		}
	case 'n':
		if text.IsNull(i) {
			return i + 4
		}
	default:
		return text.SkipNumber(i)
	}
	return -1
}

// FirstWord returns the first eight bytes at i. Those behind the first quote are zero.
func (text Text) FirstWord(i int) uint64 {
	w := text.Word(i)
	q := w ^ '"'*Ones
	q = (q - Ones) &^ q & Highs // the lowest set bit belongs to the first quote
	return w & (q ^ (q - 1))
}
