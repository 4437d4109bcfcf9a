package arenapb

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
)

// The functions of this file read text as protojson does. See package jsonwire for positions.

// raw returns the value of the string at i, and the position after it, or -1. The bytes are bytes
// of the text, or of d.scratch until the next string.
func (d *jsonDecoder) raw(i int) (s []byte, end int) {
	b := d.text
	if jsonwire.Char(b, i) != '"' {
		return nil, -1
	}
	i++
	end, ascii := jsonwire.EndOfRun(b, i)
	if jsonwire.Char(b, end) != '"' {
		return d.unquote(i, end)
	}
	s = b[i:end:end]
	if !ascii && !utf8.Valid(s) {
		return nil, -1
	}
	d.escaped = false
	return s, end + 1
}

// unquote is raw for a string that has an escape, the first one at the position at, or an error
// there. Its text begins at i.
func (d *jsonDecoder) unquote(i, at int) (s []byte, end int) {
	b := d.text
	s = d.scratch[:0]
	for {
		run := b[i:at]
		if !utf8.Valid(run) {
			return nil, -1
		}
		s = append(s, run...)
		switch jsonwire.Char(b, at) {
		case '"':
			d.scratch, d.escaped = s, true
			return s, at + 1
		case '\\':
		default:
			return nil, -1
		}
		i = at + 2
		switch c := jsonwire.Char(b, at+1); c {
		case 'u':
			r := jsonwire.Hex4(b, i)
			i += 4
			if r >= 0 && utf16.IsSurrogate(r) {
				second := rune(-1)
				if jsonwire.Has(b, i, `\u`) {
					second = jsonwire.Hex4(b, i+2)
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
			if c = jsonwire.Unescaped(c); c == 0 {
				return nil, -1
			}
			s = append(s, c)
		}
		at, _ = jsonwire.EndOfRun(b, i)
	}
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

// name returns the name of a field or of an entry at i, as raw does, and the position of its value,
// or -1.
func (d *jsonDecoder) name(i int) (s []byte, value int) {
	if s, i = d.raw(i); i < 0 {
		return nil, -1
	}
	b := d.text
	if jsonwire.Char(b, i) != ':' {
		if i = jsonwire.Space(b, i); jsonwire.Char(b, i) != ':' {
			return nil, -1
		}
	}
	return s, jsonwire.Space(b, i+1)
}

// skip returns the position behind the value at i, or -1 if it has an error, or there are more
// arrays and objects in each other than limit, which is not negative.
func (d *jsonDecoder) skip(i, limit int) int {
	b := d.text
	base := len(d.open)
	for {
		// A value begins at i.
		switch c := jsonwire.Char(b, i); c {
		case '{', '[':
			d.open = append(d.open, c+2) // what ends it
			if limit >= 0 && len(d.open)-base > limit {
				return -1
			}
			if i = jsonwire.Space(b, i+1); jsonwire.Char(b, i) == c+2 {
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
			i = jsonwire.Word(b, i, "true")
		case 'f':
			i = jsonwire.Word(b, i, "false")
		case 'n':
			i = jsonwire.Word(b, i, "null")
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
			if i, again = jsonwire.Comma(b, i, end); again && end == '}' {
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

// letters is where strings of a text are copied to, next to each other: a block of the arena, or of
// the heap. A string on the heap keeps its block.
type letters struct {
	block []byte // with what has been copied
	most  int    // bytes of a block
	next  int    // bytes of the next one
	sum   int    // of the bytes that were copied elsewhere than to this block
}

const (
	// lettersBlock is how many bytes a block has at most, and fewLetters how many a string may have
	// that takes a new one on the heap.
	lettersBlock, lettersHeapBlock = 4096, 512
	fewLetters                     = 64
)

// begin prepares l for a text of size bytes, share/1024 of which are strings that are kept, as far
// as is known.
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
		// The rest of a block is left only if it is small, and a string that does not fit in there
		// gets memory of its own.
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
