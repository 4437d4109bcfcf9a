package arenajson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// string decodes the string at i.
func (d *decoder) string(to pointer, i int) int {
	if char(d.text, i) != '"' {
		return -1
	}
	s, end := d.repeated(&d.values, i+1)
	if end >= 0 {
		storeString(to, s)
	}
	return end
}

// str returns the string whose text begins at i, and the position behind its quote, or -1.
func (d *decoder) str(i int) (s string, end int) {
	// What has no escape is copied while its end is looked for. Where strings are kept otherwise, there is no room.
	l := &d.letters
	for at, from, high := l.used, i, uint64(0); at < l.stop; at += 8 {
		w := load(d.text, from)
		storeWord(l.block, at, w)
		if m := specials(w); m != 0 {
			n := bits.TrailingZeros64(m) // 7 more than the number of bits before
			high |= w & (1<<(n&56) - 1)
			end = from + n>>3
			if char(d.text, end) != '"' || high&highs != 0 && !isUTF8(d.text, i, end) {
				break
			}
			return l.take(end - i), end + 1
		}
		high |= w
		from += 8
	}
	return d.long(i)
}

// long is str where a string has an escape, where there is no room for it, and where it is kept otherwise.
func (d *decoder) long(i int) (s string, end int) {
	end, ascii := endOfString(d.text, i)
	if char(d.text, end) != '"' {
		return d.escaped(i)
	}
	if !ascii && !isUTF8(d.text, i, end) {
		return d.escaped(i)
	}
	return d.keep(i, end), end + 1
}

// keep returns the bytes of the document from i up to end as a string: of where they are kept, or a copy.
func (d *decoder) keep(i, end int) string {
	switch {
	case d.kept == nil:
		return d.letters.copy(d.a, span(d.text, i, end))
	case i == end:
		return "" // and nothing to keep alive
	}
	d.letters.sum += end - i
	return viewOf(d.kept, i, end)
}

// escaped is str for a string that has an escape, or bytes that are not UTF-8.
func (d *decoder) escaped(i int) (s string, end int) {
	b, end := d.unquote(i)
	switch {
	case end < 0 || len(b) == 0:
		return "", end
	case d.kept == d.text && len(b) < end-i:
		// Nobody reads this part of the text again.
		d.letters.sum += len(b)
		return viewOf(d.text, i, i+copy(span(d.text, i, end-1), b)), end
	}
	return d.letters.copy(d.a, b), end
}

// unquote returns what the string whose text begins at i means, and the position behind its quote, or -1. The bytes are the decoder's, until the
// next call.
func (d *decoder) unquote(i int) (b []byte, end int) {
	text := d.text
	b = d.scratch[:cap(d.scratch)]
	n := 0 // bytes of b that are in use
	for {
		// What has no escape is copied while its end is looked for.
		from, at, high := i, n, uint64(0)
		for {
			if n+unquoteRoom > len(b) {
				b = roomier(b, n)
			}
			w := load(text, i)
			storeWord(startOf(b), n, w)
			if m := specials(w); m != 0 {
				k := bits.TrailingZeros64(m) // 7 more than the number of bits before
				high |= w & (1<<(k&56) - 1)
				i += k >> 3
				n += k >> 3
				break
			}
			high |= w
			i += 8
			n += 8
		}
		if high&highs != 0 && !isUTF8(text, from, i) {
			b = appendValid(b[:at], span(text, from, i))
			n, b = len(b), b[:cap(b)]
		}
		if char(text, i) != '\\' {
			if char(text, i) != '"' {
				return nil, -1
			}
			d.scratch = b[:n]
			return d.scratch, i + 1
		}
		for char(text, i) == '\\' { // few characters stand alone between escapes
			if n+unquoteRoom > len(b) {
				b = roomier(b, n)
			}
			if c := char(text, i+1); c != 'u' {
				if b[n] = escapes[c]; b[n] == 0 {
					return nil, -1
				}
				n++
				i += 2
				continue
			}
			r := hex4(text, i+2)
			i += 6
			switch {
			case r < 0:
				return nil, -1
			case r < utf8.RuneSelf:
				b[n] = byte(r)
				n++
			case r < 1<<11:
				binary.LittleEndian.PutUint16(b[n:], uint16(0x80c0|r>>6|r&0x3f<<8))
				n += 2
			case utf16.IsSurrogate(r):
				second := rune(-1)
				if char(text, i) == '\\' && char(text, i+1) == 'u' {
					second = hex4(text, i+2)
				}
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					i += 6
				}
				n = len(utf8.AppendRune(b[:n], r))
			default:
				binary.LittleEndian.PutUint32(b[n:], uint32(0x8080e0|r>>12|r>>6&0x3f<<8|r&0x3f<<16))
				n += 3
			}
		}
	}
}

// unquoteRoom is how many bytes unquote writes at most before it asks for room again.
const unquoteRoom = 8

// escapes has the bytes that letters behind a backslash mean, and 0 for other bytes.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// roomier returns a longer slice with the first n bytes of b.
func roomier(b []byte, n int) []byte {
	more := make([]byte, max(2*len(b), 512))
	copy(more, b[:n])
	return more
}

// appendValid appends text with U+FFFD in the place of each byte that is not UTF-8.
func appendValid(b, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		b = utf8.AppendRune(b, r)
		text = text[n:]
	}
	return b
}

// reject returns an error if data, which is valid and of which text is a copy, has what the options forbid.
func (o *UnmarshalOptions) reject(text pointer, data []byte) error {
	if o.RejectInvalidUTF8 {
		if at := invalidUTF8(text, data); at >= 0 {
			return &InvalidUTF8Error{Offset: int64(at)}
		}
	}
	if o.RejectDuplicateNames {
		n := namesakes{text: text}
		if n.value(space(text, 0)) < 0 {
			return &DuplicateNameError{Name: n.name, Offset: int64(n.at)}
		}
	}
	return nil
}
