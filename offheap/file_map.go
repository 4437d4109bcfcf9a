//go:build (linux || darwin || freebsd) && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package offheap

import (
	"errors"
	"os"
	"reflect"
	"syscall"
)

// mapNew returns addresses for limit bytes at which the file, which is still empty, can be read and
// written up to its length.
func mapNew(file *os.File, limit int) ([]byte, error) {
	return mapRange(file, limit, syscall.PROT_READ|syscall.PROT_WRITE)
}

// mapOld returns the size bytes of the file, read-only.
func mapOld(file *os.File, size int) ([]byte, error) {
	return mapRange(file, size, syscall.PROT_READ)
}

func mapRange(file *os.File, size, prot int) ([]byte, error) {
	b, err := takeRange(size)
	if err != nil {
		return nil, err
	}
	if err := mmap(b, prot, syscall.MAP_SHARED, file.Fd()); err != nil {
		putRange(b)
		return nil, err
	}
	return b, nil
}

// unmap makes b inaccessible, and forgets the file. b is everything that mapNew or mapOld returned.
func unmap(b []byte) error {
	// In one step, so that nothing else can get the addresses.
	if err := mmap(b, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON, ^uintptr(0)); err != nil {
		return err
	}
	putRange(b)
	return nil
}

// extend makes the file to bytes long and reserves room on the disk for all of them, or leaves the
// file unchanged.
func extend(file *os.File, _ []byte, from, to int) error {
	err := allocate(file, int64(from), int64(to))
	if err != nil {
		err = errors.Join(err, file.Truncate(int64(from))) // What it took does not stay taken.
	}
	return err
}

// writeZeros appends zeros to the file, if there is no other way to reserve room on the disk.
func writeZeros(file *os.File, from, to int64) error {
	zeros := make([]byte, min(to-from, 1<<20))
	for from < to {
		n, err := file.WriteAt(zeros[:min(to-from, int64(len(zeros)))], from)
		if err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}

// seal makes b, which begins where a File does, read-only.
func seal(b []byte) error {
	return system(syscall.SYS_MPROTECT, b, syscall.PROT_READ)
}

// store writes b, the part of the file in memory, to the disk.
func store(_ *os.File, b []byte) error {
	return system(syscall.SYS_MSYNC, b, syscall.MS_SYNC)
}

// syncDir writes the names in a directory to the disk, if the file system supports that.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// Package syscall has no mmap at an address, nor the others on all of these systems. b is always
// outside the Go heap, and its address as good as a pointer.

// mmap replaces the mapping of b, which must be addresses of this package.
func mmap(b []byte, prot, flags int, fd uintptr) error {
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, reflect.ValueOf(b).Pointer(), uintptr(len(b)),
		uintptr(prot), uintptr(flags|syscall.MAP_FIXED), fd, 0)
	if errno != 0 {
		return os.NewSyscallError("mmap", errno)
	}
	return nil
}

func system(call uintptr, b []byte, arg int) error {
	_, _, errno := syscall.Syscall(call, reflect.ValueOf(b).Pointer(), uintptr(len(b)), uintptr(arg))
	if errno != 0 {
		return errno
	}
	return nil
}
