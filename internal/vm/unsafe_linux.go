package vm

import (
	"math/bits"
	"syscall"
	"unsafe"
)

// policyPreferred is MPOL_PREFERRED: the node's memory as long as there is some, then memory of
// other nodes.
const policyPreferred = 1

func prefer(b []byte, node int) error {
	var mask [1024 / bits.UintSize]uint
	if node < 0 || node >= len(mask)*bits.UintSize {
		return syscall.EINVAL
	}
	mask[node/bits.UintSize] = 1 << (node % bits.UintSize)
	// SAFETY: the system reads mask, all of it but no more (its count is one too large by
	// tradition), during the call only. b is a number to it.
	_, _, errno := syscall.Syscall6(syscall.SYS_MBIND, Addr(b), uintptr(len(b)), policyPreferred,
		uintptr(unsafe.Pointer(&mask)), uintptr(len(mask)*bits.UintSize+1), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
