package arenapb

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arena-go/arena"
)

// The functions of this file read text as protojson does. A position is an index of the text, or its length.

// char returns the byte of b at position i, or 0 at the end.
func char(b []byte, i int) byte {
	if uint(i) < uint(len(b)) {
		return b[i]
	}
	return 0
}

// has tells whether word is what b has at position i.
func has(b []byte, i int, word string) bool {
	return len(b)-i >= len(word) && string(b[i:i+len(word)]) == word
}

// space returns the position of the first byte from i on that is no white space.
func space(b []byte, i int) int {
	for uint(i) < uint(len(b)) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// comma goes on behind a value that ends at i. It returns the position of the next one and true, or the position behind the end of the
// array or object and false. The position is -1 for an error.
func comma(b []byte, i int, end byte) (int, bool) {
	c := char(b, i)
	if c != ',' && c != end {
		i = space(b, i)
		c = char(b, i)
	}
	switch c {
	case ',':
		return space(b, i+1), true
	case end:
		return i + 1, false
	}
	return -1, false
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// specials returns a word whose lowest bit that is set is the highest of the first byte of w that is a quote, a backslash or less than a space, or 0.
func specials(w uint64) uint64 {
	quote, backslash := w^'"'*ones, w^'\\'*ones
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-' '*ones)&^w) & highs
}

// endOfRun returns the position of the first byte from i on that is a quote, a backslash or less than a space, or the end, and
// whether all bytes before it are ASCII.
func endOfRun(b []byte, i int) (end int, ascii bool) {
	var high uint64
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if m := specials(w); m != 0 {
			n := bits.TrailingZeros64(m) // 7 more than the number of bits before
			high |= w & (1<<(n&56) - 1)
			return i + n>>3, high&highs == 0
		}
		high |= w
		i += 8
	}
	for ; i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' '; i++ {
		high |= uint64(b[i])
	}
	return i, high&highs == 0
}

// raw returns what the string at i means, and the position behind it, or -1. The bytes are those of the text, or of d.scratch until the next string.
func (d *jsonDecoder) raw(i int) (s []byte, end int) {
	b := d.text
	if char(b, i) != '"' {
		return nil, -1
	}
	i++
	end, ascii := endOfRun(b, i)
	if char(b, end) != '"' {
		return d.unquote(i, end)
	}
	s = b[i:end:end]
	if !ascii && !utf8.Valid(s) {
		return nil, -1
	}
	d.escaped = false
	return s, end + 1
}

// unquote is raw for a string that has an escape, the first one at the position at, or an error there. Its text begins at i.
func (d *jsonDecoder) unquote(i, at int) (s []byte, end int) {
	b := d.text
	s = d.scratch[:0]
	for {
		run := b[i:at]
		if !utf8.Valid(run) {
			return nil, -1
		}
		s = append(s, run...)
		switch char(b, at) {
		case '"':
			d.scratch, d.escaped = s, true
			return s, at + 1
		case '\\':
		default:
			return nil, -1
		}
		i = at + 2
		switch c := char(b, at+1); c {
		case '"', '\\', '/':
			s = append(s, c)
		case 'b':
			s = append(s, '\b')
		case 'f':
			s = append(s, '\f')
		case 'n':
			s = append(s, '\n')
		case 'r':
			s = append(s, '\r')
		case 't':
			s = append(s, '\t')
		case 'u':
			r := hex4(b, i)
			i += 4
			if r >= 0 && utf16.IsSurrogate(r) {
				second := rune(-1)
				if has(b, i, `\u`) {
					second = hex4(b, i+2)
				}
				if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
					return nil, -1
				}
				i += 6
			}
			if r < 0 {
				return nil, -1
			}
			s = utf8.AppendRune(s, r)
		default:
			return nil, -1
		}
		at, _ = endOfRun(b, i)
	}
}

// hex4 returns the value of the four hexadecimal digits at i, or -1.
func hex4(b []byte, i int) rune {
	if len(b)-i < 4 {
		return -1
	}
	v, err := strconv.ParseUint(text(b[i:i+4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(v)
}

// string returns the string at i to be kept, and the position behind it, or -1.
func (d *jsonDecoder) string(i int) (s []byte, end int) {
	if s, end = d.raw(i); end < 0 {
		return nil, -1
	}
	return d.keep(s), end
}

// keep returns what is kept of s, the string that was read last: a copy, or s itself.
func (d *jsonDecoder) keep(s []byte) []byte {
	if d.options.AliasInput && !d.escaped {
		return s
	}
	return d.letters.copy(d.a, s)
}

// name returns the name of a field or of an entry at i, as raw does, and the position of its value, or -1.
func (d *jsonDecoder) name(i int) (s []byte, value int) {
	if s, i = d.raw(i); i < 0 {
		return nil, -1
	}
	b := d.text
	if char(b, i) != ':' {
		if i = space(b, i); char(b, i) != ':' {
			return nil, -1
		}
	}
	return s, space(b, i+1)
}

// skip returns the position behind the value at i, or -1 if it has an error, or there are more arrays and objects in each other than limit, which is
// not negative.
func (d *jsonDecoder) skip(i, limit int) int {
	b := d.text
	base := len(d.open)
	for {
		// A value begins at i.
		switch c := char(b, i); c {
		case '{', '[':
			d.open = append(d.open, c+2) // what ends it
			if limit >= 0 && len(d.open)-base > limit {
				return -1
			}
			if i = space(b, i+1); char(b, i) == c+2 {
				break
			}
			if c == '{' {
				_, i = d.name(i)
			}
			if i < 0 {
				return -1
			}
			continue
		case '"':
			_, i = d.raw(i)
		case 't':
			i = skipWord(b, i, "true")
		case 'f':
			i = skipWord(b, i, "false")
		case 'n':
			i = skipWord(b, i, "null")
		default:
			i = endOfNumber(b, i)
		}
		if i < 0 {
			return -1
		}
		// A value has ended before i, or an array or object ends at i that has nothing.
		for again := false; !again; {
			if len(d.open) == base {
				return i
			}
			end := d.open[len(d.open)-1]
			if i, again = comma(b, i, end); again && end == '}' {
				_, i = d.name(i)
			}
			if i < 0 {
				return -1
			}
			if !again {
				d.open = d.open[:len(d.open)-1]
			}
		}
	}
}

func skipWord(b []byte, i int, word string) int {
	if !has(b, i, word) {
		return -1
	}
	return i + len(word)
}

// letters is where strings of a text are copied to, side by side: a block of the arena, or of the heap. A string on the heap keeps its block.
type letters struct {
	block []byte // with what has been copied
	most  int    // bytes of a block
	next  int    // bytes of the next one
	sum   int    // of the bytes that were copied elsewhere than to this block
}

const (
	// lettersBlock is how many bytes a block has at most, and fewLetters how many a string may have that takes a new one on the heap.
	lettersBlock, lettersHeapBlock = 4096, 512
	fewLetters                     = 64
)

// begin prepares l for a text of size bytes, share/1024 of which are strings that are kept, as far as is known.
func (l *letters) begin(a *arena.Arena, size int, share int32) {
	if share == 0 {
		share = 1024 / 4
	}
	l.most = lettersBlock
	if a == nil {
		l.most = lettersHeapBlock
	}
	l.next = min(int(int64(size)*int64(share)/1024)+8, l.most)
}

// copy returns a copy of s, which nobody changes.
func (l *letters) copy(a *arena.Arena, s []byte) []byte {
	if len(s) == 0 {
		return nil
	}
	to := l.room(a, len(s))
	copy(to, s)
	return to
}

// room returns n bytes, which are not 0, to be written once.
func (l *letters) room(a *arena.Arena, n int) []byte {
	at := len(l.block)
	if n > cap(l.block)-at {
		// The rest of a block is left only if it is small, and a string that does not fit in there gets memory of its own.
		if n > fewLetters || cap(l.block)-at > fewLetters/2 {
			l.sum += n
			return arena.MakeSlice[byte](a, n, n)
		}
		l.sum += at
		l.block = arena.MakeSlice[byte](a, 0, max(l.next, n))
		at, l.next = 0, l.most
		if l.sum <= 16<<10 && a != nil {
			l.next = max(cap(l.block)/4, fewLetters)
		}
	}
	l.block = l.block[:at+n]
	return l.block[at : at+n : at+n]
}
