package arenajson

import (
	"reflect"
	"unsafe"
)

// The functions of this file read the values that are encoded. SAFETY of all of them is that a plan
// is made from the type of the value, by package reflect: what a function reads at p has the kind
// that its plan says, so its memory is what the function takes it for. p points into a value that
// the caller of Marshal holds, or into a copy of a map's value that the encoder holds. Nothing is
// written, and no pointer is kept longer than the call.

// A pointer leads to a value whose type a plan says.
type pointer = unsafe.Pointer

// at returns what lies offset bytes behind p, in the same value.
func at(p pointer, offset uintptr) pointer {
	// SAFETY: the offset belongs to a field, or to an element.
	return unsafe.Add(p, offset)
}

// An eface is an interface without methods in memory: its type, and a pointer to the value, or the
// pointer that is the value.
type eface struct{ typ, data pointer }

// faceOf returns what v consists of, if it is stored as a pointer in an interface.
func faceOf(v *any) *eface {
	// SAFETY: an interface is two words.
	return (*eface)(pointer(v))
}

// inFace tells whether an interface has a value of type t itself, and not a pointer to it: t is a
// pointer, or consists of one.
func inFace(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct, reflect.Array:
		if t.Size() == unsafe.Sizeof(pointer(nil)) {
			e := reflect.New(t).Elem().Interface() // a nil pointer, or a pointer to zero bytes
			return faceOf(&e).data == nil
		}
	}
	return false
}

// dataOf returns where the value of v is, which is not nil. direct is inFace of its type.
func dataOf(v *any, direct bool) pointer {
	f := faceOf(v)
	if direct {
		return pointer(&f.data)
	}
	return f.data
}

// The following say how memory is seen. SAFETY: above.

func loadBool(p pointer) bool       { return *(*bool)(p) }
func loadInt8(p pointer) int64      { return int64(*(*int8)(p)) }
func loadInt16(p pointer) int64     { return int64(*(*int16)(p)) }
func loadInt32(p pointer) int64     { return int64(*(*int32)(p)) }
func loadInt64(p pointer) int64     { return *(*int64)(p) }
func loadUint8(p pointer) uint64    { return uint64(*(*uint8)(p)) }
func loadUint16(p pointer) uint64   { return uint64(*(*uint16)(p)) }
func loadUint32(p pointer) uint64   { return uint64(*(*uint32)(p)) }
func loadUint64(p pointer) uint64   { return *(*uint64)(p) }
func loadFloat32(p pointer) float32 { return *(*float32)(p) }
func loadFloat64(p pointer) float64 { return *(*float64)(p) }
func loadString(p pointer) string   { return *(*string)(p) }
func loadBytes(p pointer) []byte    { return *(*[]byte)(p) }
func loadPointer(p pointer) pointer { return *(*pointer)(p) }
func loadAny(p pointer) *any        { return (*any)(p) }

// see returns the value at p as a T.
func see[T any](p pointer) *T { return (*T)(p) }

// loadSlice returns the elements of the slice at p, of any type, and how many there are.
func loadSlice(p pointer) (data pointer, n int) {
	// SAFETY: a slice of any type begins with a pointer and the length, and a string is no more
	// than these.
	s := (*struct {
		data pointer
		n    int
	})(p)
	return s.data, s.n
}

// loadLen returns the length of the string, or of the slice of any type, at p.
func loadLen(p pointer) int {
	_, n := loadSlice(p)
	return n
}

// loadMapLen returns the number of entries of the map at p, of any type.
func loadMapLen(p pointer) int {
	// SAFETY: a map of any type is a pointer to a header that begins with the number of entries.
	// TestMapLen compares it with what package reflect says.
	return len(*(*map[int]int)(p))
}

// placeOf returns where v is, which can be addressed.
func placeOf(v reflect.Value) pointer { return v.Addr().UnsafePointer() }

// addressHash returns a number that differs between most types.
func addressHash(typ pointer) uintptr {
	p := uintptr(typ)
	return p>>5 ^ p>>9
}
