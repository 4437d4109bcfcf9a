package arenapb

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"

	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// bits returns the number, the bool or the enum value at i in its form in memory, and the position
// after it, or -1.
func (d *jsonDecoder) bits(v *jsonValue, i int) (bits uint64, end int) {
	b := d.text
	switch v.read {
	case readBool:
		switch {
		case jsonwire.Has(b, i, "true"):
			return 1, i + 4
		case jsonwire.Has(b, i, "false"):
			return 0, i + 5
		}
		return 0, -1
	case readEnum:
		return d.enum(v, i)
	case readFloat, readDouble:
		return d.float(v, i)
	}
	quoted := jsonwire.Char(b, i) == '"'
	if quoted {
		i++
	}
	digits, negative, end := integer(b, i)
	if end < 0 || quoted && jsonwire.Char(b, end) != '"' {
		return d.oddInteger(v, i, quoted)
	}
	if quoted {
		end++
	}
	if bits, ok := v.fits(digits, negative); ok {
		return bits, end
	}
	return 0, -1
}

// integer reads an integer of up to 19 digits at i: its digits as v, and whether there is a minus.
// end is the position behind it, or -1 if there is none, or another kind of number.
func integer(b []byte, i int) (v uint64, negative bool, end int) {
	if jsonwire.Char(b, i) == '-' {
		negative = true
		i++
	}
	start := i
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
		v = v*10 + uint64(b[i]-'0')
		i++
	}
	switch n, c := i-start, jsonwire.Char(b, i); {
	case n == 0 || n > 19, n > 1 && b[start] == '0', c == '.', c|0x20 == 'e':
		return 0, false, -1
	}
	return v, negative, i
}

// fits returns an integer in its form in memory, if the type can hold it.
func (v *jsonValue) fits(digits uint64, negative bool) (bits uint64, ok bool) {
	most := maxima[v.read]
	if negative {
		if v.read == readUint32 || v.read == readUint64 {
			return 0, digits == 0
		}
		return -digits, digits <= most+1
	}
	return digits, digits <= most
}

var maxima = [...]uint64{
	readInt32: math.MaxInt32, readInt64: math.MaxInt64, readUint32: math.MaxUint32, readUint64: math.MaxUint64, readEnum: math.MaxInt32,
}

// oddInteger is bits for an integer that has a fraction, an exponent or more digits, or is not one.
// If it is quoted, i is behind the quote.
func (d *jsonDecoder) oddInteger(v *jsonValue, i int, quoted bool) (bits uint64, end int) {
	number, end := d.number(i, quoted)
	if end < 0 {
		return 0, -1
	}
	bits, ok := v.parseInteger(number)
	if !ok {
		return 0, -1
	}
	return bits, end
}

// number returns the number at i, and the position behind it, or -1. If it is quoted, i is behind
// the quote: the number is all of the string.
func (d *jsonDecoder) number(i int, quoted bool) (number []byte, end int) {
	if !quoted {
		if end = endOfNumber(d.text, i); end < 0 {
			return nil, -1
		}
		return d.text[i:end], end
	}
	if number, end = d.raw(i - 1); end < 0 || len(number) == 0 || endOfNumber(number, 0) != len(number) {
		return nil, -1
	}
	return number, end
}

// endOfNumber returns the position behind the number at i, or -1. As in protojson, an exponent may
// lack its digits if something else follows.
func endOfNumber(b []byte, i int) int {
	if jsonwire.Char(b, i) == '-' {
		i++
	}
	switch c := jsonwire.Char(b, i); {
	case c == '0':
		i++
	case jsonwire.IsDigit(c):
		i = jsonwire.Digits(b, i+1)
	default:
		return -1
	}
	if jsonwire.Char(b, i) == '.' && jsonwire.IsDigit(jsonwire.Char(b, i+1)) {
		i = jsonwire.Digits(b, i+2)
	}
	if jsonwire.Char(b, i)|0x20 == 'e' && i+1 < len(b) {
		i++
		if b[i] == '+' || b[i] == '-' {
			if i++; i == len(b) {
				return -1
			}
		}
		i = jsonwire.Digits(b, i)
	}
	switch c := jsonwire.Char(b, i); {
	case c == '-', c == '+', c == '.', c == '_', jsonwire.IsDigit(c), 'a' <= c|0x20 && c|0x20 <= 'z':
		return -1
	}
	return i
}

// parseInteger returns the value of a number whose end endOfNumber has found, if it is an integer
// that the type has.
func (v *jsonValue) parseInteger(number []byte) (bits uint64, ok bool) {
	var few [24]byte
	digits, ok := appendInteger(few[:0], number)
	if !ok {
		return 0, false
	}
	return v.parseKey(text(digits))
}

// parseKey returns the value of a decimal number as package strconv reads it, or of a bool, if the
// type has it.
func (v *jsonValue) parseKey(s string) (bits uint64, ok bool) {
	var err error
	var signed int64
	switch v.read {
	case readInt32, readEnum:
		signed, err = strconv.ParseInt(s, 10, 32)
		bits = uint64(signed)
	case readInt64:
		signed, err = strconv.ParseInt(s, 10, 64)
		bits = uint64(signed)
	case readUint32:
		bits, err = strconv.ParseUint(s, 10, 32)
	case readUint64:
		bits, err = strconv.ParseUint(s, 10, 64)
	case readBool:
		if s == "true" {
			bits = 1
		}
		return bits, s == "true" || s == "false"
	default:
		return 0, false
	}
	return bits, err == nil
}

// appendInteger appends the number without fraction and exponent, if it is an integer that has not
// many more digits than 64 bits have.
func appendInteger(to, number []byte) (_ []byte, ok bool) {
	if number[0] == '-' {
		to = append(to, '-')
		number = number[1:]
	}
	var exp string
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		number, exp = number[:i], string(number[i+1:])
	}
	whole, fraction, _ := bytes.Cut(number, []byte("."))
	fraction = bytes.TrimRight(fraction, "0")
	if whole[0] == '0' {
		whole = whole[1:]
	}
	e := int64(0)
	switch {
	case exp == "+" || exp == "-":
		return nil, false
	case len(whole) == 0 && len(fraction) == 0:
		return append(to[:0], '0'), true
	case exp != "":
		var err error
		if e, err = strconv.ParseInt(exp, 10, 32); err != nil {
			return nil, false
		}
	}
	if e < 0 {
		keep := int64(len(whole)) + e
		if len(fraction) > 0 || keep < 0 || len(bytes.Trim(whole[keep:], "0")) > 0 {
			return nil, false
		}
		return append(to, whole[:keep]...), true
	}
	const most = 20
	zeros := e - int64(len(fraction))
	if zeros < 0 || int64(len(whole))+e > most {
		return nil, false
	}
	to = append(append(to, whole...), fraction...)
	return append(to, "00000000000000000000"[:zeros]...), true
}

// tens are the powers of ten that are exact.
var tens = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// float is bits for numbers with fractions.
func (d *jsonDecoder) float(v *jsonValue, i int) (bits uint64, end int) {
	b := d.text
	if v.read == readDouble {
		if f, end := exactFloat(b, i); end >= 0 {
			return math.Float64bits(f), end
		}
	}
	quoted := jsonwire.Char(b, i) == '"'
	var f float64
	if quoted {
		var s []byte
		if s, end = d.raw(i); end < 0 {
			return 0, -1
		}
		switch string(s) {
		case "NaN":
			return v.float(math.NaN()), end
		case "Infinity":
			return v.float(math.Inf(1)), end
		case "-Infinity":
			return v.float(math.Inf(-1)), end
		}
		i++
	}
	number, end := d.number(i, quoted)
	if end < 0 {
		return 0, -1
	}
	size := 64
	if v.read == readFloat {
		size = 32
	}
	f, err := strconv.ParseFloat(text(number), size)
	if err != nil {
		return 0, -1
	}
	return v.float(f), end
}

// float returns f in its form in memory.
func (v *jsonValue) float(f float64) uint64 {
	if v.read == readFloat {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// exactFloat reads the number at i and returns the position after it. It returns -1 if the number
// has an exponent or more than 15 digits. Otherwise both the digits and the power of ten are exact,
// so their quotient is the nearest float.
func exactFloat(b []byte, i int) (f float64, end int) {
	negative := jsonwire.Char(b, i) == '-'
	if negative {
		i++
	}
	m, start := uint64(0), i
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	n := i - start
	if n == 0 || n > 1 && b[start] == '0' {
		return 0, -1
	}
	fraction := 0
	if jsonwire.Char(b, i) == '.' {
		i++
		for point := i; uint(i) < uint(len(b)) && b[i]-'0' <= 9; fraction = i - point {
			m = m*10 + uint64(b[i]-'0')
			i++
		}
		if fraction == 0 {
			return 0, -1
		}
	}
	if n+fraction > 15 || jsonwire.Char(b, i)|0x20 == 'e' {
		return 0, -1
	}
	f = float64(m) / tens[fraction]
	if negative {
		f = -f
	}
	return f, i
}

// enum is bits for enums.
func (d *jsonDecoder) enum(v *jsonValue, i int) (bits uint64, end int) {
	switch c := jsonwire.Char(d.text, i); {
	case c == '"':
		s, end := d.raw(i)
		if end < 0 {
			return 0, -1
		}
		if value := v.enum.ByName(protoreflect.Name(text(s))); value != nil {
			return uint64(uint32(value.Number())), end
		}
		if d.options.DiscardUnknown {
			d.dropped = true
			return 0, end
		}
		return 0, -1
	case c == 'n' && v.isNull && jsonwire.Has(d.text, i, "null"):
		return 0, i + 4
	}
	digits, negative, end := integer(d.text, i)
	if end < 0 {
		return d.oddInteger(v, i, false)
	}
	if bits, ok := v.fits(digits, negative); ok {
		return bits, end
	}
	return 0, -1
}

// base64 returns the bytes that the string at i encodes, and the position after it, or -1.
func (d *jsonDecoder) base64(i int) (s []byte, end int) {
	letters, end := d.raw(i)
	if end < 0 {
		return nil, -1
	}
	if len(letters) == 0 {
		return nil, end
	}
	encoding := base64.StdEncoding
	if bytes.IndexByte(letters, '-') >= 0 || bytes.IndexByte(letters, '_') >= 0 {
		encoding = base64.URLEncoding
	}
	if len(letters)%4 != 0 {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	most := encoding.DecodedLen(len(letters))
	if most == 0 {
		most = 1
	}
	to := d.letters.room(d.a, most)
	n, err := encoding.Decode(to, letters)
	if err != nil {
		return nil, -1
	}
	return to[:n:n], end
}
