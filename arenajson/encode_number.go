package arenajson

import (
	"math"
	"math/bits"
	"strconv"
)

// maxNumber is more than the bytes that a number takes.
const maxNumber = 32

const digitPairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

var powersOfTen = [20]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// digits returns how many decimal digits u has.
func digits(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // by log10(2)
	if u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}

func appendInt(b []byte, i int64) []byte {
	u := uint64(i)
	if i < 0 {
		b = append(b, '-')
		u = -u
	}
	return appendUint(b, u)
}

func appendUint(b []byte, u uint64) []byte {
	if u < 10 {
		return append(b, byte('0'+u))
	}
	b = room(b, maxNumber)
	n := digits(u)
	putDigits(b[len(b):len(b)+n], u)
	return b[:len(b)+n]
}

// putDigits writes the last len(d) digits of u.
func putDigits(d []byte, u uint64) {
	for len(d) >= 2 {
		q := u / 100
		r := (u - q*100) * 2
		d[len(d)-1], d[len(d)-2] = digitPairs[r+1], digitPairs[r]
		d, u = d[:len(d)-2], q
	}
	if len(d) > 0 {
		d[0] = byte('0' + u%10)
	}
}

// float64 appends f, as ES6 does.
func (e *encoder) float64(b []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs < 1e15 && abs >= 1e-6 || f == 0 && !math.Signbit(f) {
		if c, ok := appendShort(b, f); ok {
			return c
		}
	}
	if abs > math.MaxFloat64 || f != f {
		e.failed = true
		return b
	}
	return appendFloat(b, f, 64, abs != 0 && (abs < 1e-6 || abs >= 1e21))
}

func (e *encoder) float32(b []byte, f float32) []byte {
	abs := float32(math.Abs(float64(f)))
	if i := int64(f); abs < 1<<24 && float32(i) == f && (i != 0 || !math.Signbit(float64(f))) {
		return appendInt(b, i)
	}
	if abs > math.MaxFloat32 || f != f {
		e.failed = true
		return b
	}
	return appendFloat(b, float64(f), 32, abs != 0 && (abs < 1e-6 || abs >= 1e21))
}

func appendFloat(b []byte, f float64, size int, exponent bool) []byte {
	if !exponent {
		return strconv.AppendFloat(b, f, 'f', -1, size)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, size)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 is e-9
		b = b[:n-1]
	}
	return b
}

// scales has by which power of ten a number below 10^i is multiplied to have 15 digits before the point.
var scales = [22]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21}

// appendShort appends f, of [1e-6, 1e15) or 0, if it has no more than 15 digits. It reports false if it has more.
//
// Let m be the integer nearest to f·10^k, less than 10^15, for k up to 21. m and 10^k are exact as float64, so their quotient is
// the float64 nearest to the decimal m·10^-k. If that is f, then no other decimal with up to 15 digits has f as its
// nearest float64, since a float64 tells all of those apart. So the shortest decimal that does is m·10^-k, without zeros at the end.
func appendShort(b []byte, f float64) ([]byte, bool) {
	abs := math.Abs(f)
	if i := uint64(abs); float64(i) == abs {
		if f < 0 {
			b = append(b, '-')
		}
		return appendUint(b, i), true
	}
	k := 0
	if abs >= 1 {
		k = 15 - digits(uint64(abs))
	} else {
		k = 15
		for t := abs * 10; t < 1; t *= 10 {
			k++
		}
	}
	k = min(k, len(scales)-1)
	m := uint64(abs*scales[k] + 0.5)
	if m >= 1e15 || float64(m)/scales[k] != abs {
		return b, false
	}
	for _, z := range [4]int{8, 4, 2, 1} {
		if q := m / powersOfTen[z]; k >= z && q*powersOfTen[z] == m {
			m, k = q, k-z
		}
	}
	b = room(b, maxNumber)
	if f < 0 {
		b = append(b, '-')
	}
	whole := m / powersOfTen[min(k, 19)] // m is less than that if k is larger
	b = append(appendUint(b, whole), '.')
	putDigits(b[len(b):len(b)+k], m-whole*powersOfTen[min(k, 19)])
	return b[:len(b)+k], true
}

// scanNumber returns the length of the JSON number at the start of s, or 0 if there is none.
func scanNumber[S ~string | ~[]byte](s S) int {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i == len(s) || s[i] < '0' || s[i] > '9':
		return 0
	case s[i] == '0':
		i++
	default:
		i = scanDigits(s, i)
	}
	if i < len(s) && s[i] == '.' {
		if j := scanDigits(s, i+1); j > i+1 {
			i = j
		} else {
			return 0
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if i = scanDigits(s, j); i == j {
			return 0
		}
	}
	return i
}

// scanDigits returns where the digits from i on end.
func scanDigits[S ~string | ~[]byte](s S, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}
