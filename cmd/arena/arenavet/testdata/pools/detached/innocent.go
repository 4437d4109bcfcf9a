// Package detached takes parts out of values of a sync.Pool, or stores them in the values
// themselves. None of its functions is a mistake, on no path.
package detached

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

type event struct {
	name string
	at   int
}

// A batch is put with its buffer, and without its events.
type batch struct {
	buf    []byte
	names  []string
	events []event
	owner  *owner
	key    string
}

type owner struct{ seen int }

var (
	batches = sync.Pool{New: func() any { return new(batch) }}
	heads   = sync.Pool{New: func() any { return new([]byte) }}
	full    sync.Pool
	last    *owner
)

func (b *batch) free() {
	b.buf = b.buf[:0]
	b.names = b.names[:0]
	batches.Put(b)
}

func (b *batch) freeNew() {
	*b = batch{buf: b.buf[:0]}
	batches.Put(b)
}

func (b *batch) end() {
	b.buf = append(b.buf, '\n')
	batches.Put(b)
}

func (b *batch) reset() {
	b.events, b.owner = nil, nil
	b.key = ""
}

// finish returns the events, which the batch loses.
func finish(b *batch) []event {
	events := b.events
	b.reset()
	batches.Put(b)
	return events
}

func collected(each func(func(string))) []event {
	b := batches.Get().(*batch)
	each(func(name string) { b.events = append(b.events, event{name, len(b.events)}) })
	events := finish(b)
	slices.SortFunc(events, func(x, y event) int { return strings.Compare(x.name, y.name) })
	return events
}

func inPlace() []event {
	b := batches.Get().(*batch)
	events := b.events
	b.events = nil
	batches.Put(b)
	return events
}

func visited() *owner {
	b := batches.Get().(*batch)
	o := b.owner
	b.owner = nil
	batches.Put(b)
	o.seen++
	last = o
	return o
}

func key() string {
	b := batches.Get().(*batch)
	defer b.free()
	return b.key
}

func names() ([]string, string) {
	b := batches.Get().(*batch)
	defer b.free()
	slices.Sort(b.names)
	return slices.Clone(b.names), b.names[0]
}

func appended(to []byte) []byte {
	b := batches.Get().(*batch)
	defer b.freeNew()
	b.buf = append(b.buf[:0], 'x')
	return append(to, bytes.TrimSpace(b.buf)...)
}

func take() []byte {
	p := full.Get().(*[]byte)
	b := *p
	*p = nil
	heads.Put(p)
	return b[:0]
}

func joined(all []string) []byte {
	p := full.Get().(*[]byte)
	b := (*p)[:0]
	for _, s := range all {
		b = append(b, s...)
	}
	*p = nil
	heads.Put(p)
	return b
}

func length(all []string) int {
	b := take()
	for _, s := range all {
		b = append(b, s...)
	}
	n := len(b)
	p := heads.Get().(*[]byte)
	*p = b
	full.Put(p)
	return n
}

// An encoder is put with a new buffer, because the caller gets the old one.
type encoder struct {
	buf  []byte
	keys []string
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func borrow() *encoder {
	e := encoders.Get().(*encoder)
	e.buf = e.buf[:0]
	return e
}

func (e *encoder) release() { encoders.Put(e) }

func (e *encoder) renew() {
	e.buf = make([]byte, 0, 512)
	encoders.Put(e)
}

func encodeDeferred(s string) ([]byte, error) {
	e := borrow()
	e.buf = append(e.buf, s...)
	defer func() {
		e.buf = make([]byte, 0, 512)
		e.release()
	}()
	return e.buf, nil
}

func encodeByHelper(s string) []byte {
	e := borrow()
	e.buf = append(e.buf, s...)
	b := e.buf
	e.renew()
	return b
}

func encodeDeferredHelper(s string) []byte {
	e := borrow()
	defer e.renew()
	e.buf = append(e.buf, s...)
	return e.buf
}

func (e *encoder) grow(n int) {
	if cap(e.buf)-len(e.buf) < n {
		buf := make([]byte, len(e.buf), 2*cap(e.buf)+n)
		copy(buf, e.buf)
		e.buf = buf
	}
}

func encodeGrown(s string) []byte {
	e := borrow()
	e.grow(len(s))
	defer func() {
		e.buf = make([]byte, 0, 512)
		e.release()
	}()
	e.buf = append(e.buf, s...)
	return e.buf
}

func (e *encoder) encode(s string) ([]byte, error) {
	e.grow(len(s))
	e.buf = append(e.buf, s...)
	return e.buf, nil
}

func encodeByMethod(s string) ([]byte, error) {
	e := borrow()
	b, err := e.encode(s)
	e.buf = make([]byte, 0, 512)
	e.release()
	return b, err
}

func encodeByMethodDeferred(s string) ([]byte, error) {
	e := borrow()
	defer func() {
		e.buf = make([]byte, 0, 512)
		e.release()
	}()
	return e.encode(s)
}

func encodeByLiteral(s any) ([]byte, error) {
	var (
		e   = borrow()
		b   []byte
		err error
	)
	defer func() {
		e.buf = make([]byte, 0, 512)
		e.release()
	}()
	b, err = func() ([]byte, error) {
		if s, ok := s.(string); ok {
			return e.encode(s)
		}
		return nil, nil
	}()
	return b, err
}
