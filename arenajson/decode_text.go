package arenajson

import (
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
	b = d.scratch[:0]
	for {
		from := i
		var ascii bool
		i, ascii = endOfString(text, i)
		if run := span(text, from, i); ascii || isUTF8(text, from, i) {
			b = append(b, run...)
		} else {
			for len(run) > 0 {
				r, n := utf8.DecodeRune(run)
				b = utf8.AppendRune(b, r)
				run = run[n:]
			}
		}
		switch char(text, i) {
		case '"':
			d.scratch = b
			return b, i + 1
		case '\\':
		default:
			return nil, -1
		}
		switch c := char(text, i+1); c {
		case '"', '\\', '/':
			b = append(b, c)
			i += 2
		case 'b':
			b = append(b, '\b')
			i += 2
		case 'f':
			b = append(b, '\f')
			i += 2
		case 'n':
			b = append(b, '\n')
			i += 2
		case 'r':
			b = append(b, '\r')
			i += 2
		case 't':
			b = append(b, '\t')
			i += 2
		case 'u':
			r := hex4(text, i+2)
			if r < 0 {
				return nil, -1
			}
			i += 6
			if utf16.IsSurrogate(r) {
				second := rune(-1)
				if char(text, i) == '\\' && char(text, i+1) == 'u' {
					second = hex4(text, i+2)
				}
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					i += 6
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			return nil, -1
		}
	}
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
