package arenapb

import "github.com/arena-go/arena/arenapb/internal/slabs"

// scalarSlab returns the number for values of f.
func (f *field) scalarSlab() int {
	switch f.kind {
	case kindVarint32, kindSint32, kindFixed32:
		return slabs.Of32
	case kindVarint64, kindSint64, kindFixed64:
		return slabs.Of64
	case kindBool:
		return slabs.OfBool
	case kindString:
		return slabs.OfString
	}
	return slabs.OfBytes
}

// slab returns the slab of a number.
func (d *decoder) slab(i int) *slabs.Slab { return d.slabs.Of(d.a, i) }

// value returns a new zero value of the slab of a number, or one that was overwritten.
func (d *decoder) value(i int) pointer {
	if faulty {
		step()
	}
	if d.free != nil {
		if p := d.reuse(i); p != nil {
			return p
		}
	}
	return d.slab(i).New()
}

// values returns the first of several new zero values of slab, whose number is i, that lie next to
// each other, n at most, and how many come after it. It is one value where the slab has no room for
// n, and where values were overwritten, which are used again.
func (d *decoder) values(slab *slabs.Slab, i, n int) (first pointer, more int) {
	if d.free != nil {
		return d.value(i), 0
	}
	if faulty {
		step()
	}
	if n == 1 {
		return slab.New(), 0
	}
	if first = slab.Slice(1); slab.Extend(first, 1, n-1) {
		more = n - 1
	}
	return first, more
}
