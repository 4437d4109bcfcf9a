package jsonwire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// MaxNumber is more than the bytes that a number takes, and those that are written behind it.
const MaxNumber = 48

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

var powersOfTen = [32]uint64{ // up to 10^19: more does not fit
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// digits returns how many decimal digits u has.
func digits(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // by log10(2)
	if u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}

// AppendInt appends i.
func AppendInt(b []byte, i int64) []byte {
	u := uint64(i)
	if i < 0 {
		b = append(b, '-')
		u = -u
	}
	return AppendUint(b, u)
}

// AppendUint appends u.
func AppendUint(b []byte, u uint64) []byte {
	if u < 100 {
		if u < 10 {
			return append(b, byte('0'+u))
		}
		return append(b, digitPairs[2*u], digitPairs[2*u+1])
	}
	b = Room(b, MaxNumber)
	n := digits(u)
	putDigits(b[len(b):len(b)+n], u)
	return b[:len(b)+n]
}

// putDigits writes the last len(d) digits of u.
func putDigits(d []byte, u uint64) {
	for len(d) >= 8 {
		q := u / 1e8
		binary.LittleEndian.PutUint64(d[len(d)-8:], eightDigitsOf(u-q*1e8))
		d, u = d[:len(d)-8], q
	}
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

// eightDigitsOf returns the digits of u, less than 10^8, the first in the lowest byte.
func eightDigitsOf(u uint64) uint64 {
	x := u * 3518437209 >> 45                           // by 10^4
	x |= (u - x*1e4) << 32                              // two halves of four digits
	y := x * 5243 >> 19 & (127 | 127<<32)               // each by 100
	x = y | (x-y*100)<<16                               // four quarters
	y = x * 103 >> 10 & (15 | 15<<16 | 15<<32 | 15<<48) // each by 10
	return (y | (x-y*10)<<8) + '0'*Ones
}

// AppendFloat64 appends f, as ES6 does. It reports false if f is no number in JSON.
func AppendFloat64(b []byte, f float64) (_ []byte, ok bool) {
	u := math.Float64bits(f)
	abs := math.Abs(f)
	if abs < 1<<53 && abs >= 1e-6 {
		b = Room(b, MaxNumber)
		if f < 0 {
			b = append(b, '-')
		}
		whole := uint64(int64(abs))
		if float64(int64(whole)) == abs {
			return AppendUint(b, whole), true
		}
		if c, ok := appendFraction(b, u&(1<<52-1)|1<<52, int(u>>52&0x7FF)-1075, u&(1<<52-1) == 0, whole); ok {
			return c, true
		}
		f = abs
	} else if u == 0 {
		return append(b, '0'), true
	}
	if abs > math.MaxFloat64 || f != f {
		return b, false
	}
	return appendFloat(b, f, 64, abs != 0 && (abs < 1e-6 || abs >= 1e21)), true
}

// AppendFloat32 is AppendFloat64 for the type float32.
func AppendFloat32(b []byte, f float32) (_ []byte, ok bool) {
	u := math.Float32bits(f)
	abs := float32(math.Abs(float64(f)))
	if abs < 1<<24 && abs >= 1e-6 {
		b = Room(b, MaxNumber)
		if f < 0 {
			b = append(b, '-')
		}
		whole := uint64(int64(abs))
		if float32(int64(whole)) == abs {
			return AppendUint(b, whole), true
		}
		if c, ok := appendFraction(b, uint64(u&(1<<23-1)|1<<23), int(u>>23&0xFF)-150, u&(1<<23-1) == 0, whole); ok {
			return c, true
		}
		f = abs
	} else if u == 0 {
		return append(b, '0'), true
	}
	if abs > math.MaxFloat32 || f != f {
		return b, false
	}
	return appendFloat(b, float64(f), 32, abs != 0 && (abs < 1e-6 || abs >= 1e21)), true
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

var powersOfFive = [32]uint64{ // up to 5^23: there is no need of more
	1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125, 152587890625, 762939453125,
	3814697265625, 19073486328125, 95367431640625, 476837158203125, 2384185791015625, 11920928955078125,
}

// appendFraction appends c·2^q to b, which has Room for it: the shortest decimal that is read as
// this number, and the nearest if there are several. The number is no integer and at least 10^-6,
// and c has the 53 bits of a float64 or the 24 of a float32. edge says that c is a power of two, so
// that the next number below is only half as far away as the next one above. whole is the integer
// below, which the decimal has too: integers are numbers themselves, so no other number is written
// as one, or beyond one.
//
// The algorithm is from R. Giulietti, The Schubfach way to render doubles, 2020. Here q is -73 at
// the least, so 5^p has no more than 54 bits. Instead of estimates of powers of ten there are exact
// products.
func appendFraction(b []byte, c uint64, q int, edge bool, whole uint64) (_ []byte, ok bool) {
	// 10^-p is the largest power of ten that is not larger than the distance to the next number (by
	// log10(2)·2^22). So this distance, 2^q, is from 1 to 10 in units of 10^-p, and distance is
	// that with 60 bits behind the point.
	p := -(q * 1262611 >> 22)
	distance := powersOfFive[p&31] << (uint(60+q+p) & 63)
	hi, lo := bits.Mul64(c, distance)
	const one = 1 << 60
	d, rest := hi<<4|lo>>60, lo&(one-1)
	ten := d / 10
	over := (d-10*ten)<<60 | rest // how far the number is above the multiple of ten
	if edge && over != 0 {
		return b, false // what is below is nearer; package strconv knows how near
	}
	// What is less than half the distance away is read as the number. What is just half the
	// distance away is an odd number times 5^p·2^(q+p-1) in these units, which is no integer, and
	// so no multiple of ten.
	near := distance / 2
	if 10*one-over <= near { // so is the next multiple, and then not this one: the ends are less than ten apart
		ten, over = ten+1, 0
	}
	if over <= near {
		d = ten
		p--
	} else if rest > one/2 || rest == one/2 && d&1 == 1 {
		d++
	}

	n := len(b)
	to := b[n : n+MaxNumber-1]
	i := 1
	switch {
	case whole < 10:
		to[0] = byte('0' + whole)
	case whole < 100:
		to[0], to[1] = digitPairs[2*whole], digitPairs[2*whole+1]
		i = 2
	default:
		i = digits(whole)
		putDigits(to[:i], whole)
	}
	to[i] = '.'
	n, to = n+i+1, to[i+1:]
	d -= whole * powersOfTen[p&31] // p < 17, or whole is 0
	if p > 16 {                    // There are 17 digits at the most, some zeros before them, and the number is less than 1.
		first := d / 1e16
		d -= first * 1e16
		binary.LittleEndian.PutUint64(to, eightDigitsOf(first)>>(8*(24-p)&63))
		n += p - 16
		to = to[p-16:]
		p = 16
	}
	d *= powersOfTen[16-p]
	first := d / 1e8
	w := eightDigitsOf(first)
	binary.LittleEndian.PutUint64(to, w)
	last := eightDigitsOf(d - first*1e8)
	binary.LittleEndian.PutUint64(to[8:], last)
	n += 16
	if last == '0'*Ones {
		n -= 8
		last = w
	}
	return b[:n-bits.LeadingZeros64(last-'0'*Ones)/8], true // without zeros at the end: some digit is another one
}
