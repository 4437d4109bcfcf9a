package share

import "unsafe"

// A Slab makes the values of one type in an arena, which each method is given, or on the heap.
// arenakit.Slab documents the methods.
//
// SAFETY: the pointers lead to memory of the type. Package arena makes it.
type Slab[A any] interface {
	New(a A) unsafe.Pointer
	Slice(a A, n int) unsafe.Pointer
	Extend(a A, p unsafe.Pointer, n, more int) bool
	Shrink(a A, p unsafe.Pointer, n, keep int)
	Expect(a A, n int)
	Serves(a A) bool // a has the slab, and is not nil
}
