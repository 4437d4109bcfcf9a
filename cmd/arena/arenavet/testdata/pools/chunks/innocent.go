package chunks

import (
	"bytes"
	"io"
	"sync"

	"example.com/pools/chunks/bufs"
)

func read(r io.Reader) ([]byte, error) {
	c := bufs.New()
	defer c.Release()
	n, err := r.Read(c.Bytes())
	return bytes.Clone(c.Bytes()[:n]), err
}

func handed(r io.Reader) (bufs.Chunk, int, error) {
	c := bufs.New()
	n, err := r.Read(c.Bytes())
	if err != nil {
		c.Release()
		return bufs.Chunk{}, 0, err
	}
	return c, n, nil
}

func length() int {
	p := slices.Get().(*[]byte)
	defer slices.Put(p)
	return len(bytesOf(p))
}

func grown(s string) []byte {
	p := slices.Get().(*[]byte)
	out := append(bytesOf(p), s...)
	*p = nil
	slices.Put(p)
	return out
}

type encoder struct{ scratch []byte }

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func (e *encoder) encode(s string) []byte {
	e.scratch = append(e.scratch[:0], s...)
	return e.scratch
}

// own takes the memory away from the encoder.
func own(s string) []byte {
	e := encoders.Get().(*encoder)
	k := e.encode(s)
	e.scratch = nil
	encoders.Put(e)
	return k
}

// release keeps nothing of what the encoder has.
func (e *encoder) release() {
	e.scratch = nil
	encoders.Put(e)
}

func released(s string) []byte {
	e := encoders.Get().(*encoder)
	defer e.release()
	return e.encode(s)
}

func releasedLater(s string) []byte {
	e := encoders.Get().(*encoder)
	k := e.encode(s)
	e.release()
	return k
}

// A list gives its memory away if it is long.
type list struct{ all []string }

type owned struct{ all []string }

var lists = sync.Pool{New: func() any { return new(list) }}

func (l *list) own() *owned {
	o := &owned{}
	if len(l.all) > 16 {
		o.all, l.all = l.all, nil
	} else {
		o.all = append(o.all, l.all...)
	}
	return o
}

func filled(s []string) *owned {
	l := lists.Get().(*list)
	l.all = l.all[:0]
	defer lists.Put(l)
	l.all = append(l.all, s...)
	return l.own()
}
