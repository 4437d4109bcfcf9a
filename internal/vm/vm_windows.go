package vm

import (
	"syscall"
	"unsafe"
)

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc = kernel32.NewProc("VirtualAlloc")
	virtualFree  = kernel32.NewProc("VirtualFree")
)

const (
	memCommit   = 0x1000
	memReserve  = 0x2000
	memDecommit = 0x4000
	memRelease  = 0x8000

	pageNoAccess  = 0x01
	pageReadWrite = 0x04
)

func reserve(size int) ([]byte, error) {
	base, err := call(virtualAlloc, 0, uintptr(size), memReserve, pageNoAccess)
	if err != nil {
		return nil, err
	}
	// SAFETY: base is the address of size bytes that the system has just set aside for nobody
	// else. They are not in the Go heap, so the collector does not mind pointers to them. The
	// number is read as a pointer since that is what it is; nothing points there yet.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&base))
	return unsafe.Slice((*byte)(p), size), nil
}

func commit(b []byte) error {
	_, err := call(virtualAlloc, spanOf(b).base, uintptr(len(b)), memCommit, pageReadWrite)
	return err
}

func decommit(b []byte) error {
	_, err := call(virtualFree, spanOf(b).base, uintptr(len(b)), memDecommit)
	return err
}

func release(b []byte) error {
	_, err := call(virtualFree, spanOf(b).base, 0, memRelease) // All of it, says the 0.
	return err
}

// call returns the result of a function of the system, for which 0 is failure.
func call(p *syscall.LazyProc, args ...uintptr) (uintptr, error) {
	if err := p.Find(); err != nil {
		return 0, err
	}
	r, _, err := p.Call(args...)
	if r == 0 {
		return 0, err
	}
	return r, nil
}
