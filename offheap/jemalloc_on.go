//go:build jemalloc && cgo

package offheap

// #cgo pkg-config: jemalloc
// #include <jemalloc/jemalloc.h>
// static const char *version(void) {
//	const char *v = "";
//	size_t n = sizeof v;
//	mallctl("version", &v, &n, NULL, 0);
//	return v;
// }
import "C"

import "unsafe"

// jemallocFlags ask for zeros, at a multiple of 1<<4.
const jemallocFlags = 4 | C.MALLOCX_ZERO

func jemalloc() (*Malloc, error) {
	return &Malloc{library: library{"Jemalloc", C.GoString(C.version()), jemallocAlloc, jemallocFree}, live: map[uintptr]int{}}, nil
}

// SAFETY: the pointer is to size zero bytes outside the Go heap, which are ours until they are
// freed.
func jemallocAlloc(size int) []byte {
	p := C.mallocx(C.size_t(size), jemallocFlags)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), size)
}

// SAFETY: b is a result of jemallocAlloc, with its length, and was not freed before: it is in the
// list of Malloc.
func jemallocFree(b []byte) {
	C.sdallocx(unsafe.Pointer(unsafe.SliceData(b)), C.size_t(len(b)), jemallocFlags)
}
