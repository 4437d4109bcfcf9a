package guard

import (
	"reflect"
	"unsafe"
)

// A pointerWord is where a value has a pointer, an interface, or an array of what has them.
type pointerWord struct {
	offset      uintptr
	isInterface bool
	reach       uintptr // how far behind the pointer memory is used: the size of what it points at, or of an element
	lengths     int     // words after the pointer that say how many elements there are: 1 of a string, 2 of a slice

	// Of an array: its elements, and where their pointers are.
	count  int
	stride uintptr
	elem   []pointerWord
}

// pointerWords appends the pointer words of t, which is at an offset.
func pointerWords(words []pointerWord, t reflect.Type, offset uintptr) []pointerWord {
	switch t.Kind() {
	case reflect.Pointer:
		return append(words, pointerWord{offset: offset, reach: t.Elem().Size()})
	case reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
		return append(words, pointerWord{offset: offset})
	case reflect.String:
		return append(words, pointerWord{offset: offset, reach: 1, lengths: 1})
	case reflect.Slice:
		return append(words, pointerWord{offset: offset, reach: t.Elem().Size(), lengths: 2})
	case reflect.Interface:
		return append(words, pointerWord{offset: offset, isInterface: true})
	case reflect.Array:
		if elem := pointerWords(nil, t.Elem(), 0); len(elem) > 0 && t.Len() > 0 {
			return append(words, pointerWord{offset: offset, count: t.Len(), stride: t.Elem().Size(), elem: elem})
		}
	case reflect.Struct:
		for i := range t.NumField() {
			words = pointerWords(words, t.Field(i).Type, offset+t.Field(i).Offset)
		}
	}
	return words
}

// aim makes all pointers in m that are not nil point at the trap, which is asked for when it is
// needed, or nil if there is none, and all interfaces nil. Nothing must be reached through them
// that lies behind the trap: pointers to what is larger become nil, and strings and slices as short
// as the trap is.
func (m Memory) aim(trap func() []byte) {
	if words := pointerWords(nil, m.typ, 0); len(words) > 0 {
		// SAFETY: m has whole values of its type, which have pointers, and so a size.
		aim(unsafe.Pointer(unsafe.SliceData(m.bytes)), len(m.bytes)/int(m.typ.Size()), m.typ.Size(), words, trap)
	}
}

// aim is Memory.aim of n values at p, stride bytes apart.
func aim(p unsafe.Pointer, n int, stride uintptr, words []pointerWord, trap func() []byte) {
	for i := range uintptr(n) {
		for _, w := range words {
			// SAFETY: pointerWords says that there is a pointer here, an interface, which is two of
			// them, or an array. Pointers are stored as such, with write barriers (fact 2). One of
			// another type than its own points at memory that cannot be accessed, which it keeps
			// alive (fact 3).
			at := (*unsafe.Pointer)(unsafe.Add(p, i*stride+w.offset))
			switch {
			case w.count > 0:
				aim(unsafe.Pointer(at), w.count, w.stride, w.elem, trap)
			case w.isInterface:
				*at = nil
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(at), unsafe.Sizeof(*at))) = nil
			case *at != nil:
				b := trap()
				*at = unsafe.Pointer(unsafe.SliceData(b))
				if w.reach > uintptr(len(b)) {
					*at = nil
					b = nil
				}
				for k := range w.lengths {
					// SAFETY: the words after the pointer of a string or slice are its length and
					// capacity.
					length := (*int)(unsafe.Add(unsafe.Pointer(at), uintptr(k+1)*unsafe.Sizeof(*at)))
					*length = min(*length, len(b)/max(int(w.reach), 1))
				}
			}
		}
	}
}
