// Package stack grows the stack of a call once, early. It is a copy of the one of module arenagrpc, which says why, and has its tests.
package stack

// Grow gives the goroutine a stack of 8 KiB, if its is smaller. none is nil.
//
// A function asks for the whole of its frame when it is called, whatever it does then. The array is never used, and nobody clears it.
//
//go:noinline
func Grow(none []byte) {
	if len(none) > 0 {
		var b [2 << 10]byte
		copy(b[:], none)
		copy(none, b[1:])
	}
}
