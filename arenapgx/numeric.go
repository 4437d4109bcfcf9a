package arenapgx

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/arena-go/arena"
	"github.com/jackc/pgx/v5/pgtype"
)

// A numeric has digits to the base of 10,000: their number, the weight of the first one, a sign,
// how many decimals are to be shown, and the digits. See numeric_send in
// src/backend/utils/adt/numeric.c.

const (
	signNaN    = 0xc000
	signPosInf = 0xd000
	signNegInf = 0xf000
)

// Numbers with more digits, or with more decimals behind or missing than the digits have, are left
// to pgx: they are rare, and its time grows with the square of them.
const (
	maxDigits = 64
	maxShift  = 64
	maxWords  = 64
)

// numeric decodes a numeric into what is at q: a pgtype.Numeric, a number, or a type that begins
// with one.
func (d *decoder) numeric(q pointer, c *column, b []byte) bool {
	if len(b) < 8 {
		return false
	}
	count := int(binary.BigEndian.Uint16(b))
	weight := int32(int16(binary.BigEndian.Uint16(b[2:])))
	sign := binary.BigEndian.Uint16(b[4:])
	scale := int(int16(binary.BigEndian.Uint16(b[6:])))
	switch {
	case sign == signNaN:
		return storeSpecial(q, c, pgtype.Numeric{NaN: true, Valid: true}, math.NaN())
	case sign == signPosInf:
		return storeSpecial(q, c, pgtype.Numeric{InfinityModifier: pgtype.Infinity, Valid: true}, math.Inf(1))
	case sign == signNegInf:
		return storeSpecial(q, c, pgtype.Numeric{InfinityModifier: pgtype.NegativeInfinity, Valid: true}, math.Inf(-1))
	case count == 0:
		return d.storeNumber(q, c, nil, 0, false)
	}
	b = b[8:]
	if count > maxDigits || len(b) != 2*count {
		return false
	}
	words := d.words[:0]
	for ; len(b) > 0; b = b[2:] {
		words = mulAdd(words, 10000, uint(binary.BigEndian.Uint16(b)))
	}
	exp := (weight - int32(count) + 1) * 4
	if scale > 0 {
		shift := scale - (count-int(weight)-1)*4
		if shift > maxShift || shift < -maxShift {
			return false
		}
		exp -= int32(shift)
		for ; shift > 0; shift-- {
			words = mulAdd(words, 10, 0)
		}
		for ; shift < 0; shift++ {
			words, _ = div(words, 10)
		}
	}
	d.words = words
	if exp >= 0 && len(words) > 0 {
		for endsInZero(words) {
			words, _ = div(words, 10)
			exp++
		}
	}
	return d.storeNumber(q, c, words, exp, sign != 0 && len(words) > 0)
}

// storeSpecial writes what is no number.
func storeSpecial(q pointer, c *column, n pgtype.Numeric, f float64) bool {
	switch c.op {
	case opNumeric:
		store(q, n)
		return true
	case opNumericToFloat64:
		store(q, f)
		return true
	}
	return false
}

// storeNumber writes a number, words times ten to the power of exp. words has no zero at the end,
// which is the front of the number.
func (d *decoder) storeNumber(q pointer, c *column, words []big.Word, exp int32, negative bool) bool {
	if c.op == opNumeric {
		n := arena.New[big.Int](d.a)
		if len(words) > 0 {
			n.SetBits(arena.SliceOf(d.a, words...))
			if negative {
				n.Neg(n)
			}
		}
		store(q, pgtype.Numeric{Int: n, Exp: exp, Valid: true})
		return true
	}
	m, ok := magnitude(words)
	if !ok {
		return false
	}
	if c.op == opNumericToInt {
		v, ok := scaled(m, exp)
		if !ok || v > math.MaxInt64 {
			return false // pgx has the least number, too
		}
		if negative {
			v = -v
		}
		return storeInt(q, c.kind, int64(v))
	}
	var f float64
	if m < 1<<53 && exp >= -22 && exp <= 22 {
		// Both numbers are exact, and so the one operation rounds as it should: W. D. Clinger, How
		// to read floating point numbers accurately, 1990.
		if f = float64(m); exp < 0 {
			f /= powers[-exp]
		} else {
			f *= powers[exp]
		}
		if negative {
			f = -f
		}
	} else {
		buf := d.buf[:0]
		if negative {
			buf = append(buf, '-')
		}
		buf = strconv.AppendUint(buf, m, 10)
		buf = append(buf, 'e')
		buf = strconv.AppendInt(buf, int64(exp), 10)
		var err error
		if f, err = strconv.ParseFloat(text(buf), 64); err != nil {
			return false
		}
	}
	store(q, f)
	return true
}

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// mulAdd returns words*m + a, without zeros at the end.
func mulAdd(words []big.Word, m, a uint) []big.Word {
	for i, w := range words {
		hi, lo := bits.Mul(uint(w), m)
		lo, carry := bits.Add(lo, a, 0)
		words[i], a = big.Word(lo), hi+carry
	}
	if a != 0 {
		words = append(words, big.Word(a))
	}
	return words
}

// div returns words/m, without zeros at the end, and what is left.
func div(words []big.Word, m uint) (_ []big.Word, rest uint) {
	for i := len(words) - 1; i >= 0; i-- {
		var w uint
		w, rest = bits.Div(rest, uint(words[i]), m)
		words[i] = big.Word(w)
	}
	for len(words) > 0 && words[len(words)-1] == 0 {
		words = words[:len(words)-1]
	}
	return words, rest
}

// endsInZero reports whether words, which is not zero, is a multiple of ten.
func endsInZero(words []big.Word) bool {
	rest := uint(0)
	for i := len(words) - 1; i >= 0; i-- {
		_, rest = bits.Div(rest, uint(words[i]), 10)
	}
	return rest == 0
}

// magnitude returns words as one number, if it is one.
func magnitude(words []big.Word) (m uint64, ok bool) {
	if len(words)*bits.UintSize > 64 {
		return 0, false
	}
	for i, w := range words {
		m |= uint64(w) << (i * bits.UintSize)
	}
	return m, true
}

// scaled returns m times ten to the power of exp, if it is a whole number that fits.
func scaled(m uint64, exp int32) (uint64, bool) {
	for ; exp < 0 && m != 0; exp++ {
		if m%10 != 0 {
			return 0, false
		}
		m /= 10
	}
	for ; exp > 0 && m != 0; exp-- {
		hi, lo := bits.Mul64(m, 10)
		if hi != 0 {
			return 0, false
		}
		m = lo
	}
	return m, true
}
