//go:build asan

package arena

// #include <stddef.h>
// #include <stdint.h>
// extern void __asan_poison_memory_region(void const volatile *addr, size_t size);
// extern void __asan_unpoison_memory_region(void const volatile *addr, size_t size);
// static void arena_poison(uintptr_t addr, size_t size) { __asan_poison_memory_region((void *)addr, size); }
// static void arena_unpoison(uintptr_t addr, size_t size) { __asan_unpoison_memory_region((void *)addr, size); }
import "C"

// sanitizing says that the program is built with the address sanitizer. Memory is
// poisoned then when it is made, made good piece by piece as it is handed out, with
// red zones between the pieces, and poisoned again by Reset and Free.
const sanitizing = true

// redZone is the least number of bytes between two allocations.
const (
	redZone     = 16
	asanGranule = 8 // what an allocation begins at a multiple of
)

// zones counts the slots that are red zones.
type zones struct{ n int }

func (z *zones) add(n int)  { z.n += n }
func (z *zones) slots() int { return z.n }

// zone returns how many slots of size bytes are a red zone.
func zone(size int) int { return (redZone + size - 1) / max(size, 1) * min(size, 1) }

// poison makes each access to m an error.
func poison(m extent) {
	C.arena_poison(C.uintptr_t(m.at.address()), C.size_t(m.bytes))
}

// unpoison makes m good, which is handed out.
func unpoison(m extent) {
	C.arena_unpoison(C.uintptr_t(m.at.address()), C.size_t(m.bytes))
}
