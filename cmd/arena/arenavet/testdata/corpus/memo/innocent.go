package memo

import (
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

func (s *site) copied(key string) string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	p, err := s.group.do(key, func() (*page, error) {
		p := arena.Ptr(a, page{title: key})
		return &page{strings.Clone(p.title)}, nil
	})
	if err != nil {
		return ""
	}
	return p.title
}

// The memo has the arena, and nobody waits when it is emptied.
type owned struct {
	mu  sync.Mutex
	a   *arena.Arena
	all map[string]*ownedEntry
}

type ownedEntry struct {
	once sync.Once
	val  string
}

func (o *owned) get(key string) string {
	o.mu.Lock()
	e := o.all[key]
	if e == nil {
		e = &ownedEntry{}
		o.all[key] = e
	}
	o.mu.Unlock()
	e.once.Do(func() { e.val = arena.String(o.a, key) })
	return e.val
}

func (o *owned) reset() {
	clear(o.all)
	o.a.Reset()
}

func lengths(keys []string) (n int) {
	o := &owned{a: arena.NewArena(), all: map[string]*ownedEntry{}}
	for _, k := range keys {
		n += len(o.get(k))
	}
	o.reset()
	return n
}

// The one who waits has made the request, and the arena.
type reply struct {
	done chan struct{}
	text string
}

type client struct {
	mu      sync.Mutex
	pending map[int]*reply
	send    func(id int)
}

func (c *client) ask(p *arena.Pool, id int) int {
	a := p.Get()
	defer p.Put(a)
	r := &reply{done: make(chan struct{})}
	c.mu.Lock()
	c.pending[id] = r
	c.mu.Unlock()
	c.send(id)
	<-r.done
	return count(arena.String(a, r.text))
}

func (c *client) answer(id int, text string) {
	c.mu.Lock()
	r := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	r.text = strings.Clone(text)
	close(r.done)
}

// Workers fill what the caller waits for.
func parallel(keys []string) (n int) {
	g := arena.NewGroup()
	calls := make([]*call, len(keys))
	for i, k := range keys {
		c := &call{}
		calls[i] = c
		c.wg.Add(1)
		g.Go(func(a *arena.Arena) {
			defer c.wg.Done()
			n := arena.String(a, k)
			c.err = nil
			_ = n
		})
	}
	for _, c := range calls {
		c.wg.Wait()
	}
	g.Wait()
	g.Reset()
	return n
}
