//go:build mimalloc && cgo

package offheap

// Debian's package has nothing for pkg-config.

// #cgo LDFLAGS: -lmimalloc
// #include <mimalloc.h>
import "C"

import (
	"fmt"
	"unsafe"
)

func mimalloc() (*Malloc, error) {
	v := int(C.mi_version())
	return &Malloc{library: library{"Mimalloc", fmt.Sprintf("%d.%d.%d", v/100, v/10%10, v%10), mimallocAlloc, mimallocFree}, live: map[uintptr]int{}}, nil
}

// SAFETY: the pointer is to size zero bytes outside the Go heap, which are ours until they are
// freed.
func mimallocAlloc(size int) []byte {
	p := C.mi_zalloc_aligned(C.size_t(size), 16)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), size)
}

// SAFETY: b is a result of mimallocAlloc, and was not freed before: it is in the list of Malloc.
func mimallocFree(b []byte) { C.mi_free(unsafe.Pointer(unsafe.SliceData(b))) }
