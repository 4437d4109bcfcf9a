package gogo

import "encoding/binary"

// A leaf says how messages are decoded that have numbers and strings in their structs and nothing
// else, such as a label or a sample. It has a field for each tag of one byte; those that the
// message does not have are opRare.
type leaf [0x80]leafField

type leafField struct {
	op     op
	offset uint32
}

// leafOf returns the leaf of m's messages, or nil if they may hold other things.
func leafOf(m *plan) *leaf {
	l := new(leaf)
	for _, f := range m.all {
		tag := f.number<<3 | uint64(f.wire)
		if f.op == opRare || f.op == opMessages || m.required != 0 || tag >= uint64(len(l)) {
			return nil
		}
		l[tag] = leafField{f.op, uint32(f.offset)}
	}
	return l
}

// decode decodes b into the message at p. It reports false for what it leaves to decoder.message,
// which starts anew.
func (l *leaf) decode(p pointer, b []byte) bool {
	for len(b) >= 2 {
		if b[0] >= 0x80 {
			return false
		}
		f := &l[b[0]]
		q := at(p, uintptr(f.offset))
		if f.op == opString {
			n := uint64(b[1])
			b = b[2:]
			if n >= 0x80 {
				if len(b) == 0 || b[0]-1 >= 0x7f {
					return false
				}
				n = n&0x7f | uint64(b[0])<<7
				b = b[1:]
			}
			if n > uint64(len(b)) {
				return false
			}
			storeString(q, b[:n])
			b = b[n:]
			continue
		}
		i := 1
		switch f.op {
		case opVarint64, opVarint32:
			var v uint64
			if v, i = varint(b, i); i < 0 {
				return false
			}
			if f.op == opVarint64 {
				store64(q, v)
			} else {
				store32(q, uint32(v))
			}
		case opFixed64:
			if i += 8; i > len(b) {
				return false
			}
			store64(q, binary.LittleEndian.Uint64(b[i-8:]))
		default:
			return false
		}
		b = b[i:]
	}
	return len(b) == 0
}
