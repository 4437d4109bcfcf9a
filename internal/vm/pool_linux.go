//go:build linux && (amd64 || arm64)

package vm

import (
	"math/bits"
	"syscall"
)

const (
	memfdCloseOnExec = 1
	memfdHuge        = 4
	memfdHugeShift   = 26 // Where the logarithm of the size is.
)

// fromPool is what makes pages of a file in memory huge. A test without a pool clears it.
var fromPool uintptr = memfdHuge

// commitHuge puts a file without a name instead of b. To map huge pages at a given address directly
// would leave a hole there, for anybody's next mapping, if there are not enough: the kernel looks
// only after it has removed what was. So the file is mapped anywhere at first, which sets its pages
// aside, and they stay the file's when it is mapped once more. The pages go back to the pool when
// nothing maps the file.
func commitHuge(b []byte) error {
	kind := uintptr(memfdCloseOnExec)
	if fromPool != 0 {
		kind |= fromPool | uintptr(bits.TrailingZeros(uint(HugePageSize())))<<memfdHugeShift
	}
	fd, err := memfd("arena", kind)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := syscall.Ftruncate(fd, int64(len(b))); err != nil {
		return err
	}
	probe, err := syscall.Mmap(fd, 0, len(b), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Munmap(probe) }() // it is mapped, so that cannot fail
	return mapAt(b, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED, fd)
}

func decommitHuge(b []byte) error {
	return mapAt(b, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE, -1)
}

// mapAt replaces what is mapped at b.
func mapAt(b []byte, prot, flags, fd int) error {
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, Addr(b), uintptr(len(b)),
		uintptr(prot), uintptr(flags|syscall.MAP_FIXED), uintptr(fd), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
