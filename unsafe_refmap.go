package arena

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// elem returns a pointer to the element i of the slice of Ts that begins at r. It panics when that does not lie
// in a; whether the slice is as long as that is for the caller to know.
func (r Ref[T]) elem(a *Arena, i uint32) *T {
	if checking {
		r.off = a.checkRef(r.off, reflect.TypeFor[T]())
	}
	// SAFETY: as in Get. The element lies in the chunk that the slice begins in, and is aligned, since its size is a
	// multiple of its alignment. The sum does not overflow: i is below 1<<32, and the size of a T below 1<<31.
	if a != nil && a.refs != nil {
		c, size := &a.refs.chunks[bits.Len32(r.off)], uint64(unsafe.Sizeof(*new(T)))
		if at := uint64(r.off-c.base)*refGranule + uint64(i)*size; at+size <= c.size {
			return (*T)(unsafe.Add(c.at.to, at))
		}
	}
	panic((*badRef)(a))
}
