package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall"
)

// refused has the process use up its mappings: the system then refuses to protect a part of one,
// which would make it two.
func refused() {
	debug.SetGCPercent(-1)
	// Many small spans, and not one large: the heap and what the runtime knows of it have room then
	// and need not grow meanwhile.
	var room [4096][]byte
	for i := range room {
		room[i] = make([]byte, 8<<10)
	}
	sink = room
	sink = nil
	runtime.GC()
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
