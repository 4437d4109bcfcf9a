package mem

import (
	"reflect"
	"unsafe"
)

// TypeID returns a number for T, always the same one for the same T. Types that differ have
// different numbers.
func TypeID[T any]() uintptr { return PointerID((*T)(nil)) }

// PointerID returns the TypeID of the target of p, a pointer. It is for functions that are called
// for each value: they reach the type of p one step faster than a generic function that they call
// reaches the type T.
func PointerID(p any) uintptr {
	// SAFETY: an interface without methods is two words, the first of which points at the type
	// descriptor of *T, and descriptors are never moved or freed while the type is in use, nor is
	// one ever at the place of another. The word is used as a number only. That numbers of
	// different types differ is what typedSlab of package arena relies on, and typedRun of package
	// ref.
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&p))[0])
}

// Address returns the address of b[0], for alignment and nothing else.
func Address(b []byte) uintptr {
	// SAFETY: the result is never made a pointer again. The heap does not move.
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

// StringOf returns b as a string. The caller never changes b[:len(b)] again
// before the Reset that makes the string stale.
func StringOf(b []byte) string {
	// SAFETY: the string points into the chunk that b is a part of and keeps it
	// alive (fact 3). A stale string sees other bytes, never other memory.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// SliceOf returns b, whose bytes are plain memory, as n values of the plain type T.
func SliceOf[T any](b []byte, n int) []T {
	// SAFETY: KindOf(T) is Plain, so T has no pointers (fact 1) and any bytes are valid values
	// (fact 5); len(b) = n*sizeof(T), and b is aligned for T: who made the memory asked for both.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// BytesOf returns the memory of v[:cap(v)], whose elements are plain.
func BytesOf[T any](v []T) []byte {
	// SAFETY: the bytes of cap(v) elements belong to v. Writing any bytes to
	// them is fine, since T is plain (fact 5).
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), cap(v)*int(unsafe.Sizeof(*new(T))))
}

// SizeOf returns the bytes of a T.
func SizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// Addressable returns a pointer to v, a part of a value that package reflect was given the address
// of, as if all fields were exported.
func Addressable(v reflect.Value) reflect.Value {
	// SAFETY: the same pointer, with its type.
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer())
}
