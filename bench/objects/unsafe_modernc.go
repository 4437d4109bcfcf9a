package objects

import (
	"unsafe"

	"modernc.org/memory"
)

// moderncNew returns a zeroed T that is not on the Go heap.
//
// SAFETY: there is room for it, aligned to 16 bytes. It is NOT safe: the collector does not see
// what it refers to. Nor does anything keep it from being used after it was freed, when it is
// unmapped or another value. The workloads do neither; Sound shows the consequences.
func moderncNew[T any](a *memory.Allocator) *T {
	p, err := a.UnsafeCalloc(sizeOf[T]())
	must(err)
	return (*T)(p)
}

// moderncSlice returns n zeroed values.
//
// SAFETY: as moderncNew.
func moderncSlice[T any](a *memory.Allocator, n int) []T {
	p, err := a.UnsafeCalloc(n * sizeOf[T]())
	must(err)
	return unsafe.Slice((*T)(p), n)
}

// moderncText returns a copy of text.
//
// SAFETY: as moderncNew, and nobody else writes to it.
func moderncText(a *memory.Allocator, text string) string {
	p, err := a.UnsafeMalloc(len(text))
	must(err)
	b := unsafe.Slice((*byte)(p), len(text))
	copy(b, text)
	return textOf(b)
}

// moderncBack frees a value.
//
// SAFETY: v is from moderncNew, and is not used any more.
func moderncBack[T any](a *memory.Allocator, v *T) { must(a.UnsafeFree(unsafe.Pointer(v))) }

// moderncSliceBack frees a slice.
//
// SAFETY: s is from moderncSlice, and is not used any more.
func moderncSliceBack[T any](a *memory.Allocator, s []T) {
	must(a.UnsafeFree(unsafe.Pointer(unsafe.SliceData(s))))
}

// moderncTextBack frees text.
//
// SAFETY: text is from moderncText, and is not used any more.
func moderncTextBack(a *memory.Allocator, text string) {
	must(a.UnsafeFree(unsafe.Pointer(unsafe.StringData(text))))
}
