//go:build asan

package tools

// #include <stddef.h>
// #include <stdint.h>
// extern void __asan_poison_memory_region(void const volatile *addr, size_t size);
// extern void __asan_unpoison_memory_region(void const volatile *addr, size_t size);
// static void arena_poison(uintptr_t addr, size_t size) { __asan_poison_memory_region((void *)addr, size); }
// static void arena_unpoison(uintptr_t addr, size_t size) { __asan_unpoison_memory_region((void *)addr, size); }
import "C"

import (
	"runtime"
	"unsafe"
)

// Sanitizing says that the program is built with the address sanitizer. Memory is then poisoned
// when it is made, unpoisoned piece by piece as it is handed out, with red zones between the
// pieces, and poisoned again by Reset and Free.
const Sanitizing = true

const (
	RedZone = 16 // the least number of bytes between two allocations
	Granule = 8  // what an allocation begins at a multiple of
)

// Zones counts the slots that are red zones.
type Zones struct{ n int }

func (z *Zones) Add(n int)  { z.n += n }
func (z *Zones) Slots() int { return z.n }

// Zone returns how many slots of size bytes are a red zone.
func Zone(size int) int { return (RedZone + size - 1) / max(size, 1) * min(size, 1) }

// Poison makes each access to b an error.
func Poison(b []byte) { C.arena_poison(address(b), C.size_t(len(b))) }

// Unpoison makes b good, which is handed out.
func Unpoison(b []byte) { C.arena_unpoison(address(b), C.size_t(len(b))) }

func address(b []byte) C.uintptr_t {
	// SAFETY: the sanitizer notes what it knows of the address, and reads and writes nothing there.
	return C.uintptr_t(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// TextIsRead has the sanitizer look at the bytes of s, which the compiler takes for constant.
func TextIsRead(s string) {
	// SAFETY: the bytes of s are read.
	if s != "" {
		runtime.ASanRead(unsafe.Pointer(unsafe.StringData(s)), len(s))
	}
}
