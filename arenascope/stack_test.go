package arenascope

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestGrowStack proves that a goroutine's stack, which is small at its start, has enough room after
// growStack: it is not copied any more.
func TestGrowStack(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // A collection makes stacks smaller.
	done := make(chan bool)
	go func() {
		var here byte
		growStack(nil)
		before := uintptr(unsafe.Pointer(&here))
		deep(nil)
		done <- before == uintptr(unsafe.Pointer(&here))
	}()
	if !<-done {
		t.Error("the stack was copied after growStack")
	}
}

// deep takes as much of the stack as a handler with interceptors does.
//
//go:noinline
func deep(none []byte) {
	if len(none) > 0 {
		var b [3 << 9]byte
		copy(b[:], none)
		copy(none, b[1:])
	}
}
