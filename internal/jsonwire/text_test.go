package jsonwire_test

import (
	"testing"
	"unicode/utf8"
)

// TestUTF8 compares IsUTF8 with package unicode/utf8: for all pairs of bytes, with bytes at the
// limits behind them.
func TestUTF8(t *testing.T) {
	b := make([]byte, 8)
	compare := func(n int) {
		if got, want := textOf(string(b[:n])+`"`).IsUTF8(0, n), utf8.Valid(b[:n]); got != want {
			t.Fatalf("%x: %v, want %v", b[:n], got, want)
		}
	}
	limits := []byte{0, 'a', 0x7f, 0x80, 0xbf, 0xc0, 0xff}
	for first := range 256 {
		b[0] = byte(first)
		compare(1)
		for second := range 256 {
			b[1] = byte(second)
			compare(2)
			for _, b[2] = range limits {
				compare(3)
				if first < 0xe0 {
					continue
				}
				for _, b[3] = range limits {
					compare(4)
					compare(4 + copy(b[4:], "\u4e16x"))
				}
			}
		}
	}
}
