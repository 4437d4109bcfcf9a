package swiss

import "unsafe"

// LinesOf reads from the group at p, of size bytes, outside the cache line of its control word. So
// the processor fetches all lines of the group at the same time, instead of the line of a slot
// after it has seen the control word. It returns a word with all bits of EachFull. The search must
// use the word in its computation, but no branch may wait for it.
func LinesOf(p unsafe.Pointer, size uintptr) uint64 {
	if size > 192 {
		return EachFull // most of it is not looked at
	}
	// SAFETY: p is the address of size bytes. No bit of them has an effect.
	return uint64(*(*byte)(unsafe.Add(p, size/2))|*(*byte)(unsafe.Add(p, size-1))) | EachFull
}

// Lines is LinesOf g. It is not for programs that look for mistakes: the slots belong to other
// keys.
func (g *Group[K, V]) Lines() uint64 {
	// SAFETY: LinesOf reads within g.
	return LinesOf(unsafe.Pointer(g), unsafe.Sizeof(*g))
}

// Word returns the bits of k, whose type is an integer type or has as many bytes as one. Of others
// it returns 0.
func Word[K any](k K) uint64 {
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
