package gogo

import (
	"encoding/binary"
	"time"
)

// Types of values on the wire.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
	wireNone    = 8 // no value has it
)

// varint returns the varint at b[i:] and where it ends, which is -1 if there is none. As in
// generated code, it has ten bytes at most, and bits that a uint64 has no room for are lost.
func varint(b []byte, i int) (uint64, int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	if i+1 < len(b) && b[i+1] < 0x80 {
		return uint64(b[i]&0x7f) | uint64(b[i+1])<<7, i + 2
	}
	return longVarint(b, i)
}

func longVarint(b []byte, i int) (v uint64, end int) {
	for shift := 0; shift < 64 && i < len(b); shift += 7 {
		c := b[i]
		i++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i
		}
	}
	return 0, -1
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

// skip returns where the value at b[i:] ends, and -1 where that is behind b, or the value is a
// group.
func skip(b []byte, i int, wire uint8) int {
	switch wire {
	case wireVarint:
		_, i = varint(b, i)
		return i
	case wireBytes:
		_, i = bytesOf(b, i)
		return i
	case wireFixed64:
		i += 8
	case wireFixed32:
		i += 4
	default:
		return -1
	}
	if i > len(b) {
		return -1
	}
	return i
}

func zigzag32(v uint64) uint32 { return uint32(v)>>1 ^ -(uint32(v) & 1) }
func zigzag64(v uint64) uint64 { return v>>1 ^ -(v & 1) }

// elements returns how many there are in b, where they lie next to each other.
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
		var v uint64
		if v, at = varint(b, at); at < 0 {
			return false
		}
		if k == kindSint64 {
			v = zigzag64(v)
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
			v = uint64(zigzag32(v))
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
		to[i] = int(v) != 0
	}
	return at == len(b)
}

// parts returns the seconds and the nanoseconds of the Timestamp or the Duration in b. It reports
// false if there is anything else.
func parts(b []byte) (seconds int64, nanos int32, ok bool) {
	for i := 0; i < len(b); {
		var v uint64
		tag := b[i]
		if v, i = varint(b, i+1); i < 0 {
			return 0, 0, false
		}
		switch tag {
		case 1<<3 | wireVarint:
			seconds = int64(v)
		case 2<<3 | wireVarint:
			nanos = int32(v)
		default:
			return 0, 0, false
		}
	}
	return seconds, nanos, true
}

// timeOf returns the time of the Timestamp in b, if it has one: from the year 1 to the year 9999.
func timeOf(b []byte) (time.Time, bool) {
	const year1, year10000 = -62135596800, 253402300800
	s, n, ok := parts(b)
	if !ok || s < year1 || s >= year10000 || n < 0 || n >= 1e9 {
		return time.Time{}, false
	}
	return time.Unix(s, int64(n)).UTC(), true
}

// durationOf returns the time of the Duration in b, unless it has more than a time.Duration, or its
// parts have different signs.
func durationOf(b []byte) (time.Duration, bool) {
	const most = int64(1<<63-1)/int64(time.Second) - 1
	s, n, ok := parts(b)
	if !ok || s < -most || s > most || n <= -1e9 || n >= 1e9 || s < 0 && n > 0 || s > 0 && n < 0 {
		return 0, false
	}
	return time.Duration(s)*time.Second + time.Duration(n), true
}
