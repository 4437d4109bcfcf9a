package offheap

import (
	"errors"
	"fmt"
	"sync"

	"github.com/arena-go/arena/internal/vm"
)

// A Fixed allocates all of its memory in one piece when it is made. Alloc and Free call nothing of
// the system, cause no page faults and allocate nothing on the Go heap. They hold a lock for a time
// that grows with the logarithm of the number of free pieces. Alloc then writes zeros to memory
// that was used before. A Fixed is for games and control loops, which know their needs and must not
// wait for the system. [Fixed.Lock] keeps the system from swapping the memory.
//
// Several goroutines may call all methods at the same time.
type Fixed struct {
	mu     sync.Mutex
	mem    []byte
	pieces pieces
	owner  []int32 // The piece that begins at an offset divided by fixedUnit, if it is in use.
	used   int     // Everything from here on was never handed out: it is zero.
	stats  FixedStats
}

// FixedStats are the statistics of a [Fixed]. Sizes are bytes.
type FixedStats struct {
	Size    int64 // All there is.
	InUse   int64 // Blocks that were not freed, each rounded up to a multiple of 4096.
	Blocks  int   // Their number.
	Largest int64 // What the largest block can have that Alloc could return now.
	Locked  bool
}

// A FullError is the error of [Fixed.Alloc] if there is not enough room. It says how much room
// there is.
type FullError struct {
	Size    int64 // What was asked for.
	Free    int64 // What is free, in all.
	Largest int64 // What is free in one piece.
}

func (e *FullError) Error() string {
	return fmt.Sprintf("offheap: Fixed.Alloc of %d bytes: %d are free, %d of them in one piece; make it larger, or Free arenas", e.Size, e.Free, e.Largest)
}

// The sizes of a Fixed's blocks are multiples of fixedUnit.
const fixedUnit = 4 << 10

// NewFixed returns a Fixed of n bytes, rounded up to whole pages. The pages are in memory when it
// returns. Close the Fixed after its last use.
func NewFixed(n int) (*Fixed, error) {
	page := max(vm.PageSize(), fixedUnit)
	if n <= 0 {
		return nil, fmt.Errorf("offheap: NewFixed of %d bytes: %w", n, errSize)
	}
	size := roundUp(n, page)
	if n > maxBlock || size == 0 {
		return nil, fmt.Errorf("offheap: NewFixed of %d bytes: %w", n, errLarge)
	}
	mem, err := vm.Reserve(size)
	if err != nil {
		return nil, fmt.Errorf("offheap: NewFixed of %d bytes: %w", n, err)
	}
	if err := vm.Commit(mem); err != nil {
		return nil, fmt.Errorf("offheap: NewFixed of %d bytes: %w", n, errors.Join(err, vm.Release(mem)))
	}
	for i := 0; i < size; i += vm.PageSize() {
		mem[i] = 0 // Now there is a page.
	}
	f := &Fixed{mem: mem, owner: make([]int32, size/fixedUnit)}
	f.pieces.grow(size / fixedUnit)
	f.pieces.add(0, size)
	f.stats.Size = int64(size)
	return f, nil
}

// Lock keeps the memory from being swapped. It returns an error if the system does not support
// that, or if the limit of the process (RLIMIT_MEMLOCK) does not allow it.
func (f *Fixed) Lock() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mem == nil {
		return fmt.Errorf("offheap: Fixed.Lock: %w", errClosed)
	}
	if err := vm.Lock(f.mem); err != nil {
		_ = vm.Unlock(f.mem) // What there is of it.
		return fmt.Errorf("offheap: Fixed.Lock: %w (the limit is RLIMIT_MEMLOCK, ulimit -l)", err)
	}
	f.stats.Locked = true
	return nil
}

// Alloc returns size zero bytes, at a multiple of 4096. They are outside the Go heap: the collector
// does not look for pointers in them. The caller owns them until Free. The error is a [*FullError]
// if there is no room.
func (f *Fixed) Alloc(size int) ([]byte, error) {
	if size <= 0 {
		return nil, fmt.Errorf("offheap: Fixed.Alloc of %d bytes: %w", size, errSize)
	}
	f.mu.Lock()
	if f.mem == nil {
		f.mu.Unlock()
		return nil, fmt.Errorf("offheap: Fixed.Alloc of %d bytes: %w", size, errClosed)
	}
	i := int32(0)
	if size <= len(f.mem) {
		i = f.pieces.take(roundUp(size, fixedUnit), fixedUnit)
	}
	if i == 0 {
		e := &FullError{int64(size), f.stats.Size - f.stats.InUse, int64(f.pieces.largest())}
		f.mu.Unlock()
		return nil, e
	}
	p := &f.pieces.all[i]
	p.asked = size
	f.owner[p.offset/fixedUnit] = i
	f.stats.Blocks++
	f.stats.InUse += int64(p.size)
	b := f.mem[p.offset : p.offset+size : p.offset+size]
	dirty := max(0, min(size, f.used-p.offset))
	f.used = max(f.used, p.offset+p.size)
	f.mu.Unlock()
	clear(b[:dirty])
	return b, nil
}

// Free frees b, which must be a result of Alloc. A use of b afterwards goes unnoticed: it sees or
// spoils the values of a later block. Free panics if b is not a block of f that is in use.
func (f *Fixed) Free(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	offset := vm.Addr(b) - vm.Addr(f.mem) // More than there is if b begins before.
	if offset%fixedUnit != 0 || offset/fixedUnit >= uintptr(len(f.owner)) {
		panic(badFree("Fixed", b))
	}
	owner := &f.owner[offset/fixedUnit]
	p := &f.pieces.all[*owner]
	if *owner == 0 || p.asked != len(b) {
		panic(badFree("Fixed", b))
	}
	f.stats.Blocks--
	f.stats.InUse -= int64(p.size)
	f.pieces.release(*owner)
	*owner = 0
}

// Stats returns the statistics of f.
func (f *Fixed) Stats() FixedStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.stats
	s.Largest = int64(f.pieces.largest())
	return s
}

// Close gives the memory back to the system. Nothing of f may be used afterwards: the addresses may
// belong to anybody then. If blocks are in use, Close returns an error and does nothing else. A
// second Close does nothing.
func (f *Fixed) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mem == nil {
		return nil
	}
	if n := f.stats.Blocks; n > 0 {
		return busy("Fixed", n, f.stats.InUse)
	}
	if err := vm.Release(f.mem); err != nil {
		return fmt.Errorf("offheap: Fixed.Close: %w", err)
	}
	f.mem, f.owner, f.pieces, f.stats = nil, nil, pieces{}, FixedStats{}
	return nil
}
