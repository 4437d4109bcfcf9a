// Package helpers has a sync.Pool, in a module that knows nothing of arenas.
package helpers

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"
)

type row struct {
	cells []byte
	name  string
}

type view struct{ cells []byte }

type badRow struct{ cells []byte }

func (b *badRow) Error() string { return string(b.cells) }

var (
	rows  = sync.Pool{New: func() any { return new(row) }}
	last  *row
	queue = make(chan *row, 1)
)

func itself(r *row) *row { return r }

func behind(b []byte) []byte { return b[2:] }

func shown(r *row) *view { return &view{cells: r.cells} }

func (r *row) bytes() []byte { return r.cells }

func (r *row) named(s string) *row {
	r.name = s
	return r
}

func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func reject(r *row) error { return &badRow{r.cells} }

func keep(r *row) { last = r }

func pass(r *row) { queue <- r }

func log(r *row) { fmt.Println(len(r.cells)) }

func later(r *row) { go log(r) }

func (r *row) put() { rows.Put(r) }

func (r *row) fill(s string) { r.cells = append(r.cells[:0], s...) }

func put(r *row) *row {
	r = itself(r)
	rows.Put(r)
	return r // want `syncpool: .* is returned after sync.Pool.Put`
}

func tail() []byte {
	r := rows.Get().(*row)
	defer rows.Put(r)
	return behind(r.cells) // want `syncpool: .* is returned after sync.Pool.Put`
}

func wrapped() *view {
	r := rows.Get().(*row)
	defer r.put()
	return shown(r) // want `syncpool: .* is returned after `
}

func method() []byte {
	r := rows.Get().(*row)
	b := r.bytes()
	rows.Put(r)
	return b // want `syncpool: .* is returned after sync.Pool.Put`
}

func chain() string {
	r := rows.Get().(*row).named("x")
	rows.Put(r)
	return r.name // want `syncpool: .* is used after sync.Pool.Put`
}

func converted() string {
	r := rows.Get().(*row)
	defer rows.Put(r)
	return text(r.cells) // want `syncpool: .* is returned after sync.Pool.Put`
}

func failed() error {
	r := rows.Get().(*row)
	defer rows.Put(r)
	if len(r.cells) > 9 {
		return reject(r) // want `syncpool: .* is returned after sync.Pool.Put`
	}
	return nil
}

func started() {
	r := rows.Get().(*row)
	defer rows.Put(r)
	later(r) // want `syncpool: a goroutine `
}

// with calls f with a row.
func with(f func(*row)) {
	r := rows.Get().(*row)
	f(r)
	rows.Put(r)
}

func called() (kept []byte) {
	with(func(r *row) { kept = r.cells })
	return kept // want `syncpool: .* is returned after `
}

// A pool has values of a type.
type pool[T any] struct{ values sync.Pool }

func (p *pool[T]) take() *T { return p.values.Get().(*T) }

func (p *pool[T]) leave(v *T) { p.values.Put(v) }

var buffers = pool[bytes.Buffer]{sync.Pool{New: func() any { return new(bytes.Buffer) }}}

func generic() []byte {
	b := buffers.take()
	defer buffers.leave(b)
	b.WriteByte('x')
	return b.Bytes() // want `syncpool: .* is returned after `
}

// A source is behind an interface.
type source interface {
	open() *row
	close(*row)
}

type pooled struct{}

func (pooled) open() *row { return rows.Get().(*row) }

func (pooled) close(r *row) { rows.Put(r) }

type reader struct{ from source }

func (r reader) read() []byte {
	x := r.from.open()
	defer r.from.close(x)
	return x.cells // want `syncpool: .* is returned after `
}

var _ = reader{pooled{}}
