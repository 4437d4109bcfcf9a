package arena

import (
	"reflect"
	"unsafe"
)

// typeID returns a number for T, always the same one for the same T, by which slabs are
// found. Types that differ have different numbers.
func typeID[T any]() uintptr { return pointerID((*T)(nil)) }

// pointerID returns the typeID of what p, a pointer, points at. It is for functions that are called for each value: the type of p is one step nearer to
// them than that of T is to a generic function that they call.
func pointerID(p any) uintptr {
	// SAFETY: an interface without methods is two words, the first of which
	// points at the type descriptor of *T, and descriptors are never moved or
	// freed while the type is in use, nor is one ever at the place of another. The word is used as a number only. That
	// numbers of different types differ is what typedSlab relies on.
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&p))[0])
}

// typeIDOf is typeID for a type known at run time only.
func typeIDOf(t reflect.Type) uintptr { return reflect.ValueOf(reflect.PointerTo(t)).Pointer() }

// descriptorOf returns another number for t, the address of its own descriptor, made odd: that of no type is, so no typeID is the same.
func descriptorOf(t reflect.Type) uintptr { return reflect.ValueOf(t).Pointer() | 1 }

// address returns where a is, as the life of an arena that is open. It is a multiple of 1<<stateBits.
func (a *Arena) address() life {
	// SAFETY: the result is compared, and never made a pointer again. The heap does not move, and an arena in use is there: its stores
	// refer to it.
	return life(uintptr(unsafe.Pointer(a)))
}

// address returns the address of b[0], for alignment and nothing else.
func address(b []byte) uintptr {
	// SAFETY: the result is never made a pointer again. The heap does not move.
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

// stringOf returns b as a string. The caller never changes b[:len(b)] again
// before the Reset that makes the string stale.
func stringOf(b []byte) string {
	// SAFETY: the string points into the chunk that b is a part of and keeps it
	// alive (fact 3). A stale string sees other bytes, never other memory.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// viewOf returns s as a string that shares its bytes. It is for calls that read it, and keep nothing of it.
func viewOf[S ~string | ~[]byte](s S) string {
	if unsafe.Sizeof(s) == wordSize*2 {
		return string(s) // s is a string. That copies nothing, nor does the conversion of the other bytes.
	}
	// SAFETY: the view ends with the call that it is made for, and nobody changes the bytes meanwhile, unless in a data race.
	return unsafe.String(unsafe.SliceData([]byte(s)), len(s))
}

// isText tells whether s is a string, and not bytes. The compiler knows it of each S: only slices have three words.
func isText[S ~string | ~[]byte](s S) bool { return unsafe.Sizeof(s) == unsafe.Sizeof("") }

// isNilBytes tells whether s is a nil slice.
func isNilBytes[S ~string | ~[]byte](s S) bool { return !isText(s) && []byte(s) == nil }

// sliceOf returns b, whose bytes are plain memory, as n values of the plain type T.
func sliceOf[T any](b []byte, n int) []T {
	// SAFETY: kindOf(T) is kindPlain, so T has no pointers (fact 1) and any bytes are
	// valid values (fact 5); len(b) = n*sizeof(T), and b is aligned for T:
	// MakeSlice asked for both.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// bytesOf returns the memory of v[:cap(v)], whose elements are plain.
func bytesOf[T any](v []T) []byte {
	// SAFETY: the bytes of cap(v) elements belong to v. Writing any bytes to
	// them is fine, since T is plain (fact 5).
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), cap(v)*int(unsafe.Sizeof(*new(T))))
}

// sizeOf returns the bytes of a T.
func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// alignOf returns the alignment of T in bytes.
func alignOf[T any]() int { return int(unsafe.Alignof(*new(T))) }

// word returns the bits of k, whose type is an integer type or has as many bytes as one. Of others it returns 0.
func word[K any](k K) uint64 {
	// SAFETY: k has as many bytes as are read, and no pointers.
	p := unsafe.Pointer(&k)
	switch unsafe.Sizeof(k) {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	case 8:
		return *(*uint64)(p)
	}
	return 0
}

// text returns k, whose type is a string type, as a string.
func text[K any](k K) string {
	// SAFETY: K's kind is string, which map.go has made sure of.
	return *(*string)(unsafe.Pointer(&k))
}
