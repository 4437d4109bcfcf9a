package jsonwire

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns what the string whose text begins at i means, and the position behind its quote,
// or -1. Bytes that are not UTF-8, and halves of surrogate pairs, mean U+FFFD. The result is in the
// memory of scratch, whose elements are lost, or in a longer slice.
func (text Text) Unquote(scratch []byte, i int) (b []byte, end int) {
	b = scratch[:cap(scratch)]
	n := 0 // bytes of b that are in use
	for {
		// What has no escape is copied while its end is looked for.
		from, at, high := i, n, uint64(0)
		for {
			if n+unquoteRoom > len(b) {
				b = roomier(b, n)
			}
			w := text.Word(i)
			storeWord(b, n, w)
			if m := Specials(w); m != 0 {
				k, h := before(w, m)
				high |= h
				i += k
				n += k
				break
			}
			high |= w
			i += 8
			n += 8
		}
		if high&Highs != 0 && !text.IsUTF8(from, i) {
			b = appendValid(b[:at], text.Bytes(from, i))
			n, b = len(b), b[:cap(b)]
		}
		if text.Char(i) != '\\' {
			if text.Char(i) != '"' {
				return nil, -1
			}
			return b[:n], i + 1
		}
		for text.Char(i) == '\\' { // few characters stand alone between escapes
			if n+unquoteRoom > len(b) {
				b = roomier(b, n)
			}
			if c := text.Char(i + 1); c != 'u' {
				if b[n] = escapes[c]; b[n] == 0 {
					return nil, -1
				}
				n++
				i += 2
				continue
			}
			r := text.Hex4(i + 2)
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
				if text.Char(i) == '\\' && text.Char(i+1) == 'u' {
					second = text.Hex4(i + 2)
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

// roomier returns a longer slice with the first n bytes of b.
func roomier(b []byte, n int) []byte {
	more := make([]byte, max(2*len(b), 512))
	copy(more, b[:n])
	return more
}

// appendValid appends text with U+FFFD instead of each byte that is not UTF-8.
func appendValid(b, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		b = utf8.AppendRune(b, r)
		text = text[n:]
	}
	return b
}
