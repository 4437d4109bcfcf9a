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

func continuedRight(all [][]byte) {
	for _, b := range all {
		a := pool.Get()
		if len(b) == 0 {
			pool.Put(a)
			continue
		}
		lib.Parse(a, b)
		pool.Put(a)
	}
}

func listed(n int) (all []*arena.Arena) {
	for i := 0; i < n; i++ {
		all = append(all, pool.Get())
	}
	return all
}

func everyTenth(all [][]byte) {
	var a *arena.Arena
	for i, b := range all {
		if i%10 == 0 {
			if a != nil {
				pool.Put(a)
			}
			a = pool.Get()
		}
		lib.Parse(a, b)
	}
	if a != nil {
		pool.Put(a)
	}
}

func valuesStay(all [][]byte) (docs []*lib.Doc) {
	for _, b := range all {
		a := pool.Get()
		docs = append(docs, lib.Parse(a, b))
		pool.Drop(a)
	}
	return docs
}

func goroutines(all [][]byte) {
	for _, b := range all {
		a := pool.Get()
		go func() {
			defer pool.Put(a)
			lib.Parse(a, b)
		}()
	}
}

func leftEarly(n int, b []byte) {
	for i := 0; i < n; i++ {
		a := pool.Get()
		if i == 3 {
			pool.Put(a)
			break
		}
		func(a *arena.Arena) { pool.Put(a) }(a)
	}
}
