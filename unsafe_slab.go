package arena

import "unsafe"

// typeless returns s without its type.
func (s *Slab[T]) typeless() *slab {
	// SAFETY: both types have the same fields at the same places, but for buf, which is a slice in one and its header in the
	// other: TestSlabLayout compares them. The collector knows the memory by the type that it was allocated as, and in both
	// types pointers are at the same places (fact 1).
	return (*slab)(unsafe.Pointer(s))
}

// typedSlab returns s as what it was made for: slabOf has found it by the id of T, and has made it with the
// slots of T.
func typedSlab[T any](s *slab) *Slab[T] {
	// SAFETY: as above. What buf points at is memory of type T: newSlab was called with slotsFor[T], since types that differ have
	// different ids, and slots never changes.
	return (*Slab[T])(unsafe.Pointer(s))
}
