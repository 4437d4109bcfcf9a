// Package buses gives values of an arena to functions that lie in containers.
package buses

import (
	"errors"
	"fmt"

	"github.com/arena-go/arena"
)

type message struct{ subject, text string }

type bus struct{ listeners map[string][]func(message) }

func (b *bus) listen(subject string, f func(message)) {
	b.listeners[subject] = append(b.listeners[subject], f)
}

func (b *bus) send(m message) {
	for _, f := range b.listeners[m.subject] {
		f(m)
	}
}

type hooks struct{ done func(message) }

func (h hooks) finish(m message) { h.done(m) }

func hooked(line string) {
	var last message
	h := hooks{func(m message) { last = m }}
	arena.Do(func(a *arena.Arena) {
		h.finish(message{"line", arena.String(a, line)})
	})
	fmt.Println(last.text) // want `stale: `
}

var errAgain = errors.New("again")

// tries calls a function until it does not want to be called again.
func tries(f func() error) (err error) {
	for range 3 {
		if err = f(); !errors.Is(err, errAgain) {
			break
		}
	}
	return err
}

func warned(ask func(*arena.Arena) (string, error)) {
	a := arena.NewArena()
	var all []string
	tries(func() error {
		a.Reset()
		_, err := ask(a)
		all = append(all, arena.Sprintf(a, "answer: %v", err))
		return err
	})
	fmt.Println(all) // maybe `stale: `
}

func compared(read func() string) {
	a := arena.NewArena()
	last := ""
	tries(func() error { // maybe `stale: `
		s := arena.String(a, read())
		if s == last {
			return nil
		}
		last = s
		a.Reset()
		return errAgain
	})
}

func unpackLate(pool *arena.Pool, lines []string) {
	parcels := make(chan *parcel)
	go pack(parcels, pool, lines)
	for p := range parcels {
		pool.Put(p.a)
		for _, s := range p.texts {
			fmt.Println(s) // want `stale: `
		}
	}
}
