// Package lenders has mistakes with functions that lend a value of a sync.Pool to another one.
package lenders

import (
	"bytes"
	"iter"
	"sync"
)

// A resetter is a pointer to a T.
type resetter[T any] interface {
	*T
	Reset()
}

type pool[T any, P resetter[T]] struct{ pool sync.Pool }

func with[R any, T any, P resetter[T]](p *pool[T, P], f func(P) R) R {
	v, ok := p.pool.Get().(P)
	if !ok {
		v = P(new(T))
	}
	defer func() {
		v.Reset()
		p.pool.Put(v)
	}()
	return f(v)
}

type table struct{ names []string }

func (t *table) Reset() { t.names = t.names[:0] }

var tables pool[table, *table]

func columns(in []string) []string {
	return with(&tables, func(t *table) []string { // want `syncpool: `
		t.names = append(t.names, in...)
		return t.names
	})
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func buffered(f func(*bytes.Buffer) []byte) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	return f(b)
}

func text(s string) []byte {
	return buffered(func(b *bytes.Buffer) []byte { // want `syncpool: `
		b.WriteString(s)
		return b.Bytes()
	})
}

func lines(in []string) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		b := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(b)
		for i, s := range in {
			b.Reset()
			b.WriteString(s)
			if !yield(i, b.Bytes()) {
				return
			}
		}
	}
}

func collected(in []string) (all [][]byte) {
	for _, line := range lines(in) {
		all = append(all, line)
	}
	return all // want `syncpool: `
}

func spooled(s string) *bytes.Reader {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= 1<<20 {
			buffers.Put(b)
		}
	}()
	b.Reset()
	b.WriteString(s)
	return bytes.NewReader(b.Bytes()) // want `syncpool: `
}
