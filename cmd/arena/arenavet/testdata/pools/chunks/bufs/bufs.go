// Package bufs has memory that is used again.
package bufs

import "sync"

var pool = sync.Pool{New: func() any { b := make([]byte, 1<<10); return &b }}

// A Chunk is memory of the pool.
type Chunk struct{ p *[]byte }

func New() Chunk { return Chunk{pool.Get().(*[]byte)} }

func (c Chunk) Bytes() []byte { return *c.p }

func (c Chunk) Release() { pool.Put(c.p) }
