package guard

import "unsafe"

// address returns the address of b[0].
func address(b []byte) uintptr {
	// SAFETY: the result is never made a pointer again. The heap does not move.
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

// bytesAt returns the n bytes that begin at p.
func bytesAt(p *byte, n int) []byte {
	// SAFETY: n is the length of the slice whose first byte p is.
	return unsafe.Slice(p, n)
}

// stringOf returns b as a string, for the length of a call.
func stringOf(b []byte) string {
	// SAFETY: the string is b, and keeps it alive. A write to it meanwhile is the mistake that is
	// looked for: the bytes that are read are old or new ones.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
