package reload

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// Two arenas take turns.
type turns struct {
	current  atomic.Pointer[config]
	now, old *arena.Arena
}

func (t *turns) reload(name string) {
	t.old.Reset()
	t.current.Store(&config{name: arena.String(t.old, name)})
	t.now, t.old = t.old, t.now
}

func (t *turns) name() string { return strings.Clone(t.current.Load().name) }

// The readers take the lock, too.
type guarded struct {
	mu      sync.RWMutex
	current atomic.Pointer[config]
	a       *arena.Arena
}

func (g *guarded) reload(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.a.Reset()
	g.current.Store(&config{name: arena.String(g.a, name)})
}

func (g *guarded) name() string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return strings.Clone(g.current.Load().name)
}

// What is published is on the heap.
type copied struct {
	current atomic.Pointer[config]
	a       *arena.Arena
}

func (c *copied) reload(name string) {
	c.a.Reset()
	s := arena.String(c.a, name)
	c.current.Store(&config{name: strings.Clone(s)})
}

// Each value has an arena of its own.
type fresh struct {
	current atomic.Pointer[config]
	a       *arena.Arena
}

func (f *fresh) reload(name string) {
	f.a = arena.NewArena()
	f.current.Store(&config{name: arena.String(f.a, name)})
}

func (l *lazy) copied(name string) *config {
	l.once.Do(func() {
		a := arena.NewArena()
		defer a.Reset()
		l.conf = &config{name: strings.Clone(arena.String(a, name))}
	})
	return l.conf
}
