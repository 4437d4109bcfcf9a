package arenapb

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// varint returns the varint at b[i:] and where it ends, which is -1 if there is none. Hot loops
// look for one of a single byte themselves.
func varint(b []byte, i int) (uint64, int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	if i+1 < len(b) && b[i+1] < 0x80 {
		return uint64(b[i]&0x7f) | uint64(b[i+1])<<7, i + 2
	}
	return longVarint(b, i)
}

// highBits are the bits of bytes that say that a varint goes on.
const highBits = 0x8080808080808080

// longVarint is varint for what is most often longer than two bytes. One of up to eight, in a b
// that has as many, is taken at once.
func longVarint(b []byte, i int) (uint64, int) {
	if len(b)-i >= 8 {
		v := binary.LittleEndian.Uint64(b[i:])
		if ends := ^v & highBits; ends != 0 {
			return joined(v & (ends ^ (ends - 1))), i + (bits.TrailingZeros64(ends)+1)/8
		}
	}
	v, n := protowire.ConsumeVarint(b[i:])
	if n < 0 {
		return 0, -1
	}
	return v, i + n
}

// joined returns the number that has the low seven bits of each byte of v.
func joined(v uint64) uint64 {
	v = v&0x007f007f007f007f | v>>1&0x3f803f803f803f80
	v = v&0x00003fff00003fff | v>>2&0x0fffc0000fffc000
	return v&0x0fffffff | v>>4&0xfffffff0000000
}

// bytesOf returns the bytes at b[i:], which begin with their length, and where they end, which is
// -1 if there are fewer.
func bytesOf(b []byte, i int) ([]byte, int) {
	var n uint64
	if i < len(b) && b[i] < 0x80 {
		n = uint64(b[i])
		i++
	} else if n, i = varint(b, i); i < 0 {
		return nil, -1
	}
	if n > uint64(len(b)-i) {
		return nil, -1
	}
	end := i + int(n)
	return b[i:end:end], end
}

// valid is utf8.Valid, and sees sooner that short text is ASCII.
func valid(s []byte) bool {
	rest := s
	for ; len(rest) >= 8; rest = rest[8:] {
		if binary.LittleEndian.Uint64(rest)&highBits != 0 {
			return utf8.Valid(rest) // what was before is ASCII
		}
	}
	if len(rest) > 0 && len(s) >= 8 {
		return binary.LittleEndian.Uint64(s[len(s)-8:])&highBits == 0 || utf8.Valid(rest)
	}
	for _, c := range rest {
		if c >= 0x80 {
			return utf8.Valid(rest)
		}
	}
	return true
}

// shortEnd returns where the bytes at b[i:] end that are less than 128, which is behind b if there
// are none.
func shortEnd(b []byte, i int) int {
	if i < len(b) && b[i] < 0x80 {
		return i + 1 + int(b[i])
	}
	return len(b) + 1
}

// bytes returns the value of a field of bytes.
func (f *field) bytes(s []byte) []byte {
	if len(s) > 0 {
		return s
	}
	if f.nilEmpty {
		return nil
	}
	return []byte{}
}

// skip returns where the value at b[i:] ends, which may be behind b, and its bytes if it has a
// length. It is -1 for what has none, and for groups: what is in those is looked through once, and
// not for each of those around it.
func skip(b []byte, i int, wire uint8) ([]byte, int) {
	switch wire {
	case uint8(protowire.VarintType):
		for i < len(b) && b[i] >= 0x80 {
			i++
		}
		return nil, i + 1
	case uint8(protowire.BytesType):
		return bytesOf(b, i)
	case uint8(protowire.Fixed64Type):
		return nil, i + 8
	case uint8(protowire.Fixed32Type):
		return nil, i + 4
	}
	return nil, -1
}

// elements returns how many there are in b, where they lie next to each other.
func elements(k kind, b []byte) (n int) {
	switch k {
	case kindFixed32:
		return len(b) / 4
	case kindFixed64:
		return len(b) / 8
	}
	for ; len(b) >= 8; b = b[8:] {
		ends := ^binary.LittleEndian.Uint64(b) & highBits
		n += int(ends >> 7 * 0x0101010101010101 >> 56)
	}
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
}

// unpack decodes b, numbers of 64 bits, into to, which has as many elements as b has bytes. It
// returns how many there are, -1 if b does not end with one.
func unpack(to []uint64, b []byte) (n int) {
	i := 0
	for i+1 < len(b) {
		v, c := uint64(b[i]), uint64(b[i+1])
		two := v >> 7 // no branch: nothing says how long the next one is
		if c &= -two; c >= 0x80 {
			if v, i = longVarint(b, i); i < 0 {
				return -1
			}
		} else {
			v = v&0x7f | c<<7
			i += 1 + int(two)
		}
		to[n] = v
		n++
	}
	if i < len(b) {
		if b[i] >= 0x80 {
			return -1
		}
		to[n] = uint64(b[i])
		n++
	}
	return n
}

// unpackApart decodes numbers of 64 bits that lie next to each other and have a tag of one byte
// each, the first at b[i], into to. It returns how many there are and where they end. It returns
// zero, and has written to all of to, or a part, if there is no room or one of them is no number.
func unpackApart(to []uint64, b []byte, i int) (n, end int) {
	tag := b[i]
	for n = range to {
		i++
		if i < len(b) && b[i] < 0x80 {
			to[n] = uint64(b[i])
			i++
		} else if to[n], i = varint(b, i); i < 0 {
			return 0, -1
		}
		if i >= len(b) || b[i] != tag {
			return n + 1, i
		}
	}
	return 0, i
}

// The following decode b into to, which has as many elements as b has. They report false if b does
// not end with one.

func unpack64(to []uint64, k kind, b []byte) bool {
	if k == kindFixed64 {
		for i := range to {
			to[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		return len(b)%8 == 0
	}
	at := 0
	for i := range to {
		v := uint64(b[at])
		if at++; v >= 0x80 {
			if c := b[at]; c < 0x80 { // there is an end: elements has counted it
				v = v&0x7f | uint64(c)<<7
				at++
			} else if v, at = longVarint(b, at-1); at < 0 {
				return false
			}
		}
		to[i] = v
	}
	if k == kindSint64 {
		for i, v := range to {
			to[i] = uint64(protowire.DecodeZigZag(v))
		}
	}
	return at == len(b)
}

func unpack32(to []uint32, k kind, b []byte) bool {
	if k == kindFixed32 {
		for i := range to {
			to[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return len(b)%4 == 0
	}
	at := 0
	for i := range to {
		var v uint64
		if v, at = varint(b, at); at < 0 {
			return false
		}
		if k == kindSint32 {
			v = uint64(protowire.DecodeZigZag(v & math.MaxUint32))
		}
		to[i] = uint32(v)
	}
	return at == len(b)
}

func unpackBool(to []bool, b []byte) bool {
	at := 0
	for i := range to {
		var v uint64
		if v, at = varint(b, at); at < 0 {
			return false
		}
		to[i] = v != 0
	}
	return at == len(b)
}
