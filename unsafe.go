package arena

import (
	"reflect"
	"unsafe"

	"github.com/arena-go/arena/internal/swiss"
)

// typeIDOf is typeID for a type known at run time only.
func typeIDOf(t reflect.Type) uintptr { return reflect.ValueOf(reflect.PointerTo(t)).Pointer() }

// descriptorOf returns another number for t, the address of its own descriptor, made odd: no type's
// address is odd, so no typeID is the same.
func descriptorOf(t reflect.Type) uintptr { return reflect.ValueOf(t).Pointer() | 1 }

// address returns where a is, as the life of an arena that is open. It is a multiple of
// 1<<stateBits.
func (a *Arena) address() life {
	// SAFETY: the result is compared, and never made a pointer again. The heap does not move, and
	// an arena in use is there: its stores refer to it.
	return life(uintptr(unsafe.Pointer(a)))
}

// viewOf returns s as a string that shares its bytes. It is for calls that read it, and keep
// nothing of it.
func viewOf[S ~string | ~[]byte](s S) string {
	if unsafe.Sizeof(s) == wordSize*2 {
		return string(s) // s is a string. That copies nothing, nor does the conversion of the other bytes.
	}
	// SAFETY: the view ends with the call that it is made for, and nobody changes the bytes
	// meanwhile, unless in a data race.
	return unsafe.String(unsafe.SliceData([]byte(s)), len(s))
}

// isText tells whether s is a string, and not bytes. The compiler knows it of each S: only slices
// have three words.
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

// wordSize is the size of a pointer.
const wordSize = unsafe.Sizeof(uintptr(0))

// isSmallWord tells whether an interface has v without memory for it, because v is as large as a
// word, or smaller, and is a pointer, or is among the values that the runtime has memory for.
func isSmallWord[T any](v T) bool {
	size := unsafe.Sizeof(v)
	if size > 8 || size&(size-1) != 0 {
		return false
	}
	if swiss.Word(v) < 256 && unsafe.Alignof(v) == min(size, unsafe.Alignof(uint64(0))) {
		return true
	}
	if size != wordSize {
		return false
	}
	var e any = v // on the stack
	// SAFETY: v and the second word of an interface have wordSize bytes, which are read as numbers.
	// They are the same if the interface has v itself, which is a pointer then. If they are the
	// same by chance, v is boxed on the heap, which is right for all.
	return (*[2]uintptr)(unsafe.Pointer(&e))[1] == *(*uintptr)(unsafe.Pointer(&v))
}

// boxOf returns *p in an interface that shares its memory. T is not an interface type, and an
// interface has it by reference. Nobody else has p.
func boxOf[T any](p *T) any {
	t := reflect.TypeFor[T]()
	var e any
	// SAFETY: an interface without methods is two words: the type descriptor, and here, a pointer
	// to a value of that type (fact 6), which p is. The memory belongs to a chunk of T, which the
	// pointer keeps alive (fact 3), and is used for values of T only (invariant 4). A reflect.Type
	// is an interface whose second word is the address of the descriptor; TestBox compares it with
	// the compiler's for types of all kinds.
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&e)) = [2]unsafe.Pointer{(*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1], unsafe.Pointer(p)}
	return e
}

// A pointer is where memory begins, which it keeps alive. Only the files of the fence look at what
// is there: others pass it on, compare it, and ask for its address.
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

// wordsAt returns the n words that begin with first.
func wordsAt(first *uint64, n int) block {
	// SAFETY: first is the first word of an object that take has made. The list of its size holds
	// it, so the object has n words.
	return blockOf(unsafe.Slice(first, n))
}

// wordBefore returns the word before b, a chunk that take has returned.
func wordBefore(b block) *uint64 {
	// SAFETY: take leaves the first word of the object free, and returns what follows it.
	return (*uint64)(unsafe.Add(b.at.to, -wordBytes))
}

// slotsOf returns the slots of b. It is for a slab of T and its own blocks.
func slotsOf[T any](b block) []T {
	// SAFETY: b is from a slab whose slots are of type T. So blockOf or view.make has made it, of a
	// []T of this length or a longer one, or block.in, of an array of T, or T is plain, and the
	// bytes are of a Memory, of the arena's plain memory or of words, aligned for T.
	return unsafe.Slice((*T)(b.at.to), b.n)
}

// slotAt returns the slot i of b.
func slotAt[T any](b block, i int) *T {
	if uint(i) >= uint(b.n) {
		panic("arena: internal error: a slot outside of its chunk; please report it")
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
	// SAFETY: m has that many bytes. Read as bytes, whatever they are is valid (fact 5).
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
		panic("arena: internal error: a part outside of its extent; please report it")
	}
	// SAFETY: there are bytes behind from.
	return extent{pointer{unsafe.Add(m.at.to, from)}, to - from, m.typ}
}

// clearSlots zeroes the slots [from, to) of b. It zeroes a few small values one by one, which takes
// a few instructions each, where a call of the runtime takes many.
func clearSlots[T any](b block, from, to int) {
	if to-from > 4 || unsafe.Sizeof(*new(T)) > 64 {
		clear(slotsOf[T](b)[from:to])
		return
	}
	if from < 0 || to > b.n {
		panic("arena: internal error: slots outside of their chunk; please report it")
	}
	var zero T
	// SAFETY: as in slotAt, and the slots are in b. The compiler knows T, so it stores pointers
	// with write barriers (fact 2).
	for i := from; i < to; i++ {
		*(*T)(unsafe.Add(b.at.to, i*int(unsafe.Sizeof(zero)))) = zero
	}
}

// zeroBytes zeroes the bytes [from, to) behind at, two words at a time from the end on. There are
// no pointers in them. from is at least twoWords, and what is before from is zero already.
func zeroBytes(at pointer, from, to int) {
	for ; to > from; to -= twoWords {
		// SAFETY: all bytes behind at up to to belong to one chunk. The last step begins less than
		// twoWords before from, so not before at. Bytes may have any alignment.
		*(*[twoWords]byte)(unsafe.Add(at.to, to-twoWords)) = [twoWords]byte{}
	}
}

// zeroPairs zeroes the bytes [from, to) behind at, which are wordPairs.
func zeroPairs(at pointer, from, to int) {
	for ; to > from; to -= twoWords {
		// SAFETY: as above, and zeroing has found that the type of the slots is wordPairs to the
		// collector. So the compiler stores each pointer with a write barrier (fact 2).
		*(*wordPair)(unsafe.Add(at.to, to-twoWords)) = wordPair{}
	}
}

// A wordPair is a pointer, and a word that is none.
type wordPair struct {
	pointer unsafe.Pointer
	word    uintptr
}

const (
	twoWords = 2 * int(wordSize)
	fewWords = 16 // more are zeroed by a call
)

// in returns the slots of a place in object, which was made for a layout with that place.
func (object block) in(p place) block {
	// SAFETY: the type of the object is a struct, which layout.typ has made of arrays, with one of
	// n slots at this offset. Or the object is an array of n slots, and the offset is 0. Or it is
	// words, the slots are of a plain type, and layout.pack has made room for n of them behind the
	// offset, a multiple of 8, which is the most that a type is aligned to. So the collector sees
	// what is in it (fact 1), and what is returned keeps the object alive (fact 3).
	return block{pointer{unsafe.Add(object.at.to, p.offset)}, p.slots}
}

// typeless returns s without its type.
func (s *Slab[T]) typeless() *slab {
	// SAFETY: both types have the same fields at the same places, but for buf, which is a slice in
	// one and its header in the other: TestSlabLayout compares them. The collector knows the memory
	// by the type that it was allocated as, and in both types pointers are at the same places (fact
	// 1).
	return (*slab)(unsafe.Pointer(s))
}

// typedSlab returns s as what it was made for: slabOf has found it by the id of T, or has made it,
// with slots of T.
func typedSlab[T any](s *slab) *Slab[T] {
	// SAFETY: as above. What buf points at is memory of type T: newSlab was called with
	// slotTypeFor[T] or with slotTypeOf of T, since types that differ have different ids and
	// descriptors, and slots never changes.
	return (*Slab[T])(unsafe.Pointer(s))
}
