package arrow

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// An ideal does the least that Arrow needs of an allocator: memory is zero, lies at a multiple of
// 64, and is used again after Free. It is for one goroutine. It has no lock, no account and no
// limit, and never frees memory. It knows a block only by the capacity, so it trusts every argument
// of Free. No allocator that does more can be faster, so it is the bound for all others.
type ideal struct {
	free  [64 * 4][][]byte // blocks by class
	fresh []byte           // zeros that nobody has had
}

func newIdeal() memory.Allocator { return new(ideal) }

// idealClass returns the class for size bytes, and the size of its blocks: multiples of 64 bytes,
// four per power of two.
func idealClass(size int) (class, blockSize int) {
	units := uint(size+63) >> 6
	if units <= 8 {
		return int(units), int(units) << 6
	}
	e := uint(bits.Len(units-1)) - 3
	q := (units - 1) >> e
	return int(e*4+q) + 1, int(q+1) << e << 6
}

func (m *ideal) Allocate(size int) []byte {
	class, blockSize := idealClass(size)
	if list := m.free[class]; len(list) > 0 {
		b := list[len(list)-1][:size]
		m.free[class] = list[:len(list)-1]
		clear(b)
		return b
	}
	const piece = 1 << 20
	if blockSize > piece/8 {
		return make([]byte, blockSize)[:size] // The Go heap begins large pieces with a page.
	}
	if len(m.fresh) < blockSize {
		m.fresh = make([]byte, piece)
	}
	b := m.fresh[:size:blockSize]
	m.fresh = m.fresh[blockSize:]
	return b
}

// Reallocate has the whole block as the capacity, so it grows in place as far as that goes.
func (m *ideal) Reallocate(size int, b []byte) []byte {
	old := len(b)
	if size <= cap(b) {
		b = b[:size]
		if size > old {
			clear(b[old:])
		}
		return b
	}
	result := m.Allocate(size)
	copy(result, b)
	m.Free(b)
	return result
}

func (m *ideal) Free(b []byte) {
	if cap(b) > 0 {
		class, _ := idealClass(cap(b))
		m.free[class] = append(m.free[class], b)
	}
}
