package arena

import (
	"reflect"
	"unsafe"
)

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

// alignOf returns the alignment of T in bytes.
func alignOf[T any]() int { return int(unsafe.Alignof(*new(T))) }

// text returns k, whose type is a string type, as a string.
func text[K any](k K) string {
	// SAFETY: K's kind is string, which map.go has made sure of.
	return *(*string)(unsafe.Pointer(&k))
}
