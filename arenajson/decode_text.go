package arenajson

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arena-go/arena"
)

// string decodes the string at i.
func (d *decoder) string(to pointer, i int) int {
	if char(d.text, i) != '"' {
		return -1
	}
	s, end := d.str(i + 1)
	if end >= 0 {
		storeString(to, s)
	}
	return end
}

// str returns the string whose text begins at i, and the position behind its quote, or -1.
func (d *decoder) str(i int) (s string, end int) {
	end, ascii := endOfString(d.text, i)
	if char(d.text, end) != '"' {
		return d.escaped(i)
	}
	if !ascii && !utf8.Valid(span(d.text, i, end)) {
		return d.escaped(i)
	}
	if d.kept != nil {
		return d.keptText(i, end), end + 1
	}
	return d.copyText(span(d.text, i, end)), end + 1
}

// keptText returns the bytes of the document from i up to end as a string that refers to where they are kept.
func (d *decoder) keptText(i, end int) string {
	if i == end {
		return "" // and nothing to keep alive
	}
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
		return viewOf(d.text, i, i+copy(span(d.text, i, end-1), b)), end
	}
	return d.copyText(b), end
}

// lettersSize is how many bytes strings on the heap share at most, and sharedSize how long they may be. A string that is kept keeps what it
// shares.
const lettersSize, sharedSize = 512, 64

// copyText returns b as a string of its own.
func (d *decoder) copyText(b []byte) string {
	n := len(b)
	switch {
	case n == 0:
		return ""
	case d.a != nil:
		return arena.String(d.a, b)
	case n > sharedSize:
		return string(b)
	}
	if n > cap(d.letters)-len(d.letters) {
		d.letters = make([]byte, 0, max(min(lettersSize, d.size), n))
	}
	start := len(d.letters)
	d.letters = append(d.letters, b...)
	return asString(d.letters[start : start+n])
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
		if run := span(text, from, i); ascii || utf8.Valid(run) {
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
