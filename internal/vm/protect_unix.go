//go:build linux || darwin || dragonfly || freebsd || netbsd

package vm

import "syscall"

func protect(base, size uintptr, access bool) error {
	prot := syscall.PROT_NONE
	if access {
		prot = syscall.PROT_READ | syscall.PROT_WRITE
	}
	_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, base, size, uintptr(prot))
	if errno != 0 {
		return errno
	}
	return nil
}

func commit(b []byte) error { return protect(spanOf(b).base, uintptr(len(b)), true) }
