//go:build goexperiment.arenas

package arrow

import (
	"arena"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

func init() {
	newArenas2023 = func() memory.Allocator { return &arenas2023{live: map[uintptr]bool{}} }
}

// arenas2023 allocates as the GoArenaAllocator of
// https://www.njordy.com/2023/03/23/apache-arrow-memory-arena-go/ does: all in one arena, which is
// freed when every address that it returned has been freed. Reallocate does not free the address
// that it copies from, so the arena is never freed once something has grown.
//
// Three mistakes that end programs are not here: that Allocate changes the arena before it locks,
// that what is aligned by itself is longer than asked for, and that nothing can be allocated after
// the arena was freed.
type arenas2023 struct {
	mu    sync.Mutex
	arena *arena.Arena
	live  map[uintptr]bool
}

func (a *arenas2023) Allocate(size int) []byte {
	const alignment = 64
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.arena == nil {
		a.arena = arena.NewArena()
	}
	b := arena.MakeSlice[byte](a.arena, size+alignment, size+alignment)
	shift := int(-address(b) % alignment)
	b = b[shift : shift+size : shift+size]
	a.live[address(b)] = true
	return b
}

func (a *arenas2023) Reallocate(size int, b []byte) []byte {
	if size == len(b) {
		return b
	}
	c := a.Allocate(size)
	copy(c, b)
	return c
}

func (a *arenas2023) Free(b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, address(b))
	if len(a.live) == 0 && a.arena != nil {
		a.arena.Free()
		a.arena = nil
	}
}
