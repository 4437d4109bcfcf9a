package kept

import (
	"strings"
	"unsafe"
	"weak"
)

// A ref is where memory begins, which it does not keep alive.
type ref struct{ weak weak.Pointer[byte] }

// weakOf returns the start of b, which has at least one byte.
func weakOf(b []byte) ref { return ref{weak.Make(&b[0])} }

// isLive reports whether the memory is there. The collector keeps it for a collection that is
// running. It is not inlined, so that no frame of the caller has the pointer.
//
//go:noinline
func (r ref) isLive() bool { return r.weak.Value() != nil }

// text returns the first n bytes, of which there are as many, or "" if the memory is gone. The
// detectors of mistakes must not look: the program may write there, by mistake.
//
//go:norace
func (r ref) text(n int) string {
	p := r.weak.Value()
	if p == nil {
		return ""
	}
	// SAFETY: Add was given at least n bytes that begin at p, which keeps them alive. A write to
	// them meanwhile changes what is copied, and nothing else.
	return strings.Clone(unsafe.String(p, n))
}

// address returns the address of b[0].
func address(b []byte) uintptr {
	// SAFETY: the result is never made a pointer again. The heap does not move.
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}
