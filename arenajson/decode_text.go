package arenajson

import (
	"math/bits"

	"github.com/arena-go/arena/internal/jsonwire"
)

// string decodes the string at i.
func (d *decoder) string(to pointer, i int) int {
	if d.text.Char(i) != '"' {
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
	// What has no escape is copied while its end is looked for. Where strings are kept otherwise,
	// there is no room.
	l := &d.letters
	for at, from, high := l.used, i, uint64(0); at < l.stop; at += 8 {
		w := d.text.Word(from)
		storeWord(l.block, at, w)
		if m := jsonwire.Specials(w); m != 0 {
			n := bits.TrailingZeros64(m) // 7 more than the number of bits before
			high |= w & (1<<(n&56) - 1)
			end = from + n>>3
			if d.text.Char(end) != '"' || high&jsonwire.Highs != 0 && !d.text.IsUTF8(i, end) {
				break
			}
			return l.take(end - i), end + 1
		}
		high |= w
		from += 8
	}
	return d.long(i)
}

// long is str where a string has an escape, where there is no room for it, and where it is kept
// otherwise.
func (d *decoder) long(i int) (s string, end int) {
	end, ascii := d.text.EndOfString(i)
	if d.text.Char(end) != '"' {
		return d.escaped(i)
	}
	if !ascii && !d.text.IsUTF8(i, end) {
		return d.escaped(i)
	}
	return d.keep(i, end), end + 1
}

// keep returns the bytes of the document from i up to end as a string: of where they are kept, or a
// copy.
func (d *decoder) keep(i, end int) string {
	switch {
	case d.kept.IsNone():
		return d.letters.copy(d.a, d.text.Bytes(i, end))
	case i == end:
		return "" // and nothing to keep alive
	}
	d.letters.sum += end - i
	return d.kept.View(i, end)
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
		return d.text.View(i, i+copy(d.text.Bytes(i, end-1), b)), end
	}
	return d.letters.copy(d.a, b), end
}

// unquote returns what the string whose text begins at i means, and the position behind its quote,
// or -1. The bytes are the decoder's, until the next call.
func (d *decoder) unquote(i int) (b []byte, end int) {
	if b, end = d.text.Unquote(d.scratch, i); end >= 0 {
		d.scratch = b
	}
	return b, end
}
