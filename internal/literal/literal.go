// Package literal has what Builder of package arena and the functions of package arenastrings need
// to write numbers and literals without memory of the heap.
package literal

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// FloatRoom returns how many bytes the text of a number may have: the digits and, in front of the
// point or behind it, the zeros of the least and the largest number. No number has more than 767
// digits, and g and b have no zeros behind them.
func FloatRoom(format byte, precision int) int {
	n := 32
	switch format {
	case 'f':
		n = 352
	case 'g', 'G':
		precision = min(precision, 767)
	case 'b':
		precision = 0
	}
	return n + min(max(precision, 0), math.MaxInt-n)
}

// QuotePiece is the number of bytes that are quoted at a time, and QuoteRoom what they may become,
// with quotes: four bytes each.
const (
	QuotePiece = 64
	QuoteRoom  = 4*QuotePiece + 2
)

// AppendQuoted appends the beginning of s to b, in the form of a literal, and returns the rest of
// s. b is not empty, and has QuoteRoom. strconv.AppendQuote of all of s would allocate on the heap
// if there is much to escape.
func AppendQuoted(b []byte, s string) (quoted []byte, rest string) {
	n := min(len(s), QuotePiece)
	if n < len(s) {
		// Not within a rune. What follows three bytes that begin none is not part of one.
		for back := range utf8.UTFMax {
			if utf8.RuneStart(s[n-back]) {
				n -= back
				break
			}
		}
	}
	at := len(b) - 1
	last := b[at]
	quoted = strconv.AppendQuote(b[:at], s[:n])
	quoted[at] = last // instead of the quote
	return quoted[:len(quoted)-1], s[n:]
}
