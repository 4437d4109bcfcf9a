package arenapgx

import "encoding/binary"

// next returns the value that b begins with, behind its length: nil for NULL.
func next(b []byte) (v, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int32(binary.BigEndian.Uint32(b))
	b = b[4:]
	if n == -1 {
		return nil, b, true
	}
	if n < 0 || int(n) > len(b) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}

// array decodes an array of one dimension, or an empty one.
func (d *decoder) array(q pointer, c *column, b []byte) bool {
	if len(b) < 12 {
		return false
	}
	dimensions := binary.BigEndian.Uint32(b)
	b = b[12:] // whether there are NULLs, and the type: pgx looks at neither
	if dimensions == 0 {
		if len(b) == 0 {
			storeEmpty(q)
		}
		return len(b) == 0
	}
	if dimensions != 1 || len(b) < 8 {
		return false
	}
	n := int(int32(binary.BigEndian.Uint32(b)))
	b = b[8:]
	if n <= 0 || n > len(b)/4 { // a length for each element
		return false
	}
	size := c.typ.Elem().Size()
	data := d.newValues(c.slab, n)
	for i := range n {
		v, rest, ok := next(b)
		if !ok || v == nil && !c.elem.null || v != nil && !d.value(at(data, uintptr(i)*size), c.elem, v) {
			return false
		}
		b = rest
	}
	if len(b) != 0 {
		return false
	}
	storeList(q, data, n)
	return true
}

// composite decodes a composite into the struct at q.
func (d *decoder) composite(q pointer, c *column, b []byte) bool {
	if len(b) < 4 {
		return false
	}
	count := int32(binary.BigEndian.Uint32(b))
	b = b[4:]
	if count < 0 || int(count) > len(b)/8 { // pgx uses it for nothing else
		return false
	}
	for i := range c.parts {
		part := &c.parts[i]
		if len(b) < 4 {
			return false
		}
		v, rest, ok := next(b[4:]) // behind the type, which pgx does not look at
		if !ok {
			return false
		}
		to := at(q, part.offset)
		switch {
		case v != nil:
			if !d.value(to, part, v) {
				return false
			}
		case part.null:
			setZero(part.typ, to)
		default:
			return false
		}
		b = rest
	}
	return true
}
