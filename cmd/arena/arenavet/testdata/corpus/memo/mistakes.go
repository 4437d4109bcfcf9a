// Package memo has mistakes with results that one call computes and others get, too.
package memo

import (
	"sync"

	"github.com/arena-go/arena"
)

type call struct {
	wg  sync.WaitGroup
	val *page
	err error
}

type page struct{ title string }

type group struct {
	mu    sync.Mutex
	calls map[string]*call
}

func (g *group) do(key string, fn func() (*page, error)) (*page, error) {
	g.mu.Lock()
	if c, ok := g.calls[key]; ok {
		g.mu.Unlock()
		c.wg.Wait()
		return c.val, c.err
	}
	c := new(call)
	c.wg.Add(1)
	g.calls[key] = c
	g.mu.Unlock()

	c.val, c.err = fn()
	c.wg.Done()

	g.mu.Lock()
	delete(g.calls, key)
	g.mu.Unlock()
	return c.val, c.err
}

type site struct {
	pool  arena.Pool
	group group
}

func (s *site) title(key string) string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	p, err := s.group.do(key, func() (*page, error) { // want `outlives: `
		return arena.Ptr(a, page{title: key}), nil
	})
	if err != nil {
		return ""
	}
	return p.title
}

type entry struct {
	once sync.Once
	val  []byte
}

type memo struct {
	mu  sync.Mutex
	all map[string]*entry
}

func (m *memo) get(a *arena.Arena, key string) []byte {
	m.mu.Lock()
	e := m.all[key]
	if e == nil {
		e = &entry{}
		m.all[key] = e
	}
	m.mu.Unlock()
	e.once.Do(func() { e.val = arena.Bytes(a, key) })
	return e.val
}

func (m *memo) size(key string) int {
	a := arena.NewArena()
	defer a.Reset()
	return len(m.get(a, key)) // want `outlives: `
}

type result struct {
	ready chan struct{}
	text  string
}

type cache struct {
	mu      sync.Mutex
	results map[int]*result
	pool    arena.Pool
}

func (c *cache) load(id int, read func(int) []byte) int {
	c.mu.Lock()
	r, ok := c.results[id]
	if ok {
		c.mu.Unlock()
		<-r.ready
		return count(r.text)
	}
	r = &result{ready: make(chan struct{})}
	c.results[id] = r // want `outlives: `
	c.mu.Unlock()
	a := c.pool.Get()
	defer c.pool.Put(a)
	r.text = arena.String(a, read(id)) // want `outlives: `
	close(r.ready)
	return count(r.text)
}

func count(s string) (n int) {
	for range s {
		n++
	}
	return n
}

type inflight struct {
	mu    sync.Mutex
	calls map[string]*call
}

func (f *inflight) wait(key string) *page {
	f.mu.Lock()
	c := f.calls[key]
	f.mu.Unlock()
	c.wg.Wait()
	return c.val
}

func (f *inflight) run(p *arena.Pool, key string) {
	c := &call{}
	c.wg.Add(1)
	f.mu.Lock()
	f.calls[key] = c // want `outlives: `
	f.mu.Unlock()
	a := p.Get()
	defer p.Put(a)
	c.val = arena.Ptr(a, page{key}) // want `outlives: `
	c.wg.Done()
}
