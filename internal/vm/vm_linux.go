package vm

import (
	"cmp"
	"syscall"
)

func reserve(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
}

// decommit closes the pages first, so that nothing is written to them after they were emptied.
func decommit(b []byte) error {
	err := protect(spanOf(b).base, uintptr(len(b)), false)
	return cmp.Or(err, syscall.Madvise(b, syscall.MADV_DONTNEED))
}

func release(b []byte) error { return syscall.Munmap(b) }
