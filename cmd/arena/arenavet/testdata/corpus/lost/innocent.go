package lost

import (
	"errors"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

func deferred(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	if lib.Parse(a, b).Title == "" {
		return errors.New("empty")
	}
	return nil
}

func both(b []byte) error {
	a := pool.Get()
	if lib.Parse(a, b).Title == "" {
		pool.Put(a)
		return errors.New("empty")
	}
	pool.Put(a)
	return nil
}

func droppedOne(b []byte) {
	a := pool.Get()
	lib.Parse(a, b)
	pool.Drop(a)
}

func handedOver() *arena.Arena {
	a := pool.Get()
	return a
}

type request struct {
	a   *arena.Arena
	doc *lib.Doc
}

func begin(b []byte) *request {
	a := pool.Get()
	return &request{a: a, doc: lib.Parse(a, b)}
}

func (r *request) end() { pool.Put(r.a) }

func stored(r *request) {
	r.a = pool.Get()
}

func passedOn(f func(*arena.Arena)) {
	f(pool.Get())
}

func inGoroutine(b []byte) {
	a := pool.Get()
	go func() {
		lib.Parse(a, b)
		pool.Put(a)
	}()
}

func collected(b []byte) int {
	a := arena.NewArena()
	return len(lib.Parse(a, b).Title)
}

func deferredClosure(b []byte) int {
	a := pool.Get()
	defer func() {
		if r := recover(); r != nil {
			pool.Drop(a)
			return
		}
		pool.Put(a)
	}()
	return len(lib.Parse(a, b).Title)
}

func panics(b []byte) int {
	a := pool.Get()
	d := lib.Parse(a, b)
	if d.Title == "" {
		panic("empty")
	}
	n := len(d.Title)
	pool.Put(a)
	return n
}

func withCleanup(b []byte) (*lib.Doc, func()) {
	a := lib.Get()
	return lib.Parse(a, b), func() { lib.Put(a) }
}

func sent(c chan *arena.Arena) {
	a := pool.Get()
	c <- a
}

func conditional(use bool, b []byte) int {
	var a *arena.Arena
	if use {
		a = pool.Get()
		defer pool.Put(a)
	}
	return len(lib.Parse(a, b).Title)
}

func inError(m arena.Memory, b []byte) error {
	a := arena.NewWith(arena.Options{Memory: m})
	defer a.Free()
	if lib.Parse(a, b).Title == "" {
		return errors.New("empty")
	}
	return nil
}

func callsInError(m arena.Memory, b []byte) error {
	if err := inError(m, b); err != nil {
		return err
	}
	return nil
}
