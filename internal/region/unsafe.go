package region

import (
	"math/bits"
	"unsafe"
)

// A pointer is where a chunk begins, which it keeps alive. Other files cannot look at what is
// there.
type pointer struct{ to unsafe.Pointer }

func (p pointer) isNil() bool { return p.to == nil }

// startOf returns where b begins.
func startOf(b []byte) pointer {
	// SAFETY: a pointer to what the slice points at.
	return pointer{unsafe.Pointer(unsafe.SliceData(b))}
}

// bytes returns the memory of c.
func (c *chunk) bytes() []byte {
	// SAFETY: c was made of c.size bytes.
	return unsafe.Slice((*byte)(c.at.to), c.size)
}

// At returns a pointer to the value of size bytes at the reference off. It returns nil if off is 0.
// It panics when the value does not lie in s.
//
// It is what makes a pointer of a number. The memory is plain, and aligned to 8. So the caller may
// use it as a value of any plain type of this size.
func At(s Space, off uint32, size uintptr) unsafe.Pointer {
	// SAFETY: [at, at+size) is in the chunk, which the region keeps alive.
	if g := s.g; g != nil {
		c := &g.chunks[bits.Len32(off)]
		if at := uint64(off-c.base) * Granule; at+max(uint64(size), 1) <= c.size {
			return unsafe.Add(c.at.to, at)
		}
	}
	if off == 0 {
		return nil
	}
	panic((*bad)(s.g))
}

// Elem is At for the element i of values that are next to each other from the reference off on. The
// caller must know that there is an element i. Elem also panics if off is 0.
func Elem(s Space, off, i uint32, size uintptr) unsafe.Pointer {
	// SAFETY: as in At. The element is in the chunk that the values begin in, and is aligned, since
	// its size is a multiple of its alignment. The sum does not overflow: i is below 1<<32, and the
	// size of a value below 1<<31.
	if g := s.g; g != nil {
		c := &g.chunks[bits.Len32(off)]
		if at := uint64(off-c.base)*Granule + uint64(i)*uint64(size); at+uint64(size) <= c.size {
			return unsafe.Add(c.at.to, at)
		}
	}
	panic((*bad)(s.g))
}

// Place is Elem for a reference with the given number of bits. It returns nil if the element is not
// in s, which is not the zero Space.
func Place(s Space, bits uint8, off, i uint32, size uintptr) unsafe.Pointer {
	// SAFETY: as in Elem. With the wrong number of bits it is another place, which is in the region
	// as well.
	g := s.g
	if int(bits) >= len(g.chunks) {
		return nil
	}
	c := &g.chunks[bits]
	if at := uint64(off-c.base)*Granule + uint64(i)*uint64(size); at+uint64(size) <= c.size {
		return unsafe.Add(c.at.to, at)
	}
	return nil
}

// Bytes returns the n bytes at the reference off. It panics when they do not lie in s.
func Bytes(s Space, off uint32, n uint64) []byte {
	// SAFETY: as in At.
	if g := s.g; g != nil {
		c := &g.chunks[bits.Len32(off)]
		if at := uint64(off-c.base) * Granule; off != 0 && at+max(n, 1) <= c.size {
			return unsafe.Slice((*byte)(unsafe.Add(c.at.to, at)), n)
		}
	}
	panic((*bad)(s.g))
}

// Equal reports whether the n bytes at the reference off are text. It is false where Bytes panics.
// s is not the zero Space.
func Equal(s Space, off, n uint32, text string) bool {
	// SAFETY: as in Bytes. The bytes are compared and not kept.
	c := &s.g.chunks[bits.Len32(off)]
	at := uint64(off-c.base) * Granule
	return int(n) == len(text) && at+uint64(n) <= c.size && unsafe.String((*byte)(unsafe.Add(c.at.to, at)), len(text)) == text
}

// granules returns n granules from the reference at on.
func (g *region) granules(at, n uint32) []byte {
	c := &g.chunks[bits.Len32(at)]
	// SAFETY: alloc has found them between next and limit.
	return unsafe.Slice((*byte)(unsafe.Add(c.at.to, uint64(at-c.base)*Granule)), uint64(n)*Granule)
}
