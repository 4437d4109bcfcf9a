package vm

import "syscall"

func reserve(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
}

// decommit closes the pages first, so that nothing is written to them after they were emptied.
func decommit(b []byte) error {
	if err := protect(b, false); err != nil {
		return err
	}
	return syscall.Madvise(b, syscall.MADV_DONTNEED)
}

func release(b []byte) error { return syscall.Munmap(b) }
