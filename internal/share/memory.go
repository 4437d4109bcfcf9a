package share

import (
	"sync/atomic"
	"unsafe"
)

// A Memory says where the memory of an arena lies. The goroutine of the arena changes it. Any
// goroutine may ask at the same time, about what that goroutine has shown to it.
//
// A piece that the arena has given up may stay in the Memory for a while. So an answer of yes may
// be wrong, and an answer of no is right.
type Memory struct {
	newest atomic.Pointer[piece]
	count  int // of pieces
	most   int // where Clear is due
}

// A piece is the memory of one chunk. Its fields do not change.
type piece struct {
	at    uintptr
	bytes uintptr
	older *piece
}

// Add adds the given bytes at an address.
func (m *Memory) Add(at uintptr, bytes int) {
	m.newest.Store(&piece{at, uintptr(bytes), m.newest.Load()})
	m.count++
}

// Stale reports whether many pieces have come since Settle: most of them may be gone.
func (m *Memory) Stale() bool { return m.count > m.most }

// Clear forgets all pieces. The caller adds those that there are, and calls Settle.
func (m *Memory) Clear() {
	m.newest.Store(nil)
	m.count = 0
}

// Settle notes that all pieces are memory of the arena.
func (m *Memory) Settle() { m.most = 2*m.count + 16 }

// Text reports whether the text of s lies in m.
func (m *Memory) Text(s string) bool {
	// SAFETY: the address is compared with others, and never made a pointer again.
	return len(s) > 0 && m.has(uintptr(unsafe.Pointer(unsafe.StringData(s))))
}

// Slice reports whether the elements of s, with those up to its capacity, lie in m.
func (m *Memory) Slice(s []string) bool {
	// SAFETY: the address is compared with others, and never made a pointer again.
	return cap(s) > 0 && m.has(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}

// Pieces returns how many pieces there are, for tests.
func (m *Memory) Pieces() int { return m.count }

func (m *Memory) has(at uintptr) bool {
	for p := m.newest.Load(); p != nil; p = p.older {
		if at-p.at < p.bytes {
			return true
		}
	}
	return false
}
