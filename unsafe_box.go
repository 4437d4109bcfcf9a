package arena

import (
	"reflect"
	"unsafe"

	"github.com/arena-go/arena/internal/swiss"
)

// wordSize is the size of a pointer.
const wordSize = unsafe.Sizeof(uintptr(0))

// isSmallWord tells whether an interface has v without memory for it, because v is as large as a word, or smaller,
// and is a pointer, or is among the values that the runtime has memory for.
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
	// SAFETY: v and the second word of an interface have wordSize bytes, which are read as numbers. They are the same if
	// the interface has v itself, which is a pointer then. If they are the same by chance, v is boxed on the
	// heap, which is right for all.
	return (*[2]uintptr)(unsafe.Pointer(&e))[1] == *(*uintptr)(unsafe.Pointer(&v))
}

// boxOf returns *p in an interface that shares its memory. T is not an interface type, and an interface has it by
// reference. Nobody else has p.
func boxOf[T any](p *T) any {
	t := reflect.TypeFor[T]()
	var e any
	// SAFETY: an interface without methods is two words: the type descriptor, and here, a pointer to a value of that type
	// (fact 6), which p is. The memory is that of a chunk of T, which the pointer keeps alive (fact 3), and is used
	// for values of T only (invariant 4). A reflect.Type is an interface whose second word is
	// the address of the descriptor; TestBox compares it with that of the compiler for types of all kinds.
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&e)) = [2]unsafe.Pointer{(*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1], unsafe.Pointer(p)}
	return e
}
