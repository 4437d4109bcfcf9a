package arena

import (
	"reflect"
	"unsafe"
)

// A memory is that of a chunk, or of a part of it.
type memory struct {
	at    pointer
	bytes int
	typ   reflect.Type // of the values in it
}

type pointer = unsafe.Pointer

func (v values[T]) start() pointer {
	// SAFETY: a pointer to what the slice points at.
	return unsafe.Pointer(unsafe.SliceData(v))
}

func (r reflected) start() pointer {
	// SAFETY: as above.
	return r.UnsafePointer()
}

// guarded is make in guard mode: where T is plain, on pages of their own.
func (v values[T]) guarded(g *guard, n int) values[T] {
	t := reflect.TypeFor[T]()
	if size := sizeOf[T](); size > 0 && kindOf(t) == kindPlain {
		if b := g.alloc(n*size, t); b != nil {
			return sliceOf[T](b, n)
		}
	}
	return v.make(n)
}

func (r reflected) guarded(g *guard, n int) reflected {
	t := r.Type().Elem()
	if size := int(t.Size()); size > 0 && kindOf(t) == kindPlain {
		if b := g.alloc(n*size, t); b != nil {
			return reflected{valuesOf(t, b, n)}
		}
	}
	return r.make(n)
}

// at returns the n bytes that begin at p.
func bytesAt(p *byte, n int) []byte {
	// SAFETY: n is the length of the slice whose first byte p is.
	return unsafe.Slice(p, n)
}

// A pointerWord is where a value has a pointer, or an interface.
type pointerWord struct {
	offset      uintptr
	isInterface bool
}

// pointerWords appends those of t, which lies at an offset.
func pointerWords(words []pointerWord, t reflect.Type, offset uintptr) []pointerWord {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func,
		reflect.String, reflect.Slice: // the first word of these two
		return append(words, pointerWord{offset, false})
	case reflect.Interface:
		return append(words, pointerWord{offset, true})
	case reflect.Array:
		for i := range t.Len() {
			words = pointerWords(words, t.Elem(), offset+uintptr(i)*t.Elem().Size())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			words = pointerWords(words, t.Field(i).Type, offset+t.Field(i).Offset)
		}
	}
	return words
}

// aim makes all pointers in m that are not nil point at trap, or nil if there is none, and all interfaces nil.
func (m memory) aim(trap []byte) {
	// SAFETY: an ordinary pointer, to memory that cannot be accessed.
	to := unsafe.Pointer(unsafe.SliceData(trap))
	words := pointerWords(nil, m.typ, 0)
	if len(words) == 0 {
		return
	}
	for at := 0; at < m.bytes; at += int(m.typ.Size()) {
		for _, w := range words {
			// SAFETY: pointerWords says that there is a pointer here, or an interface, which is two of
			// them. Both are stored as pointers, with write barriers (fact 2). A pointer of another type
			// than its own points at memory that cannot be accessed, which it keeps alive (fact 3).
			p := (*unsafe.Pointer)(unsafe.Add(m.at, uintptr(at)+w.offset))
			switch {
			case w.isInterface:
				*p = nil
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) = nil
			case *p != nil:
				*p = to
			}
		}
	}
}

// copy returns the bytes of m. They keep nothing alive.
//
//go:norace
func (m memory) copy() []byte {
	b := make([]byte, m.bytes)
	for i := range b {
		// SAFETY: m has so many bytes. Read as bytes, whatever they are is valid (fact 5).
		b[i] = *(*byte)(unsafe.Add(m.at, i))
	}
	return b
}

// differs returns the first byte of s, from a byte on, that is not as it was, or -1. The race detector does
// not look, because it has been told that nobody touches this memory any more.
//
//go:norace
func (s *snapshot) differs(from int) int {
	for i := from; i < len(s.was); i++ {
		// SAFETY: as in copy.
		if *(*byte)(unsafe.Add(s.at, i)) != s.was[i] {
			return i
		}
	}
	return -1
}

// fill fills plain memory with bytes that stand out.
func (m memory) fill() {
	// SAFETY: any bytes are valid (fact 5); there are so many.
	b := unsafe.Slice((*byte)(m.at), m.bytes)
	for i := range b {
		b[i] = 0xDB
	}
}
