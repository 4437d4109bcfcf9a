//go:build (linux || darwin || freebsd) && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package offheap

import (
	"errors"
	"os"
	"reflect"
	"syscall"
)

// mapNew returns addresses for limit bytes at which the file can be read and written, as far as it
// reaches: it is empty as yet.
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

// unmap makes b, all that mapNew or mapOld has returned, inaccessible, and forgets the file.
func unmap(b []byte) error {
	// In one step, so that nothing else can get at the addresses.
	if err := mmap(b, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON, ^uintptr(0)); err != nil {
		return err
	}
	putRange(b)
	return nil
}

// extend makes the file to bytes long, all of which have room on the disk, or leaves it as it is.
func extend(file *os.File, _ []byte, from, to int) error {
	err := allocate(file, int64(from), int64(to))
	if err != nil {
		err = errors.Join(err, file.Truncate(int64(from))) // What it took does not stay taken.
	}
	return err
}

// writeZeros appends zeros to the file, where there is no other way to get room on the disk.
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

// store writes b, what there is of the file in memory, to the disk.
func store(_ *os.File, b []byte) error {
	return system(syscall.SYS_MSYNC, b, syscall.MS_SYNC)
}

// syncDir brings the names in a directory to the disk, where the file system has such a thing.
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

// Package syscall has no mmap at an address, nor the others on all of these systems. b is always outside of the
// Go heap, and its address as good as a pointer.

// mmap puts a mapping in the place of b, which must be addresses of ours.
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
