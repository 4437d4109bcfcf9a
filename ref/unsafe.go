package ref

import (
	"reflect"
	"unsafe"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/tools"
)

// Get returns the pointer to the value, which is valid until the arena is Reset or freed. It
// returns nil if r is the zero Of. It panics when r does not lie in s.
func (r Of[T]) Get(s Space) *T {
	if tools.Checking {
		r.off = region.Checked(s.at, r.off, reflect.TypeFor[T]())
	}
	// SAFETY: At has found memory of this size in s. T is
	// plain, or there would be no r but the zero one: New and At have made sure of that, and
	// plain is a type with references in it only if these are to plain types. So any
	// bytes are a valid T (fact 5), also for a stale or foreign reference.
	return (*T)(region.At(s.at, r.off, unsafe.Sizeof(*new(T))))
}

// elem returns a pointer to the element i of the slice of Ts that begins at r. It panics when that
// does not lie in s; whether the slice is as long as that is for the caller to know.
func (r Of[T]) elem(s Space, i uint32) *T {
	if tools.Checking {
		r.off = region.Checked(s.at, r.off, reflect.TypeFor[T]())
	}
	// SAFETY: as in Get.
	return (*T)(region.Elem(s.at, r.off, i, unsafe.Sizeof(*new(T))))
}

// bytesAt returns the n bytes at the reference off, which is for values of type t.
func bytesAt(s Space, off uint32, n uint64, t reflect.Type) []byte {
	if tools.Checking {
		off = region.Checked(s.at, off, t)
	}
	return region.Bytes(s.at, off, n)
}

// typedRun returns r as what it was made for: runOf has found it by the id of T.
func typedRun[T any](r *region.Run) *Slab[T] {
	// SAFETY: a Slab is a Run with fields of size zero before it.
	return (*Slab[T])(unsafe.Pointer(r))
}
