//go:build linux || darwin || dragonfly || freebsd || netbsd

package vm

import "syscall"

func lock(b []byte) error { return onPages(syscall.SYS_MLOCK, b) }

func unlock(b []byte) error { return onPages(syscall.SYS_MUNLOCK, b) }

func onPages(call uintptr, b []byte) error {
	_, _, errno := syscall.Syscall(call, Addr(b), uintptr(len(b)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
