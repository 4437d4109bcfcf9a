//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package offheap

import (
	"os"
	"syscall"
)

// allocate reserves room on the disk for the bytes [from, to) of a file of from bytes, and makes
// them zero.
func allocate(file *os.File, from, to int64) error {
	for {
		switch err := syscall.Fallocate(int(file.Fd()), 0, from, to-from); err {
		case syscall.EINTR:
		case syscall.EOPNOTSUPP, syscall.ENOSYS: // This file system has no such thing.
			return writeZeros(file, from, to)
		default:
			return os.NewSyscallError("fallocate", err)
		}
	}
}
