// Package exports calls methods by interfaces of another package.
package exports

import (
	"github.com/arena-go/arena"

	"example.com/corpus/sinks"
)

var pool arena.Pool

func export(lines []string, s sinks.Sink) error {
	a := arena.NewArena()
	for _, line := range lines {
		e := arena.New[sinks.Event](a)
		e.Name = line
		if err := s.Emit(e); err != nil { // want `outlives: Sink.Emit sends a value of the arena`
			return err
		}
		a.Reset()
	}
	return nil
}

type service struct{ history sinks.History }

func (s *service) note(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[sinks.Event](a)
	e.Name = arena.String(a, name)
	s.history.Note(e) // want `outlives: `
}

func noted(h sinks.History, name []byte) {
	arena.Do(func(a *arena.Arena) {
		h.Note(&sinks.Event{Name: arena.String(a, name)}) // want `outlives: `
	})
}
