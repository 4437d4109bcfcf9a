package arrow

import "unsafe"

// SAFETY: the address is a number that is compared, and never becomes a pointer again.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
