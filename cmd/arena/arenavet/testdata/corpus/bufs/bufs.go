// Package bufs has a pool of slices for other packages.
package bufs

import "sync"

var pool = sync.Pool{New: func() any { return new(Buffer) }}

// A Buffer has a slice that stays with it.
type Buffer struct{ B []byte }

func Get() *Buffer {
	b := pool.Get().(*Buffer)
	b.B = b.B[:0]
	return b
}

func (b *Buffer) Free() {
	if cap(b.B) < 1<<16 {
		pool.Put(b)
	}
}
