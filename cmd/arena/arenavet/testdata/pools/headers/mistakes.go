// Package headers puts addresses of slices into a sync.Pool.
package headers

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

const most = 1 << 16

var spare, blocks sync.Pool

// A store is behind an interface, as that of httputil.ReverseProxy.
type store interface {
	Get() []byte
	Put([]byte)
}

type pooled struct{ blocks sync.Pool }

func (p *pooled) Get() []byte { return *p.blocks.Get().(*[]byte) }

func (p *pooled) Put(b []byte) {
	b = b[:cap(b)]
	p.blocks.Put(&b)
}

var _ store = new(pooled)

func read(from store, fill func([]byte) int) [][]byte {
	var parts [][]byte
	for {
		b := from.Get()
		n := fill(b)
		parts = append(parts, b[:n])
		from.Put(b)
		if n == 0 {
			return parts // want `syncpool: .* is returned after store.Put`
		}
	}
}

func inPlace() byte {
	b := *blocks.Get().(*[]byte)
	blocks.Put(&b)
	return b[0] // want `syncpool: .* is used after sync.Pool.Put`
}

func take() []byte { return *blocks.Get().(*[]byte) }

// leave uses the header of another slice.
func leave(b []byte) {
	if cap(b) == 0 || cap(b) > most {
		return
	}
	b = b[:0]
	h := spare.Get().(*[]byte)
	*h = b
	blocks.Put(h)
}

func leaveSmall(b []byte) {
	if cap(b) > most {
		return
	}
	b = b[:0]
	blocks.Put(&b)
}

func otherHeader() byte {
	b := take()
	leave(b)
	return b[0] // want `syncpool: .* is used after headers.leave`
}

func grown() []byte {
	b := append(take(), 'x')
	defer leaveSmall(b)
	return b // want `syncpool: .* is returned after headers.leaveSmall`
}

func grownTwice() {
	b := append(take(), 'x')
	leaveSmall(b)
	leaveSmall(b) // want `syncpool: `
}

type writer struct {
	buf []byte
	n   int
}

func open() *writer { return &writer{buf: take()} }

func (w *writer) close() { blocks.Put(&w.buf) }

func (w *writer) detach() {
	b := w.buf
	w.buf = nil
	blocks.Put(&b)
}

func ofField() byte {
	w := open()
	w.close()
	return w.buf[0] // want `syncpool: .* is used after writer.close`
}

func ofCopy() []byte {
	w := open()
	defer w.detach()
	return w.buf // want `syncpool: .* is returned after writer.detach`
}

// A cursor has the pointer of the pool.
type cursor struct {
	buf *[]byte
	pos int
}

func start() *cursor { return &cursor{buf: blocks.Get().(*[]byte)} }

func (c *cursor) stop() { blocks.Put(c.buf) }

func behindPointer() []byte {
	c := start()
	defer c.stop()
	return (*c.buf)[:c.pos] // want `syncpool: .* is returned after cursor.stop`
}

func put(b []byte) byte {
	blocks.Put(&b)
	return b[0] // want `syncpool: `
}

var pages = sync.Pool{New: func() any { b := make([]byte, 1<<16); return &b }}

func firstLine(r io.Reader) ([]byte, error) {
	p := pages.Get().(*[]byte)
	defer pages.Put(p)
	sc := bufio.NewScanner(r)
	sc.Buffer(*p, len(*p))
	for sc.Scan() {
		if line := bytes.TrimSpace(sc.Bytes()); len(line) > 0 {
			return line, nil // want `syncpool: `
		}
	}
	return nil, sc.Err()
}

// Both the literal and the function return it.
func readTwice(r io.Reader) (int, error) {
	p := pages.Get().(*[]byte)
	buf := (*p)[:cap(*p)]
	back := func() {
		*p = buf[:0]
		pages.Put(p)
	}
	n, err := r.Read(buf)
	back()
	back() // want `syncpool: what Pool.Get returned .* is used after back`
	return n, err
}
