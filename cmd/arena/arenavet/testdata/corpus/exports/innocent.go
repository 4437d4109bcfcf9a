package exports

import (
	"strings"

	"github.com/arena-go/arena"

	"example.com/corpus/sinks"
)

func okClosed(lines []string, f func(*sinks.Event)) error {
	a := arena.NewArena()
	s := sinks.NewQueued(8, f)
	for _, line := range lines {
		e := arena.New[sinks.Event](a)
		e.Name = line
		if err := s.Emit(e); err != nil {
			return err
		}
	}
	if err := s.Close(); err != nil {
		return err
	}
	a.Reset()
	return nil
}

func okCopied(n sinks.Names, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	n.Add(&sinks.Event{Name: arena.String(a, name)})
}

func okCloned(h sinks.History, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	h.Note(&sinks.Event{Name: strings.Clone(arena.String(a, name))})
}

func okSeveral(f sinks.Filter, name []byte) bool {
	a := pool.Get()
	defer pool.Put(a)
	return f.Filter(&sinks.Event{Name: arena.String(a, name)}) != nil
}

// lengths is a Visitor, too.
type lengths struct{ n int }

func (l *lengths) Visit(e *sinks.Event) { l.n += len(e.Name) }

func okVisited(v sinks.Visitor, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	v.Visit(&sinks.Event{Name: arena.String(a, name)})
}
