package fake

import "github.com/arena-go/arena"

// A Memory serves some calls of Alloc, and panics in all others with a LimitError.
type Memory struct {
	Calls  int // that it serves yet
	Blocks int // served, and not freed
}

// Alloc returns memory, or panics.
func (m *Memory) Alloc(size int) ([]byte, error) {
	if m.Calls--; m.Calls < 0 {
		panic(&arena.LimitError{Needed: int64(size)})
	}
	m.Blocks++
	return make([]byte, size), nil
}

// Free counts a block less.
func (m *Memory) Free([]byte) { m.Blocks-- }
