// Package leases has functions that return what gives a value back to its sync.Pool.
package leases

import (
	"bytes"
	"io"
	"sync"
)

type entry struct {
	text []byte
	n    int
}

var (
	entries = sync.Pool{New: func() any { return new(entry) }}
	buffers sync.Pool
)

func lease() (*entry, func()) {
	e := entries.Get().(*entry)
	return e, func() { entries.Put(e) }
}

func after() int {
	e, done := lease()
	done()
	return e.n // want `syncpool: .* is used after `
}

func deferred() *entry {
	e, done := lease()
	defer done()
	return e // want `syncpool: .* is returned after `
}

func twice() {
	e, done := lease()
	defer done() // want `syncpool: `
	e.n++
	done()
}

// A shelf lends buffers.
type shelf struct{ spare sync.Pool }

func (s *shelf) take() (b *bytes.Buffer, back func()) {
	b, ok := s.spare.Get().(*bytes.Buffer)
	if !ok {
		b = new(bytes.Buffer)
	}
	back = func() {
		b.Reset()
		s.spare.Put(b)
	}
	return b, back
}

func content(s *shelf, r io.Reader) ([]byte, error) {
	b, back := s.take()
	if _, err := b.ReadFrom(r); err != nil {
		back()
		return nil, err
	}
	data := b.Bytes()
	back()
	return data, nil // want `syncpool: .* is returned after `
}

// A loan has the function in a field.
type loan struct {
	e    *entry
	back func()
}

func borrow() *loan {
	e := entries.Get().(*entry)
	return &loan{e: e, back: func() { entries.Put(e) }}
}

func borrowed() int {
	l := borrow()
	l.back()
	return l.e.n // want `syncpool: .* is used after `
}

func value() loan {
	e := entries.Get().(*entry)
	return loan{e, func() { entries.Put(e) }}
}

func valued() *entry {
	l := value()
	defer l.back()
	return l.e // want `syncpool: .* is returned after `
}

// An end is a function that is an io.Closer.
type end func()

func (e end) Close() error {
	e()
	return nil
}

func closer() (*entry, io.Closer) {
	e := entries.Get().(*entry)
	return e, end(func() { entries.Put(e) })
}

func closed() int {
	e, c := closer()
	c.Close()
	return e.n // want `syncpool: .* is used after `
}

// through hands on what lease returns.
func through(n int) (*entry, func()) {
	e, done := lease()
	e.n = n
	return e, done
}

func handedOn() int {
	e, done := through(3)
	done()
	return e.n // want `syncpool: .* is used after `
}
