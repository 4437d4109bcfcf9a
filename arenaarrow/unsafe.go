package arenaarrow

import "unsafe"

// address returns the address of the first byte of b, also if b has length zero.
//
// SAFETY: the pointer is only turned into a number, which is compared with others and never turned
// back.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
