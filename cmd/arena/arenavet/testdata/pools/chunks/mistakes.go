package chunks

import (
	"bufio"
	"io"
	"sync"

	"example.com/pools/chunks/bufs"
)

func scanner(r io.Reader) *bufio.Scanner {
	c := bufs.New()
	defer c.Release()
	in := bufio.NewScanner(r)
	in.Buffer(c.Bytes(), len(c.Bytes()))
	return in // want `syncpool: .* is returned after Chunk.Release`
}

func first(r io.Reader) ([]byte, error) {
	c := bufs.New()
	b := c.Bytes()
	n, err := r.Read(b)
	c.Release()
	return b[:n], err // want `syncpool: `
}

var slices = sync.Pool{New: func() any { return new([]byte) }}

func bytesOf(p *[]byte) []byte { return *p }

func behind() []byte {
	p := slices.Get().(*[]byte)
	defer slices.Put(p)
	return bytesOf(p) // want `syncpool: `
}
