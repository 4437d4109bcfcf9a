package arenajson

import "math/bits"

// maxNesting is how deeply arrays and objects may be nested, as in encoding/json.
const maxNesting = 10000

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080

	wordNull = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	wordTrue = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	wordAlse = 'a' | 'l'<<8 | 's'<<16 | 'e'<<24
)

// specials returns a word whose lowest bit that is set is the highest of the first byte of w that is a quote, a backslash or
// less than a space. Higher bits mean nothing. If there is no such byte, it returns 0.
func specials(w uint64) uint64 {
	q := w ^ '"'*ones
	b := w ^ '\\'*ones
	return ((q-ones)&^q | (b-ones)&^b | (w-' '*ones)&^w) & highs
}

// space returns the position of the first byte from i on that is no white space.
func space(text pointer, i int) int {
	for {
		switch char(text, i) {
		case '\n', '\r':
			i++
			for load(text, i) == ' '*ones {
				i += 8
			}
		case ' ', '\t':
			i++
		default:
			return i
		}
	}
}

// endOfString returns the position of the quote that ends the string whose text begins at i, which has no escape, and
// whether there is a byte of 0x80 or more in it. If it has an escape or an error, end is the position of that.
func endOfString(text pointer, i int) (end int, ascii bool) {
	var high uint64
	for {
		w := load(text, i)
		if m := specials(w); m != 0 {
			n := bits.TrailingZeros64(m) // 7 more than the number of bits before
			high |= w & (1<<(n&56) - 1)
			return i + n>>3, high&highs == 0
		}
		high |= w
		i += 8
	}
}

// skipString returns the position behind the string whose text begins at i, or -1.
func skipString(text pointer, i int) int {
	for {
		i, _ = endOfString(text, i)
		switch char(text, i) {
		case '"':
			return i + 1
		case '\\':
			if i = skipEscape(text, i); i < 0 {
				return -1
			}
		default:
			return -1
		}
	}
}

// skipEscape returns the position behind the escape whose backslash is at i, or -1.
func skipEscape(text pointer, i int) int {
	switch char(text, i+1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if hex4(text, i+2) >= 0 {
			return i + 6
		}
	}
	return -1
}

// hex4 returns the value of the four hexadecimal digits at i, or a negative number.
func hex4(text pointer, i int) rune {
	w := half(text, i)
	return rune(hexValues[byte(w)])<<12 | rune(hexValues[byte(w>>8)])<<8 | rune(hexValues[byte(w>>16)])<<4 | rune(hexValues[w>>24])
}

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

// isDigit tells whether c is a digit.
func isDigit(c byte) bool { return c-'0' <= 9 }

// skipNumber returns the position behind the number at i, or -1.
func skipNumber(text pointer, i int) int {
	if char(text, i) == '-' {
		i++
	}
	switch c := char(text, i); {
	case c == '0':
		i++
	case isDigit(c):
		i = skipDigits(text, i+1)
	default:
		return -1
	}
	if char(text, i) == '.' {
		if i++; !isDigit(char(text, i)) {
			return -1
		}
		i = skipDigits(text, i+1)
	}
	if char(text, i)|0x20 == 'e' {
		i++
		if c := char(text, i); c == '-' || c == '+' {
			i++
		}
		if !isDigit(char(text, i)) {
			return -1
		}
		i = skipDigits(text, i+1)
	}
	return i
}

func skipDigits(text pointer, i int) int {
	for isDigit(char(text, i)) {
		i++
	}
	return i
}

// skip returns the position behind the value at i, or -1 if it has an error, or would be nested more deeply than maxNesting. depth
// is how many arrays and objects it is in.
func skip(text pointer, i, depth int) int {
	switch c := char(text, i); c {
	case '"':
		return skipString(text, i+1)
	case '{':
		if depth++; depth > maxNesting {
			return -1
		}
		if i = space(text, i+1); char(text, i) == '}' {
			return i + 1
		}
		for {
			if char(text, i) != '"' {
				return -1
			}
			if i = skipString(text, i+1); i < 0 {
				return -1
			}
			if char(text, i) != ':' {
				if i = space(text, i); char(text, i) != ':' {
					return -1
				}
			}
			if i = skip(text, space(text, i+1), depth); i < 0 {
				return -1
			}
			if char(text, i) != ',' {
				switch i = space(text, i); char(text, i) {
				case '}':
					return i + 1
				case ',':
				default:
					return -1
				}
			}
			i = space(text, i+1)
		}
	case '[':
		if depth++; depth > maxNesting {
			return -1
		}
		if i = space(text, i+1); char(text, i) == ']' {
			return i + 1
		}
		for {
			if i = skip(text, i, depth); i < 0 {
				return -1
			}
			if char(text, i) != ',' {
				switch i = space(text, i); char(text, i) {
				case ']':
					return i + 1
				case ',':
				default:
					return -1
				}
			}
			i = space(text, i+1)
		}
	case 't':
		if half(text, i) == wordTrue {
			return i + 4
		}
	case 'f':
		if half(text, i+1) == wordAlse {
			return i + 5
		}
	case 'n':
		if half(text, i) == wordNull {
			return i + 4
		}
	default:
		return skipNumber(text, i)
	}
	return -1
}
