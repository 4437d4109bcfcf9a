package jsonwire

import (
	"math"
	"math/bits"
	"strconv"
)

// Integer reads the integer at i: its digits as v, and whether there is a minus. end is the
// position behind it, or -1 if it is not a number, or not an integer, or v would need more than 64
// bits.
func (text Text) Integer(i int) (v uint64, negative bool, end int) {
	c := text.Char(i)
	if c == '-' {
		negative = true
		i++
		c = text.Char(i)
	}
	v = uint64(c - '0')
	if v > 9 {
		return 0, false, -1
	}
	start := i
	i++
	if v > 0 {
		for {
			c = text.Char(i) - '0'
			if c > 9 {
				break
			}
			v = v*10 + uint64(c)
			i++
		}
	}
	if c = text.Char(i); c == '.' || c|0x20 == 'e' || i-start > 19 {
		if i-start != 20 || c == '.' || c|0x20 == 'e' {
			return 0, false, -1
		}
		var err error
		if v, err = strconv.ParseUint(text.View(start, i), 10, 64); err != nil {
			return 0, false, -1
		}
	}
	return v, negative, i
}

// Signed is Integer for a type of the given number of bits. The value is to be cut to them.
func (text Text) Signed(i int, bits uint) (v uint64, end int) {
	v, negative, end := text.Integer(i)
	if negative {
		if v > 1<<(bits-1) {
			return 0, -1
		}
		return -v, end
	}
	if v > 1<<(bits-1)-1 {
		return 0, -1
	}
	return v, end
}

// Unsigned is Signed for unsigned types, whose numbers have no minus.
func (text Text) Unsigned(i int, bits uint) (v uint64, end int) {
	v, negative, end := text.Integer(i)
	if negative || v > math.MaxUint64>>(64-bits) {
		return 0, -1
	}
	return v, end
}

// Float reads the number at i. end is the position behind it, or -1 if it is not a number, or too
// large.
func (text Text) Float(i int) (f float64, end int) {
	start := i
	c := text.Char(i)
	negative := c == '-'
	if negative {
		i++
		c = text.Char(i)
	}
	m := uint64(c - '0') // the digits, up to 19 of them
	if m > 9 {
		return 0, -1
	}
	first := i
	i++
	if m > 0 {
		for {
			c = text.Char(i) - '0'
			if c > 9 {
				break
			}
			m = m*10 + uint64(c)
			i++
		}
	}
	n, power := i-first, 0
	if text.Char(i) == '.' {
		i++
		point := i
		if w := text.Word(i); areDigits(w) {
			m = m*1e8 + eightDigits(w)
			i += 8
		}
		for {
			c = text.Char(i) - '0'
			if c > 9 {
				break
			}
			m = m*10 + uint64(c)
			i++
		}
		power = point - i
		if power == 0 {
			return 0, -1
		}
		n -= power
		if text.Char(first) == '0' {
			n--
		}
	}
	if text.Char(i)|0x20 == 'e' {
		i++
		sign := text.Char(i)
		if sign == '-' || sign == '+' {
			i++
		}
		digits, e := i, 0
		for IsDigit(text.Char(i)) {
			if e < 10000 {
				e = e*10 + int(text.Char(i)-'0')
			}
			i++
		}
		if i == digits {
			return 0, -1
		}
		if sign == '-' {
			e = -e
		}
		power += e
	}
	if n > 19 {
		f, err := strconv.ParseFloat(text.View(start, i), 64)
		if err != nil {
			return 0, -1
		}
		return f, i
	}
	if power == 0 && m < 1<<53 {
		f = float64(m)
	} else {
		var ok bool
		if f, ok = scaled(m, power); !ok {
			f, err := strconv.ParseFloat(text.View(start, i), 64)
			if err != nil {
				return 0, -1
			}
			return f, i
		}
	}
	if negative {
		f = -f
	}
	return f, i
}

// Float32 is Float for the type float32.
func (text Text) Float32(i int) (f float32, end int) {
	v, end := text.Float(i)
	if end < 0 {
		return 0, -1
	}
	// v is the nearest float64. Its nearest float32 is the number's, unless v is as near to
	// another; or is subnormal, or too large.
	b := math.Float64bits(v)
	if e := b >> 52 & 0x7ff; v == 0 || e > 1023-126 && e < 1023+127 && b&(1<<29-1) != 1<<28 {
		return float32(v), end
	}
	s, err := strconv.ParseFloat(text.View(i, end), 32)
	if err != nil {
		return 0, -1
	}
	return float32(s), end
}

// areDigits reports whether all eight bytes of w are digits.
func areDigits(w uint64) bool {
	return ((w+(0x7f-'9')*Ones)|(w-'0'*Ones))&Highs == 0
}

// eightDigits returns the number that eight digits are, the first of which is the lowest byte of w.
func eightDigits(w uint64) uint64 {
	w = (w & (0x0f * Ones)) * (10<<8 + 1) >> 8
	w = (w & 0x00ff00ff00ff00ff) * (100<<16 + 1) >> 16
	return (w & 0x0000ffff0000ffff) * (10000<<32 + 1) >> 32
}

// scaled returns the float64 that is nearest to m * 10^power, for a power in the table and a result
// that is neither subnormal nor too large. If it cannot tell, it reports false. It is the algorithm
// of Eisel and Lemire: D. Lemire, Number parsing at a gigabyte per second, Software: Practice and
// Experience 51 (8), 2021, section 5, with N. Mushtak and D. Lemire, Fast number parsing without
// fallback, 2022.
func scaled(m uint64, power int) (f float64, ok bool) {
	if m == 0 {
		return 0, true
	}
	if power < minPower || power > maxPower {
		return 0, false
	}
	shift := bits.LeadingZeros64(m)
	p := &powers[power-minPower]
	hi, lo := bits.Mul64(m<<shift, p[0])
	if hi&0x1ff == 0x1ff {
		// The lower half of the power may decide.
		more, _ := bits.Mul64(m<<shift, p[1])
		var carry uint64
		lo, carry = bits.Add64(lo, more, 0)
		if hi += carry; lo == math.MaxUint64 && (power < -27 || power > 55) {
			return 0, false
		}
	}
	top := hi >> 63
	mant := hi >> (top + 9) // 54 bits, one more than a float64 has
	// 217706/2^16 is the binary logarithm of 10, near enough.
	exp := 217706*power>>16 + 1023 + 63 - shift + int(top)
	if exp <= 0 {
		return 0, false
	}
	if lo <= 1 && power >= -4 && power <= 23 && mant&3 == 1 && mant<<(top+9) == hi {
		mant &^= 1 // just between two floats: the even one
	}
	mant = (mant + mant&1) >> 1
	if mant == 1<<53 {
		mant >>= 1
		exp++
	}
	if exp >= 2047 {
		return 0, false
	}
	return math.Float64frombits(mant&(1<<52-1) | uint64(exp)<<52), true
}
