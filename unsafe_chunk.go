package arena

import (
	"reflect"
	"unsafe"
)

// A pointer is where memory begins, which it keeps alive. Only the files of the fence look at what is there: others
// pass it on, compare it, and ask for its address.
type pointer struct{ to unsafe.Pointer }

func (p pointer) isNil() bool { return p.to == nil }

// address returns the address, to compare it and to say where something is.
func (p pointer) address() uintptr {
	// SAFETY: the result is never made a pointer again. The heap, or a Memory, does not move.
	return uintptr(p.to)
}

// startOf returns where b begins.
func startOf(b []byte) pointer {
	// SAFETY: a pointer to what the slice points at.
	return pointer{unsafe.Pointer(unsafe.SliceData(b))}
}

// blockOf returns the block that s is.
func blockOf[T any](s []T) block {
	// SAFETY: as above.
	return block{pointer{unsafe.Pointer(unsafe.SliceData(s))}, len(s)}
}

// slotsOf returns the slots of b. It is for a slab of T and its own blocks.
func slotsOf[T any](b block) []T {
	// SAFETY: b is from a slab whose slots are slotsFor[T]. So blockOf has made it, of a []T of this length or a longer one,
	// or block.in, of an array of T, or T is plain, and the bytes are of a Memory, of the arena's plain memory or of words, aligned for T.
	return unsafe.Slice((*T)(b.at.to), b.n)
}

// slotAt returns the slot i of b.
func slotAt[T any](b block, i int) *T {
	if uint(i) >= uint(b.n) {
		panic("arena: a slot of a chunk that it does not have")
	}
	// SAFETY: as above.
	return (*T)(unsafe.Add(b.at.to, i*int(unsafe.Sizeof(*new(T)))))
}

// An extent is the memory of a chunk, or of a part of one.
type extent struct {
	at    pointer
	bytes int
	typ   reflect.Type // of the values in it
}

// raw returns the memory of m as bytes.
func (m extent) raw() []byte {
	// SAFETY: m has so many bytes. Read as bytes, whatever they are is valid (fact 5).
	return unsafe.Slice((*byte)(m.at.to), m.bytes)
}

// without appends to all what is left of m without the parts of it that are in holes.
func (m extent) without(all []extent, holes []extent) []extent {
	from := 0
	for _, h := range holes {
		at := int(h.at.address() - m.at.address())
		if at < from || at+h.bytes > m.bytes {
			continue
		}
		if at > from {
			all = append(all, m.part(from, at))
		}
		from = at + h.bytes
	}
	if from < m.bytes {
		all = append(all, m.part(from, m.bytes))
	}
	return all
}

// part returns the bytes [from, to) of m, of which there is at least one.
func (m extent) part(from, to int) extent {
	if from < 0 || to <= from || to > m.bytes {
		panic("arena: a part of an extent that it does not have")
	}
	// SAFETY: there are bytes behind from.
	return extent{pointer{unsafe.Add(m.at.to, from)}, to - from, m.typ}
}

// in returns the slots of a place in object, which was made for a layout with that place.
func (object block) in(p place) block {
	// SAFETY: the type of the object is a struct, which layout.typ has made of arrays, with one of so many slots at this offset. Or the
	// object is an array of so many slots, and the offset is 0. Or it is words, the slots are of a plain type, and layout.pack has made room for
	// so many of them behind the offset, a multiple of 8, which is the most that a type is aligned to. So the collector sees what is in it (fact 1), and what is returned
	// keeps the object alive (fact 3).
	return block{pointer{unsafe.Add(object.at.to, p.offset)}, p.slots}
}
