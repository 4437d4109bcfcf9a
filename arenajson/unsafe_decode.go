package arenajson

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// The functions of this file read the input and write to Go values by address. SAFETY of all of
// them:
//
// Reading. What jsonwire.Text says of documents holds for the decoder's copy: nobody else writes to
// it but methods, where it lies in an arena: these are given parts of it, or have kept some of an
// earlier text in the same memory. decoder.called makes sure that the zeros are there after each.
// It also copies the input again, to the same positions, if the text was lent meanwhile; nobody has
// the address of the old one by then but frames that read d.text again.
//
// Writing. A plan is made from the Go type of a value, by package reflect (plan.go), and says where
// fields are and what types they have. A function that writes a T is called only for a place whose
// type has the memory of a T: the same kind and size. Memory for values, slices and boxes is made
// as memory of their very types, by package arena or by package reflect. So the collector knows
// each pointer, and they are written with the compiler's write barriers.

// storeWord writes eight bytes at position i of a block of letters, which has room for them.
func storeWord(block pointer, i int, w uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(block, i))[:], w)
}

// span returns the bytes of a block from position i up to j.
func span(block pointer, i, j int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(block, i)), j-i)[: j-i : j-i]
}

// viewOf returns the bytes of a block from position i up to j as a string. It is valid as long as
// nobody changes these bytes.
func viewOf(block pointer, i, j int) string { return unsafe.String((*byte)(unsafe.Add(block, i)), j-i) }

// startOf returns the address of the first byte of b, which is not empty.
func startOf(b []byte) pointer { return pointer(unsafe.SliceData(b)) }

// isPart tells whether b, which is not empty, is a part of all.
func isPart(b, all []byte) bool {
	from, start := uintptr(startOf(b)), uintptr(startOf(all))
	return len(all) > 0 && from >= start && from+uintptr(len(b)) <= start+uintptr(len(all))
}

// startOfStrings returns the address of the first one of s, which is not empty.
func startOfStrings(s []string) pointer { return pointer(unsafe.SliceData(s)) }

// startOfText returns the address of the first byte of s, which is not empty. What is written there
// is seen in s.
func startOfText(s string) pointer { return pointer(unsafe.StringData(s)) }

// asString returns b, which nobody changes any more, as a string.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// addressOf returns where the value is that v points at. v is a pointer that is not nil.
func addressOf(v reflect.Value) pointer { return v.UnsafePointer() }

// valueAt returns the t at p, to be set.
func valueAt(t reflect.Type, p pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// pointerAt returns p as a pointer to a t.
func pointerAt(t reflect.Type, p pointer) reflect.Value { return reflect.NewAt(t, p) }

// elementsAt returns the n values of type t at p as a slice.
func elementsAt(t reflect.Type, p pointer, n int) reflect.Value { return reflect.SliceAt(t, p, n) }

// isZero tells whether all size bytes at p are zero.
func isZero(p pointer, size uintptr) bool {
	for ; size >= 8; size -= 8 {
		if *(*[8]byte)(p) != [8]byte{} {
			return false
		}
		if size == 8 {
			return true
		}
		p = unsafe.Add(p, 8)
	}
	for i := range size {
		if *(*byte)(unsafe.Add(p, i)) != 0 {
			return false
		}
	}
	return true
}

// A sliceHead is what a slice of any type is in memory.
type sliceHead struct {
	data     pointer
	len, cap int
}

// emptySlice is where empty slices point. Nothing is read or written there.
var emptySlice [0]uint64

// The following say how memory is seen.

func storeBool(p pointer, v bool)         { *(*bool)(p) = v }
func store8(p pointer, v uint8)           { *(*uint8)(p) = v }
func store16(p pointer, v uint16)         { *(*uint16)(p) = v }
func store32(p pointer, v uint32)         { *(*uint32)(p) = v }
func store64(p pointer, v uint64)         { *(*uint64)(p) = v }
func storeFloat32(p pointer, v float32)   { *(*float32)(p) = v }
func storeFloat64(p pointer, v float64)   { *(*float64)(p) = v }
func storeString(p pointer, s string)     { *(*string)(p) = s }
func storeAny(p pointer, v any)           { *(*any)(p) = v }
func storePointer(p, v pointer)           { *(*pointer)(p) = v }
func sliceAt(p pointer) *sliceHead        { return (*sliceHead)(p) }
func stringsAt(p pointer, n int) []string { return unsafe.Slice((*string)(p), n) }
func anysAt(p pointer, n int) []any       { return unsafe.Slice((*any)(p), n) }

// typeWord returns the first word of an interface without methods that holds a t.
func typeWord(t reflect.Type) pointer {
	// SAFETY: the second word of a reflect.Type is the address of the type's descriptor, which is
	// never on the heap or freed while there are values of the type. That is the first word of
	// interfaces that hold the type. TestBoxes compares it with what the compiler makes.
	return (*eface)(pointer(&t)).data
}

// box returns the value at p, whose type has the word typ and is not itself a pointer, in an
// interface that shares its memory. Nobody changes the value any more.
func box(typ, p pointer) any {
	// SAFETY: such an interface has the address of a value of the type, which p is: of memory that
	// was made for that type. See typeWord for the first word.
	f := eface{typ, p}
	return *(*any)(pointer(&f))
}

// holdsPointer tells whether the interface at p, which may have methods, is not nil.
func isNilFace(p pointer) bool { return (*eface)(p).typ == nil }

// insert sets n entries of the map at m, whose keys and values have the memory of Ks and Vs, with
// pointers at the same places. Keys are hashed and compared as Ks are.
func insert[K comparable, V any](m, keys, vals pointer, n int) {
	// SAFETY: what the compiler does with a map depends on the size of keys and values, on how keys
	// are hashed and compared, and on where there are pointers. All of these are the same for the
	// map's own type and for map[K]V. A map itself does not have its type.
	to := *(*map[K]V)(m)
	v := unsafe.Slice((*V)(vals), n)
	for i, k := range unsafe.Slice((*K)(keys), n) {
		to[k] = v[i]
	}
}

// empty is emptyAll for maps that have the memory of a map[K]V.
func empty[K comparable, V any](all []pointer, room int) int {
	kept := 0
	for _, p := range all {
		// SAFETY: a map is a pointer. See insert.
		if m := *(*map[K]V)(pointer(&p)); len(m) <= room {
			clear(m)
			all[kept] = p
			kept++
		}
	}
	return kept
}

// mapLen returns how many entries the map p has, which may be of any type.
func mapLen(p pointer) int {
	// SAFETY: a map is a pointer, and where its length is does not depend on its type.
	return len(*(*map[string]any)(pointer(&p)))
}

// asAnyMap returns the map p.
func asAnyMap(p pointer) map[string]any {
	// SAFETY: a map is a pointer, and p was made as a map of this type.
	return *(*map[string]any)(pointer(&p))
}

// create returns a new map with room for n entries, for a place whose type is such a map.
func create[K comparable, V any](n int) pointer {
	m := make(map[K]V, n)
	// SAFETY: a map is a pointer. See insert.
	return *(*pointer)(pointer(&m))
}
