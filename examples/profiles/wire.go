package main

import (
	"fmt"

	"github.com/arena-go/arena"
)

// The wire types of the protobuf encoding that a profile can have. There are
// two more, the start and the end of a group, which proto3 does not use.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// fields goes through the fields of one message:
//
//	for f := d.fields("line", s); f.next(); {
//		switch f.num {
//		case 2:
//			line.Line = f.int()
//		}
//	}
//
// A field that is not asked for is skipped. Any error is kept in the decoder
// and ends the loop.
type fields struct {
	d     *decoder
	name  string // of the message
	pos   int    // where the next field begins
	end   int    // where the message ends
	at    int    // where the current field begins
	num   int
	wire  int
	value uint64 // if wire is wireVarint
	part  span   // if wire is wireBytes
}

func (d *decoder) fields(name string, s span) fields {
	return fields{d: d, name: name, pos: int(s.lo), end: int(s.hi)}
}

// fail keeps the first error of a decoder.
func (d *decoder) fail(offset int, format string, args ...any) {
	if d.err == nil {
		d.err = &FormatError{offset, fmt.Sprintf(format, args...)}
	}
}

func (f *fields) fail(format string, args ...any) {
	f.d.fail(f.at, "field %d of a %s: "+format, append([]any{f.num, f.name}, args...)...)
}

// next goes to the next field and says whether there is one.
func (f *fields) next() bool {
	if f.pos >= f.end || f.d.err != nil {
		return false
	}
	f.at = f.pos
	tag, pos := f.d.varint(f.pos, f.end)
	if tag>>3 == 0 || tag>>3 >= 1<<29 {
		f.d.fail(f.at, "a %s has no field %d", f.name, tag>>3)
		return false
	}
	f.num, f.wire = int(tag>>3), int(tag&7)
	switch f.wire {
	case wireVarint:
		f.value, f.pos = f.d.varint(pos, f.end)
	case wireFixed64:
		f.pos = pos + 8
	case wireFixed32:
		f.pos = pos + 4
	case wireBytes:
		n, lo := f.d.varint(pos, f.end)
		if n > uint64(f.end-lo) {
			f.fail("%d bytes are announced and %d are left", n, f.end-lo)
			return false
		}
		f.part = span{int32(lo), int32(lo + int(n))}
		f.pos = lo + int(n)
	default:
		f.fail("the wire type %d is unknown", f.wire)
	}
	if f.pos > f.end {
		f.fail("the message ends in the middle")
	}
	return f.d.err == nil
}

// uint returns the value of the field.
func (f *fields) uint() uint64 {
	if f.wire != wireVarint {
		f.fail("wire type %d where a number is due", f.wire)
		return 0
	}
	return f.value
}

func (f *fields) int() int64 { return int64(f.uint()) }

// string returns the entry of the string table that the field names.
func (f *fields) string() string {
	return f.lookup(f.uint())
}

func (f *fields) lookup(i uint64) string {
	if i < uint64(len(f.d.strings)) {
		return f.d.strings[i]
	}
	if i != 0 {
		f.fail("there is no string %d in a table of %d", i, len(f.d.strings))
	}
	return ""
}

// bytes returns where the contents of the field are.
func (f *fields) bytes() span {
	if f.wire != wireBytes {
		f.fail("wire type %d where a message or a string is due", f.wire)
		return span{}
	}
	return f.part
}

// numbers appends the numbers of a repeated field to list. The field has one
// of them or, packed, any number.
func (f *fields) numbers(list []uint64) []uint64 {
	if f.wire != wireBytes {
		return arena.Append(f.d.a, list, f.uint())
	}
	n := len(list)
	for _, b := range []byte(f.d.data[f.part.lo:f.part.hi]) {
		n += 1 - int(b>>7) // the last byte of a number has no high bit
	}
	if n > cap(list) {
		list = append(arena.MakeSlice[uint64](f.d.a, 0, 2*n), list...)
	}
	for pos, end := int(f.part.lo), int(f.part.hi); pos < end; {
		var v uint64
		if b := f.d.data[pos]; b < 0x80 {
			v, pos = uint64(b), pos+1
		} else {
			v, pos = f.d.varint(pos, end)
		}
		list = append(list, v)
	}
	return list
}

// varint reads a number of variable length and returns it with the position
// of what follows.
func (d *decoder) varint(pos, end int) (v uint64, next int) {
	if pos+1 < end { // most numbers have one byte or two
		b0, b1 := d.data[pos], d.data[pos+1]
		if b0 < 0x80 {
			return uint64(b0), pos + 1
		}
		if b1 < 0x80 {
			return uint64(b0&0x7f) | uint64(b1)<<7, pos + 2
		}
	}
	for i, shift := pos, 0; i < end; i, shift = i+1, shift+7 {
		b := d.data[i]
		v |= uint64(b&0x7f) << shift
		switch {
		case shift == 63 && b > 1:
			d.fail(pos, "a number has more than 64 bits")
			return 0, end
		case b < 0x80:
			return v, i + 1
		}
	}
	d.fail(pos, "a number is cut off")
	return 0, end
}
