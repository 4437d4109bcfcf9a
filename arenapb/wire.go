package arenapb

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// varint returns the varint at b[i:] and where it ends, which is -1 if there is none. Hot loops look for one of a single byte themselves.
func varint(b []byte, i int) (uint64, int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	if i+1 < len(b) && b[i+1] < 0x80 {
		return uint64(b[i]&0x7f) | uint64(b[i+1])<<7, i + 2
	}
	v, n := protowire.ConsumeVarint(b[i:])
	if n < 0 {
		return 0, -1
	}
	return v, i + n
}

// bytesOf returns the bytes at b[i:], which begin with their length, and where they end, which is -1 if there are fewer.
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

// skip returns where the value at b[i:] ends, which may be behind b, and its bytes if it has a length. It is -1 for what has
// none, and for groups: what is in those is looked through once, and not for each of those around it.
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

// elements returns how many there are in b, where they lie side by side.
func elements(k kind, b []byte) (n int) {
	switch k {
	case kindFixed32:
		return len(b) / 4
	case kindFixed64:
		return len(b) / 8
	}
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
}

// The following decode b into to, which has as many elements as b has. They report false if b does not end with one.

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
			if v, at = varint(b, at-1); at < 0 {
				return false
			}
		}
		if k == kindSint64 {
			v = uint64(protowire.DecodeZigZag(v))
		}
		to[i] = v
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
