package reach

import "sync"

// A Shared serves many goroutines at the same time. What it has a lock for outlives each call.
type Shared struct {
	cache *infos
	exact bool
}

type infos struct {
	mu  sync.RWMutex
	all map[string]*info
	log []string
}

type info struct {
	name  string
	parts []string
}

// NewShared returns a Shared.
func NewShared() *Shared { return &Shared{cache: &infos{all: map[string]*info{}}} }

// Decode returns a tree, with parts of what is in the cache.
func (s *Shared) Decode(text string) *Node {
	root := &Node{Text: text + "!"} // moves: a value, text
	for i := range len(text) {
		x := s.cache.get(text[i : i+1])
		root.Kids = append(root.Kids, &Node{Text: x.name + x.parts[len(x.parts)-1]}) // moves: append, a value, text
	}
	return root
}

// get returns what is known of a name, perhaps for the first time.
func (c *infos) get(name string) *info {
	c.mu.RLock()
	x := c.all[name]
	c.mu.RUnlock()
	if x == nil {
		x = c.learn(name)
		c.mu.Lock()
		c.all[name] = x
		c.log = append(c.log, name+".") // stays: append, text
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.all[name]
	if len(known.parts) < 9 {
		known.parts = append(known.parts, name+";") // stays: append, text
	}
	return &info{known.name, known.parts} // moves: a value
}

func (c *infos) learn(name string) *info { return &info{name: name + ":"} }

// A Sheet has a lock, and is made for one caller.
type Sheet struct {
	mu    sync.Mutex
	Cells []*Node
}

// Filled returns a Sheet, and not one of those before.
func Filled(before []*Sheet, text string) *Sheet {
	s := &Sheet{} // moves: a value
	s.add(text)
	return s
}

func (s *Sheet) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Cells = append(s.Cells, &Node{Text: text + "?"}) // moves: append, a value, text
}
