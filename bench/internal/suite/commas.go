package suite

import (
	"strconv"
	"strings"
)

// Thousands writes n with commas.
func Thousands(n int) string { return Commas(strconv.Itoa(n)) }

// Commas separates the thousands of a number.
func Commas(s string) string {
	whole, rest, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + rest
	}
	return whole
}
