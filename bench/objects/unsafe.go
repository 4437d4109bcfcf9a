package objects

import "unsafe"

// sizeOf returns how many bytes a T takes.
//
// SAFETY: Sizeof only computes a number.
func sizeOf[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// textOf returns bytes as text.
//
// SAFETY: it is, as long as nobody writes to them. Those that call it fill them before, and are
// done with the text when they are used again.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// valueAt returns the T that begins with b.
//
// SAFETY: b has room for it, is aligned and zeroed. It is NOT safe if T has pointers and b is
// memory without pointers, as the memory of all peers is: the collector does not see the pointers,
// and frees what nobody else refers to. The workloads store only what is in the same memory, or
// constant; Sound shows the rest.
func valueAt[T any](b []byte) *T { return (*T)(unsafe.Pointer(unsafe.SliceData(b))) }

// valuesAt returns the n values that begin with b.
//
// SAFETY: as valueAt.
func valuesAt[T any](b []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
