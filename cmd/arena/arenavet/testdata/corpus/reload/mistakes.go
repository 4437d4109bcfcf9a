// Package reload has mistakes with values that one function publishes and others read.
package reload

import (
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
)

type config struct {
	name  string
	hosts []string
}

type server struct {
	current atomic.Pointer[config]
	a       *arena.Arena
}

func (s *server) name() string { return s.current.Load().name }

func (s *server) reload(name string) {
	s.a.Reset() // want `stale: `
	s.current.Store(&config{name: arena.String(s.a, name)})
}

type holder struct {
	conf atomic.Pointer[config]
	pool arena.Pool
}

func (h *holder) set(name string) {
	a := h.pool.Get()
	defer h.pool.Put(a)
	h.conf.Store(arena.Ptr(a, config{name: name})) // want `outlives: `
}

func (h *holder) hosts() []string { return h.conf.Load().hosts }

var settings atomic.Value

func loadSettings(names []string) {
	a := arena.NewArena()
	settings.Store(&config{hosts: arena.SliceOf(a, names...)}) // want `outlives: `
	a.Reset()
}

func first() string { return settings.Load().(*config).hosts[0] }

type registry struct{ all sync.Map }

func (r *registry) add(p *arena.Pool, name string) {
	a := p.Get()
	r.all.Store(arena.String(a, name), true) // want `outlives: `
	p.Put(a)
}

func (r *registry) intern(s string) *config {
	a := arena.NewArena()
	defer a.Reset()
	v, _ := r.all.LoadOrStore(s, &config{name: arena.String(a, s)}) // want `outlives: `
	return v.(*config)
}

type lazy struct {
	once sync.Once
	conf *config
}

func (l *lazy) get(name string) *config {
	l.once.Do(func() {
		a := arena.NewArena()
		defer a.Reset()
		l.conf = arena.Ptr(a, config{name: name})
	})
	return l.conf // want `outlives: `
}

type table struct {
	a    *arena.Arena
	rows atomic.Pointer[map[string]string]
}

func (t *table) refresh(all map[string]string) {
	m := make(map[string]string, len(all))
	t.a.Reset() // want `stale: `
	for k, v := range all {
		m[k] = arena.String(t.a, v)
	}
	t.rows.Store(&m)
}

func (t *table) lookup(k string) string { return (*t.rows.Load())[k] }

type watcher struct {
	old, new *arena.Arena
	conf     atomic.Pointer[config]
}

func (w *watcher) swap(name string) {
	w.conf.Store(&config{name: arena.String(w.new, name)})
	w.new.Reset()
	use(w.conf.Load().name) // want `stale: `
}

func use(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}
