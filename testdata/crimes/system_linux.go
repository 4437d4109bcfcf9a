package main

import (
	"fmt"
	"runtime/debug"
	"syscall"
)

// refused has the process use up its mappings: the system then refuses to protect a part of one,
// which would make it two.
func refused() {
	debug.SetGCPercent(-1)
	sink = make([]byte, 32<<20) // so that the heap need not grow meanwhile
	sink = nil
	page := syscall.Getpagesize()
	const most = 1 << 17
	mem, err := syscall.Mmap(-1, 0, most*page, syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		panic(err)
	}
	n := 0
	for n < most && syscall.Mprotect(mem[n*page:(n+1)*page], syscall.PROT_READ) == nil {
		n += 2
	}
	if n >= most {
		panic(fmt.Sprint("the system has more mappings than ", n))
	}
	unguarded()
	if err := syscall.Munmap(mem); err != nil {
		panic(err)
	}
}
