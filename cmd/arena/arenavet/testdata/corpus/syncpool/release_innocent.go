package syncpool

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// shared is put by the last of those who have it.
type shared struct {
	refs atomic.Int32
	data []byte
}

var counts = sync.Pool{New: func() any { return new(shared) }}

func (c *shared) release() {
	if c.refs.Add(-1) == 0 {
		counts.Put(c)
	}
}

func stillHeld() int {
	c := counts.Get().(*shared)
	c.refs.Store(2)
	c.release()
	n := len(c.data)
	c.release()
	return n
}

// tryRelease tells whether it has put the buffer.
func tryRelease(b *bytes.Buffer) bool {
	if b.Cap() > 1<<16 {
		return false
	}
	buffers.Put(b)
	return true
}

func keptIfLarge() []byte {
	b := buffers.Get().(*bytes.Buffer)
	b.WriteString("x")
	if !tryRelease(b) {
		return b.Bytes()
	}
	return nil
}

// detacher gives its slice away before it is put.
type detacher struct{ buf []byte }

var detachers = sync.Pool{New: func() any { return new(detacher) }}

func detached(s string) []byte {
	d := detachers.Get().(*detacher)
	d.buf = append(d.buf[:0], s...)
	out := d.buf
	d.buf = nil
	detachers.Put(d)
	return out
}

// fresher gets a new slice each time.
type fresher struct{ buf []byte }

var freshers = sync.Pool{New: func() any { return new(fresher) }}

func fresh(s string) []byte {
	f := freshers.Get().(*fresher)
	f.buf = make([]byte, 0, 100)
	defer freshers.Put(f)
	f.buf = append(f.buf, s...)
	return f.buf
}

// cutter cuts its slice, and gives another one to those who take one.
type cutter struct{ buf []byte }

var cutters = sync.Pool{New: func() any { return new(cutter) }}

func (c *cutter) reset() { c.buf = c.buf[:0] }

func (c *cutter) take() []byte {
	out := c.buf
	c.buf = nil
	return out
}

func takenOut(s string) []byte {
	c := cutters.Get().(*cutter)
	c.reset()
	c.buf = append(c.buf, s...)
	out := c.take()
	cutters.Put(c)
	return out
}
