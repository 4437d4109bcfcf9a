package leases

import (
	"io"
	"sync"
)

func counted() int {
	e, done := lease()
	defer done()
	return e.n
}

func size(s *shelf, r io.Reader) (int64, error) {
	b, back := s.take()
	defer back()
	return b.ReadFrom(r)
}

func lent() int {
	l := borrow()
	n := l.e.n
	l.back()
	return n
}

func closedLast() int {
	e, c := closer()
	defer c.Close()
	return e.n
}

// once returns what may be called twice.
func once() (*entry, func()) {
	e := entries.Get().(*entry)
	return e, sync.OnceFunc(func() { entries.Put(e) })
}

func early(none bool) int {
	e, done := once()
	defer done()
	n := e.n
	if none {
		done()
	}
	return n
}

func flagged() (*entry, func()) {
	e, over := entries.Get().(*entry), false
	return e, func() {
		if !over {
			over = true
			entries.Put(e)
		}
	}
}

func flaggedTwice(none bool) int {
	e, done := flagged()
	defer done()
	n := e.n
	if none {
		done()
	}
	return n
}

// renewed gives an entry back, and gets another one.
func renewed() (*entry, func()) {
	e := entries.Get().(*entry)
	return e, func() {
		entries.Put(e)
		e = entries.Get().(*entry)
	}
}

func alternate(first bool) int {
	e, done := lease()
	n := e.n
	if first {
		done()
		e, done = lease()
	}
	defer done()
	return n + e.n
}
