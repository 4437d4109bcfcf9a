package lost

import (
	"errors"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

var pool arena.Pool

func early(b []byte) error {
	a := pool.Get() // want `lost: .* on the way to the return`
	d := lib.Parse(a, b)
	if d.Title == "" {
		return errors.New("empty")
	}
	pool.Put(a)
	return nil
}

func never(b []byte) int {
	a := pool.Get() // want `lost: `
	return len(lib.Parse(a, b).Title)
}

func loop(all [][]byte) (n int) {
	a := pool.Get() // want `lost: `
	for _, b := range all {
		d := lib.Parse(a, b)
		if d.Title == "end" {
			return n
		}
		n += len(d.Title)
	}
	pool.Put(a)
	return n
}

func memory(m arena.Memory, n int) int {
	a := arena.NewWith(arena.Options{Memory: m}) // want `lost: .* call Free`
	s := arena.MakeSlice[int](a, n, n)
	return len(s)
}

func across(b []byte) error {
	a := lib.Get() // want `lost: `
	if lib.Parse(a, b).Title == "" {
		return errors.New("empty")
	}
	lib.Put(a)
	return nil
}

func closure(b []byte) int {
	a := pool.Get() // want `lost: `
	n := 0
	func() { n = len(lib.Parse(a, b).Title) }()
	return n
}

func twoWays(b []byte, kind int) int {
	a := pool.Get() // want `lost: `
	d := lib.Parse(a, b)
	switch kind {
	case 0:
		pool.Put(a)
		return 0
	case 1:
		return len(d.Title)
	}
	pool.Put(a)
	return 2
}

func limited(m arena.Memory, b []byte) error {
	a := arena.NewWith(arena.Options{Name: "x", Memory: m}) // want `lost: `
	if d := lib.Parse(a, b); d.Title == "" {
		return errors.New("empty")
	}
	a.Free()
	return nil
}

func (s *service) serve(b []byte) error {
	a := s.pool.Get() // want `lost: `
	if len(b) == 0 {
		return errors.New("empty")
	}
	lib.Parse(a, b)
	s.pool.Put(a)
	return nil
}

type service struct{ pool arena.Pool }

func resets(b []byte) {
	a := pool.Get() // want `lost: `
	lib.Parse(a, b)
}

func continued(all [][]byte) {
	for _, b := range all {
		a := pool.Get() // want `lost: .* on the way to the next turn of the loop`
		if len(b) == 0 {
			continue
		}
		lib.Parse(a, b)
		pool.Put(a)
	}
}

func continuedCount(n int, b []byte) {
	for i := 0; i < n; i++ {
		a := pool.Get() // want `lost: .* on the way to the next turn of the loop`
		if i == 3 {
			continue
		}
		lib.Parse(a, b)
		pool.Put(a)
	}
}

func perhapsPut(a *arena.Arena, ok bool) {
	if ok {
		pool.Put(a)
	}
}

// A deferred Put might be the second one.
func helperPerhapsPuts(b []byte, ok bool) int {
	a := pool.Get() // want `lost: `
	s := arena.String(a, b)
	if s == "" {
		return 0
	}
	n := len(s)
	perhapsPut(a, ok)
	return n
}

func get() *arena.Arena { return pool.Get() }

// Free is not what gives it back, and the Pool has no name here.
func ofFunction(b []byte) int {
	a := get() // want `lost: .* call Put`
	return len(lib.Parse(a, b).Title)
}

func dropped(b []byte, keep bool) int {
	a := pool.Get() // want `lost: `
	d := lib.Parse(a, b)
	if d.Title == "" {
		return 0
	}
	pool.Drop(a)
	return len(d.Title)
}
