package offheap

import (
	"errors"
	"fmt"
	"sync"

	"github.com/arena-go/arena/internal/vm"
)

// A Malloc provides memory from an allocator written in C: see [Mimalloc] and [Jemalloc]. Its
// blocks are aligned to 16 bytes.
//
// Several goroutines may call all methods at the same time.
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

// MallocStats are the statistics of a [Malloc].
type MallocStats struct {
	Version string // The name of the library, and its version as it runs.
	Blocks  int    // Blocks in use.
	InUse   int64  // Their bytes, as they were asked for.
}

// Mimalloc returns a provider with memory from mimalloc. It is for programs that are built with
// cgo, the tag mimalloc and the installed library (Debian: libmimalloc-dev). In other programs it
// returns an error that wraps [errors.ErrUnsupported]. C code of such a program also gets its
// memory from mimalloc: linking the library replaces malloc.
func Mimalloc() (*Malloc, error) { return mimalloc() }

// Jemalloc returns a provider with memory from jemalloc. It is for programs that are built with
// cgo, the tag jemalloc, the installed library and pkg-config (Debian: libjemalloc-dev,
// pkg-config). In other programs it returns an error that wraps [errors.ErrUnsupported]. C code of
// such a program also gets its memory from jemalloc: linking the library replaces malloc. With both
// tags one of the two libraries replaces it.
func Jemalloc() (*Malloc, error) { return jemalloc() }

// absent is the error of a program that is built without a library.
func absent(name, tag string) error {
	return fmt.Errorf("offheap: %s is not in this program: install lib%s-dev and pkg-config, and build it with CGO_ENABLED=1 go build -tags %s: %w",
		name, tag, tag, errors.ErrUnsupported)
}

// Alloc returns size zero bytes. They are outside the Go heap: the collector does not look for
// pointers in them. The caller owns them until Free.
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

// Free frees b, which must be a result of Alloc. A use of b afterwards may see or spoil data of the
// allocator, or of the C part of the program. Free panics if b is not a block of m that is in use.
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

// Stats returns the statistics of m.
func (m *Malloc) Stats() MallocStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MallocStats{m.name + " " + m.version, len(m.live), m.bytes}
}
