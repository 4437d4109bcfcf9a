package syncpool

import (
	"bytes"
	"encoding/json"
	"sync"
)

// release puts nothing if there is nothing.
func release(b *bytes.Buffer) {
	if b != nil {
		b.Reset()
		buffers.Put(b)
	}
}

// releaseSmall leaves what is large to the collector.
func releaseSmall(b *bytes.Buffer) {
	if b == nil || b.Cap() > 1<<16 {
		return
	}
	buffers.Put(b)
}

func returnedAfterRelease(v any) ([]byte, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer release(b)
	err := json.NewEncoder(b).Encode(v)
	return b.Bytes(), err // want `syncpool: .* is returned after syncpool.release`
}

func usedAfterRelease() int {
	b := buffers.Get().(*bytes.Buffer)
	b.WriteString("x")
	releaseSmall(b)
	return b.Len() // want `syncpool: .* is used after syncpool.releaseSmall`
}

var literal = func() []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.WriteString("x")
	return b.Bytes() // want `syncpool: .* is returned after sync.Pool.Put`
}

type encoder struct{ buf []byte }

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func (e *encoder) text(s string) { e.buf = append(e.buf, s...) }

func newEncoder() *encoder {
	e := encoders.Get().(*encoder)
	e.buf = e.buf[:0]
	return e
}

func encoded(s string) []byte {
	e := newEncoder()
	defer encoders.Put(e)
	e.text(s)
	return e.buf // want `syncpool: .* is returned after sync.Pool.Put`
}
