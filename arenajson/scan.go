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

// line is space where a line may begin that is in so many arrays and objects.
func (d *decoder) line(i, depth int) int {
	if char(d.text, i) > ' ' {
		return i
	}
	return d.indented(i, depth)
}

// indented is line if there is white space. Lines of a depth are mostly indented alike. So the processor guesses that this one is, and goes on behind the spaces while they are
// looked at. For what space returns it has to wait.
func (d *decoder) indented(i, depth int) int {
	text, indent := d.text, &d.indents[depth&(maxIndents-1)]
	if end := i + 1 + *indent; char(text, i) == '\n' && isBlank(text, i+1, *indent) && char(text, end) > ' ' {
		return end
	}
	end := space(text, i)
	*indent = max(end-i-1, 0)
	return end
}

// isBlank tells whether there are n spaces at i.
func isBlank(text pointer, i, n int) bool {
	for ; n >= 8; n -= 8 {
		if load(text, i) != ' '*ones {
			return false
		}
		i += 8
	}
	return (load(text, i)^' '*ones)<<(64-8*n) == 0
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

// isUTF8 tells whether the text from i up to end is valid UTF-8. The byte at end is ASCII.
func isUTF8(text pointer, i, end int) bool {
	for i < end {
		switch w := load(text, i); {
		case w&0xc0c0f0 == 0x8080e0:
			if second := w & 0x200f; second == 0 || second == 0x200d {
				return false // it is too long, or a surrogate
			}
			i += 3
		case w&0x80 == 0:
			i += bits.TrailingZeros64(w&highs) >> 3
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
