package offheap

import (
	"errors"
	"fmt"
	"sync"

	"github.com/arena-go/arena/internal/vm"
)

// A Malloc gets memory from an allocator written in C: see [Mimalloc] and [Jemalloc]. Its blocks are aligned
// to 16 bytes.
//
// All methods may be called by several goroutines at a time.
type Malloc struct {
	library
	mu    sync.Mutex
	live  map[uintptr]int // The length of each block in use, by address.
	bytes int64
}

// A library is an allocator written in C.
type library struct {
	name, version string
	alloc         func(size int) []byte // zeros, or nil
	free          func([]byte)
}

// MallocStats says what a [Malloc] has.
type MallocStats struct {
	Version string // The name of the library, and its version as it runs.
	Blocks  int    // Blocks in use.
	InUse   int64  // Their bytes, as they were asked for.
}

// Mimalloc returns a provider with memory from mimalloc. It is for programs that are built with cgo and the tag
// mimalloc, where the library is installed (Debian: libmimalloc-dev). In other programs it returns an error that
// wraps [errors.ErrUnsupported]. C code of such a program gets its memory from mimalloc too: linking the library
// replaces malloc.
func Mimalloc() (*Malloc, error) { return mimalloc() }

// Jemalloc returns a provider with memory from jemalloc. It is for programs that are built with cgo and the tag
// jemalloc, where the library and pkg-config are installed (Debian: libjemalloc-dev, pkg-config). In other
// programs it returns an error that wraps [errors.ErrUnsupported]. C code of such a program gets its memory from
// jemalloc too: linking the library replaces malloc. With both tags one of the two libraries replaces it.
func Jemalloc() (*Malloc, error) { return jemalloc() }

// absent is the error of a program that is built without a library.
func absent(name, tag string) error {
	return fmt.Errorf("offheap: %s is not in this program: install lib%s-dev and pkg-config, and build it with CGO_ENABLED=1 go build -tags %s: %w",
		name, tag, tag, errors.ErrUnsupported)
}

// Alloc returns size zero bytes. They are not in the Go heap: the collector does not look for pointers in
// them. They are the caller's until Free.
func (m *Malloc) Alloc(size int) ([]byte, error) {
	if size <= 0 {
		return nil, fmt.Errorf("offheap: %s.Alloc of %d bytes: %w", m.name, size, errSize)
	}
	if size > maxBlock {
		return nil, fmt.Errorf("offheap: %s.Alloc of %d bytes: %w", m.name, size, errLarge)
	}
	b := m.alloc(size)
	if b == nil {
		return nil, fmt.Errorf("offheap: %s.Alloc of %d bytes: out of memory", m.name, size)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live[vm.Addr(b)] = size
	m.bytes += int64(size)
	return b, nil
}

// Free takes back b, which must be what Alloc returned. Using b afterwards may see or spoil what the
// allocator, or the C part of the program, has there by then. Free panics if b is not a block of m that is in
// use.
func (m *Malloc) Free(b []byte) {
	m.mu.Lock()
	size, ok := m.live[vm.Addr(b)]
	if !ok || size != len(b) {
		m.mu.Unlock()
		panic(badFree(m.name, b))
	}
	delete(m.live, vm.Addr(b))
	m.bytes -= int64(size)
	m.mu.Unlock()
	m.free(b)
}

// Stats returns what m has.
func (m *Malloc) Stats() MallocStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MallocStats{m.name + " " + m.version, len(m.live), m.bytes}
}
