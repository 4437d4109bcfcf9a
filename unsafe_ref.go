package arena

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// Get returns the pointer to the value, which is valid until a is Reset or freed. It returns nil if r is the zero
// Ref. It panics when r does not lie in a.
func (r Ref[T]) Get(a *Arena) *T {
	if checking {
		r.off = a.checkRef(r.off, reflect.TypeFor[T]())
	}
	// SAFETY: [at, at+size) lies in the chunk, which a.refs keeps alive, and is aligned to 8. T is
	// plain, or there would be no r but the zero one: NewRef and RefAt have made sure of that, and
	// plain is a type with references in it only if these are to plain types. So any
	// bytes are a valid T (fact 5), those of a stale or foreign reference as well.
	if a != nil && a.refs != nil {
		c := &a.refs.chunks[bits.Len32(r.off)]
		if at := uint64(r.off-c.base) * refGranule; at+max(uint64(unsafe.Sizeof(*new(T))), 1) <= c.size {
			return (*T)(unsafe.Add(c.at.to, at))
		}
	}
	if r.off == 0 {
		return nil
	}
	panic((*badRef)(a))
}

// refBytes returns the n bytes at the reference off, which is for values of type t.
func (a *Arena) refBytes(off uint32, n uint64, t reflect.Type) []byte {
	if checking {
		off = a.checkRef(off, t)
	}
	// SAFETY: as in Get.
	if a != nil && a.refs != nil {
		c := &a.refs.chunks[bits.Len32(off)]
		if at := uint64(off-c.base) * refGranule; off != 0 && at+max(n, 1) <= c.size {
			return unsafe.Slice((*byte)(unsafe.Add(c.at.to, at)), n)
		}
	}
	panic((*badRef)(a))
}

// mem returns n granules from the reference at on.
func (g *refRegion) mem(at, n uint32) []byte {
	c := &g.chunks[bits.Len32(at)]
	// SAFETY: alloc has found them between next and limit.
	return unsafe.Slice((*byte)(unsafe.Add(c.at.to, uint64(at-c.base)*refGranule)), uint64(n)*refGranule)
}

// addressable returns a pointer to v, a part of a value that package reflect was given the address of, as if all fields were exported.
func addressable(v reflect.Value) reflect.Value {
	// SAFETY: the same pointer, with its type.
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer())
}
