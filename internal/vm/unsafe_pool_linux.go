//go:build linux && (amd64 || arm64)

package vm

import (
	"syscall"
	"unsafe"
)

// memfd makes a file in memory.
func memfd(name string, flags uintptr) (fd int, err error) {
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return -1, err
	}
	// SAFETY: the system reads the text, which ends with a zero, during the call only.
	n, _, errno := syscall.Syscall(sysMemfdCreate, uintptr(unsafe.Pointer(text)), flags, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}
