//go:build darwin || dragonfly || freebsd || netbsd

package vm

import "syscall"

func reserve(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// Package syscall has no wrapper for mmap at an address on these systems, nor for mprotect on
// all of them, hence the bare calls.

// decommit maps fresh pages over the pages of b: madvise does not promise zeros on these systems.
// They put the offset, which is 0, at different places after the file: zeros serve all of them.
func decommit(b []byte) error {
	_, _, errno := syscall.Syscall9(syscall.SYS_MMAP, spanOf(b).base, uintptr(len(b)), syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_FIXED, ^uintptr(0), 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func release(b []byte) error { return syscall.Munmap(b) }
