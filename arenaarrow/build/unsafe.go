package build

import (
	"reflect"
	"unsafe"
)

// The functions of this file read rows where a plan says that fields are. SAFETY of all of them is
// that the plan takes the places and the types of fields from package reflect, and the pointer to
// the rows from a slice of those very rows, which is alive for as long as they are read. A value is
// read as its own type, or as another one of the same kind, which has the same memory. Nothing is
// written, and no pointer is kept.

type pointer = unsafe.Pointer

// at returns what lies offset bytes behind p, in the same row, or in one behind it.
func at(p pointer, offset uintptr) pointer {
	// SAFETY: it is the offset of a field, or of an element of the slice.
	return unsafe.Add(p, offset)
}

// load returns the value at p.
func load[V any](p pointer) V {
	// SAFETY: above.
	return *(*V)(p)
}

// elements returns where the elements of a slice are, how many there are, and whether the slice is
// not nil.
func elements(p pointer) (first pointer, n int, ok bool) {
	// SAFETY: a slice of any type is a pointer and two ints, as one of bytes is. The pointer is not
	// followed as one to bytes.
	s := *(*[]byte)(p)
	return pointer(unsafe.SliceData(s)), len(s), s != nil
}

// firstOf returns where the elements of rows are.
func firstOf[T any](rows []T) pointer { return pointer(unsafe.SliceData(rows)) }

// valueAt returns the value of a type at p.
func valueAt(t reflect.Type, p pointer) reflect.Value {
	// SAFETY: above.
	return reflect.NewAt(t, p).Elem()
}

// pointerTo returns where an addressable value is.
func pointerTo(v reflect.Value) pointer { return v.Addr().UnsafePointer() }
